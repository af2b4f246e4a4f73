"""Bind index letters: which subscript is an index, which a label, and what each runs over."""

from __future__ import annotations

from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.bound import (
    Binding,
    Bound,
    Const,
    Idx,
    Loop,
    Moving,
    Names,
    Ref,
    SetName,
    Sigma,
)
from orkernel_offline.written.letters import free_letters, ranges_from_chains
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.sets import SetTable
from orkernel_offline.written.values import is_whole


class Binder:
    """Binds the clauses of one statement."""

    def __init__(self, names: Names, table: SetTable) -> None:
        self.names = names
        self.table = table
        self.bindings: list[Binding] = []
        self.moving: list[Moving] = []
        self._env: dict[str, int] = {}
        self._implicit: dict[str, int] | None = None

    def bind(self, clause: Clause) -> Bound:
        """Bind one clause.

        Raises:
            Unreadable: An index is not bound, or a subscript has no clear meaning.
        """
        self._env = {}
        used = free_letters(clause.body, self.names.letters)
        loops, conditions = self._loops(clause.quants, keep=used)
        self._implicit = None if clause.role == "objective" else {}
        body = self.resolve(clause.body)
        implied = self._implicit or {}
        extra = tuple(
            Loop(clause.start, clause.end, (binding,), None) for binding in implied.values()
        )
        return Bound(
            clause.start, clause.end, clause, body, (*loops, *extra), conditions, tuple(implied)
        )

    # -- quantifiers ----------------------------------------------------------------------

    def _loops(
        self, quants: tuple[Node, ...], keep: set[str] | None = None
    ) -> tuple[tuple[Loop, ...], tuple[Node, ...]]:
        """Open the scopes of `quants`; `keep` drops generators that nothing uses."""
        quants = ranges_from_chains(quants, set(self._env))
        loops: list[Loop] = []
        conditions: list[Node] = []
        outer = dict(self._env)
        for quant in quants:
            if isinstance(quant, n.Gen):
                if keep is not None and not set(quant.targets) & keep:
                    continue
                self._open(quant, outer, loops, conditions)
            elif _fixes_part_of_tuple(quant):
                assert isinstance(quant, n.Compare)
                self._open_partial_tuple(quant, outer, loops, conditions)
            elif keep is None or free_letters(quant, self.names.letters) & keep:
                self._open_unbound(quant, loops)
                conditions.append(self._with_numbers(self.resolve(quant)))
        return tuple(loops), tuple(conditions)

    def _with_numbers(self, condition: Node) -> Node:
        """Scalars of a condition as numbers, so that it can be decided while reading."""

        def changed(node: Node) -> Node:
            if isinstance(node, Ref) and not node.indices and node.name in self.names.scalars:
                value = self.names.scalars[node.name]
                return n.Num(node.start, node.end, values.literal(value))
            return node

        return n.rewrite(condition, changed)

    def _open_unbound(self, quant: Node, loops: list[Loop]) -> None:
        """`\\sum_{i < j}`: letters that only a condition names run over their whole sets."""
        for letter in sorted(free_letters(quant, self.names.letters)):
            if letter not in self._env:
                binding = self._new(letter, None, quant)
                self._env[letter] = binding
                loops.append(Loop(quant.start, quant.end, (binding,), None))

    def _open(
        self, gen: n.Gen, outer: dict[str, int], loops: list[Loop], conditions: list[Node]
    ) -> None:
        if gen.as_tuple:
            self._open_tuple(gen, outer, loops, conditions)
            return
        for target in gen.targets:
            if target in self._env:
                here = self._env[target]
                opened_here = any(here in loop.bindings for loop in loops)
                if not opened_here:
                    raise Unreadable(
                        f"the index {target} is already in use here", ((gen.start, gen.end),)
                    )
                if gen.domain is not None:
                    self._narrow(here, gen.domain, loops, conditions)
                continue
            binding = self._new(target, None, gen)
            limits = self._domain(gen.domain, binding, target)
            self._env[target] = binding
            loops.append(Loop(gen.start, gen.end, (binding,), self.bindings[binding].domain))
            conditions.extend(limits)

    def _narrow(
        self, binding: int, domain: Node, loops: list[Loop], conditions: list[Node]
    ) -> None:
        limits = self._domain(domain, binding, self.bindings[binding].letter)
        for at, loop in enumerate(loops):
            if binding in loop.bindings:
                loops[at] = replace(loop, domain=self.bindings[binding].domain)
        conditions.extend(limits)

    def _open_tuple(
        self, gen: n.Gen, outer: dict[str, int], loops: list[Loop], conditions: list[Node]
    ) -> None:
        name = self._set_name(gen.domain, "".join(gen.targets)) if gen.domain else None
        bindings: list[int] = []
        equal: list[tuple[int, int]] = []
        for target in gen.targets:
            if target in outer:
                fresh = self._new(f"{target}_", None, gen)
                equal.append((fresh, outer[target]))
                bindings.append(fresh)
                self._env[target] = fresh
                continue
            if target in self._env:
                opened = self._env[target]
                loops[:] = [x for x in loops if x.bindings != (opened,)]
                bindings.append(opened)
                continue
            binding = self._new(target, None, gen)
            self._env[target] = binding
            bindings.append(binding)
        loops.append(Loop(gen.start, gen.end, tuple(bindings), name))
        for fresh, old in equal:
            left, right = Idx(gen.start, gen.end, fresh), Idx(gen.start, gen.end, old)
            conditions.append(n.Compare(gen.start, gen.end, (left,), ("=",), (right,)))

    def _open_partial_tuple(
        self, quant: n.Compare, outer: dict[str, int], loops: list[Loop], conditions: list[Node]
    ) -> None:
        """`(1, j) \\in A`: a tuple with a fixed part."""
        head = quant.heads[0]
        assert isinstance(head, n.Vector)
        names: list[str] = []
        fixed: list[tuple[str, Node]] = []
        for item in head.items:
            if isinstance(item, n.Sym) and item.name in self.names.letters:
                names.append(item.name)
                continue
            names.append(f"{'ijkl'[len(names) % 4]}_fixed{len(names)}")
            fixed.append((names[-1], self._index(item)))
        gen = n.Gen(quant.start, quant.end, tuple(names), quant.operands[0], True)
        self._open_tuple(gen, outer, loops, conditions)
        for name, member in fixed:
            left = Idx(quant.start, quant.end, self._env[name])
            conditions.append(n.Compare(quant.start, quant.end, (left,), ("=",), (member,)))

    def _new(self, letter: str, domain: str | None, node: Node) -> int:
        self.bindings.append(Binding(letter, domain, (node.start, node.end)))
        return len(self.bindings) - 1

    def _domain(self, node: Node | None, binding: int, letter: str) -> list[Node]:
        """Set the domain of `binding`; returns conditions that narrow it further."""
        here = self.bindings[binding]
        if node is None:
            return []
        if isinstance(node, n.SetMinus):
            limits = self._domain(node.left, binding, letter)
            return [*limits, *self._exclusions(node.right, binding)]
        if isinstance(node, n.RangeSet) and (
            free_letters(node, self.names.letters) & set(self._env)
        ):
            return self._moving_range(node, binding)
        if isinstance(node, n.SetLit) and len(node.items) == 1 and isinstance(node.items[0], n.Bin):
            node = n.RangeSet(node.start, node.end, node.items[0], node.items[0])
        here.domain = self._set_name(node, letter)
        return []

    def _exclusions(self, node: Node, binding: int) -> list[Node]:
        if isinstance(node, n.SetLit):
            out: list[Node] = []
            for item in node.items:
                left = Idx(node.start, node.end, binding)
                out.append(n.Compare(node.start, node.end, (left,), ("!=",), (self._index(item),)))
            return out
        name = self._set_name(node, self.bindings[binding].letter)
        left = Idx(node.start, node.end, binding)
        right = SetName(node.start, node.end, name)
        return [n.Compare(node.start, node.end, (left,), ("notin",), (right,))]

    def _moving_range(self, node: n.RangeSet, binding: int) -> list[Node]:
        """`\\sum_{s=1}^{t}`: a range that ends at another index narrows the whole set."""
        lo, hi = self._index(node.lo), self._index(node.hi)
        self.moving.append(Moving(node.start, node.end, binding, lo, hi))
        left = Idx(node.start, node.end, binding)
        return [
            n.Compare(node.start, node.end, (left,), (">=",), (lo,)),
            n.Compare(node.start, node.end, (left,), ("<=",), (hi,)),
        ]

    def _set_name(self, node: Node, letter: str) -> str:
        if isinstance(node, n.Sym) and not node.subs:
            if node.name in self.table.sets:
                return node.name
            raise Unreadable(
                f"the set {node.name} is not given; list it, "
                f"for example {node.name} = {{1, ..., 5}}",
                ((node.start, node.end),),
            )
        if isinstance(node, n.Sym):
            raise Unreadable(
                "a set with an index of its own is not understood; "
                "list the pairs as a set of tuples",
                ((node.start, node.end),),
            )
        if isinstance(node, n.NumberSet):
            raise Unreadable("an index needs a finite set", ((node.start, node.end),))
        return self.table.anonymous(node, letter).name

    # -- expressions ----------------------------------------------------------------------

    def resolve(self, node: Node) -> Node:
        """`node` with its symbols bound."""
        match node:
            case n.Sym():
                return self._symbol(node)
            case n.Apply():
                return self._application(node)
            case n.Reduce():
                return self._reduce(node)
            case n.Bin(op="^"):
                return self._power(node)
            case n.Bin():
                left = node.left
                spine: list[n.Bin] = [node]
                while isinstance(left, n.Bin) and left.op != "^":
                    spine.append(left)
                    left = left.left
                done = self.resolve(left)
                for part in reversed(spine):
                    done = replace(part, left=done, right=self.resolve(part.right))
                return done
            case n.Neg():
                return replace(node, arg=self.resolve(node.arg))
            case n.Call():
                return replace(node, args=tuple(self.resolve(a) for a in node.args))
            case n.Compare():
                return self._compare(node)
            case n.Vector():
                return replace(node, items=tuple(self.resolve(i) for i in node.items))
            case _:
                return node

    def _compare(self, node: n.Compare) -> Node:
        heads = tuple(self.resolve(h) for h in node.heads)
        operands: list[Node] = []
        for op, operand in zip(node.ops, node.operands, strict=True):
            if op in ("in", "notin") and isinstance(operand, n.Sym):
                name = self._set_name(operand, "")
                operands.append(SetName(operand.start, operand.end, name))
            elif isinstance(operand, n.NumberSet | n.SetLit | n.RangeSet | n.Interval):
                operands.append(operand)
            else:
                operands.append(self.resolve(operand))
        return replace(node, heads=heads, operands=tuple(operands))

    def _reduce(self, node: n.Reduce) -> Node:
        saved = dict(self._env)
        loops, conditions = self._loops(node.quants)
        body = self.resolve(node.body)
        self._env = saved
        return Sigma(node.start, node.end, node.func, loops, conditions, body)

    def _power(self, node: n.Bin) -> Node:
        base, exponent = node.left, node.right
        letters = free_letters(exponent, self.names.letters)
        if (
            isinstance(base, n.Sym)
            and base.subs
            and isinstance(exponent, n.Num)
            and len(base.subs) == self.names.superscripted.get(base.name, -1)
        ):
            return self._symbol(replace(base, end=node.end, subs=(*base.subs, exponent)))
        if isinstance(base, n.Sym) and letters and base.name not in self.names.scalars:
            if not isinstance(exponent, n.Sym):
                raise Unreadable(
                    "this exponent may be an index or a power; write an index as a subscript",
                    ((node.start, node.end),),
                )
            return self._symbol(replace(base, end=node.end, subs=(*base.subs, exponent)))
        if (
            isinstance(base, n.Sym)
            and base.name == "e"
            and not base.subs
            and ("e" not in self.names.scalars)
        ):
            return n.Call(node.start, node.end, "exp", (self.resolve(exponent),))
        return replace(node, left=self.resolve(base), right=self.resolve(exponent))

    def _application(self, node: n.Apply) -> Node:
        name = node.sym.name
        arity = self.names.lettered.get(name, 0)
        if not node.sym.subs and arity == len(node.args):
            subs = tuple(node.args)
            return self._symbol(replace(node.sym, end=node.end, subs=subs))
        if len(node.args) == 1:
            left, right = self.resolve(node.sym), self.resolve(node.args[0])
            return n.Bin(node.start, node.end, "*", left, right, implicit=True)
        raise Unreadable(f"{name} is not a function", ((node.start, node.end),))

    def _symbol(self, node: n.Sym) -> Node:
        if not node.subs:
            letter = self._letter(node)
            return letter if letter is not None else Ref(node.start, node.end, node.name)
        items = self._split(node)
        lettered = node.name in self.names.lettered
        name = node.name
        indices: list[Node] = []
        for item in items:
            if isinstance(item, n.Num) and not is_whole(item.text):
                raise Unreadable("a subscript is a whole number", ((item.start, item.end),))
            if isinstance(item, n.Num) and lettered:
                indices.append(Const(item.start, item.end, int(item.text)))
            elif isinstance(item, n.Num):
                name = f"{name}{item.text}" if name == node.name else f"{name}_{item.text}"
            elif isinstance(item, n.Sym) and self._is_label(item):
                if lettered and self._is_member(item.name):
                    indices.append(Const(item.start, item.end, item.name))
                else:
                    name = f"{name}_{item.name}"
            else:
                index = self._index(item)
                if isinstance(index, Const) and not lettered:
                    name = (
                        f"{name}{index.member}" if name == node.name else f"{name}_{index.member}"
                    )
                else:
                    indices.append(index)
        return Ref(node.start, node.end, name, tuple(indices))

    def _split(self, node: n.Sym) -> list[Node]:
        """Separate `ij` and `12` into the indices they stand for."""
        arity = self.names.lettered.get(node.name, 0)
        out: list[Node] = []
        for sub in node.subs:
            several = arity > len(node.subs)
            if isinstance(sub, n.Num) and several and len(sub.text) > 1:
                out.extend(_characters(sub.text, sub, n.Num))
            elif (
                isinstance(sub, n.Sym)
                and not sub.subs
                and not sub.styled
                and len(sub.name) > 1
                and sub.name not in self.names.letters
                and not self._is_member(sub.name)
                and all(c in self.names.letters or (several and self._is_member(c))
                        for c in sub.name)
            ):  # fmt: skip
                out.extend(_characters(sub.name, sub, n.Sym))
            else:
                out.append(sub)
        return out

    def _is_label(self, item: n.Sym) -> bool:
        if item.subs:
            return False
        if item.name in self._env or item.name in self.names.letters:
            return False
        return not (item.name in self.names.scalars and not self._is_member(item.name))

    def _is_member(self, text: str) -> bool:
        return any(text in (s.members or ()) for s in self.table.sets.values())

    def _letter(self, node: n.Sym) -> Node | None:
        if node.name in self._env:
            return Idx(node.start, node.end, self._env[node.name])
        return None

    def _index(self, node: Node) -> Node:
        """An index expression: a letter, a fixed member, or a letter plus a number."""
        if isinstance(node, n.Num):
            return Const(node.start, node.end, int(float(node.text)))
        if isinstance(node, n.Neg):
            value = values.whole(node, self.names.scalars)
            if value is not None:
                return Const(node.start, node.end, value)
        if isinstance(node, n.Bin) and node.op in "+-*":
            value = values.whole(node, self.names.scalars)
            if value is not None and not free_letters(node, set(self._env)):
                return Const(node.start, node.end, value)
            return replace(node, left=self._index(node.left), right=self._index(node.right))
        if isinstance(node, n.Sym) and not node.subs:
            bound = self._letter(node)
            if bound is not None:
                return bound
            if node.name in self.names.letters and self._implicit is not None:
                binding = self._new(node.name, None, node)
                self._implicit[node.name] = binding
                self._env[node.name] = binding
                return Idx(node.start, node.end, binding)
            if node.name in self.names.scalars:
                value = values.whole(node, self.names.scalars)
                if value is not None:
                    return Const(node.start, node.end, value)
            if self._is_member(node.name):
                return Const(node.start, node.end, node.name)
            raise Unreadable(f"the index {node.name} is not bound", ((node.start, node.end),))
        raise Unreadable("this index is not understood", ((node.start, node.end),))


def _fixes_part_of_tuple(quant: Node) -> bool:
    return (
        isinstance(quant, n.Compare)
        and quant.ops == ("in",)
        and len(quant.heads) == 1
        and isinstance(quant.heads[0], n.Vector)
        and isinstance(quant.operands[0], n.Sym)
    )


def _characters(text: str, node: Node, kind: type[n.Num] | type[n.Sym]) -> list[Node]:
    return [kind(node.start + k, node.start + k + 1, c) for k, c in enumerate(text)]
