"""The syntax tree of written algebra; every node knows its place in the statement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace


@dataclass(frozen=True, slots=True)
class Node:
    """A stretch of algebra from `start` to `end` (characters of the statement)."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Num(Node):
    """A number, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Sym(Node):
    """A symbol with its subscripts; a subscript `ij` stays one `Sym` until indices are known."""

    name: str
    subs: tuple[Node, ...] = ()
    styled: bool = False


@dataclass(frozen=True, slots=True)
class Neg(Node):
    """A negated expression."""

    arg: Node


@dataclass(frozen=True, slots=True)
class Bin(Node):
    """A binary operation: one of `+ - * / ^`; `implicit` when the `*` is not written."""

    op: str
    left: Node
    right: Node
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of some arguments, or a symbol followed by a parenthesis (`applied`)."""

    func: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`x(i, j)` or `a (b + c)`: an index or a product, decided once symbols are known."""

    sym: Sym
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """`sum`, `prod`, `min` or `max` of a body over generators and conditions."""

    func: str
    quants: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A chain of comparisons; the first operand may be several, separated by commas."""

    heads: tuple[Node, ...]
    ops: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Gen(Node):
    """Index letters with the set they run over; no `domain` when the set is to be inferred."""

    targets: tuple[str, ...]
    domain: Node | None
    as_tuple: bool = False


@dataclass(frozen=True, slots=True)
class Dots(Node):
    """An ellipsis in a list."""


@dataclass(frozen=True, slots=True)
class Member(Node):
    """A member of a set literal or a label."""

    text: str


@dataclass(frozen=True, slots=True)
class SetLit(Node):
    """A set by its members; an item is a `Member`, `Num`, `Sym`, `Dots` or `Vector` (a tuple)."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class RangeSet(Node):
    """All whole numbers from `lo` to `hi`, both included."""

    lo: Node
    hi: Node


@dataclass(frozen=True, slots=True)
class SetMinus(Node):
    """A set without some members."""

    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class SetTimes(Node):
    """A product of sets."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetBuilder(Node):
    """`{ (i, j) : i in I, i != j }`."""

    target: Node
    quants: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class NumberSet(Node):
    """Z, N, R or B (`{0,1}`), with `sign` `>=0`, `>0` or empty."""

    letter: str
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Interval(Node):
    """`[lo, hi]`."""

    lo: Node
    hi: Node


@dataclass(frozen=True, slots=True)
class Vector(Node):
    """A list in parentheses, brackets or a one-row matrix environment."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    """Rows of a matrix environment or of nested brackets."""

    rows: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Mapping(Node):
    """`{A: 3, B: 5}`."""

    items: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """One thing that the statement says in algebra.

    Attributes:
        body: `Compare`, or an expression for an objective.
        role: `objective`, `relation` or `domain`.
        sense: `minimize` or `maximize` of an objective.
        words: Domain words that follow: `integer`, `binary`, `nonneg`, `free`, `continuous`.
        quants: Quantifiers that belong to it.
        label: Prose that names it.
        section: The part of the statement that it stands in.
        prose: Words around it in its sentence.
    """

    role: str
    body: Node
    sense: str = ""
    words: tuple[str, ...] = ()
    quants: tuple[Node, ...] = ()
    label: str = ""
    section: str = ""
    prose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention(Node):
    """Symbols that prose describes, as in "where x is the number of chairs"."""

    symbols: tuple[Sym, ...]
    description: str
    section: str
    quants: tuple[Node, ...] = field(default=())


_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def _field_names(kind: type[Node]) -> tuple[str, ...]:
    known = _FIELDS.get(kind)
    if known is None:
        known = tuple(f.name for f in fields(kind) if f.name not in ("start", "end"))
        _FIELDS[kind] = known
    return known


def children(node: Node) -> Iterator[Node]:
    """The direct sub-nodes of `node`, in order."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item
                elif isinstance(item, tuple):
                    yield from (part for part in item if isinstance(part, Node))


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, without recursion."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))


def rewrite(node: Node, change: Callable[[Node], Node]) -> Node:
    """`node` with `change` applied to every part, innermost first; chains are not recursed into."""
    if isinstance(node, Bin):
        spine: list[Bin] = []
        left: Node = node
        while isinstance(left, Bin):
            spine.append(left)
            left = left.left
        done = rewrite(left, change)
        for part in reversed(spine):
            done = change(replace(part, left=done, right=rewrite(part.right, change)))
        return done
    changes: dict[str, object] = {}
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            changes[name] = rewrite(value, change)
        elif isinstance(value, tuple) and any(isinstance(v, Node) for v in value):
            changes[name] = tuple(rewrite(v, change) if isinstance(v, Node) else v for v in value)
    return change(replace(node, **changes) if changes else node)  # type: ignore[arg-type]
