"""What solving shows lowers confidence: candidates or agents that disagree, odd answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.provenance import locate
from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Finding, Guarantee, Problem, Score
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_offline import agreement as rules
from orkernel_offline import sanity
from orkernel_offline.agreement import Outcome, SolvingScorer, agree
from orkernel_offline.evidence import CAP, NOTHING

STATEMENT = (
    "A cooperage makes casks and tubs. A cask earns 30 euros and a tub 20 euros. A cask takes 2 "
    "hours and a tub 1 hour, and 40 hours are available. At most 15 casks can be sold. How many "
    "casks and how many tubs should be made to earn most?"
)
PARTS: dict[str, Any] = {
    "variables": [{"name": "casks"}, {"name": "tubs"}],
    "objectives": [{"name": "earnings", "sense": "maximize", "expression": "30*casks + 20*tubs"}],
    "constraints": [{"name": "time", "expression": "2*casks + tubs <= 40"}],
}


def formulation(**changes: Any) -> Formulation:
    return locate(Formulation.model_validate({**PARTS, **changes}), STATEMENT)


def solved(
    objective: float | None = 800.0,
    status: Status = Status.OPTIMAL,
    values: Any = (0.0, 40.0),
    agent: str = "highs",
    **more: Any,
) -> Solution:
    point = None if values is None else np.array(values, float)
    return Solution(status, SolverIdentity(agent, agent, "1"), point, objective, **more)


def ended(status: Status, agent: str = "highs") -> Solution:
    return solved(None, status, None, agent)


def candidate(index: int = 0, trial: Solution | None = None, **changes: Any) -> Candidate:
    fields = {"formulation": formulation(), "trial": trial or solved(), **changes}
    return Candidate(index, **fields)


def evaluated(one: Candidate, *peers: Candidate, statement: str = STATEMENT) -> Evaluation:
    found = SolvingScorer().score(Problem(statement), one, peers, RunContext())
    assert all(score.explanation for score in found.scores.values())
    return found


def values_of(evaluation: Evaluation) -> dict[str, float]:
    return {dimension: score.value for dimension, score in evaluation.scores.items()}


def everywhere(value: float) -> dict[str, float]:
    return dict.fromkeys(DIMENSIONS, value)


def with_finding(one: Candidate) -> Candidate:
    scores = {d: Score(50.0, "x") for d in DIMENSIONS}
    evaluation = Evaluation("opinion", scores, (Finding("constraints", "a limit is missing"),))
    return Candidate(one.index, one.formulation, trial=one.trial, evaluations=(evaluation,))


# ------------------------------------------------------------------ candidates


def test_three_candidates_that_agree_score_100() -> None:
    peers = candidate(1), candidate(2)
    found = evaluated(candidate(), *peers)
    assert values_of(found) == everywhere(100.0)
    assert not found.findings
    assert "all 3 candidates end optimal at 800" in found.scores["objective"].explanation


def test_a_candidate_with_nobody_to_compare_scores_a_little_less() -> None:
    assert values_of(evaluated(candidate())) == everywhere(rules.ALONE)


def test_a_lone_dissenter_scores_lower_than_the_majority_and_both_are_told_why() -> None:
    right, also, wrong = candidate(0), candidate(1), candidate(2, solved(700.0, values=(10, 20)))
    dissent = evaluated(wrong, right, also)
    assert values_of(dissent) == everywhere(rules.DISSENT)
    text = dissent.scores["parameters"].explanation
    assert text == "optimal at 700, but 2 of 3 candidates end optimal at 800"
    assert values_of(evaluated(right, also, wrong)) == everywhere(rules.MAJORITY)


def test_without_a_majority_everybody_is_doubted_equally() -> None:
    each = [candidate(i, solved(700.0 + i)) for i in range(3)]
    for one in each:
        assert values_of(evaluated(one, *each)) == everywhere(rules.DIVIDED)


def test_a_repaired_candidate_is_not_outvoted_by_those_with_the_fault() -> None:
    faulty = [with_finding(candidate(i, solved(800.0))) for i in range(2)]
    repaired = candidate(2, solved(700.0, values=(10, 20)))
    assert values_of(evaluated(repaired, *faulty)) == everywhere(rules.ALONE)
    assert values_of(evaluated(faulty[0], faulty[1], repaired)) == everywhere(rules.MAJORITY)


@pytest.mark.parametrize("code", sorted(rules.OPEN))
def test_a_peer_with_an_open_diagnostic_does_not_count_against_a_clean_candidate(code: str) -> None:
    fault = Diagnostic(code, Severity.WARNING, "statement", "no element uses '15'")
    peers = [candidate(i, diagnostics=(fault,)) for i in (1, 2)]
    clean = candidate(0, solved(700.0, values=(10, 20)))
    assert values_of(evaluated(clean, *peers)) == everywhere(rules.ALONE)


def test_peers_with_faults_still_speak_for_a_candidate_that_ends_like_them() -> None:
    assert values_of(evaluated(candidate(), with_finding(candidate(1)))) == everywhere(100.0)


def test_its_own_earlier_verdict_on_a_peer_changes_nothing() -> None:
    peer = candidate(1, solved(700.0, values=(10, 20)))
    mine = Evaluation("solving", {d: Score(1.0, "x") for d in DIMENSIONS}, (Finding("x", "y"),))
    again = Candidate(1, peer.formulation, trial=peer.trial, evaluations=(mine,))
    assert evaluated(candidate(), peer) == evaluated(candidate(), again)


def test_refused_candidates_and_the_candidate_itself_are_no_peers() -> None:
    refused = candidate(1, solved(1.0), refused="a check failed")
    one = candidate()
    assert values_of(evaluated(one, refused, one)) == everywhere(rules.ALONE)


def test_a_maximum_of_minus_c_agrees_with_a_minimum_of_c() -> None:
    goal = [{"name": "g", "sense": "minimize", "expression": "-30*casks - 20*tubs"}]
    other = candidate(1, solved(-800.0), formulation=formulation(objectives=goal))
    assert values_of(evaluated(candidate(), other)) == everywhere(100.0)


def test_equal_figures_with_opposite_meaning_disagree() -> None:
    goal = [{"name": "g", "sense": "minimize", "expression": "30*casks + 20*tubs"}]
    other = candidate(1, solved(800.0), formulation=formulation(objectives=goal))
    assert values_of(evaluated(candidate(), other)) == everywhere(rules.DIVIDED)


def test_several_objectives_are_compared_at_the_point_found() -> None:
    goals = [
        {"name": "a", "sense": "maximize", "expression": "casks", "priority": 1},
        {"name": "b", "sense": "maximize", "expression": "tubs", "priority": 2},
    ]
    parts = formulation(objectives=goals)
    same = [candidate(i, solved(None, values=(5, 10)), formulation=parts) for i in range(2)]
    other = candidate(2, solved(None, values=(5, 11)), formulation=parts)
    assert values_of(evaluated(same[0], same[1])) == everywhere(100.0)
    assert values_of(evaluated(same[0], other)) == everywhere(rules.DIVIDED)


def test_a_plan_that_is_only_feasible_is_not_compared() -> None:
    feasible = candidate(1, solved(700.0, Status.FEASIBLE))
    assert values_of(evaluated(candidate(), feasible)) == everywhere(rules.ALONE)
    assert values_of(evaluated(feasible, candidate())) == everywhere(rules.ALONE)


def test_the_gap_that_an_agent_leaves_is_no_disagreement() -> None:
    rough = candidate(1, solved(799.0, bound=801.0))
    assert values_of(evaluated(candidate(), rough)) == everywhere(100.0)


@settings(deadline=None)
@given(
    value=st.floats(-1e9, 1e9),
    other=st.floats(-1e9, 1e9),
    senses=st.tuples(*[st.sampled_from(["minimize", "maximize"])] * 2),
    statuses=st.tuples(*[st.sampled_from(sorted(rules.PROVEN))] * 2),
)
def test_agreement_is_symmetric_and_reflexive(
    value: float, other: float, senses: tuple[str, str], statuses: tuple[Status, Status]
) -> None:
    one = Outcome(statuses[0], ((value, senses[0]),))
    two = Outcome(statuses[1], ((other, senses[1]),))
    assert agree(one, one)
    assert agree(one, two) == agree(two, one)


@settings(deadline=None)
@given(st.lists(st.sampled_from([700.0, 800.0, 900.0]), min_size=1, max_size=6), st.randoms())
def test_the_order_of_peers_has_no_influence_on_scores(
    objectives: list[float], source: Any
) -> None:
    each = [candidate(i, solved(objective)) for i, objective in enumerate(objectives)]
    shuffled = source.sample(each, len(each))
    for one in each:
        assert values_of(evaluated(one, *each)) == values_of(evaluated(one, *shuffled))


# ------------------------------------------------------------------ two agents


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (solved(800.0), solved(790.0, agent="ortools")),
        (solved(800.0), ended(Status.INFEASIBLE, "ortools")),
        (ended(Status.INFEASIBLE), ended(Status.UNBOUNDED, "ortools")),
    ],
)
def test_two_agents_that_disagree_cap_everything_low(first: Solution, second: Solution) -> None:
    found = evaluated(candidate(0, first, second=second), candidate(1, first))
    assert max(values_of(found).values()) == rules.AGENTS_DISAGREE
    assert "ortools says" in found.scores["variables"].explanation
    assert any("ortools says" in finding.text for finding in found.findings)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (solved(800.0), solved(800.0000001, agent="ortools")),
        (ended(Status.UNBOUNDED), ended(Status.INFEASIBLE_OR_UNBOUNDED, "ortools")),
        (solved(800.0), ended(Status.TIME_LIMIT, "ortools")),
        (solved(800.0), ended(Status.ERROR, "ortools")),
        (solved(800.0), solved(10.0, Status.FEASIBLE, agent="ortools")),
        (solved(800.0), solved(10.0, guarantee=Guarantee.LOCAL, agent="ortools")),
    ],
)
def test_agents_that_do_not_contradict_each_other_cap_nothing(
    first: Solution, second: Solution
) -> None:
    with_second = evaluated(candidate(0, first, second=second))
    without = evaluated(candidate(0, first))
    assert values_of(with_second) == values_of(without)


def test_two_agents_that_agree_are_named() -> None:
    found = evaluated(candidate(second=solved(agent="ortools")))
    assert "highs and ortools agree" in found.scores["objective"].explanation


# ------------------------------------------------------------------ sanity of the answer


@pytest.mark.parametrize("status", sorted(CAP))
def test_a_trial_that_ends_badly_caps_objective_and_constraints_and_is_a_fault(
    status: Status,
) -> None:
    found = evaluated(candidate(0, ended(status)))
    assert found.scores["constraints"].value == CAP[status]
    assert found.scores["objective"].value == CAP[status]
    assert found.scores["parameters"].value > CAP[status]
    assert [f.dimension for f in found.findings] == ["constraints"]


def test_without_an_answer_nothing_speaks_for_a_candidate() -> None:
    untried = Candidate(0, formulation())
    assert values_of(evaluated(untried)) == everywhere(sanity.NOT_SOLVED)
    late = candidate(0, ended(Status.TIME_LIMIT))
    assert values_of(evaluated(late)) == everywhere(sanity.NOT_SOLVED)


def test_a_best_plan_of_doing_nothing_caps_objective_and_constraints() -> None:
    found = evaluated(candidate(0, solved(0.0, values=(0, 1e-9))))
    assert found.minimum == NOTHING
    assert found.findings == (Finding("constraints", "every decision of the best plan is zero"),)


@pytest.mark.parametrize("objective", [float("nan"), float("inf")])
def test_an_objective_that_is_no_number_caps_low(objective: float) -> None:
    assert evaluated(candidate(0, solved(objective))).minimum == sanity.NOT_FINITE


@settings(deadline=None)
@given(st.floats(1.0, 1e3))
def test_an_objective_is_absurd_only_beyond_the_stated_factor(share: float) -> None:
    limit = sanity.ABSURD_FACTOR * 40.0**2 * 2
    below, beyond = limit / share, limit * share * 1.001
    assert evaluated(candidate(0, solved(below))).minimum == rules.ALONE
    found = evaluated(candidate(0, solved(beyond)))
    assert found.scores["objective"].value == sanity.ABSURD
    assert "the largest of which is 40" in found.scores["objective"].explanation


def test_numbers_from_tables_set_no_proportion() -> None:
    parts = formulation(parameters=[{"name": "c", "table": {"file": "c.csv", "value": "v"}}])
    assert evaluated(candidate(0, solved(1e30), formulation=parts)).minimum == rules.ALONE


def test_a_part_of_a_thing_that_is_counted_caps_variables() -> None:
    found = evaluated(candidate(0, solved(values=(2.5, 35.0))))
    assert found.scores["variables"].value == sanity.FRACTIONAL
    assert found.findings == (Finding("variables", "'casks' is 2.5, and it counts casks"),)
    assert found.scores["objective"].value == rules.ALONE


@pytest.mark.parametrize("domain", ["continuous", "integer"])
def test_less_than_no_things_caps_variables(domain: str) -> None:
    casks = {"name": "casks", "lower": None, "domain": domain}
    parts = formulation(variables=[casks, {"name": "tubs"}])
    found = evaluated(candidate(0, solved(values=(-2.0, 44.0)), formulation=parts))
    assert found.scores["variables"].value == sanity.NEGATIVE


@pytest.mark.parametrize(
    ("variables", "statement"),
    [
        ([{"name": "casks", "domain": "integer"}, {"name": "tubs"}], STATEMENT),
        (PARTS["variables"], STATEMENT + " Fractions of a cask may be carried over."),
        (PARTS["variables"], "How many hours go into casks and tubs?"),
        (PARTS["variables"], "How many litres of wine fit into casks?"),
        ([{"name": "casks", "unit": "hour"}, {"name": "tubs"}], STATEMENT),
        ([{"name": "casks", "unit": "hour"}, {"name": "tubs", "domain": "integer"}], STATEMENT),
    ],
)
def test_parts_are_fine_where_nothing_indivisible_is_counted(
    variables: list[dict[str, Any]], statement: str
) -> None:
    one = candidate(0, solved(values=(2.5, 35.0)), formulation=formulation(variables=variables))
    assert evaluated(one, statement=statement).scores["variables"].value == rules.ALONE


def test_the_thing_is_known_by_unit_or_description_too() -> None:
    for more in ({"unit": "cask"}, {"description": "number of casks to make"}):
        parts = formulation(
            variables=[{"name": "x", **more}, {"name": "y"}],
            objectives=[{"name": "earnings", "sense": "maximize", "expression": "30*x + 20*y"}],
            constraints=[{"name": "time", "expression": "2*x + y <= 40"}],
        )
        one = candidate(0, solved(values=(2.5, 35)), formulation=parts)
        assert evaluated(one).scores["variables"].value == sanity.FRACTIONAL


def test_a_least_cost_below_zero_is_odd_unless_the_statement_has_negative_numbers() -> None:
    goal = [{"name": "cost", "sense": "minimize", "expression": "-casks"}]
    one = candidate(0, solved(-20.0), formulation=formulation(objectives=goal))
    assert evaluated(one).scores["objective"].value == sanity.BELOW_ZERO
    net = STATEMENT + " A refund of 3 euros is paid per cask."
    assert evaluated(one, statement=net).scores["objective"].value == rules.ALONE


def test_without_a_formulation_every_score_is_zero() -> None:
    assert values_of(evaluated(Candidate(0, refused="cannot be read"))) == everywhere(0.0)


def test_findings_come_with_the_weightiest_first() -> None:
    second = ended(Status.INFEASIBLE, "ortools")
    found = evaluated(candidate(0, solved(0.0, values=(0, 0)), second=second))
    assert "ortools says" in found.findings[0].text
    assert "zero" in found.findings[1].text
