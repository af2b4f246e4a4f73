"""Published instances with their optimum, as formulations.

    python published.py NAME FILE.json

Optima of the job shops come with the data; those of the tours and assignments are the ones that
TSPLIB and QAPLIB list.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from job_shops import Record, job_shop_formulation, job_shops
from qaplib import assignment_formulation, assignment_matrices
from tsplib import distances, tour_formulation

SHOPS = ("ft06", "ft10", "ft20", *(f"la{k:02d}" for k in range(1, 16)))
TOURS = {
    "burma14": 3323,
    "ulysses16": 6859,
    "gr17": 2085,
    "br17": 39,
    "fri26": 937,
    "bays29": 2020,
    "att48": 10628,
    "berlin52": 7542,
}
ASYMMETRIC = frozenset({"br17"})
ASSIGNMENTS = {"chr12a": 9552}
NAMES = (*SHOPS, *TOURS, *ASSIGNMENTS)


def tour_matrix(name: str) -> list[list[int]]:
    """Distances of one of the tours."""
    return distances(f"{name}.atsp" if name in ASYMMETRIC else f"{name}.tsp")


def optimum(name: str) -> int:
    """The known optimum of an instance."""
    known = (TOURS | ASSIGNMENTS).get(name)
    if known is None:
        known = job_shops()[name].optimum
    if known is None:
        raise LookupError(f"the optimum of {name} is not known")
    return known


def formulation(name: str) -> Record:
    """An instance as a formulation."""
    if name in TOURS:
        return tour_formulation(f"Tour {name}", tour_matrix(name))
    if name in ASSIGNMENTS:
        return assignment_formulation(f"Assignment {name}", *assignment_matrices(name))
    return job_shop_formulation(job_shops()[name])


def main() -> None:
    """Read the arguments, write the formulation."""
    parser = argparse.ArgumentParser(description="Write a published instance as a formulation.")
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    arguments.target.write_text(json.dumps(formulation(arguments.name)), encoding="utf-8")


if __name__ == "__main__":
    main()
