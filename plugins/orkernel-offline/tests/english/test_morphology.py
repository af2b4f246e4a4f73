"""Lemmas, verb forms and related words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel_offline.english.morphology import lemma, plural, related, verb_form


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("crates", "crate"),
        ("boxes", "box"),
        ("benches", "bench"),
        ("berries", "berry"),
        ("potatoes", "potato"),
        ("canoes", "canoe"),
        ("shelves", "shelf"),
        ("children", "child"),
        ("buses", "bus"),
        ("glass", "glass"),
        ("desk-lamps", "desk-lamp"),
        ("Farmer's", "farmer"),
    ],
)
def test_a_plural_and_its_singular_have_one_lemma(word: str, expected: str) -> None:
    assert lemma(word) == expected


@pytest.mark.parametrize("word", ["bus", "gas", "lens", "class", "basis"])
def test_a_singular_that_ends_in_s_is_not_a_plural(word: str) -> None:
    assert not plural(word)


@pytest.mark.parametrize(
    ("form", "base", "kind"),
    [
        ("requires", "require", "s"),
        ("carries", "carry", "s"),
        ("shipped", "ship", "ed"),
        ("baking", "bake", "ing"),
        ("made", "make", "ed"),
        ("sold", "sell", "ed"),
    ],
)
def test_a_verb_form_leads_to_its_base(form: str, base: str, kind: str) -> None:
    assert verb_form(form) == (base, kind)


@pytest.mark.parametrize(
    ("first", "second"),
    [("preparation", "prepare"), ("pollution", "pollutant"), ("labor", "labar")],
)
def test_derived_and_misspelled_words_are_related(first: str, second: str) -> None:
    assert related(first, second)


@pytest.mark.parametrize(("first", "second"), [("a", "d"), ("red", "bed"), ("large", "small")])
def test_different_short_words_are_not_related(first: str, second: str) -> None:
    assert not related(first, second)


@given(st.text(alphabet=st.characters(categories=["Ll", "Lu"]), max_size=20))
def test_a_lemma_never_fails_and_is_lower_case(word: str) -> None:
    assert lemma(word) == lemma(word).lower()
