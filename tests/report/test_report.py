"""The reports show what is there, escape everything, and tie phrases to elements."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from orkernel.answer import Answer, SubsetMember
from orkernel.cli.asking import ask_on_terminal
from orkernel.cli.consoles import PlainConsole
from orkernel.formulation.provenance import locate
from orkernel.formulation.schema import Formulation
from orkernel.records import Candidate, Guarantee, Question, Selection
from orkernel.report.annotated import marks, pieces
from orkernel.report.html import to_html
from orkernel.report.terminal import render
from orkernel.report.values import flatten
from orkernel.report.words import figure, headline
from orkernel.solution import Evidence, SolverIdentity, Status

NASTY = '<script>alert("1")</script> & [bold]x[/bold]'


def formulation(statement: str, **parts: Any) -> Formulation:
    value = {"statement": statement, "variables": [{"name": "x"}], **parts}
    return locate(Formulation.model_validate(value), statement)


def answer(**changes: Any) -> Answer:
    statement = f"Make at most 7 of {NASTY}."
    model = formulation(
        statement,
        title=NASTY,
        objectives=[{"name": NASTY, "sense": "maximize", "expression": "x"}],
        constraints=[{"name": NASTY, "expression": "x <= 7", "sources": [{"quote": "at most 7"}]}],
    )
    return Answer(
        **{
            "status": Status.OPTIMAL,
            "verified": True,
            "message": NASTY,
            "objectives": {NASTY: 7.0},
            "variables": {"x": 7.0, "y": {NASTY: {"b": 1.0}}},
            "results": {NASTY: 1.5},
            "duals": {"constraints": {NASTY: 1.0}, "reduced_costs": {}},
            "evidence": Evidence.CERTIFICATE,
            "guarantee": Guarantee.GLOBAL,
            "max_violation": 0.0,
            "solver": SolverIdentity("highs", "HiGHS", "1"),
            "iis": (SubsetMember(NASTY, "constraint", NASTY, (NASTY,)),),
            "candidates": (Candidate(0, model), Candidate(1, None, refused=NASTY)),
            "selection": Selection(0, NASTY),
            "assumptions": (NASTY,),
            "notes": (NASTY,),
            "formulation": model,
            "statement": statement,
            **changes,
        }
    )


class Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


def test_html_escapes_whatever_comes_from_outside() -> None:
    page = to_html(answer())
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.found
    assert "bold" not in tags.found
    assert page.count("&lt;script&gt;") >= 10


def test_html_ties_the_phrase_to_its_constraint() -> None:
    assert '<mark class="constraint"' in to_html(answer())
    assert ">at most 7</mark>" in to_html(answer())


def shown(value: Answer, verbosity: int = 0) -> str:
    console = Console(file=io.StringIO(), width=160)
    console.print(render(value, verbosity=verbosity))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_terminal_shows_markup_of_the_user_as_it_is() -> None:
    text = shown(answer())
    assert "[bold]x[/bold]" in text
    assert "“at most 7” → " in text


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_headline_and_a_report(status: Status) -> None:
    bare = Answer(status)
    assert headline(bare)
    assert headline(bare) in shown(bare)
    assert "<h1>" in to_html(bare)


def test_an_unverified_answer_is_never_called_checked() -> None:
    text = shown(answer(verified=False, status=Status.ERROR, objectives={}, evidence=None))
    assert "no checked answer" in text
    assert "not verified" in text
    assert "recomputed" not in text


def test_a_local_answer_says_so() -> None:
    text = headline(answer(status=Status.FEASIBLE, guarantee=Guarantee.LOCAL))
    assert "local answer, not proven optimal" in text


def test_long_tables_are_cut_with_a_note() -> None:
    many = answer(variables={"x": {str(i): float(i) for i in range(500)}})
    assert "460 more" in shown(many)
    most = answer(variables={"x": {str(i): float(i) for i in range(5000)}})
    assert "4000 more, all of them in answer.json" in to_html(most)


def test_flatten_keeps_the_path_of_nested_members() -> None:
    nested = {"x": 1.0, "y": {"a": {"b": 2.0}, "c": 3.0}}
    assert list(flatten(nested)) == [("x", 1.0), ("y[a,b]", 2.0), ("y[c]", 3.0)]


@pytest.mark.parametrize(
    ("value", "text"), [(36.0, "36"), (-0.0, "0"), (1 / 3, "0.3333333333"), (1e20, "1e+20")]
)
def test_figures(value: float, text: str) -> None:
    assert figure(value) == text


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80))))
def test_pieces_are_the_statement_in_order(statement: str, spans: list[tuple[int, int]]) -> None:
    quotes = [statement[min(s) : max(s)] for s in spans]
    sources = [{"quote": q} for q in quotes if q.strip()]
    model = formulation(
        statement or "x", constraints=[{"name": "c", "expression": "x <= 1", "sources": sources}]
    )
    cut = list(pieces(statement, marks(model)))
    assert "".join(text for text, _ in cut) == statement


ESCAPES = "\x1b[2J \x1b]0;title\x07 \x9b31m \r\u202eback"
"""Clears the screen, names the window, colours, goes back, turns the text around."""


def test_a_report_cannot_act_upon_the_terminal() -> None:
    written = io.StringIO()
    model = formulation(f"Make {ESCAPES} some.", title=ESCAPES, assumptions=[{"text": ESCAPES}])
    said = Answer(status=Status.OPTIMAL, formulation=model, notes=[f"a note {ESCAPES}"])
    PlainConsole(file=written, width=100).print(render(said))
    assert "a note [2J" in written.getvalue()
    assert set(written.getvalue()) & set(ESCAPES) <= set("[]2J 0;title31mback")


def test_colours_of_a_report_are_kept() -> None:
    written = io.StringIO()
    console = PlainConsole(file=written, force_terminal=True, color_system="standard")
    console.print(f"[red]x{ESCAPES[:1]}y[/red]\tz\nw")
    assert written.getvalue() == "\x1b[31mxy\x1b[0m      z\nw\n"


def test_a_question_cannot_act_upon_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert ask_on_terminal(Question(f"which {ESCAPES}", (f"this {ESCAPES}",))) is not None
    shown = capsys.readouterr().err
    assert "? which" in shown
    assert set(shown) & set(ESCAPES) <= set("[]2J 0;title31mback")
