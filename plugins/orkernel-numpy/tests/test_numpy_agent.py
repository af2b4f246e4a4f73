"""The agent as a whole: what it declares, limits, seeds, cancellation, and its input."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Cancelled
from orkernel.records import Capability, Event, Guarantee, Problem
from orkernel.solution import Status
from orkernel.verify import check_point
from orkernel_numpy import orkernel_solver_agents
from orkernel_numpy.agent import NumpyAgent
from orkernel_numpy.health import check


def hard(build: Any, domain: str, random: bool = False) -> Any:
    """Too many combinations to finish in a moment, with a feasible point at hand."""
    noise = " + expectation(d)*x[1]" if random else ""
    return build(
        sets=[{"name": "I", "range": [1, 16]}],
        parameters=[{"name": "d", "distribution": {"normal": {"mean": 1, "std": 1}}}]
        if random
        else [],
        variables=[{"name": "x", "index": ["I"], "domain": domain, "upper": 9}],
        objectives=[
            {
                "name": "f",
                "sense": "minimize",
                "expression": f"sum(sin(i * x[i]) * cos(x[i] * x[1]) for i in I){noise}",
            }
        ],
        constraints=[{"name": "c", "expression": "sum(x[i]**2 for i in I) <= 300"}],
    )


def test_each_capability_set_has_its_own_promise() -> None:
    (spec,) = orkernel_solver_agents()
    finite = frozenset({Capability.INTEGER, Capability.NONLINEAR, Capability.CIRCUIT})
    assert spec.promise(finite) is Guarantee.GLOBAL
    assert spec.promise(finite | {Capability.MULTI_OBJECTIVE}) is Guarantee.GLOBAL
    assert spec.promise(finite | {Capability.CONTINUOUS}) is Guarantee.HEURISTIC
    assert spec.promise(finite | {Capability.RANDOM}) is Guarantee.SAMPLED
    several = frozenset({Capability.CONTINUOUS, Capability.MULTI_OBJECTIVE})
    assert spec.promise(several) is None
    assert spec.promise(frozenset({Capability.RANDOM, Capability.MULTI_OBJECTIVE})) is None


def test_declaring_the_agent_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'pydantic'}"
    code = f"import sys, orkernel_numpy; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_health_check_names_the_versions() -> None:
    assert f"numpy {np.__version__}" in check()


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("domain", ["integer", "continuous"])
def test_a_deadline_in_the_past_is_said_at_once(
    build: Any, solve: Any, domain: str, random: bool
) -> None:
    started = time.perf_counter()
    solution = solve(hard(build, domain, random), seconds=0.0)
    assert solution.status is Status.TIME_LIMIT
    assert time.perf_counter() - started < 2.0


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("domain", ["integer", "continuous"])
def test_a_short_limit_gives_the_incumbent_and_claims_nothing(
    build: Any, solve: Any, domain: str, random: bool
) -> None:
    model = hard(build, domain, random)
    started = time.perf_counter()
    solution = solve(model, seconds=0.1)
    assert time.perf_counter() - started < 5.0
    if solution.values is None:
        assert solution.status is Status.TIME_LIMIT
    else:
        assert solution.status is Status.FEASIBLE
        wanted = Guarantee.SAMPLED if random else Guarantee.HEURISTIC
        assert solution.guarantee is wanted
        assert check_point(model, solution.values).verified


def test_an_enumeration_that_is_stopped_proves_nothing(build: Any, solve: Any) -> None:
    model = build(
        sets=[{"name": "I", "range": [1, 7]}],
        variables=[{"name": "x", "index": ["I"], "domain": "integer", "upper": 9}],
        objectives=[
            {"name": "f", "sense": "minimize", "expression": "sum(sin(i*x[i]) for i in I)"},
        ],
    )
    solution = solve(model, seconds=0.2)
    assert (solution.status, solution.guarantee) == (Status.FEASIBLE, Guarantee.HEURISTIC)
    assert solution.bound is None


def test_cancelling_before_there_is_a_point_raises_and_later_returns_the_incumbent(
    build: Any,
) -> None:
    model = hard(build, "integer")
    cancelled = RunContext()
    cancelled.cancel.set()
    with pytest.raises(Cancelled):
        NumpyAgent().solve(Problem(""), model, cancelled)
    ctx = RunContext()
    threading.Timer(0.3, ctx.cancel.set).start()
    started = time.perf_counter()
    solution = NumpyAgent().solve(Problem(""), model, ctx)
    assert time.perf_counter() - started < 5.0
    assert solution.status is Status.FEASIBLE
    assert check_point(model, solution.values).verified


def test_incumbents_are_streamed_and_only_improve(build: Any) -> None:
    events: list[Event] = []
    ctx = RunContext(emit=events.append, options={"points": 1}).limited(1.0)
    NumpyAgent().solve(Problem(""), hard(build, "integer"), ctx)
    values = [e.data["objective"] for e in events if e.kind == "solver.incumbent"]
    assert values
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("domain", ["integer", "continuous"])
def test_equal_seeds_give_equal_answers(build: Any, solve: Any, domain: str) -> None:
    model = build(
        sets=[{"name": "I", "range": [1, 3]}],
        variables=[{"name": "x", "index": ["I"], "domain": domain, "upper": 9}],
        objectives=[
            {
                "name": "f",
                "sense": "minimize",
                "expression": "sum(sin(i * x[i]) * cos(x[i] * x[1]) for i in I)",
            }
        ],
    )
    first, second = (solve(model, seed=11, points=1) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)
    assert first.objective == second.objective


def test_the_model_is_left_as_it_was(build: Any, solve: Any) -> None:
    model = build("two-stage")
    before = (model.formulation.model_dump_json(), *map(np.copy, _arrays(model)))
    solve(model)
    assert model.formulation.model_dump_json() == before[0]
    for old, new in zip(before[1:], _arrays(model), strict=True):
        np.testing.assert_array_equal(old, new)


def _arrays(model: Any) -> list[np.ndarray]:
    columns = model.columns
    return [columns.lower, columns.upper, columns.integer, columns.start]
