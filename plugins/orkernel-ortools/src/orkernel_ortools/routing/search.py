"""The search itself: OR-Tools' routing library on whole numbers."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ortools.constraint_solver import pywrapcp
from ortools.constraint_solver.routing_enums_pb2 import (
    FirstSolutionStrategy,
    LocalSearchMetaheuristic,
)

from orkernel_ortools.routing.whole_tour import (
    WholeCosts,
    WholeDimension,
    WholeLimit,
    whole_costs,
    whole_dimension,
    whole_limit,
)

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel_ortools.routing.tour import Arc, Tour

STRATEGIES = (
    FirstSolutionStrategy.PATH_CHEAPEST_ARC,
    FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION,
    FirstSolutionStrategy.FIRST_UNBOUND_MIN_VALUE,
)
"""Tried in this order until one finds a first solution."""
PATIENCE = 200, 20
"""The search ends after this many local optima in a row, at least and per node, that are no better
than the best; counted, not timed, so that equal seeds give equal answers if time is not short."""
MARGIN = 0.01
"""Seconds kept for leaving the solver."""


@dataclass(slots=True)
class _Clock:
    """When to stop; the solver asks all the time.

    Attributes:
        ctx: Says whether the user has interrupted.
        stop: When the whole search ends.
        first_stop: When the search for a first solution ends.
        patience: Solutions no better than the best after which it ends.
        best: Lowest cost so far; None before there is one.
        idle: Solutions since then.
    """

    ctx: RunContext
    stop: float
    first_stop: float
    patience: int
    best: float | None = None
    idle: int = 0

    def over(self) -> bool:
        """Whether time or patience has run out, or the user has interrupted."""
        if self.ctx.cancelled or self.idle >= self.patience:
            return True
        return time.monotonic() >= (self.first_stop if self.best is None else self.stop)

    def note(self, cost: float) -> None:
        """A solution was found."""
        if self.best is None or cost < self.best:
            self.best, self.idle = cost, 0
        else:
            self.idle += 1


@dataclass(frozen=True, slots=True)
class Search:
    """A routing problem in whole numbers, ready to be searched.

    Attributes:
        tour: The routing problem.
        costs: Its costs.
        dimensions: Its quantities.
        limits: Its further rows over arcs.
    """

    tour: Tour
    costs: WholeCosts
    dimensions: tuple[WholeDimension, ...]
    limits: tuple[WholeLimit, ...]

    @classmethod
    def of(cls, tour: Tour) -> Search | None:
        """Scale a routing problem; None where its decimals have no whole counterpart."""
        ends = {column: arc for arc, column in tour.arcs.items()}
        costs = whole_costs(tour)
        dimensions = [whole_dimension(tour, dimension) for dimension in tour.dimensions]
        limits = [whole_limit(limit, ends) for limit in tour.limits]
        if costs is None or None in dimensions or None in limits:
            return None
        return cls(tour, costs, tuple(filter(None, dimensions)), tuple(filter(None, limits)))

    def routes(self, ctx: RunContext, stop: float) -> list[list[int]] | None:
        """Search until `stop` (a `time.monotonic()` value).

        Returns:
            The used routes as nodes from depot to depot, or None.
        """
        problem = _Problem(self)
        if not problem.possible():
            return None
        problem.add_costs()
        for number, dimension in enumerate(self.dimensions):
            problem.add_dimension(dimension, str(number))
        for limit in self.limits:
            problem.add_limit(limit)
        return problem.solve(ctx, stop)


class _Problem:
    """The routing library's model of a search."""

    def __init__(self, search: Search) -> None:
        tour = self.tour = search.tour
        self.costs = search.costs
        self.vehicles = range(tour.vehicles[1])
        self.manager = pywrapcp.RoutingIndexManager(tour.nodes, len(self.vehicles), tour.depot)
        self.routing = pywrapcp.RoutingModel(self.manager)
        self.solver = self.routing.solver()
        self.starts = [self.routing.Start(v) for v in self.vehicles]
        self.ends = [self.routing.End(v) for v in self.vehicles]
        self.heads: dict[int, list[int]] = defaultdict(list)
        for tail, head in tour.arcs:
            self.heads[tail].append(head)
        for tail, head in tour.forced:
            if tail != tour.depot or tour.vehicles[1] == 1:
                self.heads[tail] = [head]

    def index(self, node: int) -> int:
        """The solver's index of a node other than the depot."""
        return int(self.manager.NodeToIndex(node))

    def possible(self) -> bool:
        """Say which moves there are; False if a node has none."""
        tour = self.tour
        for node in range(tour.nodes):
            heads = self.heads[node]
            if not heads:
                return False
            if node == tour.depot:
                for vehicle in self.vehicles:
                    values = [self.index(head) for head in heads if head != node]
                    if vehicle >= tour.vehicles[0]:
                        values.append(self.ends[vehicle])
                    self.routing.NextVar(self.starts[vehicle]).SetValues(values)
            else:
                values = [self.index(head) for head in heads if head != tour.depot]
                if tour.depot in heads:
                    values += self.ends
                self.routing.NextVar(self.index(node)).SetValues(values)
        return True

    def add_costs(self) -> None:
        """Costs of arcs, and penalties of what may be left out."""
        tour, costs = self.tour, self.costs
        absent = max(costs.arcs.values(), default=0) + 1
        matrix = [[absent] * tour.nodes for _ in range(tour.nodes)]
        matrix[tour.depot][tour.depot] = 0
        for (tail, head), cost in costs.arcs.items():
            matrix[tail][head] = cost
        self.routing.SetArcCostEvaluatorOfAllVehicles(self.routing.RegisterTransitMatrix(matrix))
        for node, penalty in costs.penalties.items():
            if node != tour.depot:
                self.routing.AddDisjunction([self.index(node)], penalty)

    def add_dimension(self, dimension: WholeDimension, name: str) -> None:
        """A quantity along the tours."""
        evaluator = self.routing.RegisterTransitMatrix(dimension.transits)
        self.routing.AddDimension(evaluator, dimension.slack, dimension.capacity, False, name)
        cumul = self.routing.GetDimensionOrDie(name).CumulVar
        for node, bounds in dimension.stops.items():
            cumul(self.index(node)).SetRange(*bounds)
        for vehicle in self.vehicles:
            cumul(self.starts[vehicle]).SetRange(*dimension.start)
            cumul(self.ends[vehicle]).SetRange(*dimension.end)

    def add_limit(self, limit: WholeLimit) -> None:
        """A linear row over arcs."""
        variables: list[Any] = []
        coefficients: list[int] = []
        for arc, coefficient in limit.coefficients.items():
            chosen = self._chosen(arc)
            variables += chosen
            coefficients += [coefficient] * len(chosen)
        body = self.solver.ScalProd(variables, coefficients)
        if limit.lower is not None:
            self.solver.Add(body >= limit.lower)
        if limit.upper is not None:
            self.solver.Add(body <= limit.upper)

    def _chosen(self, arc: Arc) -> list[Any]:
        """Variables that add up to 1 where an arc is chosen, else to 0."""
        tail, head = arc
        depot, equal = self.tour.depot, self.solver.IsEqualCstVar
        if tail == depot:
            return [equal(self.routing.NextVar(start), self.index(head)) for start in self.starts]
        following = self.routing.NextVar(self.index(tail))
        if head == depot:
            return [equal(following, end) for end in self.ends]
        return [equal(following, self.index(head))]

    def solve(self, ctx: RunContext, stop: float) -> list[list[int]] | None:
        """First solution and guided local search."""
        routing, solver = self.routing, self.solver
        stop -= MARGIN
        clock = _Clock(ctx, stop, stop, max(PATIENCE[0], PATIENCE[1] * self.tour.nodes))
        solver.ReSeed(ctx.seed % 2**31)
        routing.AddSearchMonitor(solver.CustomLimit(clock.over))
        routing.AddAtSolutionCallback(lambda: clock.note(routing.CostVar().Max()))
        for number, strategy in enumerate(STRATEGIES):
            left = stop - time.monotonic()
            if left <= 0.0 or ctx.cancelled:
                return None
            clock.first_stop = time.monotonic() + left / (len(STRATEGIES) - number)
            parameters = pywrapcp.DefaultRoutingSearchParameters()
            parameters.first_solution_strategy = strategy
            parameters.local_search_metaheuristic = LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
            parameters.time_limit.FromMilliseconds(max(1, int(1000 * left)))
            solution = routing.SolveWithParameters(parameters)
            if solution is not None:
                return [self._route(solution, vehicle) for vehicle in self._used(solution)]
        return None

    def _used(self, solution: Any) -> list[int]:
        return [v for v in self.vehicles if self.routing.IsVehicleUsed(solution, v)]

    def _route(self, solution: Any, vehicle: int) -> list[int]:
        index, route = self.starts[vehicle], [self.tour.depot]
        while not self.routing.IsEnd(index):
            index = solution.Value(self.routing.NextVar(index))
            route.append(int(self.manager.IndexToNode(index)))
        return route
