"""From a model to a CP-SAT program: columns, rows and the objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.errors import Unsupported
from orkernel_ortools.compiler import Compiler
from orkernel_ortools.exact import Linear, rational
from orkernel_ortools.program import Literals, Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import LinearForm
    from orkernel.model import Model

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """The objective: `minimise sign · scale · objective` is what CP-SAT does.

    Attributes:
        linear: The objective.
        scale: Makes its coefficients whole.
        maximize: Its sense.
    """

    linear: Linear
    scale: int
    maximize: bool

    def value(self, scaled: float) -> float:
        """The objective of CP-SAT's value."""
        sign = -1 if self.maximize else 1
        whole = round(scaled)
        exact = abs(scaled - whole) < 1e-6
        return sign * (whole / self.scale if exact else scaled / self.scale)


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A program and where its parts came from.

    Attributes:
        program: The CP-SAT model.
        columns: Variable of each column.
        goal: The objective, or None.
        guards: Per row the literal that switches it on, where rows were guarded.
    """

    program: Program
    columns: tuple[int, ...]
    goal: Goal | None
    guards: tuple[int, ...] = ()

    def point(self, value: Callable[[Any], int]) -> Floats:
        """Values of all columns."""
        return np.array([value(self.program.variables[v]) for v in self.columns], np.float64)

    def hint(self, start: Floats) -> None:
        """Suggest values of columns, instead of earlier ones; NaN means none."""
        self.program.model.clear_hints()
        for j in np.flatnonzero(np.isfinite(start)).tolist():
            v = self.columns[j]
            value = min(max(round(float(start[j])), self.program.lower[v]), self.program.upper[v])
            self.program.model.add_hint(self.program.variables[v], value)


def build(
    model: Model,
    lower: Floats,
    upper: Floats,
    *,
    guarded: bool = False,
    objective: bool = True,
    tick: Callable[[], None] = lambda: None,
) -> Built:
    """Compile a model of integer columns.

    Args:
        model: At most one objective.
        lower: Finite lower bounds of the columns, at whole numbers.
        upper: Finite upper bounds, none below its lower bound.
        guarded: Let each row hold only if a literal of its own does.
        objective: Whether to compile the objective.
        tick: Called now and then; may raise.

    Raises:
        Unsupported: An element has no exact form, or its numbers do not fit into 64 bits.
    """
    program = Program(tick=tick)
    columns = []
    for j, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
        if max(abs(low), abs(high)) > 2**53:
            program.element = f"variable '{model.columns.label(j)}'"
        columns.append(program.integer(int(low), int(high)))
    linear = None if guarded else _linear_form(model)
    if linear is not None:
        _add_linear_rows(program, columns, linear)
        goal = _linear_goal(program, columns, linear) if objective else None
        return Built(program, tuple(columns), goal)
    graph = model.graph()
    compiler = Compiler(graph, program, columns)
    guards: list[int] = []
    for number, row in enumerate(graph.rows):
        if not number % 64:
            tick()
        program.element = f"constraint '{graph.row_labels.label(number)}'"
        when: Literals = ()
        if guarded:
            guards.append(program.boolean())
            when = (guards[-1],)
        if row.lower == row.upper == 1.0 and graph.row_labels.block_of(number).logical:
            compiler.require(row.node, when)
        else:
            compiler.limit(row.node, row.lower, row.upper, when)
    goal = None
    for sought in graph.objectives if objective else ():
        program.element = f"objective '{sought.name}'"
        value = compiler.number(sought.node)
        for literal in value.defined:
            program.clause((literal,))
        goal = _goal(program, value.linear, sought.maximize)
    return Built(program, tuple(columns), goal, tuple(guards))


def _linear_form(model: Model) -> LinearForm | None:
    try:
        return model.linear()
    except Unsupported:
        return None


def _goal(program: Program, linear: Linear, maximize: bool) -> Goal:
    scale = linear.scale
    if linear.terms:
        program.model.minimize(program.expression(linear.times(-1) if maximize else linear, scale))
    return Goal(linear, scale, maximize)


# --------------------------------------------------------------------------- linear models


def _add_linear_rows(program: Program, columns: list[int], form: LinearForm) -> None:
    """Rows straight from the matrix; each distinct coefficient is made exact once."""
    matrix = form.matrix
    distinct, places = np.unique(matrix.data, return_inverse=True)
    exact = [rational(v) for v in distinct.tolist()]
    coefficients = [exact[k] for k in places.tolist()]
    variables = [columns[j] for j in matrix.indices.tolist()]
    starts = matrix.indptr.tolist()
    lower, upper = form.row_lower.tolist(), form.row_upper.tolist()
    for i in range(len(lower)):
        if not i % 64:
            program.tick()
        begin, end = starts[i], starts[i + 1]
        terms = dict(zip(variables[begin:end], coefficients[begin:end], strict=True))
        try:
            program.between(Linear(terms), lower[i], upper[i])
        except Unsupported as error:
            raise Unsupported(f"constraint '{form.rows.label(i)}'", error.why) from None


def _linear_goal(program: Program, columns: list[int], form: LinearForm) -> Goal | None:
    if not form.objectives:
        return None
    (objective,) = form.objectives
    program.element = f"objective '{objective.name}'"
    terms = {
        columns[j]: rational(float(objective.cost[j]))
        for j in np.flatnonzero(objective.cost).tolist()
    }
    return _goal(program, Linear(terms, rational(objective.offset)), objective.maximize)
