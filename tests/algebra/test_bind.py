"""Binding sets and parameters: every way to give data, and every way to get it wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.errors import DataError, ExpressionError, OrkernelError
from orkernel.formulation.bind import Data, bind
from orkernel.formulation.schema import Formulation
from orkernel.formulation.tables import TableSource
from orkernel.formulation.values import nest, to_array


def data(folder: Path | None = None, **parts: Any) -> Data:
    return bind(Formulation.model_validate(parts), TableSource(folder))


I2 = {"name": "I", "members": ["a", "b"]}
T3 = {"name": "T", "range": [1, 3]}
ARC = {"name": "ARC", "members": [["a", "b"], ["b", 1]]}


@pytest.mark.parametrize(
    ("definition", "members"),
    [
        ({"members": ["b", "a"]}, ("b", "a")),
        ({"members": [3, 1, "x"]}, (3, 1, "x")),
        ({"members": [["a", 1], ["b", 2]]}, (("a", 1), ("b", 2))),
        ({"members": [["a"], ["b"]]}, ("a", "b")),
        ({"members": []}, ()),
        ({"range": [0, 2]}, (0, 1, 2)),
        ({"range": [-1, 1]}, (-1, 0, 1)),
        ({"range": [3, 2]}, ()),
        ({"range": ["n - 1", "2 * n"]}, (2, 3, 4, 5, 6)),
        ({"expression": "[t for t in T if t > 1]"}, (2, 3)),
        ({"expression": "[t + 10 for t in T]"}, (11, 12, 13)),
        (
            {"expression": "[(i, t) for i in I for t in T if t < 3]"},
            (("a", 1), ("a", 2), ("b", 1), ("b", 2)),
        ),
        ({"expression": "[j for (i, j) in ARC]"}, ("b", 1)),
        ({"expression": "[t % 2 for t in T]"}, (1, 0)),
        ({"expression": '["z", first(I), 4]'}, ("z", "a", 4)),
        ({"expression": "[a for a in ARC]"}, (("a", "b"), ("b", 1))),
        ({"expression": "T"}, (1, 2, 3)),
        ({"expression": "[t for t in T if t > 7]"}, ()),
    ],
)
def test_each_way_to_give_a_set(definition: dict[str, Any], members: tuple[Any, ...]) -> None:
    found = data(
        sets=[{"name": "S", **definition}, I2, T3, ARC],
        parameters=[{"name": "n", "value": 3}],
    ).sets["S"]
    assert found.members == members
    assert [found.position[m] for m in members] == list(range(len(members)))


@pytest.mark.parametrize(
    ("definition", "values"),
    [
        ({"value": 4}, 4),
        ({"index": ["I"], "value": [1, 2]}, [1, 2]),
        ({"index": ["I"], "value": {"b": 2, "a": 1}}, [1, 2]),
        ({"index": ["I"], "value": {"b": 2}, "default": 9}, [9, 2]),
        ({"index": ["I"], "default": 9}, [9, 9]),
        ({"index": ["T"], "value": {"1": 1, "3": 3, "2": 2}}, [1, 2, 3]),
        ({"index": ["I", "T"], "value": [[1, 2, 3], [4, 5, 6]]}, [[1, 2, 3], [4, 5, 6]]),
        (
            {"index": ["I", "T"], "value": {"a": [1, 2, 3], "b": {"1": 4, "2": 5, "3": 6}}},
            [[1, 2, 3], [4, 5, 6]],
        ),
        ({"index": ["ARC"], "value": {"a": {"b": 1}, "b": {"1": 2}}}, [1, 2]),
        ({"index": ["ARC"], "value": [1, 2]}, [1, 2]),
        (
            {"index": ["ARC", "I"], "value": {"a": {"b": [1, 2]}, "b": {"1": {"a": 3, "b": 4}}}},
            [[1, 2], [3, 4]],
        ),
        ({"index": ["I"], "expression": "7"}, [7, 7]),
        ({"index": ["T"], "expression": "t ** 2", "for_each": "t in T"}, [1, 4, 9]),
        (
            {"index": ["T"], "expression": "t", "for_each": "t in T if t > 1", "default": -1},
            [-1, 2, 3],
        ),
        ({"index": ["ARC"], "expression": "ord(i, I)", "for_each": "(i, j) in ARC"}, [1, 2]),
        (
            {
                "index": ["I", "I"],
                "expression": "1 if i == j else 0",
                "for_each": "i in I for j in I",
            },
            [[1, 0], [0, 1]],
        ),
        ({"expression": "sum(later[t] for t in T)"}, 12),
        (
            {"index": ["T"], "expression": "sum(u for u in T if u < t)", "for_each": "t in T"},
            [0, 1, 3],
        ),
        (
            {
                "index": ["T"],
                "expression": "max(u for u in T if u < t) if t > 1 else prod(u for u in T)",
                "for_each": "t in T",
            },
            [6, 1, 2],
        ),
        (
            {
                "index": ["T"],
                "expression": "1 if any(u == 1 for u in T if u < t) else 0",
                "for_each": "t in T",
            },
            [0, 1, 1],
        ),
    ],
)
def test_each_way_to_give_a_parameter(definition: dict[str, Any], values: Any) -> None:
    found = data(
        sets=[I2, T3, ARC],
        parameters=[
            {"name": "p", **definition},
            {"name": "later", "index": ["T"], "expression": "2 * t", "for_each": "t in T"},
        ],
    ).parameters["p"]
    np.testing.assert_array_equal(found, values)
    assert not found.flags.writeable


def test_sets_and_parameters_come_from_tables(tmp_path: Path) -> None:
    (tmp_path / "lanes.csv").write_text("from,to,week,usd\nA,B,1,2.5\nA,C,2,3\nB,C,1,4\n")
    found = data(
        tmp_path,
        sets=[
            {"name": "LANE", "table": {"file": "lanes.csv", "index": ["from", "to"]}},
            {"name": "ORIGIN", "table": {"file": "lanes.csv", "index": ["from"]}},
            {"name": "WEEK", "range": [1, 2]},
        ],
        parameters=[
            {
                "name": "cost",
                "index": ["LANE", "WEEK"],
                "default": 0,
                "table": {"file": "lanes.csv", "index": ["from", "to", "week"], "value": "usd"},
            }
        ],
    )
    assert found.sets["LANE"].members == (("A", "B"), ("A", "C"), ("B", "C"))
    assert found.sets["ORIGIN"].members == ("A", "B")
    np.testing.assert_array_equal(found.parameters["cost"], [[2.5, 0], [0, 3], [4, 0]])


SETS = [I2, T3, ARC]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"sets": [{"name": "S", "members": ["a", "a"]}]}, "set 'S': 'a' stands in it twice"),
        ({"sets": [{"name": "S", "members": [1, "1"]}]}, "set 'S': 1 and '1' stands in it twice"),
        (
            {"sets": [{"name": "S", "members": ["a", ["b", "c"]]}]},
            "set 'S': its members have 1 and 2 parts",
        ),
        (
            {"sets": [{"name": "S", "members": [2**53 + 1]}]},
            "set 'S': 9007199254740993 is too large",
        ),
        (
            {"sets": [{"name": "S", "range": [1, "2.5"]}]},
            "set 'S': a range ends at integers, not at 2.5",
        ),
        ({"sets": [{"name": "S", "range": [1, 10**9]}]}, "set 'S': 1,000,000,000 members"),
        (
            {"sets": [{"name": "S", "expression": "[t / 2 for t in T]"}, T3]},
            "members are texts or integers",
        ),
        ({"sets": [{"name": "S", "expression": "3"}]}, "set 'S': a list is expected"),
        ({"sets": [{"name": "S", "range": [1, "card(S)"]}]}, "the definitions of S → S refer"),
        ({"sets": [I2, {"name": "I", "range": [1, 2]}]}, "set 'I': two sets have this name"),
        (
            {"sets": [I2], "parameters": [{"name": "I", "value": 1}]},
            "parameter 'I': a set and a parameter",
        ),
        ({"sets": [{"name": "sum", "range": [1, 2]}]}, "set 'sum': this name is reserved"),
        (
            {"parameters": [{"name": "p", "index": ["X"], "value": [1]}]},
            "parameter 'p': its index 'X' is not a set",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "index": ["I"], "value": {"a": 1}}]},
            r"parameter 'p': no value for p\[b\]",
        ),
        (
            {
                "sets": SETS,
                "parameters": [{"name": "p", "index": ["I", "T"], "value": {"a": {"1": 1}}}],
            },
            r"no value for p\[a, 2\] and 4 more",
        ),
        (
            {
                "sets": SETS,
                "parameters": [{"name": "p", "index": ["I"], "value": {"a": 1, "b": 2, "bb": 3}}],
            },
            r"'bb' is not a member of 'I' \(did you mean 'b'\?\)",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "index": ["I"], "value": [1]}]},
            "a list of 1 is given for 'I', which has 2 members",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "index": ["I"], "value": 1}]},
            "where one for each member of 'I' is expected",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "value": [1, 2]}]},
            "a number is expected, a list is given",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "index": ["I"], "value": [1, True]}]},
            "at entry 2: a number is expected, True",
        ),
        (
            {
                "sets": SETS,
                "parameters": [{"name": "p", "index": ["I"], "value": {"a": "1", "b": 1}}],
            },
            "at a: a number is expected, '1'",
        ),
        (
            {
                "sets": SETS,
                "parameters": [{"name": "p", "index": ["I"], "value": {"a": None, "b": 1}}],
            },
            "at a: a number is expected, nothing",
        ),
        (
            {"sets": SETS, "parameters": [{"name": "p", "index": ["ARC"], "value": {"a": 1}}]},
            "at a: members of 'ARC' have 2 parts",
        ),
        (
            {
                "sets": SETS,
                "parameters": [{"name": "p", "index": ["ARC"], "value": {"a": {"z": 1}}}],
            },
            "at a: no member of 'ARC' has 'z' here",
        ),
        (
            {"parameters": [{"name": "p", "value": float("nan")}]},
            "parameter 'p': nan is not a finite number",
        ),
        (
            {"parameters": [{"name": "p", "value": float("inf")}]},
            "parameter 'p': inf is not a finite number",
        ),
        (
            {"parameters": [{"name": "p", "value": 10**400}]},
            "parameter 'p': the number is too large",
        ),
        (
            {"parameters": [{"name": "p", "default": float("nan")}]},
            "its default is not a finite number",
        ),
        (
            {"parameters": [{"name": "a", "expression": "b"}, {"name": "b", "expression": "a"}]},
            "a → b → a refer to each other in a circle",
        ),
        (
            {"parameters": [{"name": "p", "expression": "1 / 0"}]},
            "parameter 'p': division by zero at column 5",
        ),
        (
            {"parameters": [{"name": "p", "expression": "log(0 - 1)"}]},
            r"log\(…\) is not a finite number",
        ),
        ({"parameters": [{"name": "p", "expression": "10 ** 400"}]}, "is not a finite number"),
        ({"parameters": [{"name": "p", "expression": "q + 1"}]}, "'q' is not defined"),
        (
            {
                "sets": SETS,
                "parameters": [
                    {
                        "name": "p",
                        "index": ["T"],
                        "expression": "t",
                        "for_each": "t in T for i in I",
                    }
                ],
            },
            "for_each does not fit the index",
        ),
        (
            {
                "sets": SETS,
                "parameters": [
                    {"name": "p", "index": ["T"], "expression": "1", "for_each": "i in I"}
                ],
            },
            "for_each does not fit the index",
        ),
        (
            {
                "sets": SETS,
                "parameters": [
                    {"name": "p", "index": ["T"], "expression": "t", "for_each": "t in T if t > 1"}
                ],
            },
            r"no value for p\[1\]",
        ),
        (
            {
                "sets": [{"name": "B", "range": [1, 100_000]}],
                "parameters": [{"name": "p", "index": ["B", "B"], "default": 1}],
            },
            "10,000,000,000 entries",
        ),
        (
            {"parameters": [{"name": "p", "distribution": {"normal": {"mean": 1}}}]},
            "normal takes mean, std; given: mean",
        ),
        (
            {"parameters": [{"name": "p", "distribution": {"normal": {"mean": 1, "std": -1}}}]},
            "std must be ≥ 0",
        ),
        (
            {"parameters": [{"name": "p", "distribution": {"uniform": {"low": 2, "high": 1}}}]},
            "low must not exceed high",
        ),
        (
            {
                "parameters": [
                    {
                        "name": "p",
                        "distribution": {
                            "discrete": {"values": [1, 2], "probabilities": [0.5, 0.6]}
                        },
                    }
                ]
            },
            "sum to 1, not to 1.1",
        ),
        (
            {"parameters": [{"name": "p", "distribution": {"empirical": {"values": []}}}]},
            "values is empty",
        ),
    ],
)
def test_wrong_data_is_refused_with_element_place_and_cause(
    parts: dict[str, Any], message: str
) -> None:
    with pytest.raises((DataError, ExpressionError), match=message):
        data(**parts)


@pytest.mark.parametrize(
    "parts",
    [
        {"parameters": [{"name": "p", "expression": "d + 1"}]},
        {"sets": [{"name": "S", "range": [1, "d"]}]},
        {"sets": [{"name": "S", "expression": "[t for t in T if t > d]"}, T3]},
    ],
)
def test_data_that_depends_on_a_random_parameter_is_refused(parts: dict[str, Any]) -> None:
    random = {"name": "d", "distribution": {"normal": {"mean": 5, "std": 1}}}
    parameters = [random, *parts.pop("parameters", [])]
    with pytest.raises(ExpressionError, match="'d' is random; data must be known"):
        data(parameters=parameters, **parts)


def test_a_table_entry_outside_the_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("i,v\na,1\nz,2\n")
    with pytest.raises(DataError, match=r"table 'p.csv' has an entry for z, which is not in 'I'"):
        data(
            tmp_path,
            sets=[I2],
            parameters=[
                {
                    "name": "p",
                    "index": ["I"],
                    "table": {"file": "p.csv", "index": ["i"], "value": "v"},
                }
            ],
        )


def test_an_error_in_a_needed_definition_names_that_definition() -> None:
    with pytest.raises(OrkernelError, match=r"^parameter 'b': no value for b\[b\]"):
        data(
            sets=[I2],
            parameters=[
                {"name": "a", "index": ["I"], "expression": "b[i]", "for_each": "i in I"},
                {"name": "b", "index": ["I"], "value": {"a": 1}},
            ],
        )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_nested_values_and_arrays_are_inverse(draw: st.DataObject) -> None:
    found = data(sets=[I2, T3, ARC, {"name": "E", "members": []}]).sets
    names = draw.draw(st.lists(st.sampled_from(["I", "T", "ARC", "E"]), max_size=3))
    index = [found[name] for name in names]
    shape = tuple(len(s) for s in index)
    size = int(np.prod(shape))
    flat = draw.draw(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=size, max_size=size)
    )
    grid = np.unravel_index(np.arange(size), shape) if index else ()
    members = [
        objects[places].tolist()
        for s, places in zip(index, grid, strict=True)
        for objects in s.component_objects
    ]
    nested = nest(members, flat)
    np.testing.assert_array_equal(to_array(nested, index, "x").reshape(-1), flat)
