"""What spoils pipelines of prompts is not in ours: every file in `prompts/` is checked."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import orkernel_llm
from orkernel.candidates import examine
from orkernel.formulation.schema import Formulation
from orkernel.records import Problem
from orkernel_llm.formulating.compact import SCHEMA
from orkernel_llm.formulating.conversion import read_compact, to_formulation
from orkernel_llm.formulating.notation import algebra
from orkernel_llm.prompting import parts_of, places_of, render, source

PROMPTS = sorted(p.stem for p in (Path(orkernel_llm.__file__).parent / "prompts").glob("*.md"))
ROOT = Path(__file__).parents[3]
RUN = 6
"""A run of so many words that an example shares with a statement is no chance."""
CHECKSUMS = {
    "clarify-1": "53dad388ed1c",
    "code-1": "7edf2d781391",
    "dispatch-1": "705928b99bc6",
    "formulate-1": "7e19e81b1247",
    "repair-1": "7df22b87f6fb",
    "score-1": "ad157b63031b",
}
"""A recording answers a prompt word for word: change a released prompt by writing its next version.
The first digits of each file's SHA-256."""


def system_of(name: str) -> str:
    return next(text for role, text in parts_of(source(name)) if role == "system")


def example() -> tuple[str, dict[str, object]]:
    """Statement and answer of the formulator's example."""
    text = source("formulate-1")
    found = re.search(r'Example statement: "(.*?)"\nExample answer:\n(\{.*?\n\})\n', text, re.S)
    assert found is not None
    return " ".join(found[1].split()), json.loads(found[2])


def example_formulation() -> Formulation:
    statement, answer = example()
    formulation, found = examine(to_formulation(read_compact(answer)), Problem(statement))
    assert found == []
    return formulation


# ---------------------------------------------------------------------------- all files


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_has_a_version_and_a_line_that_says_what_it_is_for(name: str) -> None:
    assert re.fullmatch(r"[a-z]+-[1-9]\d*", name)
    assert re.match(r"<!-- [^\n]+ -->\n", source(name))


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_keeps_the_words_of_its_version(name: str) -> None:
    digest = hashlib.sha256(source(name).encode()).hexdigest()
    assert digest.startswith(CHECKSUMS[name]), (
        f"prompts/{name}.md has changed: recordings no longer fit; give it the next version"
    )
    assert len(CHECKSUMS[name]) == 12


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_is_no_longer_than_a_page(name: str) -> None:
    assert len(source(name)) <= 6_000


@pytest.mark.parametrize("name", PROMPTS)
def test_every_stage_sees_the_original_statement_once_between_one_pair_of_markers(
    name: str,
) -> None:
    parts = dict(parts_of(source(name)))
    assert places_of(parts["user"]) >= {"statement"}
    assert source(name).count("{{statement}}") == 1
    values = {place: f"<{place}>" for place in places_of(source(name))}
    whole = "\n".join(message.text for message in render(name, **values))
    (marker,) = set(re.findall(r"^=====TEXT-\w+=====$", whole, re.M))
    assert whole.count(marker) == 2
    assert whole.index(marker) < whole.index("<statement>") < whole.rindex(marker)


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_says_that_the_statement_is_data(name: str) -> None:
    assert re.search(r"\b(?:is|are) data\b", system_of(name))


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_asks_for_its_answer_in_one_way(name: str) -> None:
    """No second way out, such as tags or fences, contradicts the one that is asked for."""
    text = source(name)
    assert "```json" not in text
    assert not re.search(r"</?\w*(?:answer|output|json)\w*>", text, re.I)
    if name != "code-1":
        assert "```" not in text
        assert "JSON object" in text


@pytest.mark.parametrize("name", ["formulate-1", "repair-1"])
def test_a_prompt_names_every_field_that_its_schema_wants(name: str) -> None:
    text = system_of(name)
    for field in SCHEMA["properties"]:
        assert re.search(rf"\b{field}\b", text), field
        inner = SCHEMA["properties"][field].get("items", {}).get("properties", {})
        for part in inner:
            assert re.search(rf"\b{part}\b", text), (field, part)


# ---------------------------------------------------------------------------- the example


def test_the_example_passes_the_kernels_checks_with_every_quote_located() -> None:
    formulation = example_formulation()
    elements = [
        *formulation.sets,
        *formulation.parameters,
        *formulation.variables,
        *formulation.objectives,
        *formulation.constraints,
        *formulation.results,
    ]
    assert all(e.sources for e in elements)
    assert {s.match for e in elements for s in e.sources} == {"exact"}


def test_the_example_obeys_the_rules_that_stand_above_it() -> None:
    _, answer = example()
    formulation = example_formulation()
    assert list(answer) == list(SCHEMA["properties"])  # the fields, in this order
    assert formulation.variables[0].domain == "integer"  # lenses cannot be split
    expressions = [
        *(o.expression for o in formulation.objectives),
        *(c.expression for c in formulation.constraints),
        *(r.expression for r in formulation.results),
    ]
    for expression in expressions:
        assert algebra(expression) == expression
        assert not re.search(r"(?<![\w\"])\d", expression)  # the parameter, not the figure
    comparisons = [re.findall(r"<=|>=|==|=", c.expression) for c in formulation.constraints]
    assert all(len(found) == 1 for found in comparisons)


def test_the_example_has_every_field_that_the_schema_requires() -> None:
    _, answer = example()

    def fits(value: object, schema: dict[str, object]) -> bool:
        if "anyOf" in schema:
            return any(fits(value, choice) for choice in schema["anyOf"])  # type: ignore[attr-defined]
        kinds = {
            "string": str,
            "number": (int, float),
            "integer": int,
            "array": list,
            "object": dict,
            "null": type(None),
        }
        if not isinstance(value, kinds[str(schema["type"])]):  # type: ignore[arg-type]
            return False
        if isinstance(value, list):
            return all(fits(item, schema["items"]) for item in value)  # type: ignore[arg-type]
        if isinstance(value, dict):
            parts = schema["properties"]
            return set(value) == set(parts) and all(  # type: ignore[arg-type]
                fits(value[key], parts[key])  # type: ignore[index]
                for key in value
            )
        return True

    assert fits(answer, SCHEMA)


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def runs_of(text: str) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def statements() -> Iterator[tuple[str, str]]:
    """Statements that somebody may measure with, and where they stand.

    `ORKERNEL_BENCH_ITEMS` names further files of items, separated as on the PATH.
    """
    for path in sorted((ROOT / "docs" / "examples").glob("*.md")):
        yield path.name, path.read_text(encoding="utf-8")
    for name in filter(None, os.environ.get("ORKERNEL_BENCH_ITEMS", "").split(os.pathsep)):
        for number, line in enumerate(Path(name).read_text(encoding="utf-8").splitlines(), 1):
            yield f"{name} line {number}", json.loads(line)["question"]


def test_no_example_resembles_a_statement_that_somebody_measures_with() -> None:
    mine = runs_of(example()[0])
    seen = 0
    for place, statement in statements():
        seen += 1
        assert not mine & runs_of(statement), place
        assert not {"observatory", "lens", "lenses"} & set(words_of(statement)), place
    assert seen >= 10
