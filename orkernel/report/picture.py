"""A Pareto front as a picture; needs matplotlib (`pip install "orkernel[plot]"`)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.answer import Answer

    Floats = NDArray[np.float64]

DOTS_PER_INCH = 150
LINE = "#1f77b4"
CHOSEN = "#d62728"


def front_png(answer: Answer) -> bytes | None:
    """The front of an answer as PNG: scatter for two or three objectives, else parallel lines.

    Returns:
        The picture; None without a front, or where matplotlib is not installed.
    """
    if answer.front is None or len(answer.objectives) < 2 or find_spec("matplotlib") is None:
        return None
    goals = answer.formulation.objectives if answer.formulation is not None else ()
    return draw(
        [list(point["objectives"].values()) for point in answer.pareto],
        names=list(answer.objectives),
        maximize=[goal.sense == "maximize" for goal in goals],
        chosen=answer.compromise,
    )


def draw(
    front: Any,
    *,
    names: Sequence[str],
    maximize: Sequence[bool] = (),
    chosen: int | None = None,
) -> bytes:
    """A front as PNG.

    Args:
        front: Objective values, shape `(points, m)` with `m ≥ 2` and at least one point.
        names: Per objective its name.
        maximize: Per objective whether more is better, shown with the name.
        chosen: Position of the compromise, drawn in another colour.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    points = np.asarray(front, np.float64)
    labels = _labels(names, maximize)
    figure = Figure(figsize=(6.4, 4.8), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    colours = [LINE] * len(points)
    if chosen is not None:
        colours[chosen] = CHOSEN
    if points.shape[1] == 2:
        _plane(figure, points, labels, colours)
    elif points.shape[1] == 3:
        _space(figure, points, labels, colours)
    else:
        _parallel(figure, points, labels, chosen)
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _labels(names: Sequence[str], maximize: Sequence[bool]) -> list[str]:
    found = list(names)
    for k, more in enumerate(maximize):
        found[k] += " (more is better)" if more else " (less is better)"
    return [name.replace("$", r"\$") for name in found]


def _plane(figure: Any, points: Floats, labels: list[str], colours: list[str]) -> None:
    axes = figure.add_subplot()
    axes.scatter(points[:, 0], points[:, 1], s=14, c=colours)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.grid(alpha=0.3)


def _space(figure: Any, points: Floats, labels: list[str], colours: list[str]) -> None:
    axes = figure.add_subplot(projection="3d")
    axes.scatter(points[:, 0], points[:, 1], points[:, 2], s=14, c=colours)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.set_zlabel(labels[2])


def _parallel(figure: Any, points: Floats, labels: list[str], chosen: int | None) -> None:
    axes = figure.add_subplot()
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    scaled = (points - low) / np.where(extent > 0.0, extent, 1.0)
    places = np.arange(points.shape[1])
    axes.plot(places, scaled.T, color=LINE, alpha=0.3, linewidth=0.8)
    if chosen is not None:
        axes.plot(places, scaled[chosen], color=CHOSEN, linewidth=1.6)
    axes.set_xticks(places, labels, rotation=30, ha="right")
    axes.set_yticks([0.0, 1.0], ["least", "most"])
    axes.grid(axis="x", alpha=0.5)
