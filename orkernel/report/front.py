"""A Pareto front in the terminal: its points, its corners, and a picture of two objectives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orkernel.report.words import figure

if TYPE_CHECKING:
    from orkernel.answer import Answer

MAX_POINTS = 25
"""Most points in the table; all of them are in the run folder and in `--json`."""
WIDTH, HEIGHT = 60, 16
"""Size of the picture in characters."""
POINT, CHOSEN = "●", "◆"


def front_parts(answer: Answer) -> Iterator[RenderableType]:
    """The tables and the picture of an answer's front; nothing without one."""
    if answer.front is None or not answer.pareto:
        return
    points = [point["objectives"] for point in answer.pareto]
    assert answer.compromise is not None
    chosen = points[answer.compromise]
    yield _points(points, chosen)
    yield _corners(answer)
    if len(points[0]) == 2:
        yield picture(points, chosen)


def _points(points: Sequence[Mapping[str, float]], chosen: Mapping[str, float]) -> Table:
    table = _table("Pareto front")
    table.add_column("")
    names = list(points[0])
    for name in names:
        table.add_column(escape(name), justify="right", overflow="fold")
    ordered = sorted(points, key=lambda p: p[names[0]])
    for point in _thinned(ordered):
        mark = CHOSEN if point == chosen else ""
        table.add_row(mark, *(figure(point[name]) for name in names))
    if len(ordered) > MAX_POINTS:
        table.caption = f"{MAX_POINTS} of {len(ordered)} points, evenly spread"
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", title_style="bold", show_edge=False)


def _thinned(points: list[Mapping[str, float]]) -> list[Mapping[str, float]]:
    if len(points) <= MAX_POINTS:
        return points
    step = (len(points) - 1) / (MAX_POINTS - 1)
    return [points[round(k * step)] for k in range(MAX_POINTS)]


def _corners(answer: Answer) -> Table:
    assert answer.front is not None
    table = _table("Best and worst on the front")
    table.add_column("objective", overflow="fold")
    table.add_column("ideal", justify="right")
    table.add_column("nadir", justify="right")
    for name, ideal, nadir in zip(
        answer.objectives, answer.front.ideal, answer.front.nadir, strict=True
    ):
        table.add_row(escape(name), figure(ideal), figure(nadir))
    volume = answer.front.hypervolume
    if volume is not None:
        table.caption = (
            f"{len(answer.pareto)} points, hypervolume {volume:.4g} of the unit box + 10 %"
        )
    return table


def picture(points: Sequence[Mapping[str, float]], chosen: Mapping[str, float]) -> Text:
    """Two objectives as a scatter plot of characters.

    Args:
        points: Objective values by name, two each.
        chosen: The compromise, marked.
    """
    across, up = points[0]
    xs, ys = [p[across] for p in points], [p[up] for p in points]
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for point in sorted(points, key=lambda p: p == chosen):
        column = _cell(point[across], xs, WIDTH)
        row = HEIGHT - 1 - _cell(point[up], ys, HEIGHT)
        grid[row][column] = CHOSEN if point == chosen else POINT
    high, low = figure(max(ys)), figure(min(ys))
    margin = max(len(high), len(low))
    lines = [f"{up}"]
    for number, row_cells in enumerate(grid):
        label = high if number == 0 else low if number == HEIGHT - 1 else ""
        lines.append(f"{label:>{margin}} │{''.join(row_cells).rstrip()}")
    left, right = figure(min(xs)), figure(max(xs))
    lines.append(f"{'':>{margin}} └{'─' * WIDTH}")
    gap = max(1, WIDTH - len(left) - len(right))
    lines.append(f"{'':>{margin}}  {left}{' ' * gap}{right}  {across}")
    return Text("\n".join(lines))


def _cell(value: float, values: Sequence[float], cells: int) -> int:
    low, high = min(values), max(values)
    return (
        0 if high == low else min(cells - 1, int((value - low) / (high - low) * (cells - 1) + 0.5))
    )
