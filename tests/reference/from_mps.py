"""Turn an MPS file into a formulation in sparse indexed form.

    python from_mps.py MODEL.mps model.json --title "Refinery planning"

HiGHS reads the file (fixed or free format, RANGES, BOUNDS, integer markers, an
objective constant given as a right-hand side). Columns are grouped by domain and
kind of bound, one variable per group `v`, with

- `COL_V`, its columns, and `NZ_V`, the tuples (row, column) of its nonzeros;
- `a_v`, `cost_v`, `lower_v`, `upper_v`, its data.

Rows are grouped by sense into the sets `LE`, `GE`, `EQ` and `RANGE`. Records are
written one per line, so that a change of the data reads well in a diff.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import highspy

Record = dict[str, Any]
LETTER = {"continuous": "x", "integer": "n"}
COMPARISON = {
    "LE": "{body} <= high_le[r]",
    "GE": "{body} >= low_ge[r]",
    "EQ": "{body} == low_eq[r]",
    "RANGE": "low_range[r] <= {body} <= high_range[r]",
}


def read(path: Path) -> highspy.HighsLp:
    """The model in an MPS file, columns compressed.

    Raises:
        ValueError: If HiGHS cannot read the file.
    """
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    if highs.readModel(str(path)) == highspy.HighsStatus.kError:
        raise ValueError(f"{path} is not an MPS file that HiGHS can read")
    return highs.getLp()


def number(value: float) -> int | float:
    """An int where the value is whole: the file reads `1`, not `1.0`."""
    return int(value) if value.is_integer() else value


def group_of(lower: float, upper: float, integer: bool) -> tuple[str, str]:
    """Variable name and domain of a column, from its bounds and integrality."""
    if integer and (lower, upper) == (0, 1):
        return "y", "binary"
    domain = "integer" if integer else "continuous"
    below = "" if lower == 0 else "_free" if math.isinf(lower) else "_from"
    above = "" if math.isinf(upper) else "_to"
    return LETTER[domain] + below + above, domain


def sense_of(lower: float, upper: float) -> str:
    """Row set of a row, from its bounds."""
    if lower == upper:
        return "EQ"
    if math.isinf(lower):
        return "LE"
    return "GE" if math.isinf(upper) else "RANGE"


class Writer:
    """Collects the records of a formulation, and the terms of its rows and of its goal."""

    def __init__(self, lp: highspy.HighsLp) -> None:
        self.lp = lp
        self.sets: list[Record] = []
        self.parameters: list[Record] = []
        self.variables: list[Record] = []
        self.constraints: list[Record] = []
        self.body: list[str] = []
        self.goal: list[str] = []

    def _parameter(self, name: str, index: str, value: Mapping[str, Any], **more: int) -> None:
        self.parameters.append({"name": name, "index": [index], "value": dict(value)} | more)

    def add_columns(self, name: str, domain: str, columns: list[int]) -> None:
        """One group of columns: sets, data, variable, terms."""
        labels = [self.lp.col_names_[c] for c in columns]
        index = f"COL_{name.upper()}"
        self.sets.append({"name": index, "members": labels})
        self._add_nonzeros(name, columns)
        costs = [number(self.lp.col_cost_[c]) for c in columns]
        if any(costs):
            nonzero = {label: cost for label, cost in zip(labels, costs, strict=True) if cost}
            self._parameter(f"cost_{name}", index, nonzero, default=0)
            self.goal.append(f"sum(cost_{name}[c]*{name}[c] for c in {index})")
        variable: Record = {"name": name, "index": [index], "domain": domain}
        if "_free" in name:
            variable["lower"] = None
        for side, suffix, bounds in (
            ("lower", "_from", self.lp.col_lower_),
            ("upper", "_to", self.lp.col_upper_),
        ):
            if suffix in name:
                values = [number(bounds[c]) for c in columns]
                self._parameter(f"{side}_{name}", index, dict(zip(labels, values, strict=True)))
                variable |= {side: f"{side}_{name}[c]", "for_each": f"c in {index}"}
        self.variables.append(variable)

    def _add_nonzeros(self, name: str, columns: list[int]) -> None:
        matrix, nonzeros = self.lp.a_matrix_, f"NZ_{name.upper()}"
        pairs: list[list[str]] = []
        values: dict[str, Record] = defaultdict(dict)
        for column in columns:
            label = self.lp.col_names_[column]
            for k in range(matrix.start_[column], matrix.start_[column + 1]):
                row = self.lp.row_names_[matrix.index_[k]]
                pairs.append([row, label])
                values[row][label] = number(matrix.value_[k])
        if pairs:
            self.sets.append({"name": nonzeros, "members": pairs})
            self._parameter(f"a_{name}", nonzeros, values)
            self.body.append(f"sum(a_{name}[r,c]*{name}[c] for (s,c) in {nonzeros} if s == r)")

    def add_rows(self, sense: str, rows: list[int]) -> None:
        """The rows of one sense: set, right-hand sides, constraint."""
        labels, name = [self.lp.row_names_[r] for r in rows], sense.lower()
        expression = COMPARISON[sense].format(body=" + ".join(self.body))
        self.sets.append({"name": sense, "members": labels})
        for side, bounds in (("low", self.lp.row_lower_), ("high", self.lp.row_upper_)):
            if f"{side}_{name}[r]" in expression:
                values = [number(bounds[r]) for r in rows]
                self._parameter(f"{side}_{name}", sense, dict(zip(labels, values, strict=True)))
        constraint = {"name": name, "for_each": f"r in {sense}", "expression": expression}
        self.constraints.append(constraint)


def formulation_of(lp: highspy.HighsLp, title: str) -> Record:
    """The whole formulation as plain JSON values."""
    columns: dict[tuple[str, str], list[int]] = defaultdict(list)
    kinds = lp.integrality_ or [highspy.HighsVarType.kContinuous] * lp.num_col_
    for c, kind in enumerate(kinds):
        integer = kind == highspy.HighsVarType.kInteger
        columns[group_of(lp.col_lower_[c], lp.col_upper_[c], integer)].append(c)
    rows: dict[str, list[int]] = defaultdict(list)
    for r in range(lp.num_row_):
        rows[sense_of(lp.row_lower_[r], lp.row_upper_[r])].append(r)

    writer = Writer(lp)
    for (name, domain), members in columns.items():
        writer.add_columns(name, domain, members)
    for sense, members in rows.items():
        writer.add_rows(sense, members)
    if lp.offset_ or not writer.goal:
        writer.goal.append(str(number(lp.offset_)))
    goal = {
        "name": "objective",
        "sense": "maximize" if lp.sense_ == highspy.ObjSense.kMaximize else "minimize",
        "expression": " + ".join(writer.goal),
    }
    return {
        "schema_version": 1,
        "title": title,
        "sets": writer.sets,
        "parameters": writer.parameters,
        "variables": writer.variables,
        "objectives": [goal],
        "constraints": writer.constraints,
    }


def to_text(formulation: Record) -> str:
    """JSON with one record per line."""
    parts = []
    for key, value in formulation.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list):
            lines = ",\n  ".join(json.dumps(record, ensure_ascii=False) for record in value)
            text = f"[\n  {lines}\n ]"
        parts.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Read the arguments, write the formulation."""
    parser = argparse.ArgumentParser(description="Turn an MPS file into a formulation.")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--title", default="")
    arguments = parser.parse_args()
    formulation = formulation_of(read(arguments.source), arguments.title)
    arguments.target.write_text(to_text(formulation), encoding="utf-8")


if __name__ == "__main__":
    main()
