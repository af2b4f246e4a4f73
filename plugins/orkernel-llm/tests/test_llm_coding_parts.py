"""The parts of the code agent that need neither a model nor a sandbox."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel import Capability
from orkernel.errors import UsageError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel_llm.coding.agent import Settings
from orkernel_llm.coding.hints import hint, was_fenced
from orkernel_llm.coding.judging import GaveUp, Judge
from orkernel_llm.coding.libraries import LIBRARIES, usable
from orkernel_llm.coding.material import INLINE, material
from orkernel_llm.coding.prelude import bind, nested
from orkernel_llm.coding.programmer import OBSERVED, code_in, shortened


def bound(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


@pytest.fixture(scope="module")
def lanes() -> Model:
    """Boats on lanes of a canal, two days: sets of texts, of numbers and of pairs."""
    return bound(
        sets=[
            {"name": "BOAT", "members": ["Ada", "Bo"]},
            {"name": "DAY", "range": [1, 2]},
            {"name": "LANE", "members": [["n", "s"], ["s", "n"]]},
        ],
        parameters=[
            {"name": "room", "index": ["LANE"], "value": {"n": {"s": 3}, "s": {"n": 2.5}}},
            {"name": "days", "value": 2},
        ],
        variables=[
            {"name": "go", "index": ["BOAT", "LANE", "DAY"], "domain": "binary"},
            {"name": "load", "upper": 9},
        ],
        objectives=[{"name": "carried", "sense": "maximize", "expression": "load"}],
        constraints=[
            {
                "name": "space",
                "for_each": "(i, j) in LANE for d in DAY",
                "expression": "sum(go[b, i, j, d] for b in BOAT) <= room[i, j] - 2",
            },
            {"name": "full", "expression": "load <= 5"},
        ],
        results=[
            {"name": "trips", "expression": "sum(go[b, i, j, 1] for b in BOAT for (i, j) in LANE)"}
        ],
    )


def answer(model: Model, load: float = 5, **extra: Any) -> dict[str, Any]:
    """Only Ada goes, on the lane from n to s."""
    x = np.zeros(len(model.columns))
    values = model.values(x)
    values["go"]["Ada"]["n"]["s"]["1"] = 1
    return {"variables": {**values, "load": load}, **extra}


# ------------------------------------------------------------------ data in, answers out


def test_data_is_bound_so_that_the_expressions_of_the_formulation_are_python(lanes: Model) -> None:
    names: dict[str, Any] = {}
    bind(json.loads(json.dumps(material(lanes).data)), names)
    assert names["BOAT"] == ["Ada", "Bo"]
    assert names["DAY"] == [1, 2]
    assert names["LANE"] == [("n", "s"), ("s", "n")]
    assert names["room"] == {("n", "s"): 3, ("s", "n"): 2.5}
    assert names["days"] == 2
    assert isinstance(names["days"], int)


def test_a_program_in_the_words_of_the_formulation_gives_an_answer_that_is_read(
    lanes: Model,
) -> None:
    names: dict[str, Any] = {}
    bind(material(lanes).data, names)
    go = {
        (b, i, j, d): int(b == "Ada" and i == "n" and d == 1)
        for b in names["BOAT"]
        for i, j in names["LANE"]
        for d in names["DAY"]
    }
    sent = nested({"variables": {"go": go, "load": 5.0}})
    judge = Judge(lanes)
    assert judge.examine(sent) == ""
    assert judge.accepted is not None
    assert judge.accepted.objective == 5.0


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ab"), st.integers(-3, 3)), st.floats(-9, 9), max_size=8
    )
)
def test_tuples_as_keys_become_nested_objects(found: dict[tuple[str, int], float]) -> None:
    tree = nested(found)
    assert {(a, int(b)): v for a, row in tree.items() for b, v in row.items()} == found


def test_members_that_are_numbers_of_numpy_key_by_their_text() -> None:
    assert nested({np.int64(3): 1, 2.0: 2, ("a", np.int64(1)): 3}) == {
        "3": 1,
        "2": 2,
        "a": {"1": 3},
    }


def test_an_answer_that_holds_itself_ends() -> None:
    endless: dict[str, Any] = {}
    endless["x"] = endless
    with pytest.raises(ValueError, match="more than 20 levels"):
        nested(endless)


def test_large_data_is_named_in_the_prompt_and_not_written_out() -> None:
    size = INLINE + 1
    model = bound(
        sets=[{"name": "ITEM", "members": [f"item{k}" for k in range(size)]}],
        parameters=[
            {"name": "weight", "index": ["ITEM"], "value": [k + 0.5 for k in range(size)]},
            {"name": "limit", "value": 77.25},
        ],
        variables=[{"name": "take", "index": ["ITEM"], "domain": "binary"}],
        objectives=[{"name": "o", "sense": "maximize", "expression": "sum(take[i] for i in ITEM)"}],
        constraints=[
            {"name": "c", "expression": "sum(weight[i] * take[i] for i in ITEM) <= limit"}
        ],
    )
    given = material(model)
    assert "item40" not in given.formulation
    assert "40.5" not in given.formulation
    assert f"({size} values; use the Python variable weight)" in given.formulation
    assert "77.25" in given.formulation
    assert len(given.data["parameters"]["weight"]["values"]) == size
    assert given.skeleton == (
        '{"variables": {"take": {"item0": number, "item1": number, "item2": number, …}}}'
    )


def test_the_prompt_holds_small_data_bounds_and_the_shape_of_the_answer(lanes: Model) -> None:
    given = material(lanes)
    assert json.loads(given.formulation)["parameters"][1] == {"name": "days", "value": 2}
    assert json.loads(given.formulation)["variables"][1]["upper"] == 9
    assert "sources" not in given.formulation
    assert '"results": {"trips": number}' in given.skeleton
    assert "room: dict of 2 entries over LANE, read as room[i, j]" in given.names


def test_a_variable_without_lower_bound_is_told_from_one_that_starts_at_zero() -> None:
    model = bound(
        variables=[{"name": "free", "lower": None}, {"name": "kept"}],
        constraints=[{"name": "c", "expression": "free + kept <= 1"}],
    )
    free, kept = json.loads(material(model).formulation)["variables"]
    assert free["lower"] is None
    assert kept["lower"] == 0


def test_random_parameters_are_given_as_the_scenarios_that_the_answer_is_checked_on() -> None:
    model = bound(
        sets=[{"name": "SHOP", "members": ["a", "b"]}],
        parameters=[
            {
                "name": "demand",
                "index": ["SHOP"],
                "distribution": {"normal": {"mean": 50, "std": 8}},
            }
        ],
        variables=[{"name": "q", "upper": 99}],
        objectives=[
            {
                "name": "sold",
                "sense": "maximize",
                "expression": "expectation(min(q, demand['a'])) - 0.1 * q",
            }
        ],
    )
    given = material(model)
    names: dict[str, Any] = {}
    bind(given.data, names)
    assert set(names["demand"]) == {"a", "b"}
    assert len(names["demand"]["a"]) == 4096
    q = 40.0
    by_hand = float(np.mean(np.minimum(q, names["demand"]["a"]))) - 0.1 * q
    assert model.evaluate(np.array([q])).objectives[0, 0] == pytest.approx(by_hand)


# ------------------------------------------------------------------ judging


def test_a_point_that_holds_is_accepted_with_the_kernels_own_objective(lanes: Model) -> None:
    judge = Judge(lanes)
    assert judge.examine(answer(lanes, results={"trips": 1}, objective=5)) == ""
    assert judge.accepted is not None
    assert judge.accepted.objective == 5.0
    assert judge.accepted.remarks == ()


def test_true_and_false_count_as_one_and_zero(lanes: Model) -> None:
    given = answer(lanes)
    given["variables"]["go"]["Ada"]["n"]["s"]["1"] = True
    assert Judge(lanes).examine(given) == ""


def test_values_without_the_object_around_them_are_read(lanes: Model) -> None:
    assert Judge(lanes).examine(answer(lanes)["variables"]) == ""


def test_an_answer_given_as_the_text_of_an_object_is_read(lanes: Model) -> None:
    assert Judge(lanes).examine(json.dumps(answer(lanes))) == ""


def test_a_violated_constraint_is_told_with_its_place_amount_and_expression(lanes: Model) -> None:
    told = Judge(lanes).examine(answer(lanes, load=7))
    assert "constraint full is violated by 2" in told
    assert "full reads: load <= 5" in told


def test_a_value_beyond_its_bound_and_one_that_is_not_whole_are_told(lanes: Model) -> None:
    given = answer(lanes, load=-1)
    given["variables"]["go"]["Bo"]["n"]["s"]["2"] = 0.5
    told = Judge(lanes).examine(given)
    assert "variable load = -1 is below its lower bound 0" in told
    assert "variable go[Bo,n,s,2] = 0.5 is not a whole number" in told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "the answer is empty, not an object"),
        ([1, 2], "the answer is a list, not an object"),
        (42, "the answer is a int, not an object"),
        ("load is 5", "the answer is the text 'load is 5', not an object"),
        ("[" * 100_000, "not an object"),
        ({}, "has no object 'variables'"),
        ({"variables": 5}, "has no object 'variables'"),
        ({"variables": {}}, "variable 'go': no value is given"),
    ],
    ids=str,
)
def test_an_answer_of_another_shape_is_told_which_shape_is_wanted(
    lanes: Model, given: Any, told: str
) -> None:
    judge = Judge(lanes)
    assert told in judge.examine(given)
    assert judge.accepted is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"speed": 3}, "variable 'speed' is not in the model"),
        ({"load": "5"}, "a number is expected, '5' is given"),
        ({"load": float("nan")}, "not a finite number"),
        ({"load": float("inf")}, "not a finite number"),
        ({"load": None}, "a number is expected, nothing is given"),
        ({"load": {"x": 1}}, "a number is expected, an object is given"),
        ({"go": 1}, "one for each member of 'BOAT' is expected"),
        ({"go": {"Ada": {}, "Cy": {}}}, "'Cy' is not a member of 'BOAT'"),
        ({"go": {"Ada": {"n": {"s": {"1": 1, "2": 0}}}}}, "no value for go[Ada,s,n,1]"),
        ({"go": [0, 1, 2]}, "a list of 3 is given for 'BOAT', which has 2 members"),
    ],
    ids=str,
)
def test_ill_shaped_values_are_told_with_the_name_and_the_place(
    lanes: Model, change: dict[str, Any], told: str
) -> None:
    given = answer(lanes)
    given["variables"].update(change)
    judge = Judge(lanes)
    assert told in judge.examine(given)
    assert judge.accepted is None
    assert judge.refused


def test_an_answer_nested_without_end_is_refused_and_not_followed(lanes: Model) -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = {"Ada": deep}
    assert "go" in Judge(lanes).examine({"variables": {"go": deep, "load": 1}})


def test_figures_of_the_program_that_differ_from_the_kernels_are_remarked(lanes: Model) -> None:
    judge = Judge(lanes)
    judge.examine(answer(lanes, results={"trips": 4, "speed": 1}, objective=99))
    assert judge.accepted is not None
    assert judge.accepted.remarks == (
        "the program says that 'trips' is 4; recomputed it is 1",
        "the program gives a result 'speed', which the formulation lacks",
        "the program says that the objective 'carried' is 99; recomputed it is 5",
    )


def test_a_claim_of_infeasibility_is_no_answer(lanes: Model) -> None:
    with pytest.raises(GaveUp, match=r"no point meets the constraints: two boats.*no proof"):
        Judge(lanes).examine({"infeasible": "two boats collide"})


def test_a_refused_answer_leaves_an_accepted_one_alone(lanes: Model) -> None:
    judge = Judge(lanes)
    judge.examine(answer(lanes))
    kept = judge.accepted
    judge.examine({"variables": {}})
    assert judge.accepted is kept


# ------------------------------------------------------------------ code in answers


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fine.\n```python\nx = 1\n```\nDone.", "x = 1"),
        ("```py\nx = 1\n```", "x = 1"),
        ("```python3\nx = 1\n```", "x = 1"),
        ("``` python \nx = 1\n```", "x = 1"),
        ("```Python\r\nx = 1\r\n```", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("Thoughts: yes\n<code>\nx = 1\n</code>", "x = 1"),
        ("```python\nx = 1\n```\nand then\n```python\ny = x\n```", "x = 1\n\ny = x"),
        ("```python\nx = 1\n```\nIt prints:\n```\n1\n```", "x = 1"),
        ("```python\nx = 1", "x = 1"),
        ("x = 1\nprint(x)", "x = 1\nprint(x)"),
        ("```python\ns = '`'\nprint('a ``` b')\n```", "s = '`'\nprint('a ``` b')"),
    ],
)
def test_code_is_found_however_a_model_marks_it(text: str, code: str) -> None:
    assert code_in(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "infeasible",
        "The best value is 36.",
        "I cannot help with that.",
        '"36"',
        "42",
        "```python\n```",
        "```python\n\n```",
        '```json\n{"x": 1}\n```',
    ],
)
def test_prose_is_not_taken_for_code(text: str) -> None:
    assert code_in(text) is None


@given(st.text(alphabet="`pyothn\n x=1<code>/", max_size=60))
def test_no_answer_breaks_the_reading_of_code(text: str) -> None:
    found = code_in(text)
    assert found is None or found.strip()


@given(st.integers(0, 3 * OBSERVED))
def test_long_output_is_shown_by_head_and_tail(length: int) -> None:
    text = "a" + "x" * length + "z"
    shown = shortened(text)
    assert shown.startswith("a")
    assert shown.endswith("z")
    assert len(shown) <= OBSERVED + 60


@pytest.mark.parametrize(
    ("error", "code", "advice"),
    [
        ("EOFError: EOF when reading a line", "n = input('n? ')", "Nobody is there to type"),
        ("ModuleNotFoundError: No module named 'gurobipy'", "import gurobipy", "Nothing can be"),
        ("SyntaxError: invalid syntax", "!pip install pulp", "Nothing can be"),
        ("ModuleNotFoundError: No module named 'matplotlib'", "", "No pictures"),
        ("OSError: [Errno 101] Network is unreachable", "", "no network"),
        ("PermissionError: [Errno 13] Permission denied: '/x'", "", "its own working folder"),
        ("MemoryError", "", "memory is limited"),
        ("SyntaxError: invalid syntax", "First we", "plain Python only"),
    ],
)
def test_a_typical_fault_gets_one_clear_word_of_advice(error: str, code: str, advice: str) -> None:
    assert advice in hint(error, code)


def test_an_ordinary_mistake_gets_no_advice_and_is_no_breach() -> None:
    assert hint("KeyError: 'c'", "x = cap['c']") == ""
    assert not was_fenced("KeyError: 'c'")


# ------------------------------------------------------------------ libraries and options


@pytest.mark.parametrize(
    ("needs", "first"),
    [
        ({Capability.CONTINUOUS, Capability.LINEAR}, "highspy"),
        ({Capability.INTEGER, Capability.ALL_DIFFERENT}, "ortools"),
        ({Capability.CONTINUOUS, Capability.NONLINEAR}, "scipy"),
        ({Capability.CONTINUOUS, Capability.RANDOM}, "scipy"),
    ],
)
def test_the_library_that_suits_the_model_is_named_first(
    needs: set[Capability], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orkernel_llm.coding.libraries.find_spec", lambda name: name)
    assert usable(needs)[0].module == first
    assert len(usable(needs)) == len(LIBRARIES)


def test_a_library_that_is_not_installed_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "orkernel_llm.coding.libraries.find_spec",
        lambda name: name if name in ("scipy", "numpy") else None,
    )
    assert [library.module for library in usable({Capability.LINEAR})] == ["scipy", "numpy"]


@pytest.mark.parametrize("name", ["steps", "tokens", "seconds", "memory_mb"])
def test_an_option_without_sense_is_a_usage_error_that_names_it(name: str) -> None:
    with pytest.raises(UsageError, match=f"code.{name} is 0"):
        Settings.of({name: 0})


def test_the_defaults_of_the_record_are_those_of_the_agent() -> None:
    from orkernel_llm import orkernel_solver_agents

    (record,) = orkernel_solver_agents()
    assert Settings.of({option.name: option.default for option in record.options}) == Settings()
