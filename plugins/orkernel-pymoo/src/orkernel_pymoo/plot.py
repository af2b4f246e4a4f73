"""A Pareto front as a picture."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DOTS_PER_INCH = 150
LINE = "#1f77b4"
CHOSEN = "#d62728"


def plot(
    front: Any,
    path: Path,
    *,
    names: Sequence[str] = (),
    maximize: Sequence[bool] = (),
    chosen: int | None = None,
) -> None:
    """Write a front as PNG: scatter for two or three objectives, parallel coordinates beyond.

    The file appears complete or not at all.

    Args:
        front: Objective values, shape `(points, m)` with `m ≥ 2` and at least one point.
        path: The file to write.
        names: Per objective its name.
        maximize: Per objective whether more is better, shown with the name.
        chosen: Position of the compromise, drawn in another colour.

    Raises:
        ValueError: The front has no points or fewer than two objectives.
        OSError: The file cannot be written.
    """
    points = np.asarray(front, np.float64)
    if points.ndim != 2 or points.shape[0] < 1 or points.shape[1] < 2:
        raise ValueError(f"a front has points with at least two objectives, not {points.shape}")
    labels = _labels(points.shape[1], names, maximize)
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
    _written(figure, Path(path))


def _labels(count: int, names: Sequence[str], maximize: Sequence[bool]) -> list[str]:
    found = [*names, *(f"objective {k + 1}" for k in range(len(names), count))]
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


def _written(figure: Any, path: Path) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".png", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            figure.savefig(file, format="png")
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
