"""A small problem with a known answer, and short words to write one down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Capability
from orkernel.solution import Status

Parts = dict[str, Any]


@dataclass(frozen=True, eq=False)
class KnownProblem:
    """A formulation and the truth about it.

    Attributes:
        parts: The formulation, as JSON.
        status: How an exact agent must end.
        optimum: Optimal value of the only objective.
        slack: For agents without a global guarantee, the difference from the optimum that
            they may have, relative to max(1, |optimum|); None asks for a feasible point only.
        tolerance: The same for exact agents.
        front: All efficient objective vectors, for several objectives.
    """

    parts: Mapping[str, Any]
    optimum: float | None = None
    status: Status = Status.OPTIMAL
    slack: float | None = None
    tolerance: float = 1e-5
    front: tuple[tuple[float, ...], ...] = ()

    @cached_property
    def formulation(self) -> Formulation:
        """The formulation."""
        return Formulation.model_validate(self.parts)

    def model(self) -> Model:
        """A freshly bound model, shared with no other call."""
        return Model.bind(Formulation.model_validate(self.parts))

    @cached_property
    def needs(self) -> frozenset[Capability]:
        """What an agent must support to take it."""
        return self.model().needs


def variable(name: str, upper: Any = None, lower: Any = 0, **more: Any) -> Parts:
    """A variable, continuous unless said otherwise; `lower=None` makes it free below."""
    return {"name": name, "lower": lower, "upper": upper, **more}


def integer(name: str, upper: Any = None, lower: Any = 0, **more: Any) -> Parts:
    """An integer variable."""
    return variable(name, upper, lower, domain="integer", **more)


def binary(name: str, **more: Any) -> Parts:
    """A binary variable."""
    return {"name": name, "domain": "binary", **more}


def rows(*expressions: str) -> list[Parts]:
    """Constraints called `row 1`, `row 2`, …; a text after ` for ` would belong to `each`."""
    return [{"name": f"row {k}", "expression": e} for k, e in enumerate(expressions, start=1)]


def each(name: str, for_each: str, expression: str) -> Parts:
    """A constraint for every member."""
    return {"name": name, "for_each": for_each, "expression": expression}


def minimize(expression: str, name: str = "goal", **more: Any) -> Parts:
    """An objective to be minimised."""
    return {"name": name, "sense": "minimize", "expression": expression, **more}


def maximize(expression: str, name: str = "goal", **more: Any) -> Parts:
    """An objective to be maximised."""
    return {"name": name, "sense": "maximize", "expression": expression, **more}


def problem(
    variables: list[Parts],
    constraints: list[Parts],
    objectives: Parts | list[Parts],
    optimum: float | None = None,
    *,
    sets: Mapping[str, Any] | None = None,
    parameters: list[Parts] | None = None,
    **truth: Any,
) -> KnownProblem:
    """A known problem.

    Args:
        variables: As made by `variable`, `integer`, `binary`.
        constraints: As made by `rows` and `each`.
        objectives: One, or a list.
        optimum: Optimal value of the only objective.
        sets: Name to members (list), or to the last number of a range from 1.
        parameters: As in a formulation.
        truth: Further fields of `KnownProblem`.
    """
    listed = [
        {"name": n, "range": [1, m]} if isinstance(m, int) else {"name": n, "members": m}
        for n, m in (sets or {}).items()
    ]
    parts = {
        "sets": listed,
        "parameters": parameters or [],
        "variables": variables,
        "constraints": constraints,
        "objectives": objectives if isinstance(objectives, list) else [objectives],
    }
    return KnownProblem(parts, optimum, **truth)
