"""Observations, activities and measures: what is said about what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orkernel_offline.english.clauses import Clause
from orkernel_offline.english.entities import Naming, discover
from orkernel_offline.english.goals import find_goals
from orkernel_offline.english.observe import observe

Clauses = Callable[[str], list[Clause]]

KITES = (
    "A box kite takes 3 meters of silk and 2 hours of work. "
    "A delta kite takes 4 meters of silk and 1 hour of work. "
)


def test_each_amount_keeps_its_verb_and_its_nouns(clauses: Clauses) -> None:
    amounts = observe(clauses(KITES)).amounts
    assert [(a.quantity.value, a.unit, set(a.nouns)) for a in amounts] == [
        (3.0, "meter", {"silk"}),
        (2.0, "hour", {"work"}),
        (4.0, "meter", {"silk"}),
        (1.0, "hour", {"work"}),
    ]


def test_an_elided_noun_is_taken_from_the_parallel_clause(clauses: Clauses) -> None:
    amounts = observe(clauses("A jar holds 20 olives while a tub holds 75.")).amounts
    assert amounts[1].nouns == {"olive"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The profit per kite is $9.", "profit"),
        ("Each kite costs $9.", "cost"),
        ("Each kite is sold for a profit of $9.", "profit"),
        ("Each kite is sold for $9.", "revenue"),
        ("Each kite results in a $9 profit.", "profit"),
        ("A kite earns $9.", "earn"),
    ],
)
def test_a_sum_of_money_is_told_by_the_nearest_word(clauses: Clauses, text: str, kind: str) -> None:
    assert [a.money for a in observe(clauses(text)).amounts] == [kind]


@pytest.mark.parametrize(
    ("text", "op", "strict"),
    [
        ("The load must not exceed 50 tons.", "<=", False),
        ("The load must exceed 50 tons.", ">=", True),
        ("The load should not be less than 50 tons.", ">=", False),
        ("The load cannot be more than 50 tons.", "<=", False),
        ("The load may at most be 50 tons.", "<=", False),
    ],
)
def test_a_limit_follows_its_verb_and_negation(
    clauses: Clauses, text: str, op: str, strict: bool
) -> None:
    sense = observe(clauses(text)).limits[0].sense
    assert (sense.op, sense.strict) == (op, strict)


def test_a_limit_word_carries_over_a_list(clauses: Clauses) -> None:
    limits = observe(clauses("They can knit at most 40 hats and 25 scarves.")).limits
    assert [(limit.quantity.value, limit.sense.op) for limit in limits] == [(40, "<="), (25, "<=")]


@pytest.mark.parametrize(
    ("text", "op", "factor"),
    [
        ("At least twice as many hats as scarves must be knitted.", ">=", 2.0),
        ("The number of hats must be at most half the number of scarves.", "<=", 0.5),
        ("The number of hats cannot exceed the number of scarves.", "<=", 1.0),
        ("There must be more hats than scarves.", ">=", 1.0),
        ("At least three times more hats than scarves are needed.", ">=", 3.0),
    ],
)
def test_a_comparison_has_a_sense_and_a_factor(
    clauses: Clauses, text: str, op: str, factor: float
) -> None:
    seen = observe(clauses(text))
    found = [(c.sense.op, c.factor) for c in seen.comparisons]
    found += [(s.sense.op, s.quantity.value) for s in seen.shares]
    assert found == [(op, factor)]


def test_activities_are_what_differs_between_parallel_amounts(clauses: Clauses) -> None:
    activities = discover(observe(clauses(KITES)).amounts)
    assert [activity.core for activity in activities] == [{"box"}, {"delta"}]


def test_an_owner_of_supplies_is_no_activity(clauses: Clauses) -> None:
    text = KITES + "The club has 60 meters of silk and 30 hours of work."
    assert len(discover(observe(clauses(text)).amounts)) == 2


def test_a_phrase_is_tied_to_the_activity_whose_own_word_it_has(clauses: Clauses) -> None:
    naming = Naming(discover(observe(clauses(KITES)).amounts))
    assert naming.exact(frozenset({"delta", "kite"})) == (1,)
    assert naming.exact(frozenset({"kite"})) == ()
    assert naming.is_total(frozenset({"kite"}))


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("How many of each should be flown to maximize profit?", "maximize"),
        ("Minimize the total cost.", "minimize"),
        ("What is the largest profit?", "maximize"),
        ("Find the minimum number of kites.", "minimize"),
        ("How many kites give the lowest cost?", "minimize"),
        ("How many kites should be made to help as many pupils as possible?", "maximize"),
        ("How many kites keep the cost as low as possible?", "minimize"),
        ("How many kites should be made to earn the most money?", "maximize"),
    ],
)
def test_a_goal_phrase_gives_its_sense(clauses: Clauses, text: str, sense: str) -> None:
    found = find_goals(clauses(text))
    assert [goal.sense for goal in found.goals + found.weak] == [sense]
