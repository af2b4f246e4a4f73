"""What a formulation declares, known before any data is bound: kinds, indices, members, trees."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orkernel.algebra.nodes import Generator, Name, Node, Subscript
from orkernel.algebra.parse import parse, parse_for_each
from orkernel.algebra.scope import Scope
from orkernel.errors import ExpressionError
from orkernel.formulation.elements import Definition, elements
from orkernel.formulation.schema import (
    Formulation,
    ParameterDefinition,
    SetDefinition,
    VariableDefinition,
)


@dataclass(frozen=True, slots=True)
class Text:
    """One text of an element.

    Attributes:
        field: expression | for_each | lower | upper | range.
        text: As written.
        data_only: Why no variable may stand in it; empty where one may.
        tree: None for a `for_each`, or where the text does not parse.
        generators: Of a `for_each` that parses.
        error: Why the text does not parse.
    """

    field: str
    text: str
    data_only: str = ""
    tree: Node | None = None
    generators: tuple[Generator, ...] = ()
    error: ExpressionError | None = None

    def nodes(self) -> Iterator[Node]:
        """All nodes of the text."""
        for root in (self.tree, *self.generators):
            if root is not None:
                yield from root.walk()


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its label, e.g. `constraint 'supply'`, and its parsed texts."""

    label: str
    definition: Definition
    texts: tuple[Text, ...]

    @property
    def index(self) -> tuple[str, ...]:
        """Names of the index sets of a parameter or variable."""
        return getattr(self.definition, "index", ())

    @property
    def for_each(self) -> Text | None:
        """Its `for_each`, if it has one."""
        return next((text for text in self.texts if text.field == "for_each"), None)

    def names(self) -> frozenset[str]:
        """Every name it refers to, its own indices included."""
        found = set(self.index)
        for text in self.texts:
            for node in text.nodes():
                if isinstance(node, Name):
                    found.add(node.id)
                elif isinstance(node, Subscript):
                    found.add(node.base)
        return frozenset(found)


class Declarations(Scope):
    """The scope of a formulation whose data is not bound yet.

    Args:
        formulation: What declares.
    """

    def __init__(self, formulation: Formulation) -> None:
        super().__init__()
        self.formulation = formulation
        self.elements = tuple(
            Element(label, definition, tuple(_texts(label, definition)))
            for label, definition in elements(formulation)
        )
        self.declared: dict[str, SetDefinition | ParameterDefinition | VariableDefinition] = {}
        for group in (formulation.sets, formulation.parameters, formulation.variables):
            for definition in group:
                self.declared.setdefault(definition.name, definition)

    def kind(self, name: str) -> str:
        """`set`, `parameter`, `random parameter`, `variable`, or empty for an unknown name."""
        match self.declared.get(name):
            case SetDefinition():
                return "set"
            case ParameterDefinition(distribution=None):
                return "parameter"
            case ParameterDefinition():
                return "random parameter"
            case VariableDefinition():
                return "variable"
        return ""

    def index_of(self, name: str) -> tuple[Any, ...]:
        """The index sets of a parameter or variable, by name only."""
        return tuple(map(SetName, getattr(self.declared[name], "index", ())))

    def unknown(self, node: Node, name: str, indices: Collection[str] = ()) -> ExpressionError:
        """The error for a name that nothing has."""
        known = Scope(sets=dict.fromkeys(self.declared))  # type: ignore[arg-type]
        return known.unknown(node, name, indices)

    @cached_property
    def arities(self) -> dict[str, int | None]:
        """Per set the index positions that a member takes; None where only the data tells."""
        return {
            part.name: next((len(m) if isinstance(m, list) else 1 for m in part.members or ()), 1)
            if part.members is not None
            else 1
            if part.range is not None
            else len(part.table.index) or None
            if part.table is not None
            else None
            for part in self.formulation.sets
        }

    @cached_property
    def members(self) -> Mapping[str, frozenset[str] | range]:
        """Members, as texts, of the sets that list them; the range of integer ranges."""
        found: dict[str, frozenset[str] | range] = {}
        for part in self.formulation.sets:
            if part.members is not None and self.arities[part.name] == 1:
                found[part.name] = frozenset(map(str, part.members))
            elif part.range is not None:
                first, last = part.range
                if isinstance(first, int) and isinstance(last, int):
                    found[part.name] = range(first, last + 1)
        return found


@dataclass(frozen=True, slots=True)
class SetName:
    """An index set known by name only."""

    name: str


def _texts(label: str, definition: Definition) -> Iterator[Text]:
    """The texts of an element: its `for_each` first, then expressions and bounds."""
    for_each = getattr(definition, "for_each", None)
    if for_each is not None:
        try:
            yield Text("for_each", for_each, generators=parse_for_each(for_each, element=label))
        except ExpressionError as error:
            yield Text("for_each", for_each, error=error)
    data = isinstance(definition, SetDefinition | ParameterDefinition)
    expression = getattr(definition, "expression", None)
    if expression is not None:
        yield _parsed("expression", expression, label, "the definition of data" if data else "")
    for field in ("lower", "upper"):
        bound = getattr(definition, field, None)
        if isinstance(bound, str):
            yield _parsed(field, bound, label, "a bound")
    for bound in getattr(definition, "range", None) or ():
        if isinstance(bound, str):
            yield _parsed("range", bound, label, "the end of a range")


def _parsed(field: str, text: str, label: str, data_only: str) -> Text:
    try:
        return Text(field, text, data_only, parse(text, element=label))
    except ExpressionError as error:
        return Text(field, text, data_only, error=error)
