"""What the reader refuses, and that it names the place."""

from __future__ import annotations

import pytest

from orkernel_offline.english import Unreadable, readings

START = "A yard builds rafts and skiffs. A raft takes 6 planks and a skiff takes 9 planks. "
STOCK = "There are 180 planks. "
MONEY = "A raft earns $40 and a skiff earns $70. "
GOAL = "How many of each should be built to maximize earnings?"


def test_the_template_itself_is_read() -> None:
    assert readings(START + STOCK + MONEY + GOAL)


@pytest.mark.parametrize(
    ("extra", "place"),
    [
        ("The foreman is 52 and hums.", "52"),
        ("At most 30 dolphins can be fed.", "30"),
        ("At least 40% of the rope must be hemp.", "40%"),
        ("The crew wins 3 medals.", "3"),
        ("Twice as many gulls as herons must be seen.", "gulls"),
        ("The moon must exceed the sun.", "moon"),
        ("There must be at most 5 rafts. There must be at most 7 rafts.", "7"),
        ("At least 12 rafts and at most 9 rafts are built.", "9"),
        ("(The mast is 7 meters long.)", "7"),
        ("There is a fixed cost of $500.", "fixed"),
        ("Either at most 10 rafts or at most 20 skiffs can be built.", "or at most 20"),
        ("At least 10 rafts or 5 skiffs must be built.", "or 5"),
        ("If any raft is built, at least 5 skiffs must be built.", "any raft"),
        ("The difference between rafts and skiffs cannot exceed 5.", "difference"),
        ("The average raft must carry at least 4 people.", "average"),
        ("The number of rafts must be at least 10 more than the number of gulls.", "10 more"),
        ("10 more rafts than skiffs were built last year.", "10 more"),
        ("A raft carries 10 more people than a skiff.", "10 more"),
        ("There are already 3 rafts.", "already 3"),
        ("No rafts can be built on Sunday.", "No rafts"),
        ("At most 30% of the planks may go to rafts.", "30%"),
        ("There must be 4 oars for every raft.", "4 oars"),
        ("There must be 2 rafts for every skiff.", "2 rafts"),
        ("For every 3 rafts at least 1 skiff must be built.", "every 3"),
        ("Rent is $50 per day.", "$50"),
        ("It has 30 dents where they must sand wood.", "30"),
        ("Between 3 and 8 gulls must be fed.", "3"),
        ("Between 8 and 3 rafts must be built.", "Between 8 and 3"),
        ("Unused planks can be sold for $2 each.", "$2"),
        ("Planks come in bundles of 10.", "10"),
        ("10% of the rafts sink.", "10%"),
        ("At most 12 rafts per day can be painted for 5 days.", "5 days"),
        ("A skiff earns twice as much as a raft.", "twice"),
        ("The radius of a raft is small.", "radius"),
        ("The yard can build either rafts or skiffs, but not both.", "not both"),
        ("Only one of the two products can be built.", "Only one of the two"),
        ("The same number of rafts and skiffs must be built.", "same number"),
        ("Skiffs may not outnumber rafts.", "outnumber"),
        ("No skiffs are to be built this week.", "No skiffs"),
        ("The number of rafts should be within 5 of the number of skiffs.", "within 5"),
        ("At least half of the boats must not be skiffs.", "must not be skiffs"),
        ("At most half of the boats may be other than skiffs.", "other than"),
        ("It is impossible to build more than 9 skiffs.", "impossible"),
        ("There is no need to build at least 9 skiffs.", "no need"),
        ("The owner would like at least 9 skiffs, but this is not required.", "not required"),
        ("A rival builds at least 9 skiffs.", "rival"),
        ("Ignoring planks, no more than 9 skiffs can be built.", "Ignoring"),
        ("The number of rafts plus twice the number of skiffs must be at most 60.", "plus"),
        ("Twice the number of rafts must be at least the number of skiffs.", "Twice"),
        ("The number of skiffs must be at most 5 plus the number of rafts.", "5 plus"),
        ("The number of skiffs must be at most 5 less than twice the number of rafts.", "5 less"),
        ("The number of skiffs must be at most 5 less than the number of rafts.", "5 less"),
        ("The number of skiffs must not exceed three less than the number of rafts.", "three less"),
        ("Every skiff is sold together with at least one raft.", "at least one raft"),
        ("At least 40 planks must be spent on skiffs.", "40 planks"),
        ("10 planks are needed for repairs.", "10 planks"),
        ("It is forbidden to build more than 9 skiffs.", "forbidden"),
        ("The owner refuses to build more than 9 skiffs.", "refuses"),
        ("The owner wants to avoid building more than 9 skiffs.", "avoid"),
        ("Nobody wants more than 9 skiffs.", "Nobody"),
        ("No customer needs more than 9 skiffs.", "No customer"),
        ("The yard fails if fewer than 12 rafts are built.", "fewer than 12"),
        ("At least 20% more rafts than skiffs must be built.", "20%"),
        ("The number of rafts must be at least 20% greater than the number of skiffs.", "20%"),
        ("At least 5 rafts must be built per week and there are two weeks.", "two"),
    ],
)
def test_a_sentence_that_cannot_be_tied_in_is_refused_and_named(extra: str, place: str) -> None:
    text = START + STOCK + MONEY + extra + " " + GOAL
    with pytest.raises(Unreadable) as refusal:
        readings(text)
    assert refusal.value.reason
    assert refusal.value.spans
    assert any(place in text[start:end] for start, end in refusal.value.spans)


def test_a_statement_without_a_goal_is_refused() -> None:
    with pytest.raises(Unreadable, match="maximize or minimize"):
        readings(START + STOCK + "How many of each should be built?")


def test_a_goal_about_something_unknown_is_refused() -> None:
    with pytest.raises(Unreadable):
        readings(START + STOCK + MONEY + "Maximize the happiness of the harbor pilot.")


def test_amounts_that_nothing_uses_are_refused() -> None:
    text = START + MONEY + "At most 12 rafts and 9 skiffs can be sold. " + GOAL
    with pytest.raises(Unreadable, match="nothing uses the amounts of plank"):
        readings(text)


def test_amounts_per_day_do_not_meet_a_limit_per_week() -> None:
    text = (
        "A nursery grows roses and lilies. Roses drink 2 liters of water per day and lilies drink "
        "3 liters of water per day. It has 120 liters of water per week. A rose earns $5 and a "
        "lily earns $6. How many of each should be grown to maximize earnings?"
    )
    with pytest.raises(Unreadable, match="conversion"):
        readings(text)
    assert readings(text.replace("per week", "per day"))


def test_one_product_in_terms_of_another_is_refused() -> None:
    text = (
        "A truck holds 100 boxes. A small box earns $2 and a large box earns $5. A large box takes "
        "the space of 3 small boxes. How many of each should be loaded to maximize earnings?"
    )
    with pytest.raises(Unreadable):
        readings(text)


def test_a_profit_stated_for_one_product_only_is_refused() -> None:
    text = START + STOCK + "The profit per raft is $40. How many maximize profit?"
    with pytest.raises(Unreadable):
        readings(text)


def test_two_numbers_for_one_amount_are_refused() -> None:
    with pytest.raises(Unreadable, match="another number for the same thing"):
        readings(START + "A raft takes 8 planks. " + STOCK + MONEY + GOAL)


def test_two_different_goals_are_refused() -> None:
    with pytest.raises(Unreadable):
        readings(START + STOCK + MONEY + "Maximize earnings. Minimize the planks used.")


@pytest.mark.parametrize("text", ["", "   \n ", "Hello.", "?!", "Maximize profit."])
def test_a_text_without_a_problem_is_refused(text: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        readings(text)
    assert refusal.value.reason


def test_a_statement_that_is_too_long_is_refused_at_once() -> None:
    with pytest.raises(Unreadable, match="at most 20000"):
        readings("A raft takes 6 planks. " * 50_000)


@pytest.mark.parametrize(
    ("demand", "expected"),
    [
        ("There should be no more skiffs than rafts.", "<="),
        ("There must be no fewer skiffs than rafts.", ">="),
        ("There must be no less skiffs than rafts.", ">="),
    ],
)
def test_no_more_and_no_fewer_than_turn_the_comparison_around(demand: str, expected: str) -> None:
    found = readings(START + STOCK + MONEY + demand + " " + GOAL)[0].formulation
    (row,) = [c["expression"] for c in found["constraints"] if c["expression"].count("number") == 2]
    assert row == f'number["skiff"] {expected} number["raft"]'
