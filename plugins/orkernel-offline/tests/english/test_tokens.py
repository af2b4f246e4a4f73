"""Tokens: numbers in every spelling, offsets, sentences."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel_offline.english.tokens import sentences, tokenize


@pytest.mark.parametrize(
    ("text", "value", "role"),
    [
        ("1,250", 1250.0, "plain"),
        ("0.75", 0.75, "plain"),
        (".5", 0.5, "plain"),
        ("forty-two", 42.0, "plain"),
        ("three hundred and five", 305.0, "plain"),
        ("two thousand", 2000.0, "plain"),
        ("2.5 million", 2_500_000.0, "plain"),
        ("a dozen", 12.0, "plain"),
        ("$3,400.50", 3400.5, "money"),
        ("nine dollars", 9.0, "money"),
        ("15%", 15.0, "percent"),
        ("15 percent", 15.0, "percent"),
        ("15 per cent", 15.0, "percent"),
        ("two-thirds", 2 / 3, "fraction"),
        ("3/4", 0.75, "fraction"),
        ("half of", 0.5, "fraction"),
        ("a quarter", 0.25, "fraction"),
        ("twice", 2.0, "times"),
        ("four times", 4.0, "times"),
        ("one and a half times", 1.5, "times"),
    ],
)
def test_a_number_is_read_in_every_spelling(text: str, value: float, role: str) -> None:
    token = tokenize(text)[0]
    assert token.value == pytest.approx(value)
    assert token.role == role


@pytest.mark.parametrize("text", ["a double room", "the third machine", "first aid", "half-time"])
def test_words_that_only_sound_like_numbers_stay_words(text: str) -> None:
    assert all(token.kind == "word" for token in tokenize(text))


def test_a_decimal_point_does_not_end_a_sentence() -> None:
    text = "A drum holds 2.5 kg. Each box weighs 0.4 kg; it is sold."
    found = [text[s.start : s.end] for s in sentences(tokenize(text), text)]
    assert found == ["A drum holds 2.5 kg", "Each box weighs 0.4 kg", "it is sold"]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    text = "The hall has 300 sq. ft. of floor. It is full."
    assert len(sentences(tokenize(text), text)) == 2


def test_a_blank_line_ends_a_sentence() -> None:
    text = "Two kinds of lamp\n\nEach lamp costs $4"
    assert len(sentences(tokenize(text), text)) == 2


@given(st.text(max_size=300))
def test_every_token_is_the_text_at_its_offsets(text: str) -> None:
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text


@given(st.text(max_size=300))
def test_tokens_never_overlap_and_keep_their_order(text: str) -> None:
    tokens = tokenize(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(tokens))


@given(st.integers(0, 999_999))
def test_digits_with_and_without_thousands_commas_agree(number: int) -> None:
    assert tokenize(f"{number}")[0].value == tokenize(f"{number:,}")[0].value == number
