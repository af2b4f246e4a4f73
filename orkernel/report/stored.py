"""A stored run for the terminal, as far as it got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orkernel.report.values import flatten
from orkernel.report.words import figure

if TYPE_CHECKING:
    from orkernel.runs import RunFolder

PARTS = (
    ("results", "Asked for"),
    ("objectives", "Objective"),
    ("variables", "Decisions"),
)


def render_stored(folder: RunFolder) -> RenderableType:
    """State, answer, candidates and chosen agents of a run folder."""
    run: dict[str, Any] = folder.read_json("run.json") or {}
    answer: dict[str, Any] | None = folder.read_json("answer.json")
    parts: list[RenderableType] = [
        Text(f"{run.get('name', '')} · {run.get('state', 'damaged')}", style="bold")
    ]
    if answer is None:
        parts.append(Text(f"no answer; go on with `orkernel run --resume {folder.path}`"))
    else:
        checked = "verified" if answer["verified"] else "not verified"
        line = f"{answer['status']} · {checked}"
        if answer["evidence"]:
            line += f" · {answer['evidence']}"
        parts.append(Text(line))
        if answer["message"]:
            parts.append(Text(answer["message"]))
        parts += [_table(title, answer[key]) for key, title in PARTS if answer[key]]
        for key in ("assumptions", "notes"):
            parts += [Text(f"{key.removesuffix('s')}: {line}") for line in answer[key]]
    for candidate in folder.read_candidates():
        outcome = candidate.refused or (str(candidate.trial.status) if candidate.trial else "")
        parts.append(
            Text(
                f"candidate {candidate.index + 1}: least confidence "
                f"{candidate.min_confidence:.0f}; {outcome}",
                style="dim",
            )
        )
    selection = folder.read_json("selection.json")
    if selection is not None:
        parts.append(
            Text(f"selected candidate {selection['index'] + 1}: {selection['reason']}", style="dim")
        )
    classification = folder.read_json("classification.json")
    if classification is not None:
        for agent in classification["agents"]:
            parts.append(Text(f"agent {agent['name']}: {agent['reason']}", style="dim"))
    return Group(*parts)


def _table(title: str, values: dict[str, Any]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False)
    table.add_column("name", overflow="fold")
    table.add_column("value", justify="right")
    for name, value in flatten(values):
        table.add_row(escape(name), figure(value))
    return table
