"""Pyomo models from arrays and from expression graphs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.modeling import unique_component_name
from pyomo.core.expr import LinearExpression

from orkernel_pyomo.job import starting_point

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_pyomo.job import Stored, Triplets

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]+")
_UNARY: dict[str, Callable[[Any], Any]] = {
    name: getattr(pyo, name)
    for name in (
        *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
        *("sinh", "cosh", "tanh"),
    )
}
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
SMOOTH = frozenset({*_UNARY, *_BINARY, "neg", "abs", "sum", "prod"})
"""Operations of an expression graph that can be built."""


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A Pyomo model and where its parts came from.

    Attributes:
        columns: Variable of every column.
        rows: Constraint of every row; None for a row without variables or bounds.
        starts: Starting value of every column.
        linear: True if every part is linear.
        guards: Numbers of columns that keep a distance from the edge of a domain
            (`orkernel_pyomo.rewriting`).
        quotients: Numbers of columns that grow without limit towards a pole.
    """

    model: Any
    columns: list[Any]
    rows: list[Any]
    starts: Floats
    linear: bool
    guards: tuple[int, ...] = ()
    quotients: tuple[int, ...] = ()


class _Namer:
    """Components get their labels as names in an export, and numbers otherwise."""

    def __init__(self, model: Any, labels: Sequence[str], letter: str) -> None:
        self._model, self._labels, self._letter = model, labels, letter

    def add(self, number: int, component: Any) -> Any:
        name = f"{self._letter}{number}"
        if self._labels:
            cleaned = _FORBIDDEN.sub("_", self._labels[number]).strip("_")
            name = cleaned if cleaned[:1].isalpha() else f"{name}_{cleaned}".rstrip("_")
            name = unique_component_name(self._model, name)
        self._model.add_component(name, component)
        return component


def _finite(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None


def _variables(
    model: Any, lower: Floats, upper: Floats, integer: Any, starts: Floats, names: Sequence[str]
) -> list[Any]:
    lows = [_finite(bound) for bound in lower.tolist()]
    highs = [_finite(bound) for bound in upper.tolist()]
    first = [_initial(*pair) for pair in zip(starts.tolist(), integer, strict=True)]
    if names:
        namer = _Namer(model, names, "x")
        return [
            namer.add(
                j,
                pyo.Var(
                    domain=pyo.Integers if integer[j] else pyo.Reals,
                    bounds=(lows[j], highs[j]),
                    initialize=first[j],
                ),
            )
            for j in range(len(lower))
        ]
    model.x = pyo.Var(
        range(len(lower)),
        domain=lambda _, j: pyo.Integers if integer[j] else pyo.Reals,
        bounds=lambda _, j: (lows[j], highs[j]),
        initialize=lambda _, j: first[j],
    )
    return [model.x[j] for j in range(len(lower))]


def _initial(value: float, integer: bool) -> float:
    return float(round(value)) if integer else float(value)


def _constraints(
    model: Any, bodies: Sequence[Any], lower: Floats, upper: Floats, names: Sequence[str]
) -> list[Any]:
    def expression(i: int) -> Any:
        low, high = _finite(lower[i]), _finite(upper[i])
        if low is not None and low == high:
            return bodies[i] == low
        return (low, bodies[i], high)

    wanted = [
        i
        for i, body in enumerate(bodies)
        if body is not None and (math.isfinite(lower[i]) or math.isfinite(upper[i]))
    ]
    rows: list[Any] = [None] * len(bodies)
    if names:
        namer = _Namer(model, names, "c")
        for i in wanted:
            rows[i] = namer.add(i, pyo.Constraint(expr=expression(i)))
        return rows
    model.c = pyo.Constraint(wanted, rule=lambda _, i: expression(i))
    for i in wanted:
        rows[i] = model.c[i]
    return rows


def from_arrays(
    arrays: Stored, column_names: Sequence[str] = (), row_names: Sequence[str] = ()
) -> Built:
    """Build a linear or quadratic model.

    Args:
        arrays: The model.
        column_names: Labels to name the variables by; numbers if empty.
        row_names: Labels to name the constraints by; numbers if empty.
    """
    model = pyo.ConcreteModel()
    starts = starting_point(arrays.lower, arrays.upper, arrays.start)
    x = _variables(model, arrays.lower, arrays.upper, arrays.integer, starts, column_names)

    def body(i: int) -> Any:
        part = slice(arrays.indptr[i], arrays.indptr[i + 1])
        quadratic = arrays.row_quadratic.get(i)
        if part.start == part.stop and quadratic is None:
            return None
        linear = LinearExpression(
            constant=0,
            linear_coefs=arrays.data[part],
            linear_vars=[x[j] for j in arrays.indices[part]],
        )
        return linear if quadratic is None else linear + _half_form(quadratic, x)

    bodies = [body(i) for i in range(len(arrays.row_lower))]
    rows = _constraints(model, bodies, arrays.row_lower, arrays.row_upper, row_names)
    used = np.flatnonzero(arrays.cost)
    goal: Any = LinearExpression(
        constant=arrays.offset,
        linear_coefs=arrays.cost[used].tolist(),
        linear_vars=[x[j] for j in used],
    )
    if arrays.quadratic is not None:
        goal = goal + _half_form(arrays.quadratic, x)
    model.objective = pyo.Objective(
        expr=goal, sense=pyo.maximize if arrays.maximize else pyo.minimize
    )
    linear = arrays.quadratic is None and not arrays.row_quadratic
    return Built(model, x, rows, starts, linear)


def _half_form(hessian: Triplets, x: list[Any]) -> Any:
    """½ xᵀ Q x of a symmetric Q, each pair of columns once."""
    return pyo.quicksum(
        (0.5 if i == j else 1.0) * v * x[i] * x[j]
        for i, j, v in zip(*hessian, strict=True)
        if i <= j
    )


def from_graph(
    content: dict[str, Any], column_names: Sequence[str] = (), row_names: Sequence[str] = ()
) -> Built:
    """Build a nonlinear model from an expression graph (`orkernel_pyomo.job.read_graph`).

    Nodes that are used more than once become named expressions, so that they stay shared.
    """
    model = pyo.ConcreteModel()
    columns = content["columns"]
    lower, upper, start = (np.array(columns[k], dtype=float) for k in ("lower", "upper", "start"))
    starts = starting_point(lower, upper, start)
    x = _variables(model, lower, upper, columns["integer"], starts, column_names)
    uses = _uses(content)
    model.shared = pyo.Expression(pyo.Any)
    nodes: list[Any] = []
    for number, (op, *arguments) in enumerate(content["nodes"]):
        if op == "c":
            nodes.append(arguments[0])
        elif op == "x":
            nodes.append(x[arguments[0]])
        else:
            made = _operation(op, [nodes[k] for k in arguments])
            if uses[number] > 1 and _varies(made):
                model.shared[number] = made
                made = model.shared[number]
            nodes.append(made)
    rows_ = content["rows"]
    bodies = [nodes[k] if _varies(nodes[k]) else None for k, _, _ in rows_]
    low = np.array([r[1] for r in rows_], dtype=float)
    high = np.array([r[2] for r in rows_], dtype=float)
    rows = _constraints(model, bodies, low, high, row_names)
    goal = 0.0 if content["objective"] is None else nodes[content["objective"]]
    model.objective = pyo.Objective(
        expr=goal, sense=pyo.maximize if content["maximize"] else pyo.minimize
    )
    edges = {kind: tuple(content.get(kind, ())) for kind in ("guards", "quotients")}
    return Built(model, x, rows, starts, linear=False, **edges)


def _uses(content: dict[str, Any]) -> list[int]:
    uses = [0] * len(content["nodes"])
    for op, *arguments in content["nodes"]:
        if op not in ("c", "x"):
            for k in arguments:
                uses[k] += 1
    return uses


def _varies(expression: Any) -> bool:
    return not isinstance(expression, int | float) and expression.is_potentially_variable()


def _operation(op: str, arguments: list[Any]) -> Any:
    if op == "sum":
        return pyo.quicksum(arguments)
    if op == "prod":
        return pyo.prod(arguments)
    if op == "neg":
        return -arguments[0]
    if op == "abs":
        return abs(arguments[0])
    if op in _BINARY:
        return _BINARY[op](*arguments)
    return _UNARY[op](arguments[0])
