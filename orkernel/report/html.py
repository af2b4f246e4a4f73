"""The HTML report: one self-contained page, everything escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from orkernel.records import DIMENSIONS
from orkernel.report.annotated import marks, pieces
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

MAX_ROWS = 1000
"""Longest table of figures."""

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}
td,th{border-bottom:1px solid #ddd;padding:.2rem .8rem;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.good{color:#176b2c}.bad{color:#a11}
.statement{white-space:pre-wrap;background:#fafafa;padding:1rem;border-radius:.4rem}
mark{border-radius:.2rem;color:inherit}
.objective{background:#c9f0d1}.constraint{background:#cdeef6}.variable{background:#f1d5f5}
.parameter{background:#fff0b8}.set{background:#d8dffc}.result{background:#dff5c9}
"""


def to_html(answer: Answer, picture: bytes | None = None) -> str:
    """The report of an answer as a complete page.

    Args:
        answer: What is reported.
        picture: The front of the answer as PNG.
    """
    good = "good" if answer.exit_code == 0 else "bad"
    title = answer.formulation.title if answer.formulation is not None else ""
    body = [
        f"<h1>{escape(title or 'orkernel report')}</h1>",
        f'<p class="{good}"><strong>{escape(headline(answer))}</strong></p>',
        f"<p>{escape(answer.message)}</p>" if answer.message else "",
        f"<p>{escape(evidence_words(answer))}</p>",
        _table("Asked for", ("figure", "value"), _figures(answer.results)),
        _table("Objective", ("objective", "value"), _figures(answer.objectives)),
        _table("Decisions", ("variable", "value"), _figures(answer.variables)),
    ]
    body += [
        _table(
            "Simulated",
            ("figure", "estimate", "confidence interval", "scenarios"),
            [
                (f"{e.kind} {e.name}", figure(e.value), estimate_words(e), str(e.samples))
                for e in answer.estimates
            ],
        ),
        _front(answer),
        _picture(picture),
    ]
    if answer.duals is not None:
        rows = _figures(answer.duals["constraints"])
        body.append(_table("Worth of one unit more", ("constraint", "dual value"), rows))
    if answer.iis:
        rows = [(m.label, "\n".join(m.quotes)) for m in answer.iis]
        body.append(_table(conflict_words(answer), ("element", "in the statement"), rows))
    body += [
        _statement(answer),
        _model(answer),
        _candidates(answer),
        _list("Assumptions", answer.assumptions),
        _list("Diagnostics", (f"{d.element}: {d.message}" for d in answer.diagnostics)),
        _list("What the scorers find", finding_lines(answer)),
        _list("Notes", answer.notes),
        f"<p>{escape(words)}</p>" if (words := usage_words(answer)) else "",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title or 'orkernel report')}</title><style>{STYLE}</style></head>\n<body>"
        + "\n".join(part for part in body if part)
        + "</body></html>\n"
    )


def _front(answer: Answer) -> str:
    if answer.front is None:
        return ""
    names = list(answer.objectives)
    points = [[figure(p["objectives"][name]) for name in names] for p in answer.pareto[:MAX_ROWS]]
    corners = [
        ("ideal", *map(figure, answer.front.ideal)),
        ("nadir", *map(figure, answer.front.nadir)),
    ]
    return _table("Pareto front", names, points) + _table(
        "Best and worst on the front", ("", *names), corners
    )


def _picture(content: bytes | None) -> str:
    if content is None:
        return ""
    data = base64.b64encode(content).decode("ascii")
    return f'<img alt="The Pareto front" width="640" src="data:image/png;base64,{data}">'


def _figures(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Labels and figures; of a long list the first that are not zero."""
    rows = list(flatten(values))
    shown = rows if len(rows) <= MAX_ROWS else [(n, v) for n, v in rows if v != 0][:MAX_ROWS]
    cells = [(name, figure(value)) for name, value in shown]
    if len(shown) < len(rows):
        cells.append((f"… {len(rows) - len(shown)} more, all of them in answer.json", ""))
    return cells


def _table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    cells = [
        "<tr>"
        + "".join(
            f'<td class="n">{escape(c)}</td>' if k and _numeric(c) else f"<td>{escape(c)}</td>"
            for k, c in enumerate(row)
        )
        + "</tr>"
        for row in rows
    ]
    if not cells:
        return ""
    header = "".join(f"<th>{escape(h)}</th>" for h in head)
    return f"<h2>{escape(title)}</h2><table><tr>{header}</tr>{''.join(cells)}</table>"


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _statement(answer: Answer) -> str:
    if not answer.statement:
        return ""
    found = marks(answer.formulation) if answer.formulation is not None else []
    parts = []
    for text, covering in pieces(answer.statement, found):
        if not covering:
            parts.append(escape(text))
            continue
        inner = min(covering, key=lambda m: m.end - m.start)
        names = escape(", ".join(f"{m.role}: {', '.join(m.elements)}" for m in covering))
        parts.append(f'<mark class="{inner.role}" title="{names}">{escape(text)}</mark>')
    return f'<h2>Statement</h2><div class="statement">{"".join(parts)}</div>'


def _model(answer: Answer) -> str:
    formulation = answer.formulation
    if formulation is None:
        return ""
    rows = [
        (
            element.name,
            element.expression + (f"   for {element.for_each}" if element.for_each else ""),
            "\n".join(dict.fromkeys(s.quote for s in element.sources)),
        )
        for element in formulation.constraints
    ]
    goals = [
        (o.name, f"{o.sense} {o.expression}", "\n".join(dict.fromkeys(s.quote for s in o.sources)))
        for o in formulation.objectives
    ]
    return _table("Formulation", ("element", "expression", "in the statement"), [*goals, *rows])


def _candidates(answer: Answer) -> str:
    rows = [
        (
            f"{c.index + 1}" + (" (chosen)" if _chosen(answer) == c.index else ""),
            *(f"{c.confidence.get(d, 0.0):.0f}" for d in DIMENSIONS),
            c.refused or (str(c.trial.status) if c.trial else ""),
        )
        for c in answer.candidates
    ]
    return _table("Candidates", ("", *DIMENSIONS, "outcome"), rows) if len(rows) > 1 else ""


def _chosen(answer: Answer) -> int | None:
    return answer.selection.index if answer.selection else None


def _list(title: str, lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h2>{escape(title)}</h2><ul>{items}</ul>" if items else ""
