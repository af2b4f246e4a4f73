"""Quotes are located, and what they do not account for is reported with its place."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.errors import Refused
from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.provenance import locate, provenance_diagnostics
from orkernel.formulation.schema import Formulation, SourceReference
from orkernel.pipeline import _refused_statement as refused_statement

STATEMENT = (
    "A joiner makes two products: chairs and benches.\n"
    "Each chair yields $30 profit and each bench “$50” profit.\n"
    "A chair takes 2 hours of carving, a bench three hours;\n"
    "at most forty percent of the 1,200 hours may be used.\n"
)


def formulation(**groups: Any) -> Formulation:
    return parse_formulation({key: list(parts) for key, parts in groups.items()})


def parameter(name: str, value: Any, *quotes: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "sources": [{"quote": q} for q in quotes], **more}


def source(quote: str, statement: str = STATEMENT) -> SourceReference:
    located = locate(formulation(parameters=[parameter("p", 1, quote)]), statement)
    return located.parameters[0].sources[0]


def seen(text: str, reference: SourceReference) -> str | None:
    return None if reference.start is None else text[reference.start : reference.end]


def audit(statement: str = STATEMENT, **groups: Any) -> list[Diagnostic]:
    return provenance_diagnostics(formulation(**groups), statement)


def messages(findings: list[Diagnostic], code: str) -> list[str]:
    return [d.message for d in findings if d.code == code]


# --------------------------------------------------------------------------- locating


@pytest.mark.parametrize(
    ("quote", "passage", "match"),
    [
        ("Each chair yields $30 profit", "Each chair yields $30 profit", "exact"),
        ("each CHAIR  yields\n$30 profit", "Each chair yields $30 profit", "normalized"),
        ('each bench "$50" profit', "each bench “$50” profit", "normalized"),
        ("of the 1200 hours", "of the 1,200 hours", "normalized"),
        ("*chairs* and **benches**", "chairs and benches", "normalized"),
        (
            "A chair takes 2 hours … a bench three hours",
            "A chair takes 2 hours of carving, a bench three hours",
            "normalized",
        ),
        (
            "at most forty percent of 1,200 hours may be used",
            "at most forty percent of the 1,200 hours may be used",
            "fuzzy",
        ),
        (
            "A chiar takes 2 hours of carving",
            "A chair takes 2 hours of carving",
            "fuzzy",
        ),
    ],
)
def test_a_quote_is_found_with_its_kind_of_match(quote: str, passage: str, match: str) -> None:
    reference = source(quote)
    assert (seen(STATEMENT, reference), reference.match) == (passage, match)


@pytest.mark.parametrize(
    "quote",
    [
        "the moon is made of green cheese",
        "A chair takes 3 hours of carving",
        "at most fifty percent of the 1,200 hours may be used",
        "of the 200 hours",
        "…",
        " ",
    ],
)
def test_a_quote_with_other_words_or_numbers_is_not_found(quote: str) -> None:
    reference = source(quote)
    assert (reference.start, reference.end, reference.match) == (None, None, None)


def test_a_quote_never_tears_a_number_and_prefers_whole_words() -> None:
    text = "The plant ships 1350 cases; plants ship 350.5 or 350 cases; the plan is 350."
    assert source("350", text).start == text.index(" 350 cases") + 1
    assert source("plan", text).start == text.index("plan is")
    assert source("50 cases", text).start is None


def test_right_offsets_are_kept_and_wrong_ones_are_sought_anew() -> None:
    text = "5 chairs and 5 chairs"
    second = SourceReference(quote="5 chairs", start=13, end=21)
    wrong = SourceReference(quote="5 chairs", start=3, end=9, match="fuzzy")
    part = {"name": "p", "value": 5, "sources": [second.model_dump(), wrong.model_dump()]}
    found = locate(formulation(parameters=[part]), text).parameters[0].sources
    assert [(s.start, s.end, s.match) for s in found] == [(13, 21, "exact"), (0, 8, "exact")]


def test_offsets_count_characters_of_the_original_text() -> None:
    text = "Ünïcode — “ﬁne”   print: ½ of 1,000 ⟨cases⟩"
    reference = source('"fine" print: ½ of 1000', text)
    assert seen(text, reference) == "“ﬁne”   print: ½ of 1,000"
    assert reference.match == "normalized"


def test_every_kind_of_element_is_located() -> None:
    quote = [{"quote": "chairs and benches"}]
    built = formulation(
        sets=[{"name": "S", "members": ["a"], "sources": quote}],
        parameters=[parameter("p", 1, "chairs and benches")],
        variables=[{"name": "x", "sources": quote}],
        objectives=[{"name": "o", "sense": "minimize", "expression": "x", "sources": quote}],
        constraints=[{"name": "c", "expression": "x >= p", "sources": quote}],
        results=[{"name": "r", "expression": "x", "sources": quote}],
    )
    located = locate(built, STATEMENT)
    groups = (
        located.sets,
        located.parameters,
        located.variables,
        located.objectives,
        located.constraints,
        located.results,
    )
    assert all(part.sources[0].match == "exact" for group in groups for part in group)
    assert locate(located, STATEMENT) == located


@given(st.integers(0, len(STATEMENT) - 1), st.integers(1, 60))
def test_any_piece_of_the_statement_cut_at_words_is_found(start: int, length: int) -> None:
    piece = STATEMENT[start : start + length].strip()
    words = STATEMENT.split()
    if piece and piece.split()[0] in words and piece.split()[-1] in words:
        reference = source(piece)
        assert seen(STATEMENT, reference) is not None
        if reference.match == "exact":
            assert seen(STATEMENT, reference) == piece


@settings(deadline=None)
@given(st.text(max_size=120), st.text(min_size=1, max_size=40))
def test_locating_never_fails_and_offsets_lie_in_the_text(text: str, quote: str) -> None:
    reference = source(quote, text)
    if reference.match is not None:
        assert reference.start is not None
        assert reference.end is not None
        assert 0 <= reference.start < reference.end <= len(text)


# --------------------------------------------------------------------------- findings


def test_an_empty_statement_gives_nothing() -> None:
    assert audit("", parameters=[parameter("p", 1, "no such words")]) == []
    assert audit(" \n", parameters=[parameter("p", 7)]) == []


def test_an_element_without_quote_is_reported() -> None:
    (finding,) = audit(
        "Make chairs.", constraints=[{"name": "supply", "expression": "x <= 1", "sources": []}]
    )
    assert finding == Diagnostic(
        "no-source",
        Severity.WARNING,
        "constraint 'supply'",
        "it has no quote from the statement",
        "quote the words it comes from, or list it in an assumption's `affects`",
        field="statement",
    )


def test_an_assumed_or_computed_element_needs_no_quote() -> None:
    assert (
        audit(
            "Make chairs.",
            parameters=[parameter("p", 7), {"name": "q", "expression": "p"}],
            assumptions=[{"text": "seven are enough", "affects": ["p"]}],
        )
        == []
    )


def test_a_quote_that_does_not_stand_in_the_statement_is_reported() -> None:
    (finding,) = audit("Make chairs.", parameters=[parameter("p", 1, "buy tables")])
    assert (finding.code, finding.element) == ("quote-not-found", "parameter 'p'")
    assert finding.message == "its quote 'buy tables' does not stand in the statement"
    assert finding.suggestion == "quote the statement word for word"


def test_an_approximate_quote_is_reported_with_the_passage() -> None:
    text = "Every chiar takes two hours."
    (finding,) = audit(text, parameters=[parameter("p", 2, "Every chair takes two hours")])
    assert finding.code == "quote-approximate"
    assert finding.message == (
        "its quote 'Every chair takes two hours' stands in the statement only approximately, "
        "as 'Every chiar takes two hours'"
    )
    assert (finding.start, finding.end) == (0, 27)


def test_a_number_that_its_quote_does_not_say_is_reported_with_the_place_that_does() -> None:
    findings = audit(parameters=[parameter("p", 50, "Each chair yields $30 profit")])
    lacking = [d for d in findings if d.code == "number-not-in-quote"]
    assert [(d.element, d.message, d.suggestion) for d in lacking] == [
        (
            "parameter 'p'",
            "its quotes do not say 50",
            "quote the words that say it: 'Each chair yields $30 profit and each bench “$50” "
            "profit.'",
        )
    ]


def test_a_number_that_the_statement_nowhere_says_is_reported() -> None:
    quoted = audit(parameters=[parameter("p", 31, "Each chair yields $30 profit")])
    (finding,) = [d for d in quoted if d.code == "number-not-in-quote"]
    assert finding.suggestion == "correct the number; the statement nowhere says it"
    bare = audit(parameters=[parameter("p", {"a": 77, "b": 30, "c": 78})])
    assert messages(bare, "number-not-in-statement") == ["the statement nowhere says 77, 78"]


def test_many_lacking_numbers_are_listed_briefly() -> None:
    values = [float(k) for k in range(101, 120)]
    findings = audit(parameters=[parameter("p", values, "chairs and benches")])
    assert messages(findings, "number-not-in-quote") == [
        "its quotes do not say 101, 102, 103, 104, 105 and 14 more"
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("at most forty percent of it", 0.4),
        ("at most 40 % of it", 40),
        ("a loss of 15 %", 0.85),
        ("interest of 5 percent", 1.05),
        ("two-thirds of it", 2 / 3),
        ("a dozen eggs", 12),
        ("half of it", 0.5),
        ("twice as many", 2),
        ("$3.5 million", 3_500_000),
        ("$3.5 million", 3.5),
        ("a 25-kg bag", 25),
        ("1,200 hours", 1200),
        ("2 hours", 120),
        ("8 hours a day, 5 days a week", 40),
        ("costs 30", -30),
        ("one hundred and twenty", 120),
        ("machine 7 breaks", 7),
    ],
)
def test_a_quote_supports_what_a_modeller_makes_of_its_numbers(text: str, value: float) -> None:
    findings = audit(text, parameters=[parameter("p", value, text)])
    assert findings == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("two-thirds of it", 0.67), ("a third of it", 0.3), ("1,200 hours", 1201), ("0.4", 0.04)],
)
def test_a_rounded_or_slipped_number_is_reported(text: str, value: float) -> None:
    findings = audit(text, parameters=[parameter("p", value, text)])
    assert messages(findings, "number-not-in-quote") == [f"its quotes do not say {value:.10g}"]


def test_constants_of_expressions_and_bounds_are_checked_too() -> None:
    quote = [{"quote": "A chair takes 2 hours of carving, a bench three hours"}]
    findings = audit(
        variables=[{"name": "x", "upper": 9, "sources": quote}],
        constraints=[{"name": "c", "expression": "2*x + 3*y <= 8", "sources": quote}],
        objectives=[
            {"name": "o", "sense": "minimize", "expression": "x[7]**4 + y[t-6]", "sources": quote}
        ],
    )
    assert [(d.element, d.message) for d in findings if d.code == "number-not-in-quote"] == [
        ("variable 'x'", "its quotes do not say 9"),
        ("constraint 'c'", "its quotes do not say 8"),
    ]


def test_a_factor_between_units_that_the_quote_speaks_of_is_no_finding() -> None:
    text = "A chair takes 90 minutes and 8 hours are there."
    quote = [{"quote": text}]
    part = {"name": "c", "expression": "90*x <= 60*8", "sources": quote}
    assert audit(text, constraints=[part]) == []


def test_an_unused_number_is_reported_with_its_sentence_and_place() -> None:
    text = "Each chair yields $30. At most 45 chairs fit into the van! It is blue."
    (finding,) = audit(text, parameters=[parameter("p", 30, "Each chair yields $30")])
    assert finding == Diagnostic(
        "unused-number",
        Severity.WARNING,
        "statement",
        "no element uses '45' in 'At most 45 chairs fit into the van!'",
        "add what it limits or measures, or check that the answer does not depend on it",
        31,
        33,
        "statement",
    )


def test_a_repeated_value_counts_as_used_only_as_often_as_it_is_stated() -> None:
    text = "A chair takes 4 hours. At least 4 workers are there."
    once = audit(text, parameters=[parameter("p", 4, "A chair takes 4 hours")])
    assert messages(once, "unused-number") == [
        "no element uses '4' in 'At least 4 workers are there.'"
    ]
    twice = [parameter("p", 4, "A chair takes 4 hours"), parameter("q", 4, "workers are there")]
    assert messages(audit(text, parameters=twice), "unused-number") == []


def test_counts_labels_dates_and_trivial_numbers_are_no_unused_numbers() -> None:
    text = (
        "1. On 5 May 2024 a firm made three products, of which Product 3 is new.\n"
        "2. At least 0 and in one case 1 of the 2nd kind."
    )
    sets = [{"name": "S", "members": ["a", "b", "c"], "sources": [{"quote": "three products"}]}]
    assert audit(text, sets=sets) == []


def test_a_limit_is_not_taken_for_a_count_of_things() -> None:
    text = "Sort the chairs. At most three chairs fit."
    sets = [{"name": "S", "members": ["a", "b", "c"], "sources": [{"quote": "the chairs"}]}]
    assert messages(audit(text, sets=sets), "unused-number") == [
        "no element uses 'three' in 'At most three chairs fit.'"
    ]


def test_words_may_repeat_a_number_that_an_element_takes_from_a_formula() -> None:
    text = "A can must hold 500 ml.\n\nr**2*h >= 500\n\nAt least 45 cans."
    part = {"name": "c", "expression": "r**2*h >= 500", "sources": [{"quote": "r**2*h >= 500"}]}
    assert messages(audit(text, constraints=[part]), "unused-number") == [
        "no element uses '45' in 'At least 45 cans.'"
    ]


def test_very_many_unused_numbers_are_summed_up() -> None:
    text = " ".join(f"Then {k} more." for k in range(100, 200))
    found = messages(audit(text), "unused-number")
    assert len(found) == 51
    assert found[-1] == "no element uses 50 further numbers"


def test_a_statement_of_one_megabyte_is_audited_fast() -> None:
    sentence = "Plant {0} ships {0} of the 1,200 cases, at most forty percent by rail. "
    text = "".join(sentence.format(k) for k in range(1000, 15_000))
    assert len(text) > 950_000
    parts = [
        parameter(f"p{k}", k, f"plant {k} SHIPS {k} of the 1200 cases") for k in range(1000, 1040)
    ]
    parts += [
        parameter(f"q{k}", k, f"Plant {k} shipped {k} of all 1,200 cases, forty percent by rail")
        for k in range(1000, 1040)
    ]
    started = time.process_time()
    findings = audit(text, parameters=parts)
    assert time.process_time() - started < 15
    assert messages(findings, "quote-not-found") == []
    assert len(messages(findings, "quote-approximate")) == 40


def test_a_part_that_no_formulator_could_read_is_placed_in_the_statement() -> None:
    refused = Refused("'joy' is not measured", [(0, 12)], fix="say how")
    (finding,) = refused_statement(refused, "Maximize joy.").diagnostics
    assert finding == Diagnostic(
        "unreadable",
        Severity.ERROR,
        "statement",
        "'joy' is not measured",
        "say how",
        0,
        12,
        "statement",
    )
