"""From a model to a CP-SAT program: columns, rows and the objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel_ortools.compiler import Compiler
from orkernel_ortools.exact import Linear, rational, rationals
from orkernel_ortools.linear_rows import add_linear_rows
from orkernel_ortools.program import LARGEST, Literals, Program, too_wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import GraphObjective, LinearObjective
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
    columns: Sequence[int]
    goal: Goal | None
    guards: tuple[int, ...] = ()

    def point(self, value: Callable[[Any], int]) -> Floats:
        """Values of all columns."""
        return np.array([value(self.program.cp(v)) for v in self.columns], np.float64)

    def hint(self, start: Floats) -> None:
        """Suggest values of columns, instead of earlier ones; NaN means none."""
        self.program.model.clear_hints()
        for j in np.flatnonzero(np.isfinite(start)).tolist():
            v = self.columns[j]
            value = min(max(round(float(start[j])), self.program.lower[v]), self.program.upper[v])
            self.program.model.add_hint(self.program.cp(v), value)


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
    columns = _columns(program, model, lower, upper)
    part = model.linear_part()
    guards: Sequence[int] = ()
    if guarded:
        ones = [1] * len(model.rows)
        guards = program.integers([0] * len(ones), ones)
    add_linear_rows(program, columns, part.rows, model.rows, np.flatnonzero(part.linear), guards)
    goal = None
    wanted = part.objectives if objective else ()
    for linear in wanted:
        if linear is not None:
            goal = _linear_goal(program, columns, linear)
    if not part.linear.all() or None in wanted:
        rest = model.derive(
            keep_rows=~part.linear, objectives=None if None in wanted else ()
        ).graph()
        compiler = Compiler(rest, program, columns)
        numbers = np.flatnonzero(~part.linear).tolist()
        _add_rows(compiler, [(guards[i],) for i in numbers] if guarded else [()] * len(numbers))
        for sought in rest.objectives if None in wanted else ():
            goal = _graph_goal(compiler, sought)
    return Built(program, columns, goal, tuple(guards))


def _columns(program: Program, model: Model, lower: Floats, upper: Floats) -> range:
    """The variables of the columns."""
    widest = np.maximum(np.abs(lower), np.abs(upper))
    large = np.flatnonzero(widest > LARGEST)
    if large.size:
        raise too_wide(f"variable '{model.columns.label(int(large[0]))}'")
    lows, highs = (bounds.astype(np.int64).tolist() for bounds in (lower, upper))
    return program.integers(lows, highs)


def _add_rows(compiler: Compiler, guards: Sequence[Literals]) -> None:
    """Rows of a graph, each where its literals hold."""
    program, graph = compiler.program, compiler.graph
    for block in graph.row_labels.blocks:
        for number in range(block.offset, block.offset + block.size):
            if not number % 64:
                program.tick()
            row, when = graph.rows[number], guards[number]
            program.element = f"constraint '{graph.row_labels.label(number)}'"
            if block.logical:
                compiler.require(row.node, when)
            else:
                compiler.limit(row.node, row.lower, row.upper, when)


def _graph_goal(compiler: Compiler, sought: GraphObjective) -> Goal:
    program = compiler.program
    program.element = f"objective '{sought.name}'"
    value = compiler.number(sought.node)
    for literal in value.defined:
        program.clause((literal,))
    return _goal(program, value.linear, sought.maximize)


def _goal(program: Program, linear: Linear, maximize: bool) -> Goal:
    scale = linear.scale
    if linear.terms:
        variables, coefficients, constant = program.scaled(
            linear.times(-1) if maximize else linear, scale
        )
        program.minimize([program.indices[v] for v in variables], coefficients, constant)
    return Goal(linear, scale, maximize)


def _linear_goal(program: Program, columns: Sequence[int], objective: LinearObjective) -> Goal:
    program.element = f"objective '{objective.name}'"
    used = np.flatnonzero(objective.cost)
    coefficients = rationals(objective.cost[used])
    terms = dict(zip([columns[j] for j in used.tolist()], coefficients, strict=True))
    return _goal(program, Linear(terms, rational(objective.offset)), objective.maximize)
