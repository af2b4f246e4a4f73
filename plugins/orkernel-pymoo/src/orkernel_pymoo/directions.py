"""Reference directions of NSGA-III for a wanted number of points."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np
from pymoo.util.ref_dirs import get_reference_directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYERED = 6
"""From this many objectives on, directions lie in two layers: one would leave only the rim."""


def directions(objectives: int, wanted: int) -> Floats:
    """Evenly spread directions, shape `(at most wanted if possible, objectives)`.

    Das and Dennis (SIAM J. Optim. 8, 1998), the largest number of partitions that fits; from
    six objectives on an outer and an inner layer (Deb and Jain, IEEE Trans. Evol. Comput. 18,
    2014, sec. IV).

    Args:
        objectives: Number of objectives, at least 2.
        wanted: Wanted number of directions.
    """
    if objectives < LAYERED:
        return _layer(objectives, _partitions(objectives, wanted))
    outer = _partitions(objectives, wanted)
    used = comb(outer + objectives - 1, objectives - 1)
    inner = _partitions(objectives, wanted - used) if used + objectives <= wanted else 1
    within = _layer(objectives, min(inner, max(1, outer - 1)))
    spread: Floats = np.vstack([_layer(objectives, outer), 0.5 * within + 0.5 / objectives])
    return spread


def _partitions(objectives: int, wanted: int) -> int:
    partitions = 1
    while comb(partitions + objectives, objectives - 1) <= wanted:
        partitions += 1
    return partitions


def _layer(objectives: int, partitions: int) -> Floats:
    found: Floats = get_reference_directions("das-dennis", objectives, n_partitions=partitions)
    return found
