"""Numbers are found in English text with their readings, and labels are told from quantities."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.formulation.numbers import Kind, Mention, find_numbers


def found(text: str) -> list[tuple[str, float]]:
    return [
        (text[m.start : m.end], m.value) for m in find_numbers(text) if m.kind is not Kind.LABEL
    ]


def only(text: str) -> Mention:
    (mention,) = find_numbers(text)
    return mention


@pytest.mark.parametrize(
    ("text", "words", "value"),
    [
        ("1,200 units", "1,200", 1200),
        ("1'200 units", "1'200", 1200),
        ("1\u202f200 units", "1\u202f200", 1200),
        ("100,000,000", "100,000,000", 1e8),
        ("$3.5 million", "3.5 million", 3.5e6),
        ("costs €40.", "40", 40),
        ("USD100 a day", "100", 100),
        ("a 25-kg bag", "25", 25),
        ("2x", "2", 2),
        (".5", ".5", 0.5),
        ("1e5kg", "1e5", 1e5),
        ("2.5×10^3", "2.5×10^3", 2500),
        ("2.5 x 10^3", "2.5 x 10^3", 2500),
        ("10^{6}", "10^{6}", 1e6),
        ("2 1/2 cups", "2 1/2", 2.5),
        ("1/3 of it", "1/3", 1 / 3),
        ("½", "½", 0.5),
        ("2½ hours", "2½", 2.5),
        (r"\frac{3}{4} x", "3}{4}", 0.75),
        ("40 % of it", "40 %", 0.4),
        ("40% of it", "40%", 0.4),
        (r"40\% of it", r"40\%", 0.4),
        ("12.5 percent", "12.5 percent", 0.125),
        ("ten per cent", "ten per cent", 0.1),
        ("5‰", "5‰", 0.005),
        ("two-thirds", "two-thirds", 2 / 3),
        ("two thirds of it", "two thirds", 2 / 3),
        ("one-third", "one-third", 1 / 3),
        ("a third of it", "a third", 1 / 3),
        ("a quarter of it", "a quarter", 0.25),
        ("three quarters", "three quarters", 0.75),
        ("half the budget", "half", 0.5),
        ("half a million", "half a million", 5e5),
        ("half a dozen", "half a dozen", 6),
        ("a dozen eggs", "a dozen", 12),
        ("two dozen eggs", "two dozen", 24),
        ("a hundred", "a hundred", 100),
        ("twice as many", "twice", 2),
        ("triple the amount", "triple", 3),
        ("three times as many", "three", 3),
        ("one hundred and twenty", "one hundred and twenty", 120),
        ("twelve hundred", "twelve hundred", 1200),
        ("seventy five percent", "seventy five percent", 0.75),
        ("twenty-five thousand and six", "twenty-five thousand and six", 25006),
        ("two and a half million", "two and a half million", 2.5e6),
        ("three and a half", "three and a half", 3.5),
    ],
)
def test_a_number_is_read_with_its_extent(text: str, words: str, value: float) -> None:
    ((seen, reading),) = found(text)
    assert seen == words
    assert reading == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12, 34 and 5", [12, 34, 5]),
        ("3,5,7", [3, 5, 7]),
        ("10-20 kg", [10, 20]),
        ("10–20 kg", [10, 20]),
        ("one two three", [1, 2, 3]),
        ("four of the five", [4, 5]),
        ("1,200, 1,300", [1200, 1300]),
        ("2x + 3y <= 18", [2, 3, 18]),
        (r"x_1 + 2 x_{12} \le 40", [2, 40]),
    ],
)
def test_several_numbers_are_kept_apart(text: str, values: list[float]) -> None:
    assert [value for _, value in found(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "Product 3 is made in plant 12",
        "products 1, 2 and 3",
        "days 1 to 5",
        "#7",
        "2nd",
        "A1 and H2O and x_1",
        "on 2024-05-01 at 8:30",
        "on May 5, 2024",
        "on 5 May 2024",
        "in 2024 the firm",
        "5/1/2024",
        "version v1.2.3",
        "open 24/7",
        "see https://example.org/3/4",
        "a1@example.org",
        "1. first\n2. second\n3. third",
        "Costs:\n(1) first\n(2) second",
        "## 2 Data",
        "a third party",
        "the second quarter",
        "B-52",
        "x^2 + y^{3} + z**4",
        "",
    ],
)
def test_what_names_or_dates_is_no_quantity(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("each week 3 tonnes", 3),
        ("a table 3 hours", 3),
        ("the table 3 hours", 3),
        ("in 2000 units", 2000),
        ("Sell 3", 3),
        ("at most\n40 units", 40),
    ],
)
def test_a_quantity_behind_a_label_word_stays_a_quantity(text: str, value: float) -> None:
    assert [v for _, v in found(text)] == [value]


def test_the_other_readings_are_given() -> None:
    assert only("40 %").values == (0.4, 40.0)
    assert only("40 %").derived == (0.6, 1.4)
    assert only("$3.5 million").values == (3.5e6, 3.5)
    assert only("2 hours").derived[:2] == (120, 7200)
    assert only("1.200").derived == (1200.0,)
    assert only("25k").derived == (25000.0,)
    assert only("1/3").derived == (1.0, 3.0)


def test_absurd_numbers_are_left_out() -> None:
    assert find_numbers("9" * 400) == []
    assert only("10^999").values == (10.0,)
    assert find_numbers("²") == []


@given(
    st.text(alphabet="0123456789.,%/-^½ \n()#_\\{}@:eEkMaAhalf tworidzen", max_size=80) | st.text()
)
def test_any_text_gives_ordered_mentions_inside_it(text: str) -> None:
    end = 0
    for mention in find_numbers(text):
        assert end <= mention.start < mention.end <= len(text)
        assert mention.values
        assert all(value >= 0 for value in (*mention.values,))
        end = mention.end


@given(st.integers(0, 999_999_999), st.sampled_from([",", "'", "\u202f", ""]))
def test_an_integer_is_read_back_however_it_is_grouped(value: int, separator: str) -> None:
    text = f"{value:,}".replace(",", separator)
    assert only(f"<{text}>").value == value


@pytest.mark.parametrize(
    "unit",
    [
        "We make 12 chairs at $3.50 each and two-thirds of 1,200 tables. ",
        "half a ",
        "1/",
        "a@",
        "(1",
    ],
)
def test_reading_time_grows_linearly(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        best = 1e9
        for _ in range(3):
            started = time.process_time()
            find_numbers(text)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(80_000) < 20 * seconds(10_000) + 0.05
