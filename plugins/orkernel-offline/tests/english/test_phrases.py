"""Phrases: noun phrases, quantities with their limits and units, verb groups, "per" phrases."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from orkernel_offline.english.clauses import Clause
from orkernel_offline.english.phrases import Noun, Per, Quantity, Verb

Kind = TypeVar("Kind")
Clauses = Callable[[str], list[Clause]]


def _only(clauses: list[Clause], kind: type[Kind]) -> list[Kind]:
    return [phrase for clause in clauses for phrase in clause.phrases if isinstance(phrase, kind)]


@pytest.mark.parametrize(
    ("words", "op", "strict"),
    [
        ("at least", ">=", False),
        ("no fewer than", ">=", False),
        ("a minimum of", ">=", False),
        ("at most", "<=", False),
        ("no more than", "<=", False),
        ("up to", "<=", False),
        ("a maximum of", "<=", False),
        ("less than", "<=", True),
        ("more than", ">=", True),
        ("exactly", "==", False),
    ],
)
def test_a_limit_phrase_gives_its_sense(
    clauses: Clauses, words: str, op: str, strict: bool
) -> None:
    quantity = _only(clauses(f"They must plant {words} 40 trees."), Quantity)[0]
    assert quantity.limit is not None
    assert (quantity.limit.op, quantity.limit.strict) == (op, strict)


@pytest.mark.parametrize(
    ("text", "unit", "nouns"),
    [
        ("It uses 3 units of copper.", "unit", {"copper"}),
        ("It uses 6 hours of welding time.", "hour", {"welding", "time"}),
        ("It uses 25 sq ft of shelf.", "sqft", {"shelf"}),
        ("It uses 25 square feet of shelf.", "sqft", {"shelf"}),
        ("It uses 90 staff minutes.", "minute", {"staff"}),
        ("It uses 4 oak planks.", None, {"oak", "plank"}),
    ],
)
def test_a_quantity_knows_its_unit_and_what_it_counts(
    clauses: Clauses, text: str, unit: str | None, nouns: set[str]
) -> None:
    quantity = _only(clauses(text), Quantity)[0]
    assert quantity.unit == unit
    assert set(quantity.nouns) == nouns


def test_the_number_of_a_numbered_thing_is_part_of_its_name(clauses: Clauses) -> None:
    found = clauses("Lathe 1 turns 30 legs per hour. Lathe 2 turns 45 legs per hour.")
    assert [quantity.value for quantity in _only(found, Quantity)] == [30.0, 45.0]
    assert {noun.head for noun in _only(found, Noun)} >= {("lathe", "1"), ("lathe", "2")}


def test_number_of_is_left_out_of_a_noun_phrase_and_remembered(clauses: Clauses) -> None:
    noun = _only(clauses("The total number of glass vases is small."), Noun)[0]
    assert noun.head == ("glass", "vase")
    assert noun.counted
    assert noun.total


def test_a_chain_of_verbs_is_one_group_named_by_the_last(clauses: Clauses) -> None:
    verb = _only(clauses("The mill needs to be able to grind 5 tons."), Verb)[0]
    assert verb.lemma == "grind"


def test_a_negated_verb_is_marked(clauses: Clauses) -> None:
    verb = _only(clauses("The load cannot exceed 50 tons."), Verb)[0]
    assert verb.lemma == "exceed"
    assert verb.negative


@pytest.mark.parametrize("text", ["It costs $3 per crate.", "It costs $3 for each crate."])
def test_per_and_for_each_say_what_an_amount_is_counted_by(clauses: Clauses, text: str) -> None:
    assert [per.lemmas for per in _only(clauses(text), Per)] == [("crate",)]


def test_a_day_behind_an_amount_is_a_horizon(clauses: Clauses) -> None:
    assert _only(clauses("They ship 30 crates a day."), Per)[0].is_horizon


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("A crate holds 20 melons while a sack holds 12 melons.", ["hold", "hold"]),
        ("A crate weighs 3 kg and holds 20 melons.", ["weigh", "hold"]),
        ("If a crate costs $4, how many crates should be bought?", ["cost", "buy"]),
        ("The van is small and the truck carries 30 crates.", ["be", "carry"]),
        ("Each gadget zorps 5 liters of oil.", ["zorp"]),
    ],
)
def test_a_sentence_is_split_into_clauses(clauses: Clauses, text: str, verbs: list[str]) -> None:
    assert [clause.verb.lemma for clause in clauses(text) if clause.verb] == verbs


def test_a_clause_without_its_own_subject_shares_the_one_before(clauses: Clauses) -> None:
    assert [clause.shared for clause in clauses("A crate weighs 3 kg and holds 20 melons.")] == [
        False,
        True,
    ]
