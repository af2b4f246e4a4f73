"""Whole statements: what is read validates, quotes the statement, and has the known optimum."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orkernel.formulation.check import Severity, check
from orkernel.formulation.schema import Formulation
from orkernel_offline.written import looks_written, readings

STATEMENTS: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "statements.toml").read_text(encoding="utf-8")
)["statement"]
each_statement = pytest.mark.parametrize(
    "statement", STATEMENTS, ids=[s["name"].replace(" ", "-") for s in STATEMENTS]
)


@each_statement
def test_first_reading_has_the_known_optimum(
    statement: dict[str, Any], optimum: Callable[..., float]
) -> None:
    formulation = readings(statement["text"])[0].formulation
    assert optimum(formulation) == pytest.approx(statement["optimum"], rel=1e-5, abs=1e-6)


@each_statement
def test_every_reading_fits_the_schema(statement: dict[str, Any]) -> None:
    for reading in readings(statement["text"]):
        Formulation.model_validate(reading.formulation)


@each_statement
def test_the_kernel_finds_nothing_wrong_with_the_first_reading(statement: dict[str, Any]) -> None:
    formulation = Formulation.model_validate(readings(statement["text"])[0].formulation)
    assert [d for d in check(formulation) if d.severity == Severity.ERROR] == []


@each_statement
def test_every_element_quotes_the_statement(statement: dict[str, Any]) -> None:
    text = statement["text"]
    for reading in readings(text):
        for kind, element in _elements(reading.formulation):
            assert element["sources"], (kind, element["name"])
            for source in element["sources"]:
                assert source["quote"] in text


@each_statement
def test_statement_is_recognised_as_written_algebra(statement: dict[str, Any]) -> None:
    assert looks_written(statement["text"])


@each_statement
def test_trace_names_every_variable(statement: dict[str, Any]) -> None:
    reading = readings(statement["text"])[0]
    trace = str(reading.trace)
    assert trace.count("variable ") == len(reading.formulation["variables"])


def _elements(formulation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind in ("sets", "parameters", "variables", "objectives", "constraints"):
        for element in formulation[kind]:
            yield kind, element


@pytest.mark.parametrize(
    "prose",
    [
        "A carpenter earns $5 per chair and $8 per table. How many should she make?",
        "At most 30% of the 1,200 trucks can be vans; minimize the total cost of $40.50 each.",
        "The price p must stay within 60<=p<=150 and should be an integer.",
        "Maximize long-term profit. The min-max range of the machine is 3-5 hours, half a day.",
    ],
)
def test_word_problem_is_not_taken_for_algebra(prose: str) -> None:
    assert not looks_written(prose)
