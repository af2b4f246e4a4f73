"""The evidence scores are shares of countable things and fall when something is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.formulation.provenance import locate
from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS, Candidate, Problem
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_offline.evidence import ALTERNATIVE_COST, CAP, NOTHING, EvidenceScorer
from orkernel_offline.formulator import ALTERNATIVE

STATEMENT = (
    "A mill grinds oats and barley. A sack of oats takes 3 minutes and a sack of barley takes 4 "
    "minutes. At most 480 minutes are available. The profit is $2 per sack of oats and $3 per "
    "sack of barley. Maximize the profit."
)


def quote(text: str) -> list[dict[str, str]]:
    return [{"quote": text}]


PARTS: dict[str, Any] = {
    "parameters": [
        {"name": "t1", "value": 3, "sources": quote("A sack of oats takes 3 minutes")},
        {"name": "t2", "value": 4, "sources": quote("a sack of barley takes 4 minutes")},
        {"name": "limit", "value": 480, "sources": quote("At most 480 minutes are available")},
        {"name": "p1", "value": 2, "sources": quote("$2 per sack of oats")},
        {"name": "p2", "value": 3, "sources": quote("$3 per sack of barley")},
    ],
    "variables": [
        {"name": "oats", "sources": quote("oats")},
        {"name": "barley", "sources": quote("barley")},
    ],
    "objectives": [
        {
            "name": "profit",
            "sense": "maximize",
            "expression": "p1*oats + p2*barley",
            "sources": quote("Maximize the profit"),
        }
    ],
    "constraints": [
        {
            "name": "time",
            "expression": "t1*oats + t2*barley <= limit",
            "sources": quote("At most 480 minutes are available"),
        }
    ],
}


def solved(status: Status = Status.OPTIMAL, values: Any = (160.0, 0.0)) -> Solution:
    return Solution(status, SolverIdentity("a", "b", "c"), values=np.array(values))


def scores(parts: dict[str, Any], trial: Solution | None = None) -> dict[str, float]:
    formulation = locate(Formulation.model_validate(parts), STATEMENT)
    candidate = Candidate(0, formulation, trial=trial)
    found = EvidenceScorer().score(Problem(STATEMENT), candidate, (), RunContext())
    assert all(score.explanation for score in found.scores.values())
    return {dimension: score.value for dimension, score in found.scores.items()}


def test_a_complete_formulation_scores_100_everywhere() -> None:
    assert scores(PARTS, solved()) == dict.fromkeys(DIMENSIONS, 100.0)


def test_a_number_that_nothing_quotes_lowers_parameters() -> None:
    parts = {**PARTS, "parameters": PARTS["parameters"][:-1]}
    assert scores(parts)["parameters"] == 80.0


def test_a_limit_that_nothing_quotes_lowers_constraints() -> None:
    parameters = [p for p in PARTS["parameters"] if p["name"] != "limit"]
    assert scores({**PARTS, "parameters": parameters, "constraints": []})["constraints"] == 0.0


def test_a_missing_objective_scores_0() -> None:
    assert scores({**PARTS, "objectives": []})["objective"] == 0.0


def test_a_variable_without_a_quote_lowers_variables() -> None:
    variables = [PARTS["variables"][0], {"name": "barley"}]
    assert scores({**PARTS, "variables": variables})["variables"] == 50.0


@pytest.mark.parametrize("status", CAP)
def test_a_trial_that_goes_wrong_caps_objective_and_constraints(status: Status) -> None:
    found = scores(PARTS, solved(status))
    assert found["objective"] == found["constraints"] == CAP[status]
    assert found["parameters"] == 100.0


def test_a_best_plan_of_doing_nothing_is_suspicious() -> None:
    assert scores(PARTS, solved(values=(0.0, 0.0)))["objective"] == NOTHING


def test_an_alternative_reading_costs_a_little_where_it_differs() -> None:
    assumption = {"text": f"{ALTERNATIVE}fractions allowed", "affects": ["oats"]}
    found = scores({**PARTS, "assumptions": [assumption]}, solved())
    assert found["variables"] == 100.0 - ALTERNATIVE_COST
    assert found["constraints"] == 100.0


def test_no_formulation_scores_0() -> None:
    found = EvidenceScorer().score(Problem(STATEMENT), Candidate(0), (), RunContext())
    assert found.minimum == 0.0


@given(st.text(max_size=300))
def test_any_statement_gives_scores_in_range(statement: str) -> None:
    formulation = locate(Formulation.model_validate(PARTS), statement)
    candidate = Candidate(0, formulation, trial=solved())
    found = EvidenceScorer().score(Problem(statement or " "), candidate, (), RunContext())
    assert set(found.scores) == set(DIMENSIONS)
    assert all(0.0 <= score.value <= 100.0 for score in found.scores.values())
