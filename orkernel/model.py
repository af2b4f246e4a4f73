"""Model: a formulation bound to its data, with its lowered forms made on demand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import evaluate as evaluation
from orkernel.algebra import lower as lowering
from orkernel.algebra import rows as row_intervals
from orkernel.algebra.arrays import LinearPart, LoweredRows
from orkernel.algebra.columns import bind_columns
from orkernel.algebra.forms import (
    Columns,
    Graph,
    IndexSet,
    LinearForm,
    LinearObjective,
    QuadraticForm,
    RowBlock,
    Rows,
    Structure,
    Values,
)
from orkernel.algebra.nodes import Node
from orkernel.algebra.program import Program, Statement
from orkernel.algebra.scope import dependent_nodes
from orkernel.algebra.space import Space
from orkernel.errors import DataError
from orkernel.formulation.bind import Binder
from orkernel.formulation.schema import ConstraintDefinition, Formulation, ObjectiveDefinition
from orkernel.formulation.tables import TableSource
from orkernel.formulation.values import nest, nest_grid, to_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.records import Capability

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]


class Model:
    """A formulation bound to its data; made by `Model.bind`.

    Attributes:
        formulation: What it was made from.
        data_folder: Folder of the data tables, or None.
        sets: Index sets by name.
        parameters: Values by name, one axis per index set.
        columns: The scalar variables.
        program: The parsed statements and the data behind them.
    """

    def __init__(
        self,
        formulation: Formulation,
        data_folder: Path | None,
        program: Program,
        columns: Columns,
        kept_rows: Integers | None = None,
        parent: Model | None = None,
    ) -> None:
        self.formulation = formulation
        self.data_folder = data_folder
        self.program = program
        self.columns = columns
        self.kept_rows = kept_rows
        self._parent = parent
        self._spaces: dict[int, Space] = {}

    @classmethod
    def bind(cls, formulation: Formulation, data: Path | None = None) -> Model:
        """Bind a formulation to its data.

        Args:
            formulation: The formulation.
            data: Folder with the tables that it names.

        Raises:
            DataError: Data is missing, of the wrong shape or not finite.
            ExpressionError: An expression does not fit the formulation.
        """
        binder = Binder(formulation, TableSource(data))
        binder.bind()
        columns = bind_columns(formulation, binder)
        return cls(formulation, data, Program.compile(formulation, binder.scope, columns), columns)

    # ------------------------------------------------------------------ parts

    @cached_property
    def sets(self) -> dict[str, IndexSet]:
        """Index sets by name."""
        return dict(self.program.scope.sets)

    @cached_property
    def parameters(self) -> dict[str, Floats]:
        """Values by name, one axis per index set; read-only arrays."""
        return {name: p.values for name, p in self.program.scope.parameters.items()}

    @cached_property
    def rows(self) -> Rows:
        """The scalar comparisons and conditions, in constraint order."""
        rows = self.program.rows
        return rows if self.kept_rows is None else _selected(rows, self.kept_rows)

    @cached_property
    def intervals(self) -> row_intervals.Intervals:
        """Allowed interval of every row's body."""
        if self.kept_rows is not None:
            full, kept = self._unfiltered.intervals, self.kept_rows
            return row_intervals.Intervals(full.lower[kept], full.upper[kept], full.assumptions)
        if self._shares_constraints(self._parent):
            assert self._parent is not None
            return self._parent.intervals
        return row_intervals.intervals(self.program)

    @cached_property
    def _unfiltered(self) -> Model:
        """The model with all rows of the same constraints."""
        if self.kept_rows is None:
            return self
        if self._parent is not None and self._shares_constraints(self._parent):
            return self._parent._unfiltered
        return Model(self.formulation, self.data_folder, self.program, self.columns)

    def _shares_constraints(self, other: Model | None) -> bool:
        return other is not None and other.program.constraints is self.program.constraints

    @cached_property
    def structure(self) -> Structure:
        """What kind of model it is."""
        from orkernel.algebra.structure import analyse

        return analyse(self)

    @property
    def needs(self) -> frozenset[Capability]:
        """What an agent must support to take the model."""
        return self.structure.capabilities  # type: ignore[return-value]

    def assumptions(self) -> tuple[str, ...]:
        """What the model assumes beyond the formulation, in words."""
        return self.intervals.assumptions

    # ------------------------------------------------------------------ forms

    @cached_property
    def _lowered_rows(self) -> LoweredRows:
        if self.kept_rows is not None:
            return self._unfiltered._lowered_rows.selected(self.kept_rows)
        if self._shares_constraints(self._parent):
            assert self._parent is not None
            return self._parent._lowered_rows
        return lowering.lower_rows(self.program, self.intervals, self.program.rows)

    @cached_property
    def _lowered_objectives(self) -> tuple[LinearObjective, ...]:
        parent = self._parent
        if parent is not None and parent.program.objectives is self.program.objectives:
            return parent._lowered_objectives
        return lowering.lower_objectives(self.program)

    def lowered_rows(self) -> LoweredRows:
        """Rows as arrays, shared by the linear and the quadratic form."""
        return self._lowered_rows

    def lowered_objectives(self) -> tuple[LinearObjective, ...]:
        """Objectives as arrays, shared by the linear and the quadratic form."""
        return self._lowered_objectives

    @cached_property
    def _linear_part(self) -> LinearPart:
        part = lowering.linear_part(self.program, self._unfiltered.intervals, self.program.rows)
        return part if self.kept_rows is None else part.selected(self.kept_rows)

    def linear_part(self) -> LinearPart:
        """The linear constraints and objectives as arrays, whatever the others are."""
        return self._linear_part

    @cached_property
    def _linear(self) -> LinearForm:
        return lowering.to_linear(self)

    @cached_property
    def _quadratic(self) -> QuadraticForm:
        return lowering.to_quadratic(self)

    @cached_property
    def _graph(self) -> Graph:
        from orkernel.algebra.graph import build_graph

        return build_graph(self)

    @cached_property
    def _linearized(self) -> LinearForm:
        from orkernel.algebra.reformulate import linearize

        return linearize(self)

    def linear(self) -> LinearForm:
        """The linear form; made once.

        Raises:
            Unsupported: The model is not linear.
        """
        return self._linear

    def quadratic(self) -> QuadraticForm:
        """The quadratic form; made once.

        Raises:
            Unsupported: The model is neither linear nor quadratic.
        """
        return self._quadratic

    def graph(self) -> Graph:
        """The expression graph; made once."""
        return self._graph

    def linearized(self) -> LinearForm:
        """The linear integer form with logic and piecewise functions reformulated; made once.

        Raises:
            Unsupported: Something cannot be reformulated, or needs a bound that is missing.
        """
        return self._linearized

    # ------------------------------------------------------------------ points

    def evaluate(self, X: Floats, scenarios: Mapping[str, Floats] | None = None) -> Values:
        """Objectives and rows at points.

        Args:
            X: Shape `(points, n)` or `(n,)`.
            scenarios: Per random parameter an array `(scenarios, size)` that expectations and
                probabilities are averaged over; by default the sample that the kernel judges by.
        """
        points = np.atleast_2d(np.asarray(X, np.float64))
        if points.shape[1] != len(self.columns):
            raise ValueError(f"points have {points.shape[1]} values, the model {len(self.columns)}")
        return evaluation.evaluate(self, points, scenarios)

    def statement(self, node: Node, text: str = "", element: str = "expression") -> Statement:
        """A parsed expression over this model's names."""
        scope = self.program.scope
        known = dict.fromkeys([*scope.variables, *scope.random])
        return Statement(element, text, node, dependent_nodes(node, known))

    def space_of(self, statement: Statement) -> Space:
        """The root space that belongs to an objective; remembers its comprehensions."""
        if id(statement) not in self._spaces:
            self._spaces[id(statement)] = Space()
        return self._spaces[id(statement)]

    def values(self, x: Floats) -> dict[str, Any]:
        """A point as `{variable: number | nested objects keyed by member}`.

        Whole values of integer variables are ints; everything else is a float.
        """
        found: dict[str, Any] = {}
        for block in self.columns.blocks:
            part = np.asarray(x, np.float64)[block.offset : block.offset + block.size]
            integer = block.size > 0 and bool(self.columns.integer[block.offset])
            found[block.name] = nest_grid(block.index, _numbers(part, integer))
        return found

    def point(self, values: dict[str, Any]) -> Floats:
        """The inverse of `values`, shape `(n,)`.

        Raises:
            DataError: A variable or entry is missing or unknown, or not a finite number.
        """
        names = [block.name for block in self.columns.blocks]
        for name in values:
            if name not in names:
                raise DataError(f"variable '{name}' is not in the model")
        x = np.empty(len(self.columns))
        for block in self.columns.blocks:
            element = f"variable '{block.name}'"
            if block.name not in values:
                raise DataError(f"{element}: no value is given")
            array = to_array(values[block.name], block.index, element).reshape(-1)
            missing = np.flatnonzero(np.isnan(array))
            if missing.size:
                label = self.columns.label(block.offset + int(missing[0]))
                raise DataError(f"{element}: no value for {label}")
            x[block.offset : block.offset + block.size] = array
        return x

    def results(self, x: Floats) -> dict[str, Any]:
        """The figures that the formulation asks for, at a point; None where undefined."""
        point = np.atleast_2d(np.asarray(x, np.float64))
        found: dict[str, Any] = {}
        for result in self.program.results:
            values = evaluation.evaluate_statement(
                self.program, result.statement, result.space, point
            )[0]
            numbers = [v if math.isfinite(v) else None for v in values.tolist()]
            members = [
                column
                for name, objects in zip(result.names(), result.members(), strict=True)
                for column in _columns_of(objects, result.space.get(name))
            ]
            found[result.definition.name] = nest(members, numbers)
        return found

    # ------------------------------------------------------------------ variants

    def derive(
        self,
        *,
        objectives: Sequence[ObjectiveDefinition] | None = None,
        constraints: Sequence[ConstraintDefinition] | None = None,
        keep_rows: Bools | None = None,
        lower: Floats | None = None,
        upper: Floats | None = None,
        integer: Bools | None = None,
        start: Floats | None = None,
    ) -> Model:
        """A variant with the same columns and data; what is not given stays.

        Args:
            objectives: Replace the objectives.
            constraints: Replace the constraints.
            keep_rows: Mask over the rows (of the new constraints, if given).
            lower: Lower bounds, shape `(n,)`.
            upper: Upper bounds, shape `(n,)`.
            integer: Which columns must be whole, shape `(n,)`. What was concluded from whole
                columns about strict comparisons stays.
            start: Starting values, shape `(n,)`.

        Raises:
            ExpressionError: A new expression does not fit the formulation.
        """
        changes: dict[str, Any] = {}
        if objectives is not None:
            changes["objectives"] = tuple(objectives)
        if constraints is not None:
            changes["constraints"] = tuple(constraints)
        formulation = self.formulation.model_copy(update=changes)
        columns = Columns(
            self.columns.blocks,
            self.columns.lower if lower is None else np.asarray(lower, np.float64),
            self.columns.upper if upper is None else np.asarray(upper, np.float64),
            self.columns.integer if integer is None else np.asarray(integer, np.bool_),
            self.columns.start if start is None else np.asarray(start, np.float64),
        )
        program = self.program.replaced(formulation, columns, changes)
        kept = self.kept_rows if constraints is None else None
        if keep_rows is not None:
            chosen = np.flatnonzero(keep_rows)
            kept = chosen if kept is None else kept[chosen]
        return Model(
            formulation,
            self.data_folder,
            program,
            columns,
            kept,
            self._unfiltered if kept is not None else self,
        )


def _selected(rows: Rows, kept: Integers) -> Rows:
    """The rows in `kept` (ascending), renumbered."""
    blocks = []
    offset = 0
    for block in rows.blocks:
        start, end = np.searchsorted(kept, [block.offset, block.offset + block.size])
        inside = kept[start:end] - block.offset
        if inside.size:
            blocks.append(
                RowBlock(
                    block.constraint,
                    block.part,
                    offset,
                    int(inside.size),
                    block.names,
                    tuple(column[inside] for column in block.index),
                    block.sources,
                    block.logical,
                )
            )
            offset += int(inside.size)
    return Rows(tuple(blocks), offset)


def _columns_of(objects: NDArray[np.object_], label: Any) -> list[list[Any]]:
    """An index's members, one list per index position."""
    if label.arity == 1:
        return [objects.tolist()]
    return [list(column) for column in zip(*objects.tolist(), strict=True)] or [[]] * label.arity


def _numbers(part: Floats, integer: bool) -> list[Any]:
    if not integer:
        found: list[Any] = part.tolist()
        return found
    return [int(v) if v.is_integer() else v for v in part.tolist()]
