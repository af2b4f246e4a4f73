"""The formulation: a structured model with a source quote behind every element.

The classes are the published JSON Schema (`Formulation.model_json_schema()`).
They check shape only; meaning (names, indices, data, units) is checked in
`orkernel.formulation.check`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StringConstraints,
    model_validator,
)

MAX_TEXT = 2_000_000
"""Longest statement, in characters."""
MAX_EXPRESSION = 100_000
"""Longest expression, in characters."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=500)]
ExpressionText = Annotated[str, StringConstraints(min_length=1, max_length=MAX_EXPRESSION)]
Number = StrictInt | StrictFloat
Scalar = StrictInt | str
Member = Scalar | list[Scalar]
Nested = Number | list[Any] | dict[str, Any]


class Part(BaseModel):
    """Base of all parts: no unknown keys, immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceReference(Part):
    """A quote from the statement; the kernel fills in where it stands.

    Attributes:
        quote: Words of the statement.
        start: Offset of the first character in the statement.
        end: Offset past the last character.
        match: How the quote was found; None means it was not found (or not yet sought).
    """

    quote: str = Field(min_length=1, max_length=20_000)
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    match: Literal["exact", "normalized", "fuzzy"] | None = None


class Element(Part):
    """What every named element may carry."""

    name: str
    description: str = ""
    sources: tuple[SourceReference, ...] = ()


class Table(Part):
    """Data in a CSV file.

    Attributes:
        file: File name relative to the data folder.
        index: Columns that hold the members, one per index position.
        value: Column that holds the value (parameters only).
    """

    file: str = Field(min_length=1)
    index: tuple[str, ...] = ()
    value: str | None = None


class SetDefinition(Element):
    """An ordered index set, given in exactly one way.

    Attributes:
        members: Strings, integers, or tuples of them.
        range: First and last integer, both included; a text is an expression over parameters.
        expression: A list comprehension over other sets and parameters.
        table: Columns of a CSV file; distinct rows in file order.
    """

    name: Identifier
    members: tuple[Member, ...] | None = None
    range: tuple[StrictInt | ExpressionText, StrictInt | ExpressionText] | None = None
    expression: ExpressionText | None = None
    table: Table | None = None

    @model_validator(mode="after")
    def _one_way(self) -> SetDefinition:
        given = [
            k for k in ("members", "range", "expression", "table") if getattr(self, k) is not None
        ]
        if len(given) != 1:
            raise ValueError(
                f"set '{self.name}' needs exactly one of members, range, expression, table; "
                f"it has {' and '.join(given) or 'none'}"
            )
        return self


DistributionName = Literal[
    "normal",
    "lognormal",
    "uniform",
    "triangular",
    "exponential",
    "poisson",
    "discrete",
    "empirical",
]


class ParameterDefinition(Element):
    """Data, given in exactly one way (or by `default` alone).

    Attributes:
        index: Names of index sets; empty for a scalar.
        value: A number, nested lists in set order, or nested objects keyed by member.
        default: Value of entries that `value` or `table` does not give.
        table: Column of a CSV file.
        expression: Formula over sets and other parameters.
        for_each: Names the index positions for `expression`, e.g. `i in CITY for j in CITY`.
        distribution: One distribution, e.g. `{"normal": {"mean": 50, "std": 8}}`.
        unit: Physical unit, currency or countable noun.
    """

    name: Identifier
    index: tuple[Identifier, ...] = ()
    value: Nested | None = None
    default: Number | None = None
    table: Table | None = None
    expression: ExpressionText | None = None
    for_each: ExpressionText | None = None
    distribution: dict[DistributionName, dict[str, Nested]] | None = None
    unit: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> ParameterDefinition:
        given = [
            k
            for k in ("value", "table", "expression", "distribution")
            if getattr(self, k) is not None
        ]
        if len(given) > 1 or (not given and self.default is None):
            raise ValueError(
                f"parameter '{self.name}' needs exactly one of value, table, expression, "
                f"distribution; it has {' and '.join(given) or 'none'}"
            )
        if self.distribution is not None and len(self.distribution) != 1:
            raise ValueError(f"parameter '{self.name}' needs exactly one distribution")
        return self


class VariableDefinition(Element):
    """A decision variable.

    Attributes:
        index: Names of index sets; a set of n-tuples takes n positions of `x[...]`.
        domain: continuous, integer or binary.
        lower: Bound; 0 when omitted, −∞ only when written `null`; may be an expression.
        upper: Bound; none when omitted or `null`; may be an expression.
        for_each: Names the index positions for bound expressions, e.g. `p in PLANT`.
        start: Starting value(s) for local search and warm starts, shaped like a parameter value.
    """

    name: Identifier
    index: tuple[Identifier, ...] = ()
    domain: Literal["continuous", "integer", "binary"] = "continuous"
    lower: Number | ExpressionText | None = 0
    upper: Number | ExpressionText | None = None
    for_each: ExpressionText | None = None
    start: Nested | None = None
    unit: str | None = None


class ObjectiveDefinition(Element):
    """What to minimize or maximize.

    Equal priorities are a Pareto problem unless weights are given; different
    priorities are lexicographic, 1 first.
    """

    name: Label
    sense: Literal["minimize", "maximize"]
    expression: ExpressionText
    priority: StrictInt = 1
    weight: Number | None = None
    unit: str | None = None


class ConstraintDefinition(Element):
    """A constraint, repeated for each member that `for_each` names."""

    name: Label
    expression: ExpressionText
    for_each: ExpressionText | None = None


class ResultDefinition(Element):
    """A figure that the statement asks for besides the objective."""

    name: Label
    expression: ExpressionText
    for_each: ExpressionText | None = None
    unit: str | None = None


class Assumption(Part):
    """Something the statement does not say, and the elements it touches."""

    text: str = Field(min_length=1)
    affects: tuple[str, ...] = ()


class Formulation(Part):
    """A complete structured model of a problem."""

    schema_version: Literal[1] = 1
    title: str = ""
    statement: str = Field(default="", max_length=MAX_TEXT)
    sets: tuple[SetDefinition, ...] = ()
    parameters: tuple[ParameterDefinition, ...] = ()
    variables: tuple[VariableDefinition, ...] = ()
    objectives: tuple[ObjectiveDefinition, ...] = ()
    constraints: tuple[ConstraintDefinition, ...] = ()
    results: tuple[ResultDefinition, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


__all__ = [
    "Assumption",
    "ConstraintDefinition",
    "Formulation",
    "ObjectiveDefinition",
    "ParameterDefinition",
    "ResultDefinition",
    "SetDefinition",
    "SourceReference",
    "Table",
    "VariableDefinition",
]
