"""`from_mps.py` loses nothing: the formulation's arrays are those that HiGHS read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import highspy
import numpy as np
import pytest
from scipy.sparse import csc_array

from orkernel import Model, load_formulation
from orkernel.algebra.forms import LinearForm

SCRIPT = Path(__file__).parent / "from_mps.py"

EVERYTHING = """\
NAME          EVERYTHING
ROWS
 N  COST
 L  LIM1
 G  LIM2
 E  EQU1
 L  RNG1
 G  RNG2
 E  RNG3
COLUMNS
    PLAIN     COST             1.5   LIM1               1
    PLAIN     EQU1              -1   RNG1               2
    FREE      COST              -1   LIM2               1
    FREE      RNG2               3
    MINUS     LIM1               4   RNG3               1
    BOXED     COST               2   LIM2              -2
    BOXED     EQU1               7
    FIXED     COST              10   LIM1               1
    M1        'MARKER'                 'INTORG'
    FLAG      COST               3   LIM1              -5
    COUNT     LIM2               1   RNG1               1
    COUNT     RNG3             0.5
    DEFAULT   COST               1   LIM2               6
    M2        'MARKER'                 'INTEND'
RHS
    RHS       COST             -12   LIM1               4
    RHS       LIM2               1   EQU1               7
    RHS       RNG1               8   RNG2               2
    RHS       RNG3              -1
RANGES
    RNG       RNG1             2.5   RNG2               4
    RNG       RNG3              -3
BOUNDS
 FR BND       FREE
 MI BND       MINUS
 UP BND       MINUS              9
 LO BND       BOXED             -3
 UP BND       BOXED             2.5
 FX BND       FIXED              6
 BV BND       FLAG
 LO BND       COUNT              2
 UP BND       COUNT             40
 PL BND       DEFAULT
ENDATA
"""
FREE_FORMAT = """\
NAME small
OBJSENSE
 MAX
ROWS
 N profit
 L a_long_row_name
COLUMNS
 first_long_column profit 3 a_long_row_name 1
 second_long_column a_long_row_name 2
RHS
 rhs a_long_row_name 10
BOUNDS
 UP bnd second_long_column 4
ENDATA
"""
CONSTANT = """\
NAME          CONSTANT
ROWS
 N  COST
 G  ROW
COLUMNS
    X         ROW                1
RHS
    RHS       ROW                1   COST             -5
ENDATA
"""


def converted(text: str, folder: Path) -> tuple[LinearForm, highspy.HighsLp]:
    """The same MPS text through the script and straight through HiGHS."""
    source, target = folder / "model.mps", folder / "model.json"
    source.write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, str(SCRIPT), str(source), str(target)], check=True)
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(source))
    return Model.bind(load_formulation(target)).linear(), highs.getLp()


@pytest.mark.parametrize("text", [EVERYTHING, FREE_FORMAT, CONSTANT])
def test_rows_columns_bounds_and_costs_equal_those_read_by_highs(text: str, tmp_path: Path) -> None:
    form, lp = converted(text, tmp_path)
    columns = [form.columns.member(c)[0] for c in range(lp.num_col_)]
    rows = [form.rows.index_of(r)["r"] for r in range(len(form.rows))]
    order = [columns.index(name) for name in lp.col_names_]
    matrix = lp.a_matrix_
    expected = csc_array(
        (matrix.value_, matrix.index_, matrix.start_), shape=(lp.num_row_, lp.num_col_)
    ).toarray()
    dense = form.matrix.toarray()[:, order]
    integer = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_]

    assert np.array_equal(form.columns.lower[order], lp.col_lower_)
    assert np.array_equal(form.columns.upper[order], lp.col_upper_)
    assert form.columns.integer[order].tolist() == (integer or [False] * lp.num_col_)
    (objective,) = form.objectives
    assert np.array_equal(objective.cost[order], lp.col_cost_)
    assert objective.offset == lp.offset_
    assert objective.maximize == (lp.sense_ == highspy.ObjSense.kMaximize)
    for position, name in enumerate(lp.row_names_):
        lower, upper = -np.inf, np.inf
        for r in (r for r, label in enumerate(rows) if label == name):
            # `low <= body` is the row `low - body <= 0`: the coefficients change sign.
            sides = (form.row_lower[r], form.row_upper[r])
            if np.array_equal(dense[r], -expected[position]):
                sides = (-sides[1], -sides[0])
            else:
                assert np.array_equal(dense[r], expected[position])
            lower, upper = max(lower, sides[0]), min(upper, sides[1])
        assert (lower, upper) == (lp.row_lower_[position], lp.row_upper_[position])


def test_an_unreadable_file_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    source, target = tmp_path / "broken.mps", tmp_path / "broken.json"
    source.write_text("ROWS\n Q nonsense\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(source), str(target)], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "is not an MPS file that HiGHS can read" in done.stderr
    assert not target.exists()
