"""Decide what every symbol is: parameter, variable, or a quantity that data define."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Bound, Const, Idx, Key, Ref, Sigma
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.data import Data, Datum
from orkernel_offline.written.facts import MAX_PASSES, Facts
from orkernel_offline.written.families import Families
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.roles import (
    Declaration,
    Roles,
    Variable,
    declarations,
    sign_in_chain,
    without_sign,
    words_of,
)
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import Atom
from orkernel_offline.written.values import constant

Span = tuple[int, int]


@dataclass(slots=True)
class Model:
    """Everything the statement says, decided; what is left is to write it down.

    Attributes:
        facts: Sets and names.
        binder: Bindings of the index letters.
        data: Values of the parameters.
        families: Index sets of parameters and variables.
        variables: Decision variables.
        formulas: Parameters that other data define.
        objectives: In the order of the statement.
        constraints: In the order of the statement.
        descriptions: What prose says of a family, with its place.
        implicit: Variables that nothing declares.
    """

    facts: Facts
    binder: Binder
    data: Data
    families: Families
    variables: dict[Key, Variable]
    formulas: dict[Key, Bound]
    objectives: list[Bound]
    constraints: list[Bound]
    descriptions: dict[Key, tuple[str, Span]]
    implicit: set[Key] = field(default_factory=set)


@dataclass(slots=True)
class _Occurrence:
    """How a symbol that nothing declares is used.

    Attributes:
        count: In how many places it stands.
        constrained: Whether a constraint contains it.
        alone: Whether a term contains it and no other unknown, and is no bare right-hand side.
    """

    count: int = 0
    constrained: bool = False
    alone: bool = False

    def why_no_variable(self) -> str:
        """Why it cannot be a variable, or nothing if it can."""
        if not self.constrained:
            return "stands in no constraint and has no value"
        if not self.alone:
            return "has no value"
        return "stands in one place only and has no value" if self.count < 2 else ""


class Decisions:
    """Decides roles once sets and data are in place."""

    def __init__(
        self,
        facts: Facts,
        binder: Binder,
        data: Data,
        families: Families,
        descriptions: dict[Key, tuple[str, Span]],
        headed: set[Key],
    ) -> None:
        self.facts = facts
        self.binder = binder
        self.data = data
        self.families = families
        self.descriptions = descriptions
        self.headed = headed
        self.roles = Roles(families, binder, facts.table)
        self.constraints: list[Bound] = []
        self.objectives: list[Bound] = []
        self.formulas: dict[Key, Bound] = {}
        self._moved: list[Datum] = []

    def decide(self, rest: list[Bound], document: Document) -> Model:
        """Go through the clauses that are no data."""
        fixed = _fixed(rest)
        for bound in rest:
            if bound.clause.role == "objective":
                self.objectives.append(bound)
            else:
                self._clause(bound, fixed)
        for key in self.headed:
            if key in self.families.uses and key not in self.data.by_key:
                self.roles.variables.setdefault(key, Variable(key))
        self._find_formulas()
        self._data_of_variables()
        implicit = self._implicit()
        self._said_of_all(document)
        self._refuse_unused_domains()
        return Model(
            self.facts, self.binder, self.data, self.families, self.roles.variables,
            self.formulas, self.objectives, self.constraints, self.descriptions, implicit,
        )  # fmt: skip

    def _clause(self, bound: Bound, fixed: dict[Key, set[tuple[Atom, ...]]]) -> None:
        found = declarations(bound)
        if found is None:
            for declaration in words_of(bound):
                self._apply(declaration, fixed)
            sign = sign_in_chain(bound)
            free = sign is not None and sign.ref.key not in self.data.by_key
            if sign is not None and free and self._apply(sign, fixed):
                bound = without_sign(bound)
            self.constraints.append(bound)
            return
        known = [d for d in found if d.ref.key in self.data.by_key]
        if known and len(known) == len(found) and all(d.has_lower and d.lower == 0 for d in known):
            self._check_sign_of_data(bound, known)
            return
        left_over = [d for d in found if not self._apply(d, fixed)]
        if not left_over:
            return
        whole = {d.ref.key for d in found}
        done = [k for k in whole if self._fully_declared(k, left_over)]
        if len(done) == len(whole):
            return
        body = bound.body
        assert isinstance(body, n.Compare)
        if any(d.domain for d in left_over) or body.ops == ("in",):
            raise Unreadable(
                f"{left_over[0].ref.name} has this domain for some members only; "
                "give those members a symbol of their own",
                ((bound.start, bound.end),),
            )
        self.constraints.append(bound)

    def _fully_declared(self, key: Key, left_over: list[Declaration]) -> bool:
        """Whether fixed members, one by one, have now covered the family."""
        last = [d for d in left_over if d.ref.key == key]
        variable = self.roles.variables.get(key)
        return bool(variable and variable.signed and not [d for d in last if d.domain]) and all(
            isinstance(i, Const) for d in last for i in d.ref.indices
        )

    def _apply(self, declaration: Declaration, fixed: dict[Key, set[tuple[Atom, ...]]]) -> bool:
        key = declaration.ref.key
        if key in self.data.by_key:
            raise Unreadable(
                f"{key[0]} has a value and is declared as a variable",
                ((declaration.bound.start, declaration.bound.end),
                 *self.data.by_key[key].spans),
            )  # fmt: skip
        return self.roles.declare(declaration, fixed.get(key, set()))

    def _check_sign_of_data(self, bound: Bound, known: list[Declaration]) -> None:
        for declaration in known:
            datum = self.data.by_key[declaration.ref.key]
            flat = [*datum.entries.values(), *_flat(datum.dense)]
            if datum.default is not None:
                flat.append(datum.default)
            if any(v < 0 for v in flat):
                raise Unreadable(
                    f"{declaration.ref.name} is said to be non-negative but is not",
                    ((bound.start, bound.end), *datum.spans),
                )

    # -- formulas and data of variables -----------------------------------------------------

    def _find_formulas(self) -> None:
        """`d[i,j] = |p[i] - p[j]|` over data defines a parameter, not a constraint."""
        progress, passes = True, 0
        while progress and passes < MAX_PASSES:
            progress, passes = False, passes + 1
            for bound in list(self.constraints):
                key = self._defines(bound)
                if key is not None:
                    self.formulas[key] = bound
                    self.constraints.remove(bound)
                    progress = True

    def _defines(self, bound: Bound) -> Key | None:
        body = bound.body
        if not isinstance(body, n.Compare) or body.ops != ("=",) or len(body.heads) != 1:
            return None
        head = body.heads[0]
        if not isinstance(head, Ref) or bound.conditions or bound.clause.words:
            return None
        key = head.key
        known = self.data.by_key.keys() | self.formulas.keys()
        if key in known or key in self.roles.variables:
            return None
        numbers = [i.binding for i in head.indices if isinstance(i, Idx)]
        if len(set(numbers)) != len(head.indices):
            return None
        refs = [p for p in n.walk(body.operands[0]) if isinstance(p, Ref)]
        if not refs or any(r.key not in known for r in refs):
            return None
        domains = tuple(self.binder.bindings[b].domain or "" for b in numbers)
        return key if domains == self.families.index.get(key, ()) else None

    def _data_of_variables(self) -> None:
        """Entries such as `s_0 = 20` of a family with no other data are constraints."""
        for key, datum in list(self.data.by_key.items()):
            index = self.families.index.get(key)
            if not index or datum.dense is not None or datum.default is not None or datum.file:
                continue
            sets = [self.facts.table.sets[name] for name in index]
            if any(s.members is None for s in sets) or len(index) != key[1]:
                continue
            size = 1
            for s in sets:
                size *= len(s.members or ())
            if len(datum.entries) == size or not self._acts_as_variable(key):
                continue
            del self.data.by_key[key]
            self.roles.variables.setdefault(key, Variable(key))
            for members, value in datum.entries.items():
                self._fix(key, members, str(value), datum.spans[0])

    def _acts_as_variable(self, key: Key) -> bool:
        return key in self.descriptions and key in self.headed

    def _fix(self, key: Key, members: tuple[Atom, ...], value: str, span: Span) -> None:
        head = Ref(*span, key[0], tuple(Const(*span, m) for m in members))
        body = n.Compare(*span, (head,), ("=",), (n.Num(*span, value),))
        clause = Clause(*span, "relation", body)
        self.constraints.append(Bound(*span, clause, body, (), ()))

    # -- symbols that nothing declares --------------------------------------------------------

    def _implicit(self) -> set[Key]:
        known = self.data.by_key.keys() | self.formulas.keys() | self.roles.variables.keys()
        bounded = self._bounded()
        for key in bounded - known:
            self.roles.variables[key] = Variable(key)
        unknown = {k for k in self.families.uses if k not in known}
        found: set[Key] = set()
        for key, seen in self._occurrences(unknown | self.roles.variables.keys()).items():
            if key not in unknown or key in bounded:
                continue
            reason = seen.why_no_variable()
            if reason:
                symbol = _shown(key)
                raise Unreadable(
                    f"the symbol {symbol} {reason}; give its value, or declare it as a decision "
                    f"variable, for example {symbol} >= 0",
                    tuple((u.ref.start, u.ref.end) for u in self.families.uses[key][:8]),
                )
            found.add(key)
        for key in found:
            self.roles.variables[key] = Variable(key)
        return found

    def _bounded(self) -> set[Key]:
        """Symbols that an inequality with a number bounds, which no parameter needs."""
        found: set[Key] = set()
        for bound in self.constraints:
            body = bound.body
            if isinstance(body, n.Compare) and "=" not in body.ops:
                numbers = all(constant(o) is not None for o in body.operands)
                if numbers:
                    found |= {h.key for h in body.heads if isinstance(h, Ref)}
        return found

    def _occurrences(self, unknown: set[Key]) -> dict[Key, _Occurrence]:
        """How each unknown symbol stands in objectives and constraints."""
        found: dict[Key, _Occurrence] = {}
        for bound in [*self.constraints, *self.objectives]:
            for position, side in enumerate(_sides(bound.body)):
                bare_right = position > 0 and isinstance(side, Ref)
                for term in _terms(side):
                    refs = [p for p in n.walk(term) if isinstance(p, Ref) and p.key in unknown]
                    keys = {r.key for r in refs}
                    for ref in refs:
                        seen = found.setdefault(ref.key, _Occurrence())
                        seen.count += 1
                        seen.constrained |= bound.clause.role != "objective"
                        seen.alone |= not bare_right and len(keys) == 1
            for condition in bound.conditions:
                for part in n.walk(condition):
                    if isinstance(part, Ref) and part.key in unknown:
                        found.setdefault(part.key, _Occurrence()).count += 1
        for formula in self.formulas.values():
            for part in n.walk(formula.body):
                if isinstance(part, Ref) and part.key in unknown:
                    found[part.key] = _Occurrence(count=1)
        return found

    def _said_of_all(self, document: Document) -> None:
        for word, start, end in document.everywhere:
            for variable in self.roles.variables.values():
                if word in ("integer", "binary", "continuous") and not variable.stated:
                    variable.domain, variable.stated = word, True
                elif word == "nonneg" and not variable.signed:
                    variable.lower, variable.signed = 0, True
                elif word == "free" and not variable.signed:
                    variable.lower, variable.signed = None, True
                variable.spans.append((start, end))

    def _refuse_unused_domains(self) -> None:
        for key in list(self.roles.variables):
            if key not in self.families.uses:
                del self.roles.variables[key]


def _fixed(rest: list[Bound]) -> dict[Key, set[tuple[Atom, ...]]]:
    """Members that an equation such as `s_0 = 20` fixes."""
    found: dict[Key, set[tuple[Atom, ...]]] = {}
    for bound in rest:
        body = bound.body
        if not isinstance(body, n.Compare) or body.ops != ("=",):
            continue
        for head in body.heads:
            if (
                isinstance(head, Ref)
                and head.indices
                and all(isinstance(i, Const) for i in head.indices)
            ):
                members = tuple(i.member for i in head.indices if isinstance(i, Const))
                found.setdefault(head.key, set()).add(members)
    return found


def _sides(body: Node) -> tuple[Node, ...]:
    return (*body.heads, *body.operands) if isinstance(body, n.Compare) else (body,)


def _terms(node: Node) -> Iterable[Node]:
    """The summands of an expression, sums over indices opened."""
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, n.Bin) and part.op in "+-":
            stack += [part.left, part.right]
        elif isinstance(part, n.Neg):
            stack.append(part.arg)
        elif isinstance(part, Sigma) and part.func == "sum":
            stack.append(part.body)
        elif isinstance(part, n.Bin) and part.op in "*/" and isinstance(part.left, n.Num):
            stack.append(part.right)
        else:
            yield part


def _flat(level: object) -> Iterable[float]:
    if isinstance(level, list):
        for item in level:
            yield from _flat(item)
    elif isinstance(level, int | float):
        yield level


def _shown(key: Key) -> str:
    return key[0] if not key[1] else f"{key[0]}_{{{'ijklmnpqr'[: key[1]]}}}"
