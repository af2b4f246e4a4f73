"""A front, simulated figures and a conflict read well in both reports."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from orkernel.answer import Answer, SubsetMember
from orkernel.fronts import figures
from orkernel.records import Guarantee
from orkernel.report.front import CHOSEN, HEIGHT, POINT, picture
from orkernel.report.html import to_html
from orkernel.report.picture import front_png
from orkernel.report.terminal import render
from orkernel.report.words import conflict_words, evidence_words, headline
from orkernel.solution import Estimate, SolverIdentity, Status

POINTS = [(0.0, 10.0), (1.0, 4.0), (5.0, 0.0)]


def front_answer(guarantee: Guarantee = Guarantee.GLOBAL) -> Answer:
    return Answer(
        status=Status.PARETO_FRONT,
        verified=True,
        objectives={"<cost>": 1.0, "delay": 4.0},
        variables={"x": 1.0},
        guarantee=guarantee,
        solver=SolverIdentity("highs", "HiGHS", "1"),
        max_violation=0.0,
        pareto=[
            {"objectives": {"<cost>": a, "delay": b}, "variables": {"x": a}} for a, b in POINTS
        ],
        front=figures(POINTS, [False, False]),
    )


def shown(answer: Answer) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(render(answer))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_the_terminal_shows_points_corners_and_a_picture_of_the_front() -> None:
    text = shown(front_answer())
    assert "Pareto front · 3 points, each proven efficient" in text
    assert "nadir" in text
    assert text.count(POINT) == 2
    assert text.count(CHOSEN) == 2  # in the table and in the picture


def test_a_searched_front_says_that_it_is_not_proven() -> None:
    assert "heuristic search, not proven efficient" in headline(front_answer(Guarantee.HEURISTIC))


def test_one_point_is_singular_and_a_solver_without_version_is_named_alone() -> None:
    answer = replace(
        front_answer(), pareto=front_answer().pareto[:1], solver=SolverIdentity("pyomo", "scip", "")
    )
    assert "Pareto front · 1 point," in headline(answer)
    assert "solved by pyomo (scip);" in evidence_words(answer)


def test_a_bound_that_no_sentence_states_is_named_beside_the_sentences() -> None:
    members = (
        SubsetMember("a", "constraint", "a", ("first",)),
        SubsetMember("b", "constraint", "b", ("second",)),
        SubsetMember("x", "lower bound", "x ≥ 0"),
        SubsetMember("x", "integrality", "x must be whole"),
    )
    answer = Answer(Status.INFEASIBLE, True, iis=members, iis_minimal=True)
    wanted = "These two sentences cannot hold together (with x ≥ 0, x must be whole)"
    assert conflict_words(answer) == wanted


def test_the_picture_has_the_extremes_in_its_corners() -> None:
    points = [{"a": a, "b": b} for a, b in POINTS]
    lines = str(picture(points, points[1])).splitlines()
    assert lines[1].endswith("│" + POINT)
    assert lines[HEIGHT].rstrip().endswith(POINT)
    assert lines[-1].split() == ["0", "5", "a"]


@pytest.mark.parametrize("objectives", [2, 3, 10])
def test_a_front_is_drawn_as_a_png_and_lies_in_the_page(objectives: int) -> None:
    points = np.eye(objectives)
    names = [f"goal $_{k}" for k in range(objectives)]
    answer = Answer(
        Status.PARETO_FRONT,
        True,
        objectives=dict(zip(names, points[0].tolist(), strict=True)),
        pareto=[
            {"objectives": dict(zip(names, p, strict=True)), "variables": {}}
            for p in points.tolist()
        ],
        front=figures(points, [False] * objectives),
    )
    assert answer.compromise == 0
    content = front_png(answer)
    assert content is not None
    assert content.startswith(b"\x89PNG\r\n")
    assert "data:image/png;base64,iVBOR" in to_html(answer, content)


def test_an_answer_without_front_has_no_picture() -> None:
    assert front_png(Answer(Status.OPTIMAL)) is None


def test_the_page_escapes_the_objectives_of_a_front() -> None:
    page = to_html(front_answer())
    assert "&lt;cost&gt;" in page
    assert "<cost>" not in page


def test_json_names_the_corners_by_objective() -> None:
    front = front_answer().to_json()["front"]
    assert front["points"] == 3
    assert front["ideal"] == {"<cost>": 0.0, "delay": 0.0}
    assert front["nadir"] == {"<cost>": 5.0, "delay": 10.0}


def test_simulated_figures_come_with_interval_and_scenarios() -> None:
    estimate = Estimate("objective", "profit", 12.5, 12.1, 12.9, 0.95, 4096)
    answer = Answer(Status.FEASIBLE, True, estimates=(estimate,))
    assert "95 %: 12.1 to 12.9" in shown(answer)
    assert "4,096" in shown(answer)
    assert "95 %: 12.1 to 12.9" in to_html(answer)
    assert answer.to_json()["estimates"][0]["high"] == 12.9


@pytest.mark.parametrize(
    ("quotes", "minimal", "words"),
    [
        ([(), ()], True, "These two conditions cannot hold together"),
        ([("a",), ("b",), ("c",)], True, "These three sentences cannot hold together"),
        ([("a",), ("a",)], True, "This sentence cannot hold"),
        ([("a",), ()], True, "These two conditions cannot hold together"),
        ([("a",), ("b",)], False, "Among these sentences some cannot hold together"),
    ],
)
def test_a_conflict_is_counted_in_sentences_where_each_member_has_one(
    quotes: list[tuple[str, ...]], minimal: bool, words: str
) -> None:
    members = tuple(SubsetMember(f"c{k}", "constraint", f"c{k}", q) for k, q in enumerate(quotes))
    answer = Answer(Status.INFEASIBLE, True, iis=members, iis_minimal=minimal)
    assert conflict_words(answer).startswith(words)
