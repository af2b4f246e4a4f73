"""The HiGHS agent on whole models: what it takes, what it refuses, what it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Capability, Problem
from orkernel.solution import Evidence, Status
from orkernel.verify import verify
from orkernel_highs import orkernel_solver_agents
from orkernel_highs.agent import HighsAgent
from orkernel_highs.export import file_names
from orkernel_highs.health import check


def bind(
    variables: list[dict[str, Any]], objective: str | None, *rows: str, **fields: Any
) -> Model:
    sense = fields.pop("sense", "minimize")
    goals = [{"name": "goal", "sense": sense, "expression": objective}] if objective else []
    constraints = [{"name": f"c{i}", "expression": text} for i, text in enumerate(rows)]
    return Model.bind(
        Formulation.model_validate(
            {"variables": variables, "objectives": goals, "constraints": constraints}
        )
    )


def solve(model: Model) -> Any:
    return HighsAgent().solve(Problem(""), model, RunContext())


def test_answers_of_every_supported_kind_are_verified() -> None:
    x, b = {"name": "x", "upper": 10}, {"name": "b", "domain": "binary"}
    free = {"name": "x", "lower": -10, "upper": 10}
    for model, optimum in (
        (bind([x], "2*x", "x >= 3"), 6),
        (bind([x, b], "x - 3*b", "x <= 4 + 2*b", sense="maximize"), 4),
        (bind([x, b], "x - 3*b", "implies(b == 0, x <= 4)", sense="maximize"), 7),
        (bind([free], "abs(x - 3) + 0.1*x"), 0.3),
        (bind([free], "(x - 3)**2 + x"), 2.75),
    ):
        solution = solve(model)
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(optimum)
        assert solution.values.shape == (len(model.columns),)
        assert verify(model, solution).verified


def test_infeasible_and_unbounded_models_come_with_certificates() -> None:
    columns = [{"name": "x"}, {"name": "y"}]
    for model in (
        bind(columns, "x + y", "x + y >= 3", "x + y <= 2"),
        bind(columns, "x + y", "x - y <= 2", sense="maximize"),
    ):
        assert verify(model, solve(model)).evidence is Evidence.CERTIFICATE


@pytest.mark.parametrize(
    ("written", "worth", "limits"),
    [
        ("x <= 6", 1, (1, 10)),
        ("6 >= x", 1, (1, 10)),
        ("12 >= 2*x", 0.5, (2, 20)),
        ("12 == 2*x", 0.5, (2, 20)),
        ("0 <= 6 - x", -1, (-10, -1)),
    ],
)
def test_the_worth_of_a_limit_is_that_of_the_side_without_variables(
    written: str, worth: float, limits: tuple[float, float]
) -> None:
    columns = [{"name": "x", "lower": 1}, {"name": "y"}]
    duals = solve(bind(columns, "3*x + 2*y", written, "10 >= x + y", sense="maximize")).duals
    assert duals.rows == pytest.approx([worth, 2])
    assert duals.ranges["rhs"][0] == pytest.approx(limits, abs=1e-9)


@pytest.mark.parametrize(
    ("objective", "rows", "named"),
    [
        ("x*y", (), "goal"),
        ("x + y", ("x**2 + y**2 <= 1",), "c0"),
        ("x", ("x*y >= 1",), "c0"),
        ("exp(x)", (), "goal"),
    ],
)
def test_curvature_beyond_a_convex_objective_is_refused_by_name(
    objective: str, rows: tuple[str, ...], named: str
) -> None:
    model = bind([{"name": "x", "upper": 4}, {"name": "y", "upper": 4}], objective, *rows)
    with pytest.raises(Unsupported, match=named):
        solve(model)


def test_integers_under_a_quadratic_objective_are_refused() -> None:
    model = bind([{"name": "x", "domain": "integer", "upper": 9}], "(x - 2.5)**2")
    with pytest.raises(Unsupported, match="integer"):
        solve(model)


def test_record_declares_what_the_agent_takes() -> None:
    (record,) = orkernel_solver_agents()
    assert {Capability.INTEGER, Capability.QUADRATIC_OBJECTIVE} not in record.supports
    assert not any(
        {Capability.INTEGER, Capability.QUADRATIC_OBJECTIVE} <= s for s in record.supports
    )
    assert record.exports == {"lp", "mps"}


CITIES: dict[str, Any] = {
    "sets": [{"name": "CITY", "members": ["New York", "Rome", "end"]}],
    "variables": [{"name": "ship", "index": ["CITY"], "upper": 7, "domain": "integer"}],
    "objectives": [
        {"name": "g", "sense": "maximize", "expression": "sum(ship[c] for c in CITY) + 5"}
    ],
    "constraints": [{"name": "limit", "for_each": "c in CITY", "expression": "2*ship[c] <= 9"}],
}


@pytest.mark.parametrize("format", ["lp", "mps"])
def test_exports_can_be_read_back_with_names_and_optimum(format: str, tmp_path: Path) -> None:
    model = Model.bind(Formulation.model_validate(CITIES))
    text = HighsAgent().export(model, format)
    assert "ship_New_York" in text
    assert "limit_Rome" in text
    path = tmp_path / f"model.{format}"
    path.write_text(text)
    highs: Any = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    highs.run()
    assert highs.getObjectiveValue() == pytest.approx(solve(model).objective)


def test_unknown_format_is_refused() -> None:
    with pytest.raises(Unsupported, match="xls"):
        HighsAgent().export(Model.bind(Formulation.model_validate(CITIES)), "xls")


def test_file_names_are_legal_unique_and_no_keywords() -> None:
    labels = ["x[a b]", "x[a-b]", "free", "3d", "e1", "", "é", "x" * 500]
    names = file_names(labels, "v")
    assert len(set(names)) == len(labels)
    for name in names:
        assert name.isascii()
        assert name[0].isalpha()
        assert len(name) <= 210
        assert name.lower() not in ("free", "e1")


def test_health_check_names_the_version() -> None:
    assert check().startswith("HiGHS 1.")


def test_start_values_of_the_formulation_reach_the_solver() -> None:
    rng = np.random.default_rng(5)
    n = 40
    formulation = {
        "sets": [{"name": "I", "range": [1, n]}, {"name": "K", "range": [1, 5]}],
        "parameters": [
            {"name": "w", "index": ["K", "I"], "value": rng.integers(20, 99, (5, n)).tolist()},
            {"name": "g", "index": ["I"], "value": rng.integers(20, 99, n).tolist()},
        ],
        "variables": [
            {"name": "x", "index": ["I"], "domain": "binary", "start": [1, 1, 1] + [0] * (n - 3)}
        ],
        "objectives": [
            {"name": "gain", "sense": "maximize", "expression": "sum(g[i]*x[i] for i in I)"}
        ],
        "constraints": [
            {
                "name": "cap",
                "for_each": "k in K",
                "expression": "sum(w[k,i]*x[i] for i in I) <= 700",
            }
        ],
    }
    lines: list[str] = []
    ctx = RunContext(emit=lambda e: lines.append(e.message))
    HighsAgent().solve(Problem(""), Model.bind(Formulation.model_validate(formulation)), ctx)
    assert any("MIP start solution is feasible" in line for line in lines)


def test_plugin_module_loads_nothing_heavy() -> None:
    script = (
        "import sys, orkernel_highs; "
        "print(sorted({'numpy', 'scipy', 'highspy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
