"""What counts as right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orkernel.bench.items import read_items
from orkernel.bench.scoring import Outcome, Tolerance, reasons, summarise
from orkernel.errors import UsageError


@pytest.mark.parametrize(
    ("text", "found", "label", "right"),
    [
        ("rel:1e-4", 100.009, 100.0, True),
        ("rel:1e-4", 100.02, 100.0, False),
        ("rel:1e-4", 0.0, 0.0, True),
        ("rel:1e-4", 1e-3, 0.0, False),
        ("abs:0.5", 3.4, 3.0, True),
        ("abs:0.5", 3.6, 3.0, False),
        ("rel:1e-4", -100.0, 100.0, False),
    ],
)
def test_tolerance(text: str, found: float, label: float, right: bool) -> None:
    assert Tolerance.parse(text).accepts(found, label) is right


@pytest.mark.parametrize("text", ["1e-4", "rel", "rel:x", "abs:-1", "rel:nan", "abs:inf", ""])
def test_a_malformed_tolerance_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is neither rel:R nor abs:A"):
        Tolerance.parse(text)


def write(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_labels_beside_the_file_name_the_figure_and_its_faults(tmp_path: Path) -> None:
    data = write(
        tmp_path / "q.jsonl",
        [
            {"id": 1, "question": "a", "answer": {"x": 2, "profit": 7}},
            {"id": 2, "question": "b", "answer": {"x": 2}},
            {"id": 3, "question": "c", "answer": 5},
        ],
    )
    write(tmp_path / "q.labels.jsonl", [{"id": 1, "objective_key": "profit", "fault": "sign lost"}])
    first, second, third = read_items(data, None, None)
    assert (first.label, first.key, first.fault) == (7.0, "profit", "sign lost")
    assert second.label is None
    assert third.label == 5.0
    assert len(read_items(data, None, 2)) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is no JSON"),
        ("[1]", "line 1 is no JSON object"),
        ('{"answer": 1}', "line 1: 'question' is missing"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=message):
        read_items(path, None, None)


def outcome(verdict: str, why: str = "", fault: str = "") -> Outcome:
    return Outcome("1", verdict, None, None, "ill_posed", why, fault, 0.5)


def test_summary_counts_every_verdict_once() -> None:
    found = summarise([outcome(v) for v in ("right", "right", "wrong", "unscored", "refused")])
    assert (found.items, found.answered, found.right, found.wrong) == (5, 4, 2, 1)
    assert found.accuracy == 2 / 3
    assert found.seconds == 2.5
    assert summarise([outcome("refused")]).accuracy is None


def test_reasons_are_grouped_without_their_quoted_parts() -> None:
    outcomes = [outcome("refused", f"cannot read “sentence {i}”") for i in range(3)]
    assert reasons(outcomes) == [("cannot read …", 3)]
