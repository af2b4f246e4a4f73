"""Which symbols are decision variables, and the domain and bounds that the statement gives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.bound import Bound, Const, Idx, Key, Ref
from orkernel_offline.written.families import Families
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import Atom, SetTable, consecutive
from orkernel_offline.written.values import Number

Span = tuple[int, int]
_FLIP = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "="}


@dataclass(slots=True)
class Variable:
    """What is known of one decision variable.

    Attributes:
        key: Its family.
        domain: continuous, integer or binary.
        stated: Whether the statement says the domain.
        lower: Lower bound; None is minus infinity.
        signed: Whether the statement says anything of its sign or lower bound.
        upper: Upper bound; None is infinity.
        strict: Whether the sign was written as `> 0`.
        spans: Where it is declared.
    """

    key: Key
    domain: str = "continuous"
    stated: bool = False
    lower: Number | None = None
    signed: bool = False
    upper: Number | None = None
    strict: bool = False
    spans: list[Span] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One statement about the domain of a family, or of some of its members."""

    ref: Ref
    bound: Bound
    domain: str = ""
    lower: Number | None = None
    has_lower: bool = False
    upper: Number | None = None
    has_upper: bool = False
    strict: bool = False


def declarations(bound: Bound) -> list[Declaration] | None:
    """What `bound` says of domains, or None when it is a constraint.

    Raises:
        Unreadable: A domain that no solver takes, such as `x in {2, 5, 9}`.
    """
    body = bound.body
    if bound.clause.role == "objective" or not isinstance(body, n.Compare):
        return None
    heads = _expanded(body.heads)
    if body.ops == ("in",):
        return _membership(bound, heads, body.operands[0])
    found = _signs(bound, heads, body)
    if not bound.clause.words:
        return found
    refs = [h for h in heads if isinstance(h, Ref)]
    if isinstance(body.heads[0], n.Num) and body.operands:
        refs = [o for o in body.operands if isinstance(o, Ref)]
    if (not refs or (found is None and body.ops)) and len(refs) != len(heads):
        raise Unreadable("it is not clear what is an integer here", ((bound.start, bound.end),))
    worded = [d for r in refs for d in _worded(r, bound)]
    if found is None and body.ops:
        return None
    return [*(found or []), *worded]


def words_of(bound: Bound) -> list[Declaration]:
    """Domain words that follow a relation which itself stays a constraint."""
    body = bound.body
    if not isinstance(body, n.Compare) or not bound.clause.words:
        return []
    refs = [h for h in _expanded(body.heads) if isinstance(h, Ref)]
    return [d for r in refs for d in _worded(r, bound)]


def _worded(ref: Ref, bound: Bound) -> Iterable[Declaration]:
    for word in bound.clause.words:
        if word == "nonneg":
            yield Declaration(ref, bound, lower=0, has_lower=True)
        elif word == "free":
            yield Declaration(ref, bound, lower=None, has_lower=True)
        else:
            yield Declaration(ref, bound, domain=word)


def _membership(bound: Bound, heads: tuple[Node, ...], domain: Node) -> list[Declaration]:
    refs = [h for h in heads if isinstance(h, Ref)]
    if len(refs) != len(heads):
        raise Unreadable("only a variable has a domain", ((bound.start, bound.end),))
    return [_in_domain(r, bound, domain) for r in refs]


def _in_domain(ref: Ref, bound: Bound, domain: Node) -> Declaration:
    match domain:
        case n.NumberSet(letter="B"):
            return Declaration(ref, bound, domain="binary")
        case n.NumberSet(letter="R", sign=sign):
            if sign == "<=0":
                return Declaration(ref, bound, domain="continuous", has_lower=True, upper=0,
                                   has_upper=True)  # fmt: skip
            lower = 0 if sign else None
            return Declaration(ref, bound, "continuous", lower, True, strict=sign == ">0")
        case n.NumberSet(letter=letter, sign=sign):
            floor: Number | None = 0 if letter == "N" or sign == ">=0" else None
            if sign == ">0":
                floor = 1
            return Declaration(ref, bound, "integer", floor, True)
        case n.Interval(lo=lo, hi=hi):
            first, last = values.constant(lo), values.constant(hi)
            if first is None or last is None:
                raise Unreadable("the ends of this interval have no value",
                                 ((domain.start, domain.end),))  # fmt: skip
            if first == 0 and last == float("inf"):
                return Declaration(ref, bound, lower=0, has_lower=True)
            return Declaration(ref, bound, "", _finite(first), True, _finite(last), True)
        case n.SetLit():
            members = _whole_members(domain)
            if members == (0, 1):
                return Declaration(ref, bound, domain="binary")
            ends = consecutive(members)
            if ends is not None:
                return Declaration(ref, bound, "integer", ends[0], True, ends[1], True)
    raise Unreadable(
        "this domain is not understood; a domain is {0,1}, a range of whole numbers, "
        "an interval, Z or R",
        ((domain.start, domain.end),),
    )


def _finite(value: Number) -> Number | None:
    return None if value in (float("inf"), float("-inf")) else value


def _whole_members(domain: n.SetLit) -> tuple[int, ...]:
    try:
        found = SetTable({}, set())._literal(domain, "")
    except Unreadable:
        return ()
    return tuple(m for m in found.members or () if isinstance(m, int))


def _expanded(heads: tuple[Node, ...]) -> tuple[Node, ...]:
    """Fill in the ellipsis of `x_1, x_2, ..., x_5`."""
    out: list[Node] = []
    for at, head in enumerate(heads):
        if not isinstance(head, n.Dots):
            out.append(head)
            continue
        before, after = heads[at - 1], heads[at + 1] if at + 1 < len(heads) else None
        if not isinstance(before, Ref) or not isinstance(after, Ref):
            raise Unreadable("this ellipsis has no clear meaning", ((head.start, head.end),))
        out.extend(_between(before, after, head))
    return tuple(out)


def _between(before: Ref, after: Ref, dots: Node) -> list[Node]:
    first, last = before.indices[-1:], after.indices[-1:]
    if first and last and isinstance(first[0], Const) and isinstance(last[0], Const):
        lo, hi = first[0].member, last[0].member
        if isinstance(lo, int) and isinstance(hi, int) and lo < hi:
            rest = before.indices[:-1]
            return [
                replace(before, indices=(*rest, replace(first[0], member=k)))
                for k in range(lo + 1, hi)
            ]
    left = re.fullmatch(r"(.*?)(\d+)", before.name)
    right = re.fullmatch(r"(.*?)(\d+)", after.name)
    if left and right and left.group(1) == right.group(1):
        numbers = range(int(left.group(2)) + 1, int(right.group(2)))
        if len(numbers) < 10_000:
            return [replace(before, name=f"{left.group(1)}{k}") for k in numbers]
    raise Unreadable("this ellipsis has no clear meaning", ((dots.start, dots.end),))


def _signs(bound: Bound, heads: tuple[Node, ...], body: n.Compare) -> list[Declaration] | None:
    """`x >= 0`, `0 <= x <= 5` and the like; None for any other relation."""
    if len(body.ops) == 1 and all(isinstance(h, Ref) for h in heads):
        value = values.constant(body.operands[0])
        if value != 0 or body.ops[0] not in (">=", ">"):
            return None
        strict = body.ops[0] == ">"
        return [
            Declaration(h, bound, lower=0, has_lower=True, strict=strict)
            for h in heads
            if isinstance(h, Ref)
        ]
    if len(heads) != 1 or not body.ops:
        return None
    first = values.constant(heads[0])
    middle = body.operands[0]
    if first is None or not isinstance(middle, Ref):
        return None
    ops = body.ops if body.ops[0] in ("<=", "<") else tuple(_FLIP[o] for o in body.ops)
    upward = body.ops[0] in ("<=", "<")
    if len(ops) == 1:
        if first != 0 or not upward:
            return None
        return [Declaration(middle, bound, lower=0, has_lower=True, strict=ops[0] == "<")]
    last = values.constant(body.operands[1])
    if len(ops) != 2 or last is None or "=" in ops or "<" in ops:
        return None
    lo, hi = (first, last) if upward else (last, first)
    return [Declaration(middle, bound, "", _finite(lo), True, _finite(hi), True)]


def sign_in_chain(bound: Bound) -> Declaration | None:
    """The sign in `0 <= x[i] <= a[i]`, whose other end is no number."""
    body = bound.body
    if not isinstance(body, n.Compare) or len(body.heads) != 1 or len(body.ops) != 2:
        return None
    middle, upward = body.operands[0], body.ops == ("<=", "<=")
    lower = body.heads[0] if upward else body.operands[1]
    other = body.operands[1] if upward else body.heads[0]
    signed = values.constant(lower) == 0 and values.constant(other) is None
    if not isinstance(middle, Ref) or not signed or not (upward or body.ops == (">=", ">=")):
        return None
    return Declaration(middle, bound, lower=0, has_lower=True)


def without_sign(bound: Bound) -> Bound:
    """`x[i] <= a[i]` from `0 <= x[i] <= a[i]`."""
    body = bound.body
    assert isinstance(body, n.Compare)
    if body.ops[0] == "<=":
        heads, operands = (body.operands[0],), (body.operands[1],)
    else:
        heads, operands = (body.heads[0],), (body.operands[0],)
    return replace(bound, body=replace(body, heads=heads, ops=body.ops[:1], operands=operands))


class Roles:
    """Collects declarations and applies those that cover a whole family."""

    def __init__(self, families: Families, binder: Binder, table: SetTable) -> None:
        self.families = families
        self.binder = binder
        self.table = table
        self.variables: dict[Key, Variable] = {}
        self._parts: dict[tuple[Key, str], set[tuple[Atom, ...]]] = {}

    def declare(self, declaration: Declaration, fixed: set[tuple[Atom, ...]]) -> bool:
        """Apply a declaration; False when it covers only a part of its family.

        Args:
            declaration: What is said.
            fixed: Members whose value an equation fixes, which need no domain.

        Raises:
            Unreadable: It contradicts what was declared before.
        """
        key = declaration.ref.key
        variable = self.variables.setdefault(key, Variable(key))
        span = (declaration.bound.start, declaration.bound.end)
        if not self._covers(declaration, fixed):
            return False
        if span not in variable.spans:
            variable.spans.append(span)
        if declaration.domain:
            narrower = {"binary", "integer"} >= {variable.domain, declaration.domain}
            if variable.stated and variable.domain != declaration.domain and not narrower:
                raise Unreadable(
                    f"{key[0]} is declared both {variable.domain} and {declaration.domain}",
                    tuple(variable.spans),
                )
            if not (variable.stated and variable.domain == "binary"):
                variable.domain = declaration.domain
            variable.stated = True
        if declaration.has_lower:
            if not variable.signed or variable.lower is None:
                variable.lower = declaration.lower
            elif declaration.lower is not None:
                variable.lower = max(variable.lower, declaration.lower)
            variable.signed = True
            variable.strict = variable.strict or declaration.strict
        if declaration.has_upper and declaration.upper is not None:
            upper = variable.upper
            variable.upper = declaration.upper if upper is None else min(upper, declaration.upper)
        return True

    def _covers(self, declaration: Declaration, fixed: set[tuple[Atom, ...]]) -> bool:
        ref, bound = declaration.ref, declaration.bound
        if not ref.indices:
            return True
        index = self.families.index.get(ref.key)
        if index is None:
            return True
        if bound.conditions:
            return False
        numbers = [i.binding for i in ref.indices if isinstance(i, Idx)]
        if len(set(numbers)) == len(ref.indices):
            if len(index) == 1 and len(numbers) > 1:
                return any(set(loop.bindings) == set(numbers) and loop.domain == index[0]
                           for loop in bound.loops)  # fmt: skip
            return all(
                self._same(self.binder.bindings[number].domain, name, position, fixed)
                for position, (number, name) in enumerate(zip(numbers, index, strict=True))
            )
        return self._covers_together(declaration, index)

    def _same(
        self, domain: str | None, wanted: str, position: int, fixed: set[tuple[Atom, ...]]
    ) -> bool:
        if domain is None or domain == wanted:
            return domain == wanted
        members = set(self.table.sets[domain].members or ())
        missing = set(self.table.sets[wanted].members or ()) - members
        excused = {key[position] for key in fixed if position < len(key)}
        return missing <= excused

    def _covers_together(self, declaration: Declaration, index: tuple[str, ...]) -> bool:
        """Fixed members, such as `x_1, x_2, x_3 >= 0`, cover a family once all are named."""
        ref = declaration.ref
        if not all(isinstance(i, Const) for i in ref.indices):
            return False
        kind = f"{declaration.domain}|{declaration.lower}|{declaration.upper}"
        seen = self._parts.setdefault((ref.key, kind), set())
        seen.add(tuple(i.member for i in ref.indices if isinstance(i, Const)))
        size = 1
        for name in index:
            size *= len(self.table.sets[name].members or ())
        return len(seen) == size
