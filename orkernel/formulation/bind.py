"""Binding: the sets and parameters of a formulation, computed from its data.

Definitions may stand in any order; each is bound when first needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import generators, sampling
from orkernel.algebra.data import DataEvaluator
from orkernel.algebra.forms import IndexSet, Member
from orkernel.algebra.functions import RESERVED
from orkernel.algebra.members import MAX_INTEGER, BoundSet
from orkernel.algebra.nodes import Name, Subscript
from orkernel.algebra.parse import parse, parse_for_each
from orkernel.algebra.sampling import LISTS, RandomParameter
from orkernel.algebra.scope import Parameter, Scope, place
from orkernel.algebra.space import Space
from orkernel.errors import DataError, ExpressionError
from orkernel.formulation.schema import Formulation, ParameterDefinition, SetDefinition
from orkernel.formulation.tables import TableSource
from orkernel.formulation.values import Keys, member_text, to_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_SET = 10_000_000
"""Most members of a set."""
MAX_ENTRIES = 100_000_000
"""Most entries of a parameter or variable."""


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A formulation's data.

    Attributes:
        sets: Index sets by name.
        parameters: Values by name, one axis per index set.
        random: Random parameters by name.
        scope: The same, as expressions look them up.
    """

    sets: dict[str, IndexSet]
    parameters: dict[str, Floats]
    random: dict[str, RandomParameter]
    scope: Scope


def bind(formulation: Formulation, tables: TableSource) -> Data:
    """Bind all sets and parameters.

    Raises:
        DataError: Missing, misplaced or non-finite data, a name given twice, a cycle.
        ExpressionError: A derived set or parameter that cannot be evaluated.
    """
    return Binder(formulation, tables).bind()


class Binder:
    """Binds definitions on demand.

    Args:
        formulation: What to bind.
        tables: Where tables are read from.
    """

    def __init__(self, formulation: Formulation, tables: TableSource) -> None:
        self.tables = tables
        self.scope = Scope(resolve=self._resolve)
        self.data = DataEvaluator(self.scope)
        self.trees: dict[str, Keys] = {}
        self._pending: dict[str, SetDefinition | ParameterDefinition] = {}
        self._active: list[str] = []
        self._variables = frozenset(v.name for v in formulation.variables)
        seen: dict[str, str] = {}
        for kind, definitions in (
            ("set", formulation.sets),
            ("parameter", formulation.parameters),
            ("variable", formulation.variables),
        ):
            for definition in definitions:
                name = definition.name
                if name in RESERVED:
                    raise DataError(f"{kind} '{name}': this name is reserved", fix="rename it")
                if name in seen:
                    other = f"two {kind}s" if seen[name] == kind else f"a {seen[name]} and a {kind}"
                    raise DataError(f"{kind} '{name}': {other} have this name", fix="rename one")
                seen[name] = kind
                if isinstance(definition, (SetDefinition, ParameterDefinition)):
                    self._pending[name] = definition
        self._order = list(self._pending)

    def bind(self) -> Data:
        """Bind everything, in formulation order where definitions allow."""
        for name in self._order:
            self._resolve(name)
        self.scope.resolve = None
        scope = self.scope
        ordered = [name for name in self._order if name in scope.sets]
        scope.sets = {name: scope.sets[name] for name in ordered}
        return Data(
            dict(scope.sets),
            {n: scope.parameters[n].values for n in self._order if n in scope.parameters},
            {n: scope.random[n] for n in self._order if n in scope.random},
            scope,
        )

    def _resolve(self, name: str) -> None:
        if name in self._active:
            cycle = [*self._active[self._active.index(name) :], name]
            raise DataError(
                f"the definitions of {' → '.join(cycle)} refer to each other in a circle",
                fix="give one of them by plain data",
            )
        definition = self._pending.get(name)
        if definition is None:
            return
        self._active.append(name)
        try:
            if isinstance(definition, SetDefinition):
                self.scope.sets[name] = self._set(definition)
            else:
                self._parameter(definition)
        finally:
            self._active.pop()
        del self._pending[name]

    # ------------------------------------------------------------------ sets

    def _set(self, definition: SetDefinition) -> BoundSet:
        element = f"set '{definition.name}'"
        if definition.range is not None:
            first, last = (self._bound(bound, element) for bound in definition.range)
            if last - first + 1 > MAX_SET:
                raise DataError(
                    f"{element}: {last - first + 1:,} members; the limit is {MAX_SET:,}"
                )
            return BoundSet.from_range(definition.name, first, last)
        if definition.expression is not None:
            with place(element, definition.expression):
                node = parse(definition.expression, element=element)
                found = (
                    self.data.source(node)
                    if isinstance(node, Name)
                    else generators.collect(self.data, node, definition.name)
                )
            members: Sequence[Member] = found.members
        elif definition.table is not None:
            members = [_member(key) for key in self.tables.members(definition.table, element)]
        else:
            members = [_member(m) for m in definition.members or ()]
        return self._distinct(definition.name, members, element)

    def _bound(self, bound: int | str, element: str) -> int:
        number: float = bound if isinstance(bound, int) else self.scalar(bound, element)
        if number != math.floor(number) or abs(number) > MAX_INTEGER:
            raise DataError(f"{element}: a range ends at integers, not at {number:g}")
        return int(number)

    def _distinct(self, name: str, members: Sequence[Member], element: str) -> BoundSet:
        if len(members) > MAX_SET:
            raise DataError(f"{element}: {len(members):,} members; the limit is {MAX_SET:,}")
        arities = {len(m) if isinstance(m, tuple) else 1 for m in members}
        if 0 in arities:
            raise DataError(f"{element}: a member has no parts", fix="remove the empty list")
        if len(arities) > 1:
            raise DataError(
                f"{element}: its members have {' and '.join(map(str, sorted(arities)))} parts",
                fix="give every member the same number of parts",
            )
        texts: dict[Any, Member] = {}
        for member in members:
            parts = member if isinstance(member, tuple) else (member,)
            if any(isinstance(p, int) and abs(p) > MAX_INTEGER for p in parts):
                raise DataError(f"{element}: {member} is too large", fix="write it as a text")
            key = tuple(map(str, parts))
            if key in texts:
                shown = " and ".join(dict.fromkeys((repr(texts[key]), repr(member))))
                raise DataError(f"{element}: {shown} stands in it twice", fix="remove one")
            texts[key] = member
        return BoundSet.from_members(
            name, members, arities.pop() if arities else 1, self.scope.universe
        )

    # ------------------------------------------------------------------ parameters

    def index_sets(self, names: Sequence[str], element: str) -> tuple[BoundSet, ...]:
        """The index sets of an element."""
        found = []
        for name in names:
            if self.scope.kind(name) != "set":
                known = ", ".join(n for n in self._order if n in self.scope.sets)
                raise DataError(
                    f"{element}: its index '{name}' is not a set",
                    fix=f"the sets are {known}" if known else "define the set",
                )
            found.append(self.scope.sets[name])
        size = math.prod(len(s) for s in found)
        if size > MAX_ENTRIES:
            raise DataError(
                f"{element}: {size:,} entries; the limit is {MAX_ENTRIES:,}",
                fix="index it by a set of tuples that holds only the combinations needed",
            )
        return tuple(found)

    def _parameter(self, definition: ParameterDefinition) -> None:
        name = definition.name
        element = f"parameter '{name}'"
        index = self.index_sets(definition.index, element)
        shape = tuple(len(s) for s in index)
        if definition.distribution is not None:
            self.scope.random[name] = self._random(definition, index, element)
            return
        if definition.value is not None:
            values = to_array(definition.value, index, element, self.trees)
        elif definition.table is not None:
            values = self._from_table(definition, index, element)
        elif definition.expression is not None:
            values = self.over_index(
                definition.name, definition.expression, definition.for_each, index, element
            )
        else:
            values = np.full(shape, np.nan)
        missing = np.isnan(values)
        if missing.any():
            if definition.default is None:
                first = int(np.argmax(missing.reshape(-1)))
                count = int(missing.sum())
                more = f" and {count - 1} more" if count > 1 else ""
                raise DataError(
                    f"{element}: no value for {name}{member_text(index, first)}{more}",
                    fix="give every entry, or a default",
                )
            default = float(definition.default)
            if not math.isfinite(default):
                raise DataError(f"{element}: its default is not a finite number")
            values = np.where(missing, default, values)
        values.setflags(write=False)
        self.scope.parameters[name] = Parameter(name, index, values)

    def _from_table(
        self, definition: ParameterDefinition, index: tuple[BoundSet, ...], element: str
    ) -> Floats:
        assert definition.table is not None
        entries = self.tables.values(definition.table, element)
        arity = sum(s.arity for s in index)
        if len(definition.table.index) != arity:
            raise DataError(
                f"{element}: the table names {len(definition.table.index)} index columns, "
                f"its index has {arity} positions"
            )
        values = np.full(math.prod(len(s) for s in index), np.nan)
        texts = [
            {
                tuple(map(str, m if isinstance(m, tuple) else (m,))): k
                for k, m in enumerate(s.members)
            }
            for s in index
        ]
        for key, number in entries.items():
            flat, start = 0, 0
            for index_set, positions in zip(index, texts, strict=True):
                part = tuple(map(str, key[start : start + index_set.arity]))
                start += index_set.arity
                if part not in positions:
                    raise DataError(
                        f"{element}: table '{definition.table.file}' has an entry for "
                        f"{', '.join(part)}, which is not in '{index_set.name}'",
                        fix="remove the row, or add the member to the set",
                    )
                flat = flat * len(index_set) + positions[part]
            values[flat] = number
        return values.reshape(tuple(len(s) for s in index))

    def _random(
        self, definition: ParameterDefinition, index: tuple[BoundSet, ...], element: str
    ) -> RandomParameter:
        assert definition.distribution is not None
        (kind, given), *_ = definition.distribution.items()
        shape = tuple(len(s) for s in index)
        arguments: dict[str, Floats] = {}
        for argument, value in given.items():
            where = f"{element}, {argument}"
            if argument in LISTS:
                size = len(value) if isinstance(value, list) else 0
                entries = BoundSet.from_range("values", 1, size)
                arguments[argument] = to_array(value, [entries], where)
                continue
            plain = isinstance(value, (int, float))
            array = to_array(value, () if plain else index, where, self.trees)
            if np.isnan(array).any():
                first = int(np.argmax(np.isnan(array).reshape(-1)))
                raise DataError(f"{where}: no value for {member_text(index, first)}")
            arguments[argument] = np.broadcast_to(array, shape)
        wrong = sampling.problem(kind, arguments)
        if wrong:
            raise DataError(f"{element}: {wrong}")
        return RandomParameter(definition.name, index, shape, kind, arguments)

    # ------------------------------------------------------------------ expressions

    def scalar(self, text: str, element: str) -> float:
        """Value of an expression over data alone."""
        with place(element, text):
            node = parse(text, element=element)
            return float(np.broadcast_to(self.data.number(node, Space()), (1,))[0])

    def over_index(
        self,
        name: str,
        text: str,
        for_each: str | None,
        index: tuple[BoundSet, ...],
        element: str,
    ) -> Floats:
        """Values of an expression for each member; NaN where `for_each` does not reach.

        Without `for_each` the expression is the same for all members.
        """
        shape = tuple(len(s) for s in index)
        if for_each is None:
            return np.full(shape, self.scalar(text, element))
        with place(element, for_each):
            parts = parse_for_each(for_each, element=element)
            space = generators.extend(self.data, Space(), parts)
            names = tuple(Name(target) for part in parts for target in part.targets)
            try:
                flat = self._flat(name, names, index, space)
            except ExpressionError as error:
                sets = ", ".join(s.name for s in index) or "no index"
                raise ExpressionError(
                    f"for_each does not fit the index ({sets}): {error.message}",
                    fix="name one index per position, in order",
                ) from error
        with place(element, text):
            node = parse(text, element=element)
            numbers = self.data.number(node, space)
        values = np.full(math.prod(shape), np.nan)
        values[flat] = numbers
        return values.reshape(shape)

    def _flat(
        self, name: str, names: tuple[Name, ...], index: tuple[BoundSet, ...], space: Space
    ) -> NDArray[np.int64]:
        arity = sum(label.arity for n in names if (label := space.get(n.id)) is not None)
        if arity != sum(s.arity for s in index):
            raise ExpressionError(
                f"{arity} positions are named, {sum(s.arity for s in index)} needed"
            )
        return self.data.flat(Subscript(name, names), index, space)


def _member(member: Any) -> Member:
    """A member as an atom or a tuple of at least two."""
    if isinstance(member, (list, tuple)):
        return member[0] if len(member) == 1 else tuple(member)
    return member  # type: ignore[no-any-return]
