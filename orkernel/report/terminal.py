"""The terminal report: progress while a run works, tables when it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orkernel.records import DIMENSIONS, Event, Question
from orkernel.report.annotated import Mark, marks, role_styles
from orkernel.report.front import front_parts
from orkernel.report.values import flatten
from orkernel.report.words import (
    conflict_words,
    estimate_words,
    evidence_words,
    figure,
    finding_lines,
    headline,
    usage_words,
)

if TYPE_CHECKING:
    from orkernel.answer import Answer

MAX_ROWS = 40
"""Longest table of values; the rest is in the run folder and in `--json`."""

ALWAYS_TOLD = (
    "solver.failed",
    "solver.step",
    "model.retried",
    "model.unrecorded",
    "candidate.repairing",
    "candidate.last",
)
"""Events that are printed however quiet the user wants it."""


class Progress:
    """Prints one line per finished step, and the current one while it lasts."""

    def __init__(self, console: Console, verbosity: int = 0) -> None:
        self.console = console
        self.verbosity = verbosity
        self._status = console.status("") if console.is_terminal else None

    def __enter__(self) -> Progress:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._status is not None:
            self._status.stop()

    def pausing(self, ask: Callable[[Question], str | None]) -> Callable[[Question], str | None]:
        """The same asking, with the moving status line out of the way meanwhile."""

        def paused(question: Question) -> str | None:
            if self._status is None:
                return ask(question)
            self._status.stop()
            try:
                return ask(question)
            finally:
                self._status.start()

        return paused

    def observe(self, event: Event) -> None:
        """Show one event."""
        kind = event.kind
        if kind == "stage.started":
            self._show(f"{event.stage} …")
        elif kind == "stage.finished":
            seconds = event.data.get("seconds", 0.0)
            self.console.print(f"[dim]{event.stage:<10} {seconds:8.3f} s[/]", highlight=False)
        elif kind in ("candidate.ready", "candidate.refused"):
            number = event.data.get("index", 0) + 1
            self.console.print(
                f"  candidate {number}: {escape(event.message)}", style="dim", highlight=False
            )
        elif kind == "solver.incumbent":
            self._show(f"{event.stage} … {event.message}")
            if self.verbosity:
                self.console.print(f"  {escape(event.message)}", style="dim", highlight=False)
        elif kind == "formulator.reading":
            if self.verbosity:
                self.console.print(f"  {event.message}", style="dim", markup=False, highlight=False)
                trace = str(event.data.get("trace", ""))
                self.console.print(trace, style="dim", markup=False, highlight=False)
        elif kind in ("model.started", "model.waiting"):
            self._show(f"{event.stage} … {event.message}")
            if self.verbosity:
                self.console.print(f"  {escape(event.message)}", style="dim", highlight=False)
        elif kind == "log.line":
            if self.verbosity > 1:
                self.console.print(f"  | {escape(event.message)}", style="dim", highlight=False)
        elif self.verbosity or kind in ALWAYS_TOLD:
            self.console.print(f"  {escape(event.message)}", style="dim", highlight=False)

    def _show(self, text: str) -> None:
        if self._status is not None:
            self._status.update(f"[dim]{escape(text)}[/]")


def render(answer: Answer, *, verbosity: int = 0) -> RenderableType:
    """The whole report of an answer."""
    parts: list[RenderableType] = [_headline(answer)]
    parts += [table for table in (_results(answer), _objectives(answer)) if table.row_count]
    parts += [table for table in (_variables(answer), _duals(answer)) if table.row_count]
    if answer.estimates:
        parts.append(_estimates(answer))
    parts += front_parts(answer)
    if answer.iis:
        parts.append(_subset(answer))
    if answer.statement and answer.formulation is not None:
        parts.append(_statement(answer))
    if len(answer.candidates) > 1:
        parts.append(_candidates(answer))
    parts += list(_remarks(answer, verbosity))
    return Group(*(part for pair in ((p, "") for p in parts) for part in pair))


def _headline(answer: Answer) -> Text:
    good = answer.exit_code == 0
    style = "bold green" if good else "bold yellow" if answer.verified else "bold red"
    text = Text(headline(answer), style=style)
    if answer.message:
        text.append(f"\n{answer.message}", style="default")
    if (words := evidence_words(answer)) != "":
        text.append(f"\n{words}", style="dim")
    return text


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
    return table


def _fill(table: Table, pairs: Iterator[tuple[str, float]], units: Mapping[str, str]) -> Table:
    rows = list(pairs)
    shown = rows if len(rows) <= MAX_ROWS else [(k, v) for k, v in rows if v != 0][:MAX_ROWS]
    for name, value in shown:
        unit = units.get(name.partition("[")[0], "")
        table.add_row(escape(name), figure(value), escape(unit))
    if len(shown) < len(rows):
        table.add_row(f"… {len(rows) - len(shown)} more (zeros first left out)", "", "")
    return table


def _results(answer: Answer) -> Table:
    units = {r.name: r.unit or "" for r in _elements(answer, "results")}
    return _fill(_table("Asked for", "figure", "value", "unit"), flatten(answer.results), units)


def _objectives(answer: Answer) -> Table:
    table = _table("Objective", "objective", "value", "unit")
    units = {o.name: o.unit or "" for o in _elements(answer, "objectives")}
    for name, value in answer.objectives.items():
        table.add_row(escape(name), figure(value), escape(units.get(name, "")))
    return table


def _elements(answer: Answer, kind: str) -> tuple[Any, ...]:
    return getattr(answer.formulation, kind) if answer.formulation is not None else ()


def _variables(answer: Answer) -> Table:
    units = {v.name: v.unit or "" for v in _elements(answer, "variables")}
    return _fill(_table("Decisions", "variable", "value", "unit"), flatten(answer.variables), units)


def _duals(answer: Answer) -> Table:
    table = _table("Worth of one unit more", "constraint", "dual value")
    if answer.duals is not None:
        pairs = [(n, v) for n, v in flatten(answer.duals["constraints"]) if abs(v) > 1e-9]
        for name, value in pairs[:MAX_ROWS]:
            table.add_row(escape(name), figure(value))
    return table


def _estimates(answer: Answer) -> Table:
    table = _table("Simulated", "figure", "estimate", "confidence interval", "scenarios")
    for estimate in answer.estimates[:MAX_ROWS]:
        table.add_row(
            escape(f"{estimate.kind} {estimate.name}"),
            figure(estimate.value),
            estimate_words(estimate),
            f"{estimate.samples:,}",
        )
    return table


def _subset(answer: Answer) -> Table:
    title = conflict_words(answer)
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False)
    table.add_column("element", overflow="fold")
    table.add_column("in the statement", overflow="fold")
    for member in answer.iis or ():
        quotes = "\n".join(f"“{q}”" for q in member.quotes) or "(no sentence)"
        table.add_row(escape(member.label), escape(quotes))
    return table


def _statement(answer: Answer) -> Text:
    """The statement, each used phrase coloured by the element that it stands for."""
    text = Text("Statement\n", style="bold")
    body = Text(answer.statement.strip("\n"), style="default")
    shift = len(answer.statement) - len(answer.statement.lstrip("\n"))
    found: list[Mark] = marks(answer.formulation) if answer.formulation is not None else []
    styles = role_styles()
    for mark in found:
        body.stylize(styles[mark.role], mark.start - shift, mark.end - shift)
    text.append_text(body)
    legend = Text("\n")
    for role in dict.fromkeys(mark.role for mark in found):
        legend.append(f" {role} ", style=styles[role])
        legend.append(" ")
    text.append_text(legend)
    for mark in found:
        text.append(f"\n  “{_short(mark.quote)}”", style=styles[mark.role])
        text.append(f" → {', '.join(mark.elements)}", style="dim")
    return text


def _short(quote: str, width: int = 60) -> str:
    flat = " ".join(quote.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _candidates(answer: Answer) -> Table:
    table = _table("Candidates", "", *DIMENSIONS, "least", "trial")
    chosen = answer.selection.index if answer.selection else None
    for candidate in answer.candidates:
        mark = "→" if candidate.index == chosen else " "
        scores = [f"{candidate.confidence.get(d, 0.0):.0f}" for d in DIMENSIONS]
        trial = candidate.trial
        if candidate.refused:
            outcome = f"refused: {candidate.refused}"
        elif trial is None:
            outcome = ""
        else:
            outcome = str(trial.status)
            if trial.objective is not None:
                outcome += f" {figure(trial.objective)}"
        table.add_row(
            f"{mark} {candidate.index + 1}",
            *scores,
            f"{candidate.min_confidence:.0f}",
            escape(_short(outcome, 90)),
        )
    return table


def _remarks(answer: Answer, verbosity: int) -> Iterator[Text]:
    if answer.assumptions:
        yield _list("Assumptions", answer.assumptions)
    found = [
        f"{d.element}: {d.message}" + (f" — {d.suggestion}" if d.suggestion else "")
        for d in answer.diagnostics
        if verbosity or d.severity == "error" or d.code != "no-source"
    ]
    if found:
        yield _list("Diagnostics", found)
    if open_findings := finding_lines(answer):
        yield _list("What the scorers find", open_findings)
    if notes := [note for note in answer.notes if note not in answer.message]:
        yield _list("Notes", notes)
    if words := usage_words(answer):
        yield Text(words, style="dim")
    if answer.run_dir is not None:
        yield Text(f"run folder: {answer.run_dir}", style="dim")


def _list(title: str, lines: Any) -> Text:
    text = Text(title, style="bold")
    for line in lines:
        text.append(f"\n  · {line}", style="default")
    return text
