"""Solution: what a solver agent returns, in the column and row order of its model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from orkernel.records import Guarantee

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[Any]


class Status(StrEnum):
    """How a solve ended. The members are never merged into one another."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INFEASIBLE_OR_UNBOUNDED = "infeasible_or_unbounded"
    PARETO_FRONT = "pareto_front"
    TIME_LIMIT = "time_limit"
    ILL_POSED = "ill_posed"
    ERROR = "error"


class Evidence(StrEnum):
    """What stands behind optimality, infeasibility or unboundedness."""

    CERTIFICATE = "certificate"
    SECOND_AGENT = "second_agent"
    SOLVER_CLAIM = "solver_claim"


@dataclass(frozen=True, slots=True)
class SolverIdentity:
    """Which agent answered, with which solver in which version."""

    agent: str
    name: str
    version: str


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """Marginal values at the optimum of a continuous model.

    Signs: derivative of the optimal objective, in its own sense, with respect to
    the row's right-hand side (dual value) or the variable's active bound (reduced cost).

    Attributes:
        rows: Dual value per row, shape `(m,)`.
        columns: Reduced cost per column, shape `(n,)`.
        ranges: Optional sensitivity ranges: `"objective"` → array `(n, 2)` of the costs
            and `"rhs"` → array `(m, 2)` of the right-hand sides between which the
            optimal basis stays optimal.
    """

    rows: Vector
    columns: Vector
    ranges: Mapping[str, Vector] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """A proof that the kernel can check by arithmetic alone.

    Attributes:
        kind: `dual` (row duals of an optimal solution), `farkas` (row multipliers y of
            an infeasible linear system) or `primal_ray` (direction d of an unbounded model).
        vector: Shape `(m,)` for `dual` and `farkas`, `(n,)` for `primal_ray`.
    """

    kind: str
    vector: Vector


@dataclass(frozen=True, slots=True, eq=False)
class InfeasibleSubset:
    """An irreducible infeasible subset: rows and variable bounds that cannot hold together.

    Attributes:
        rows: Row numbers.
        lower: Columns whose lower bound takes part.
        upper: Columns whose upper bound takes part.
        minimal: True if irreducibility was established (each member removed in turn).
        integer: Columns for which it takes part that they must be whole, or 0 or 1 if binary.
        assumptions: What the search assumed, in words.
    """

    rows: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()
    minimal: bool = False
    integer: tuple[int, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ParetoPoint:
    """One point of a front: objective values in formulation order, values of all columns."""

    objectives: tuple[float, ...]
    values: Vector


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of a model with random parameters, with its confidence interval.

    Attributes:
        kind: objective | result | constraint.
        name: Name of the element, with its index where it has one, e.g. `service[North]`.
        value: The point estimate.
        low: Lower end of the confidence interval.
        high: Upper end of the confidence interval.
        level: Confidence level in (0, 1).
        samples: Independent scenarios behind it.
    """

    kind: str
    name: str
    value: float
    low: float
    high: float
    level: float
    samples: int


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The answer of a solver agent, before the kernel has checked it.

    Attributes:
        status: How the solve ended.
        solver: Who solved it.
        values: Value per column, shape `(n,)`; None when there is no point.
        objective: Objective value as the solver states it (single objective), in its own sense.
        bound: Best proven bound on the objective, in its own sense.
        guarantee: Strength of this very answer.
        duals: Dual values and reduced costs, continuous models only.
        certificate: Proof of optimality, infeasibility or unboundedness.
        infeasible_subset: For an infeasible model, where the solver has one natively.
        pareto: Points of the front for several objectives; `values` is then one of them.
        estimates: Figures of a model with random parameters, simulated at `values`.
        message: The solver's own words.
        seconds: Wall-clock seconds of build and solve.
        assumptions: What the agent assumed or relaxed, in words.
        statistics: Numbers worth reporting (nodes, iterations, seconds per phase).
    """

    status: Status
    solver: SolverIdentity
    values: Vector | None = None
    objective: float | None = None
    bound: float | None = None
    guarantee: Guarantee = Guarantee.GLOBAL
    duals: Duals | None = None
    certificate: Certificate | None = None
    infeasible_subset: InfeasibleSubset | None = None
    pareto: tuple[ParetoPoint, ...] = ()
    estimates: tuple[Estimate, ...] = ()
    message: str = ""
    seconds: float = 0.0
    assumptions: tuple[str, ...] = ()
    statistics: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.solver, SolverIdentity):
            raise TypeError(f"solver is {type(self.solver).__name__}, not a SolverIdentity")
        if not 0.0 <= self.seconds < float("inf"):
            raise ValueError(f"seconds is {self.seconds}; it must be 0 or more")
        whole: dict[str, Any] = {
            "status": Status(self.status),
            "guarantee": Guarantee(self.guarantee),
            "message": str(self.message).encode("utf-8", "backslashreplace").decode("utf-8"),
        }
        for name in ("objective", "bound"):
            value = getattr(self, name)
            whole[name] = None if value is None else float(value)
        for name, value in whole.items():
            object.__setattr__(self, name, value)

    @property
    def gap(self) -> float | None:
        """Relative MIP gap |bound − objective| / max(1e-10, |objective|); None if unknown."""
        if self.bound is None or self.objective is None:
            return None
        return abs(self.bound - self.objective) / max(1e-10, abs(self.objective))
