"""Reading questions and labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orkernel.bench.items import read_items
from orkernel.bench.labels import LabelSet, read_label_sets
from orkernel.bench.tolerance import Tolerance
from orkernel.errors import UsageError


def write(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def only(data: Path, *overlays: Path) -> LabelSet:
    (found,) = read_label_sets(data, overlays, read_items(data))
    return found


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(
        tmp_path / "q.jsonl",
        [
            {"id": 1, "question": "a", "answer": {"x": 2, "profit": 7}},
            {"id": 2, "question": "b", "answer": {"x": 2}},
            {"id": 3, "question": "c", "answer": 5},
            {"id": 4, "question": "d", "answer": "Infeasible"},
            {"id": 5, "question": "e"},
        ],
    )


def test_labels_beside_the_file_name_the_figure_and_its_faults(tmp_path: Path, data: Path) -> None:
    write(tmp_path / "q.labels.jsonl", [{"id": 1, "objective_key": "profit", "fault": "sign lost"}])
    found = only(data)
    first = found.labels["1"]
    assert (first.value, first.key, first.fault) == (7.0, "profit", "sign lost")
    assert [found.labels[i].value for i in "2345"] == [None, 5.0, "infeasible", None]
    assert found.faulty == {"1"}
    assert found.remarks == ("raw labels: 2 of 5 items have no figure to compare with",)
    assert [item.id for item in read_items(data, 2)] == ["1", "2"]


def test_an_overlay_may_correct_the_answer_and_bring_its_own_tolerance(
    tmp_path: Path, data: Path
) -> None:
    overlay = write(
        tmp_path / "o.jsonl",
        [{"id": 3, "answer": "unbounded"}, {"id": 2, "answer": 4, "tolerance": "abs:0.5"}],
    )
    found = only(data, overlay)
    assert found.labels["3"].value == "unbounded"
    assert found.labels["2"].value == 4.0
    assert found.labels["2"].tolerance == Tolerance("abs", 0.5)


def test_several_overlays_are_told_apart_by_name(tmp_path: Path, data: Path) -> None:
    a = write(tmp_path / "a.jsonl", [])
    b = write(tmp_path / "b.jsonl", [])
    (tmp_path / "other").mkdir()
    c = write(tmp_path / "other" / "b.jsonl", [])
    assert [s.name for s in read_label_sets(data, (a, b), read_items(data))] == [
        "a.jsonl",
        "b.jsonl",
    ]
    names = [s.name for s in read_label_sets(data, (b, c), read_items(data))]
    assert names == [str(b), str(c)]


def test_a_key_that_the_answer_lacks_is_told(tmp_path: Path, data: Path) -> None:
    overlay = write(tmp_path / "o.jsonl", [{"id": 1, "objective_key": "cost"}])
    assert "raw labels: item 1: its answer has no figure 'cost'" in only(data, overlay).remarks


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is no JSON"),
        ("[1]", "line 1 is no JSON object"),
        ('{"answer": 1}', "line 1: 'question' is missing"),
        ('{"question": "", "answer": NaN}', "line 1 is no JSON: NaN is no JSON"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=message):
        read_items(path)


def test_all_malformed_lines_are_named_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "fine"}\n' + "{}\n" * 8)
    with pytest.raises(UsageError) as caught:
        read_items(path, 1)
    assert caught.value.message.count("'question' is missing") == 5
    assert "line 2:" in caught.value.message
    assert caught.value.message.endswith("; and 3 more lines")


def test_an_id_given_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", [{"id": "x", "question": "a"}] * 2)
    with pytest.raises(UsageError, match="line 2: id 'x' is that of line 1 too"):
        read_items(path)


def test_a_file_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no items"):
        read_items(write(tmp_path / "q.jsonl", []))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"objective_key": "a"}, "line 1: 'id' is missing"),
        ({"id": 1, "objective_key": 7}, "line 1: 'objective_key' is no text"),
        ({"id": 1, "tolerance": "1e-4"}, "line 1: tolerance '1e-4' is neither"),
    ],
)
def test_a_malformed_label_is_named(tmp_path: Path, data: Path, line: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        only(data, write(tmp_path / "o.jsonl", [line]))
