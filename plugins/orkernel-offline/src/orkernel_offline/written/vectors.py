"""Matrix notation (`c^T x`, `A x <= b`) rewritten with indices, before anything is bound."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.nodes import Clause, Node

Shape = tuple[int, ...]
_LETTERS = "ijklmnpqrsuvwh"


@dataclass(frozen=True, slots=True)
class _Typed:
    """An expression's shape: `()`, `(n,)`, `(m, n)`; `row` for a transposed vector."""

    shape: Shape
    row: bool = False


def without_vectors(document: Document) -> Document:
    """`document` with every relation in matrix notation written out by component.

    Raises:
        Unreadable: Shapes do not fit.
    """
    shapes = _data_shapes(document)
    if not shapes or not _uses_vectors(document, shapes):
        return document
    _infer(document, shapes)
    letters = _letters_for(document, shapes)
    rewriter = _Rewriter(shapes, letters)
    return replace(document, clauses=tuple(rewriter.clause(c) for c in document.clauses))


def _is_data(clause: Clause) -> bool:
    body = clause.body
    return (
        clause.role == "relation"
        and isinstance(body, n.Compare)
        and body.ops == ("=",)
        and isinstance(_untransposed(body.operands[0]), n.Vector | n.Matrix)
    )


def _untransposed(node: Node) -> Node:
    return node.args[0] if isinstance(node, n.Call) and node.func == "transpose" else node


def _data_shapes(document: Document) -> dict[str, Shape]:
    found: dict[str, Shape] = {}
    for clause in document.clauses:
        if not _is_data(clause):
            continue
        assert isinstance(clause.body, n.Compare)
        head, value = clause.body.heads[0], _untransposed(clause.body.operands[0])
        if not isinstance(head, n.Sym) or head.subs:
            continue
        if isinstance(value, n.Matrix):
            found[head.name] = (len(value.rows), len(value.rows[0].items))
        elif isinstance(value, n.Vector):
            found[head.name] = (len(value.items),)
    return found


def _uses_vectors(document: Document, shapes: dict[str, Shape]) -> bool:
    return any(
        isinstance(p, n.Sym) and not p.subs and p.name in shapes
        for c in document.clauses
        if not _is_data(c)
        for p in n.walk(c.body)
    )


def _infer(document: Document, shapes: dict[str, Shape]) -> None:
    """Give `x` the length that the matrix or vector next to it asks for."""
    for _ in range(3):
        for clause in document.clauses:
            for part in n.walk(clause.body):
                if isinstance(part, n.Bin) and part.op == "*":
                    _infer_product(part, shapes)


def _infer_product(part: n.Bin, shapes: dict[str, Shape]) -> None:
    right = part.right
    left: Node = part.left
    if isinstance(left, n.Bin) and left.op == "*":
        left = left.right
    if not isinstance(right, n.Sym) or right.subs or right.name in shapes:
        return
    transposed = isinstance(left, n.Call) and left.func == "transpose"
    base = _untransposed(left)
    if isinstance(base, n.Sym) and not base.subs and base.name in shapes:
        shape = shapes[base.name]
        if len(shape) == 2:
            shapes[right.name] = (shape[0] if transposed else shape[1],)
        elif transposed:
            shapes[right.name] = shape


def _letters_for(document: Document, shapes: dict[str, Shape]) -> dict[int, tuple[str, str]]:
    """Two letters for each length, so that a square matrix has one for rows and for columns."""
    used = {p.name for c in document.clauses for p in n.walk(c) if isinstance(p, n.Sym)}
    free = iter([x for x in _LETTERS if x not in used] + [f"i{k}" for k in range(2 * len(shapes))])
    lengths = sorted({length for shape in shapes.values() for length in shape})
    return {length: (next(free), next(free)) for length in lengths}


class _Rewriter:
    def __init__(self, shapes: dict[str, Shape], letters: dict[int, tuple[str, str]]) -> None:
        self.shapes = shapes
        self.letters = letters

    def clause(self, clause: Clause) -> Clause:
        """A clause with its vectors written by component."""
        if _is_data(clause):
            return clause
        body = clause.body
        if not isinstance(body, n.Compare):
            return replace(clause, body=self._scalar(body))
        sides = [*body.heads, *(o for o in body.operands if not _is_set(o))]
        lengths = {s.shape[0] for s in map(self._typed, sides) if s.shape}
        if not lengths:
            return replace(clause, body=self._compare(body, None))
        if len(lengths) > 1:
            raise Unreadable("the sides of this relation differ in length",
                             ((clause.start, clause.end),))  # fmt: skip
        length = lengths.pop()
        letter = self.letters[length][0]
        quant = self._generator(letter, length, clause)
        return replace(clause, body=self._compare(body, letter), quants=(*clause.quants, quant))

    def _compare(self, body: n.Compare, letter: str | None) -> n.Compare:
        def part(node: Node) -> Node:
            return node if _is_set(node) else self._component(node, letter)

        return replace(
            body, heads=tuple(map(part, body.heads)), operands=tuple(map(part, body.operands))
        )

    def _generator(self, letter: str, length: int, node: Node) -> n.Gen:
        one = n.Num(node.start, node.end, "1")
        last = n.Num(node.start, node.end, str(length))
        domain = n.RangeSet(node.start, node.end, one, last)
        return n.Gen(node.start, node.end, (letter,), domain)

    def _typed(self, node: Node) -> _Typed:
        match node:
            case n.Sym(subs=()) if node.name in self.shapes:
                return _Typed(self.shapes[node.name])
            case n.Call(func="transpose"):
                inner = self._typed(node.args[0])
                return _Typed(inner.shape[::-1], row=len(inner.shape) == 1)
            case n.Neg():
                return self._typed(node.arg)
            case n.Bin(op="+" | "-"):
                left, right = self._typed(node.left), self._typed(node.right)
                if left.shape and right.shape and left != right:
                    raise _misfit(node)
                return left if left.shape else right
            case n.Bin(op="*"):
                return self._product_type(node)
            case n.Bin(op="/"):
                return self._typed(node.left)
        return _Typed(())

    def _product_type(self, node: n.Bin) -> _Typed:
        left, right = self._typed(node.left), self._typed(node.right)
        if not left.shape:
            return right
        if not right.shape:
            return left
        if left.row and len(right.shape) == 1 and left.shape == right.shape:
            return _Typed(())
        if left.row and len(right.shape) == 2 and left.shape[0] == right.shape[0]:
            return _Typed((right.shape[1],), row=True)
        if len(left.shape) == 2 and len(right.shape) == 1 and left.shape[1] == right.shape[0]:
            return _Typed((left.shape[0],))
        raise _misfit(node)

    def _scalar(self, node: Node) -> Node:
        if self._typed(node).shape:
            raise Unreadable("an objective is one number, this is a vector",
                             ((node.start, node.end),))  # fmt: skip
        return self._component(node, None)

    def _component(self, node: Node, letter: str | None) -> Node:
        """The component `letter` of a vector, or a scalar."""
        match node:
            case n.Sym(subs=()) if node.name in self.shapes:
                if letter is None or len(self.shapes[node.name]) != 1:
                    raise _misfit(node)
                return replace(node, subs=(n.Sym(node.start, node.end, letter),))
            case n.Call(func="transpose"):
                return self._component(node.args[0], letter)
            case n.Call():
                return replace(node, args=tuple(self._component(a, None) for a in node.args))
            case n.Neg():
                return replace(node, arg=self._component(node.arg, letter))
            case n.Bin(op="*"):
                return self._product(node, letter)
            case n.Bin(op="^"):
                return node
            case n.Bin():
                left = self._component(node.left, letter)
                return replace(node, left=left, right=self._component(node.right, letter))
            case n.Reduce():
                return replace(node, body=self._component(node.body, letter))
        return node

    def _product(self, node: n.Bin, letter: str | None) -> Node:
        left, right = self._typed(node.left), self._typed(node.right)
        if not left.shape or not right.shape:
            first = self._component(node.left, letter if left.shape else None)
            second = self._component(node.right, letter if right.shape else None)
            return replace(node, left=first, right=second)
        inner_length = left.shape[-1] if len(left.shape) == 2 else left.shape[0]
        inner = self.letters[inner_length][0]
        if inner == letter:
            inner = self.letters[inner_length][1]
        if len(left.shape) == 2:
            first = self._entry(node.left, letter, inner)
            second = self._component(node.right, inner)
        elif len(right.shape) == 2:
            first = self._component(node.left, inner)
            second = self._entry(node.right, inner, letter)
        else:
            first = self._component(node.left, inner)
            second = self._component(node.right, inner)
        body = n.Bin(node.start, node.end, "*", first, second)
        quant = self._generator(inner, inner_length, node)
        return n.Reduce(node.start, node.end, "sum", (quant,), body)

    def _entry(self, node: Node, row: str | None, column: str | None) -> Node:
        """An entry of a matrix."""
        transposed = isinstance(node, n.Call) and node.func == "transpose"
        base = _untransposed(node)
        if not isinstance(base, n.Sym) or row is None or column is None:
            raise _misfit(node)
        order = (column, row) if transposed else (row, column)
        return replace(base, subs=tuple(n.Sym(node.start, node.end, x) for x in order))


def _is_set(node: Node) -> bool:
    return isinstance(
        node,
        n.NumberSet | n.SetLit | n.RangeSet | n.Interval | n.SetMinus | n.SetTimes
        | n.SetBuilder | n.Mapping | n.Vector | n.Matrix,
    )  # fmt: skip


def _misfit(node: Node) -> Unreadable:
    return Unreadable("the shapes of this product do not fit", ((node.start, node.end),))
