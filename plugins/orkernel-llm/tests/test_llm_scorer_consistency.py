"""Findings cap numbers, the kernel's facts refute findings, and both are told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.formulation.provenance import locate
from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS
from orkernel_llm.scoring.consistency import (
    FURTHER,
    LEAST_CAP,
    MINOR,
    SERIOUS,
    Judged,
    consistent,
)
from orkernel_llm.scoring.judgement import Judgement, read_judgement

STATEMENT = (
    "A nursery grows ferns and mosses. A fern sells for 12 euros and a moss for 7 euros. A fern "
    "needs 3 litres of soil and a moss 2 litres; 240 litres are on hand. At most 50 ferns find a "
    "buyer. Ferns must not outnumber mosses. Maximize the takings."
)
PARTS: dict[str, Any] = {
    "parameters": [
        {"name": "fern_price", "value": 12, "sources": [{"quote": "A fern sells for 12 euros"}]},
        {"name": "moss_price", "value": 7, "sources": [{"quote": "a moss for 7 euros"}]},
        {"name": "soil", "value": 240, "sources": [{"quote": "240 litres are on hand"}]},
    ],
    "variables": [
        {"name": "ferns", "upper": 50, "sources": [{"quote": "At most 50 ferns find a buyer"}]},
        {"name": "mosses", "sources": [{"quote": "mosses"}]},
    ],
    "objectives": [
        {
            "name": "takings",
            "sense": "maximize",
            "expression": "fern_price*ferns + moss_price*mosses",
            "sources": [{"quote": "Maximize the takings"}],
        }
    ],
    "constraints": [
        {
            "name": "soil_use",
            "expression": "3*ferns + 2*mosses <= soil",
            "sources": [
                {"quote": "A fern needs 3 litres of soil and a moss 2 litres"},
                {"quote": "240 litres are on hand"},
            ],
        }
    ],
}


def formulation(**changes: Any) -> Formulation:
    return locate(Formulation.model_validate({**PARTS, **changes}), STATEMENT)


def judgement(*findings: dict[str, Any], score: Any = 95) -> Judgement:
    marks = {d: {"score": score, "explanation": "it seems right"} for d in DIMENSIONS}
    return read_judgement({"findings": list(findings), **marks}, "")


def fault(dimension: str = "constraints", problem: str = "wrong", **more: Any) -> dict[str, Any]:
    return {"dimension": dimension, "problem": problem, "text": "it is off", **more}


def judged(*findings: dict[str, Any], score: Any = 95, **changes: Any) -> Judged:
    return consistent(judgement(*findings, score=score), formulation(**changes), STATEMENT)


def values(found: Judged) -> dict[str, float]:
    return {dimension: score.value for dimension, score in found.scores.items()}


# ------------------------------------------------------------------ caps


def test_without_findings_the_numbers_stand() -> None:
    found = judged()
    assert values(found) == dict.fromkeys(DIMENSIONS, 95.0)
    assert found.scores["objective"].explanation == "it seems right"
    assert found.findings == ()


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_finding_caps_its_dimension_alone_and_says_so(dimension: str) -> None:
    found = judged(fault(dimension))
    assert values(found) == {**dict.fromkeys(DIMENSIONS, 95.0), dimension: MINOR}
    text = found.scores[dimension].explanation
    assert text == "it seems right; 95 lowered to 80: 1 open finding"
    assert [f.dimension for f in found.findings] == [dimension]


def test_a_serious_finding_caps_lower() -> None:
    found = judged(fault(serious=True))
    assert found.scores["constraints"].value == SERIOUS
    assert found.scores["constraints"].explanation.endswith("1 open finding, a serious one")
    assert found.findings[0].text == "serious: it is off"


def test_each_further_finding_takes_something_off_but_not_everything() -> None:
    several = [fault(text=f"fault {i}") for i in range(11)]
    serious = fault(text="the worst", serious=True)
    assert judged(*several[:3]).scores["constraints"].value == MINOR - 2 * FURTHER
    assert judged(serious, several[0]).scores["constraints"].value == SERIOUS - FURTHER
    assert judged(serious, *several).scores["constraints"].value == LEAST_CAP


def test_the_same_finding_twice_counts_once() -> None:
    assert judged(fault(), fault()).scores["constraints"].value == MINOR


def test_a_number_below_the_cap_stays() -> None:
    found = judged(fault(serious=True), score=15)
    assert found.scores["constraints"].value == 15.0
    assert "lowered" not in found.scores["constraints"].explanation


def test_a_finding_without_a_dimension_caps_all_and_is_listed_at_the_weakest() -> None:
    found = judged({"text": "something is off"}, fault("objective", serious=True))
    assert values(found) == {
        "parameters": MINOR,
        "variables": MINOR,
        "objective": SERIOUS - FURTHER,
        "constraints": MINOR,
    }
    assert {f.dimension for f in found.findings} == {"objective"}


def test_serious_findings_come_first() -> None:
    found = judged(fault(text="small"), fault("objective", text="large", serious=True))
    assert [f.text for f in found.findings] == ["serious: large", "small"]


def test_a_finding_says_its_element_and_the_words_of_the_statement() -> None:
    said = fault(element="soil_use", quote="240 litres", text="the amount is per week")
    (finding,) = judged(said).findings
    assert finding.text == "soil_use: the amount is per week (the statement: “240 litres”)"


# ------------------------------------------------------------------ refuted


@pytest.mark.parametrize(
    ("dimension", "quote"),
    [
        ("parameters", "A fern sells for 12 euros"),
        ("parameters", "12 euros"),
        ("parameters", "needs 3 litres of soil"),
        ("constraints", "A fern needs 3 litres of soil and a moss 2 litres"),
        ("constraints", "240 litres are on hand"),
        ("constraints", "At most 50 ferns find a buyer"),
        ("variables", "mosses"),
        ("objective", "Maximize the takings"),
    ],
)
def test_what_is_quoted_and_stated_is_not_missing(dimension: str, quote: str) -> None:
    found = judged(fault(dimension, "missing", quote=quote, serious=True))
    assert found.findings == ()
    assert values(found) == dict.fromkeys(DIMENSIONS, 95.0)
    assert "finding dropped: " in found.scores[dimension].explanation
    assert quote in found.scores[dimension].explanation


@pytest.mark.parametrize(
    ("dimension", "quote"),
    [
        ("constraints", "Ferns must not outnumber mosses"),
        ("constraints", "A fern sells for 12 euros"),
        ("objective", "A fern sells for 12 euros"),
        ("variables", "A fern needs 3 litres of soil"),
        ("parameters", "Ferns must not outnumber mosses"),
        ("constraints", "no such words"),
        ("constraints", ""),
    ],
)
def test_what_nothing_quotes_may_be_missing(dimension: str, quote: str) -> None:
    found = judged(fault(dimension, "missing", quote=quote))
    assert found.scores[dimension].value == MINOR


def test_a_limit_kept_only_as_data_is_still_missing() -> None:
    parameters = [
        *PARTS["parameters"],
        {"name": "most", "value": 50, "sources": [{"quote": "At most 50 ferns find a buyer"}]},
    ]
    ferns = {"name": "ferns", "sources": [{"quote": "At most 50 ferns find a buyer"}]}
    found = judged(
        fault("constraints", "missing", quote="At most 50 ferns find a buyer", serious=True),
        parameters=parameters,
        variables=[ferns, PARTS["variables"][1]],
    )
    assert found.scores["constraints"].value == SERIOUS


def test_a_number_quoted_but_stated_wrongly_is_missing() -> None:
    soil = {"name": "soil", "value": 420, "sources": [{"quote": "240 litres are on hand"}]}
    found = judged(
        fault("parameters", "missing", quote="240 litres are on hand"),
        parameters=[*PARTS["parameters"][:2], soil],
        constraints=[],
    )
    assert found.scores["parameters"].value == MINOR


def test_numbers_named_without_a_quote_are_looked_up() -> None:
    used = fault("parameters", "missing", text="the numbers 12 and 7 are not used")
    unused = fault("parameters", "missing", text="the numbers 12 and 9 are not used")
    assert judged(used).findings == ()
    assert "the formulation uses 7, 12" in judged(used).scores["parameters"].explanation
    assert len(judged(unused).findings) == 1


def test_a_quote_that_stands_in_the_statement_is_not_missing() -> None:
    found = judged(fault("variables", "quote", element="ferns", serious=True))
    assert found.findings == ()
    assert "the quote of 'ferns' stands in the statement" in found.scores["variables"].explanation


def test_a_quote_that_does_not_stand_there_is_a_finding() -> None:
    bad = {"name": "ferns", "sources": [{"quote": "tulips and roses of all kinds"}]}
    none = {"name": "mosses"}
    for element in ("ferns", "mosses", "nobody"):
        found = judged(fault("variables", "quote", element=element), variables=[bad, none])
        assert len(found.findings) == 1


def test_a_wrong_reading_is_never_refuted_by_its_quote() -> None:
    found = judged(fault("constraints", "wrong", quote="240 litres are on hand", serious=True))
    assert found.scores["constraints"].value == SERIOUS


def test_a_finding_with_invented_words_is_kept_as_a_minor_one() -> None:
    found = judged(fault(quote="each truck carries 9 pallets of roof tiles", serious=True))
    assert found.scores["constraints"].value == MINOR


# ------------------------------------------------------------------ anything


texts = st.sampled_from(
    ["", "12", "240 litres are on hand", "Ferns must not outnumber mosses", "\u202e", "no words"]
)
claims = st.fixed_dictionaries(
    {"text": texts},
    optional={
        "dimension": st.sampled_from([*DIMENSIONS, "luck"]),
        "problem": st.sampled_from(["missing", "wrong", "quote", "?"]),
        "element": st.sampled_from(["ferns", "soil", "soil_use", "nobody"]),
        "quote": texts,
        "serious": st.booleans(),
    },
)


@settings(deadline=None)
@given(st.lists(claims, max_size=8), st.floats(0, 100))
def test_nothing_raises_a_number_and_open_findings_keep_it_below_the_cap(
    findings: list[dict[str, Any]], score: float
) -> None:
    found = judged(*findings, score=score)
    for dimension in DIMENSIONS:
        assert 0.0 <= found.scores[dimension].value <= score
        assert found.scores[dimension].explanation
    for finding in found.findings:
        assert finding.dimension in DIMENSIONS
        assert found.scores[finding.dimension].value <= MINOR
        if finding.text.startswith("serious"):
            assert found.scores[finding.dimension].value <= SERIOUS


@settings(deadline=None)
@given(st.lists(claims, max_size=6))
def test_equal_judgements_give_equal_scores(findings: list[dict[str, Any]]) -> None:
    assert judged(*findings) == judged(*findings)
