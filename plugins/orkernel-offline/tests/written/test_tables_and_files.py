"""Tables and CSV files: each rule that ties them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import readings

MODEL = r"""
$\min \sum_{i \in I} \sum_{j \in J} c_{ij} x_{ij}$ s.t. $\sum_{i \in I} x_{ij} \ge 1$ for all
$j \in J$, $x_{ij} \ge 0$ for all $i \in I, j \in J$.
"""


def parameter(statement: str, name: str) -> Any:
    (found,) = [p for p in readings(statement)[0].formulation["parameters"] if p["name"] == name]
    return found["value"]


def test_matrix_named_in_the_corner_cell() -> None:
    table = "| $c_{ij}$ | u | v |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |\n"
    assert parameter(table + MODEL, "c") == {"a": {"u": 1, "v": 2}, "b": {"u": 3, "v": 4}}


def test_matrix_named_in_the_sentence_before() -> None:
    table = (
        "The costs $c_{ij}$ are:\n\n| from | u | v |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |\n"
    )
    assert parameter(table + MODEL, "c")["b"] == {"u": 3, "v": 4}


def test_matrix_named_in_a_caption_after_it() -> None:
    table = (
        "\\begin{table}\\begin{tabular}{lrr} & u & v \\\\ a & 1 & 2 \\\\ b & 3 & 4 \\end{tabular}\n"
        "\\caption{Costs $c_{ij}$}\\end{table}\n"
    )
    assert parameter(table + MODEL, "c")["a"] == {"u": 1, "v": 2}


def test_transposed_matrix_is_recognised_by_its_labels() -> None:
    sets = r"$I = \{a, b\}$, $J = \{u, v\}$. Costs $c_{ij}$:" + "\n\n"
    table = "| | a | b |\n|---|---|---|\n| u | 1 | 2 |\n| v | 3 | 4 |\n"
    assert parameter(sets + table + MODEL, "c") == {"a": {"u": 1, "v": 3}, "b": {"u": 2, "v": 4}}


def test_numbers_with_currency_grouping_and_percent() -> None:
    statement = (
        "| product | profit | share |\n|---|---|---|\n"
        "| A | $1,250.50 | 30% |\n| B | 900 | 5 % |\n\n"
        "P = {A, B}\nmaximize sum(profit[p]*q[p] for p in P) subject to "
        "sum(share[p]*q[p] for p in P) <= 3\nq[p] >= 0 for p in P"
    )
    assert parameter(statement, "profit") == {"A": 1250.5, "B": 900}
    assert parameter(statement, "share") == {"A": 0.3, "B": 0.05}


def test_numbered_labels_stand_for_the_members_of_a_range() -> None:
    statement = (
        "| plant | cap $a_i$ |\n|---|---|\n| Plant 1 | 5 |\n| Plant 2 | 7 |\n\n"
        r"$\max \sum_{i=1}^2 x_i$ s.t. $x_i \le a_i,\ i = 1,2$, $x_i \ge 0,\ i=1,2$"
    )
    assert parameter(statement, "a") == {"1": 5, "2": 7}


def test_other_labels_stand_for_a_range_in_order_with_an_assumption() -> None:
    statement = (
        "| plant | cap $a_i$ |\n|---|---|\n| Oslo | 5 |\n| Bergen | 7 |\n\n"
        r"$\max \sum_{i=1}^2 x_i$ s.t. $x_i \le a_i,\ i = 1,2$, $x_i \ge 0,\ i=1,2$"
    )
    formulation = readings(statement)[0].formulation
    assert formulation["parameters"][0]["value"] == {"1": 5, "2": 7}
    assert any("rows of the table" in a["text"] for a in formulation["assumptions"])


REFUSED = [
    ("| from | u | v |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |", "which parameter this table"),
    (
        "| $c_{ij}$ | u | v |\n|---|---|---|\n| a | 1 |\n| b | 3 | 4 |",
        "has 2 cells but the header has 3",
    ),
    ("| $c_{ij}$ | u | v |\n|---|---|---|\n| a | 1 | 2 |\n| a | 3 | 4 |", "names a member twice"),
    (
        "| $i$ | $j$ | $c_{ij}$ |\n|---|---|---|\n| a | u | 1 |\n| a | v | many |",
        "a number is expected",
    ),
]


@pytest.mark.parametrize(("table", "reason"), REFUSED, ids=[r[1] for r in REFUSED])
def test_table_that_cannot_be_tied_is_refused(table: str, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        readings(f"Some data:\n\n{table}\n{MODEL}")
    assert reason in refused.value.reason
    assert refused.value.spans


def test_label_that_is_no_member_is_refused_with_its_cell() -> None:
    statement = (
        r"$I = \{a, b\}$, $J = \{u, v\}$." + "\n\n"
        "| $c_{ij}$ | u | w |\n|---|---|---|\n| a | 1 | 2 |\n| b | 3 | 4 |\n" + MODEL
    )
    with pytest.raises(Unreadable) as refused:
        readings(statement)
    start, end = refused.value.spans[0]
    assert statement[start:end] == "w"


def test_csv_files_give_parameters_and_sets(tmp_path: Path, optimum: Callable[..., float]) -> None:
    (tmp_path / "costs.csv").write_text("plant,market,usd\na,u,4\na,v,6\nb,u,5\nb,v,3\n")
    (tmp_path / "demand.csv").write_text("market,tons\nu,10\nv,20\n")
    (tmp_path / "plants.csv").write_text("plant,cap\na,25\nb,15\n")
    statement = (
        "The plants I and markets J. "
        "The costs c[i,j] are in costs.csv (columns plant, market, usd).\n"
        "The capacity a[i] is in plants.csv (columns plant, cap).\n"
        "The demand d[j] is in `demand.csv`, columns `market` and `tons`.\n\n"
        "minimize sum(c[i,j]*x[i,j] for i in I for j in J)\n"
        "subject to\nsum(x[i,j] for j in J) <= a[i] for i in I\n"
        "sum(x[i,j] for i in I) >= d[j] for j in J\nx[i,j] >= 0 for i in I, j in J\n"
    )
    formulation = readings(statement)[0].formulation
    assert optimum(formulation, tmp_path) == pytest.approx(4 * 10 + 3 * 15 + 6 * 5)


def test_csv_file_without_columns_is_refused() -> None:
    statement = (
        "The cost c[i] is in costs.csv.\nmin sum(c[i]*x[i] for i in I)\nx[i] >= 1 for i in I"
    )
    with pytest.raises(Unreadable, match=r"which columns of costs\.csv"):
        readings(statement)
