"""Every kind of finding, with its exact element, message, suggestion and place."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.formulation.check import Diagnostic, Severity, check
from orkernel.formulation.load import load_formulation, parse_formulation
from orkernel.formulation.schema import (
    Formulation,
    ParameterDefinition,
    VariableDefinition,
)
from orkernel.model import Model

ROOT = Path(__file__).parents[2]
ERROR, WARNING = Severity.ERROR, Severity.WARNING

SETS: list[dict[str, Any]] = [
    {"name": "PLANT", "members": ["Seattle", "San Diego"]},
    {"name": "MARKET", "members": ["New York", "Chicago"]},
]
PARAMETERS: list[dict[str, Any]] = [
    {"name": "capacity", "index": ["PLANT"], "value": {"Seattle": 350, "San Diego": 600}},
    {"name": "demand", "index": ["MARKET"], "value": [325, 300]},
    {"name": "freight", "index": ["PLANT", "MARKET"], "value": [[2.5, 1.7], [2.5, 1.8]]},
]
VARIABLES: list[dict[str, Any]] = [{"name": "ship", "index": ["PLANT", "MARKET"]}]
OBJECTIVES: list[dict[str, Any]] = [
    {
        "name": "cost",
        "sense": "minimize",
        "expression": "sum(freight[p,m]*ship[p,m] for p in PLANT for m in MARKET)",
    }
]
CONSTRAINTS: list[dict[str, Any]] = [
    {
        "name": "supply",
        "for_each": "p in PLANT",
        "expression": "sum(ship[p,m] for m in MARKET) <= capacity[p]",
    },
    {
        "name": "need",
        "for_each": "m in MARKET",
        "expression": "sum(ship[p,m] for p in PLANT) >= demand[m]",
    },
]


def transport(**more: list[dict[str, Any]]) -> dict[str, Any]:
    """A right formulation with further elements."""
    groups: dict[str, list[dict[str, Any]]] = {
        "sets": SETS,
        "parameters": PARAMETERS,
        "variables": VARIABLES,
        "objectives": OBJECTIVES,
        "constraints": CONSTRAINTS,
    }
    return {**groups, **{key: [*groups.get(key, []), *parts] for key, parts in more.items()}}


def findings(data: dict[str, Any], folder: Path | None = None) -> list[Diagnostic]:
    return check(parse_formulation(data), data=folder)


def constraint(expression: str, for_each: str | None = None) -> list[Diagnostic]:
    part: dict[str, Any] = {"name": "c", "expression": expression}
    if for_each is not None:
        part["for_each"] = for_each
    return findings(transport(constraints=[part]))


def test_a_right_formulation_has_no_findings() -> None:
    assert findings(transport()) == []


@pytest.mark.parametrize(
    ("expression", "code", "message", "suggestion", "place"),
    [
        (
            "shp['Seattle', 'Chicago'] <= 1",
            "undefined-name",
            "'shp' is not defined",
            "did you mean 'ship'?",
            (0, 25),
        ),
        (
            "1 <= zzz",
            "undefined-name",
            "'zzz' is not defined",
            "define it, or name it as an index in for_each",
            (5, 8),
        ),
        (
            "ship['Seattle'] <= 1",
            "wrong-index",
            "'ship' takes 2 indices (PLANT, MARKET), 1 is given",
            "name one member of each, in this order: ship[PLANT, MARKET]",
            (0, 15),
        ),
        (
            "capacity['Seattle', 1] <= ship['Seattle', 'Chicago']",
            "wrong-index",
            "'capacity' takes 1 index (PLANT), 2 are given",
            "name one member of each, in this order: capacity[PLANT]",
            (0, 22),
        ),
        (
            "ship <= 1",
            "wrong-index",
            "'ship' needs an index over PLANT, MARKET",
            "write ship[…]",
            (0, 4),
        ),
        (
            "ship['Seatle', 'Chicago'] <= 1",
            "unknown-member",
            "'Seatle' is not a member of 'PLANT'",
            "did you mean 'Seattle'?",
            (5, 13),
        ),
        (
            "ship['Seattle', 'Chicago'] + 1",
            "non-boolean-constraint",
            "a constraint must be a comparison or a condition, this is a number",
            "compare it with <=, >= or ==",
            (0, 30),
        ),
        (
            "PLANT <= 1",
            "wrong-kind",
            "'PLANT' is a set, not a number",
            "write card(PLANT) for its size, or let an index run over it",
            (0, 5),
        ),
        (
            "sum(1 for p in capacity) <= 1",
            "wrong-kind",
            "'capacity' is a parameter, not a set",
            "",
            (15, 23),
        ),
        (
            "abs(1, 2) <= ship['Seattle', 'Chicago']",
            "syntax",
            "'abs' does not take 2 arguments",
            "write abs(x)",
            (0, 9),
        ),
        (
            "sum(ship[ship,'Chicago'] for ship in PLANT) <= 1",
            "index-name-taken",
            "the index 'ship' has the name of a variable",
            "rename the index",
            (29, 42),
        ),
        (
            "no_overlap([interval(1, 2)]) in PLANT",
            "variable-in-data",
            "no_overlap(…) is no data; a test with 'in' must be data",
            "",
            (0, 28),
        ),
        (
            "__import__('os').system('true') <= 1",
            "syntax",
            "there is no function '__import__'",
            "expressions are data and run no code",
            (0, 10),
        ),
        (
            "ship['Seattle', 'Chicago' <= 1",
            "syntax",
            "']' is missing at the end",
            "add ]",
            (30, 30),
        ),
    ],
)
def test_a_bad_constraint_is_placed(
    expression: str, code: str, message: str, suggestion: str, place: tuple[int, int]
) -> None:
    (finding,) = constraint(expression)
    assert finding == Diagnostic(code, ERROR, "constraint 'c'", message, suggestion, *place)


def test_ten_thousand_nested_parentheses_are_refused_at_once() -> None:
    started = time.process_time()
    (finding,) = constraint("(" * 10_000 + "1" + ")" * 10_000 + " <= 1")
    assert time.process_time() - started < 2
    assert (finding.code, finding.message) == (
        "syntax",
        "the expression is nested more than 120 deep",
    )


def test_all_bad_names_of_all_elements_are_found_at_once() -> None:
    found = findings(
        transport(
            constraints=[
                {"name": "c1", "expression": "a + b <= ship['Seattle', 'Chicago'] + d"},
                {"name": "c2", "for_each": "p in PLNT", "expression": "ship[p, 'Chicago'] <= e"},
            ],
            parameters=[{"name": "q", "index": ["PLAN"], "value": [1]}],
        )
    )
    assert [(d.element, d.message, d.field) for d in found if d.severity is ERROR] == [
        ("parameter 'q'", "its index set 'PLAN' is not defined", "index"),
        ("constraint 'c1'", "'a' is not defined", "expression"),
        ("constraint 'c1'", "'b' is not defined", "expression"),
        ("constraint 'c1'", "'d' is not defined", "expression"),
        ("constraint 'c2'", "'PLNT' is not defined", "for_each"),
        ("constraint 'c2'", "'e' is not defined", "expression"),
    ]


def test_an_undefined_index_set_is_named_with_a_near_match() -> None:
    found = findings(transport(variables=[{"name": "y", "index": ["PLAN"]}]))
    assert found[0] == Diagnostic(
        "undefined-name",
        ERROR,
        "variable 'y'",
        "its index set 'PLAN' is not defined",
        "did you mean 'PLANT'?",
        field="index",
    )


def test_an_index_that_is_no_set_is_refused() -> None:
    found = findings(transport(variables=[{"name": "y", "index": ["demand"]}]))
    assert (found[0].code, found[0].message, found[0].suggestion) == (
        "wrong-kind",
        "its index 'demand' is a parameter, not a set",
        "the sets are PLANT, MARKET",
    )


def test_an_index_over_the_wrong_set_is_found_when_it_meets_the_data() -> None:
    (finding,) = constraint("ship[m, m] <= 1", "m in MARKET")
    assert (finding.code, finding.element, finding.severity) == (
        "wrong-index",
        "constraint 'c'",
        ERROR,
    )
    assert finding.message == (
        "'ship' has no entry for \"New York\": it is not in 'PLANT', where m='New York'"
    )
    assert (finding.start, finding.end, finding.field) == (0, 10, "expression")


def test_a_condition_as_objective_is_refused() -> None:
    part = {"name": "o", "sense": "maximize", "expression": "ship['Seattle','Chicago'] >= 1"}
    (finding,) = findings(transport(objectives=[part]))
    assert finding == Diagnostic(
        "boolean-objective",
        ERROR,
        "objective 'o'",
        "an objective must be a number, this is a condition",
        "move it to the constraints",
        0,
        30,
    )


def test_a_reserved_name_is_refused() -> None:
    found = findings(transport(parameters=[{"name": "sum", "value": 1}]))
    assert found[0] == Diagnostic(
        "reserved-name",
        ERROR,
        "parameter 'sum'",
        "'sum' is a word of the expression language",
        "rename it, e.g. 'sum_parameter'",
    )


def test_names_given_twice_are_refused() -> None:
    found = findings(
        transport(
            variables=[{"name": "demand"}, {"name": "ship", "index": ["PLANT", "MARKET"]}],
            constraints=[CONSTRAINTS[0]],
        )
    )
    assert [(d.element, d.message, d.suggestion) for d in found if d.code == "duplicate-name"] == [
        ("variable 'demand'", "a parameter has this name too", "rename one"),
        ("variable 'ship'", "another variable has this name too", "rename one"),
        ("constraint 'supply'", "2 constraints have this name", "give each its own name"),
    ]


def test_a_variable_in_a_bound_or_in_data_is_refused() -> None:
    found = findings(
        transport(
            variables=[{"name": "y", "upper": "ship['Seattle','Chicago'] + 1"}],
            parameters=[{"name": "q", "expression": "2*y"}],
            constraints=[{"name": "c", "expression": "y >= q"}],
        )
    )
    assert [d for d in found if d.code == "variable-in-data"] == [
        Diagnostic(
            "variable-in-data",
            ERROR,
            "parameter 'q'",
            "'y' is a variable; the definition of data must be data",
            "write it as a constraint, or use data alone",
            2,
            3,
        ),
        Diagnostic(
            "variable-in-data",
            ERROR,
            "variable 'y'",
            "'ship' is a variable; a bound must be data",
            "write it as a constraint, or use data alone",
            0,
            25,
            "upper",
        ),
    ]


def test_a_random_parameter_stands_only_in_expectation_or_probability() -> None:
    random = [{"name": "r", "distribution": {"normal": {"mean": 5, "std": 1}}}]
    bad = transport(
        parameters=random,
        constraints=[{"name": "c", "expression": "ship['Seattle','Chicago'] >= r"}],
    )
    good = transport(
        parameters=random,
        constraints=[
            {"name": "c", "expression": "probability(ship['Seattle','Chicago'] >= r) >= 0.9"}
        ],
    )
    (finding,) = findings(bad)
    assert finding == Diagnostic(
        "random-outside-expectation",
        ERROR,
        "constraint 'c'",
        "'r' is random; it may stand only inside expectation(…) or probability(…)",
        "write expectation(r), or give it a fixed value",
        29,
        30,
    )
    assert findings(good) == []


def test_a_circle_of_definitions_is_named() -> None:
    found = findings(
        transport(
            parameters=[
                {"name": "a", "expression": "b + 1"},
                {"name": "b", "expression": "d"},
                {"name": "d", "expression": "2*a"},
                {"name": "e", "expression": "e"},
            ],
            constraints=[{"name": "c", "expression": "ship['Seattle','Chicago'] >= a + e"}],
        )
    )
    assert [d for d in found if d.severity is ERROR] == [
        Diagnostic(
            "cyclic-definition",
            ERROR,
            "parameter 'a'",
            "its definition needs itself: a → b → d → a",
            "give one of them by plain data",
        ),
        Diagnostic(
            "cyclic-definition",
            ERROR,
            "parameter 'e'",
            "its definition needs itself: e → e",
            "give one of them by plain data",
        ),
    ]


def test_unused_names_are_warnings() -> None:
    found = findings(
        transport(
            sets=[{"name": "U", "range": [1, 3]}],
            parameters=[{"name": "q", "value": 1}],
            variables=[{"name": "y"}],
        )
    )
    assert [(d.code, d.severity, d.element, d.message) for d in found] == [
        ("unused-name", WARNING, "set 'U'", "no other element uses it"),
        ("unused-name", WARNING, "parameter 'q'", "no other element uses it"),
        ("unused-name", WARNING, "variable 'y'", "no other element uses it"),
    ]
    assert found[0].suggestion == "remove it, or add what it stands for to the model"


def test_a_constraint_may_have_the_name_of_the_parameter_it_uses() -> None:
    part = {"name": "q", "expression": "ship['Seattle','Chicago'] >= q"}
    assert findings(transport(parameters=[{"name": "q", "value": 1}], constraints=[part])) == []


def test_names_in_a_text_that_does_not_parse_count_as_used() -> None:
    found = findings(
        transport(
            parameters=[{"name": "q", "value": 1}],
            constraints=[{"name": "c", "expression": "ship['Seattle','Chicago'] >= q +"}],
        )
    )
    assert [d.code for d in found] == ["syntax"]


# --------------------------------------------------------------------------- data


def test_missing_data_are_named_and_do_not_hide_other_findings() -> None:
    found = findings(
        transport(
            parameters=[
                {"name": "q", "index": ["PLANT"], "value": {"Seattle": 1}},
                {"name": "r", "index": ["PLANT"], "value": {"Seatle": 1, "San Diego": 2}},
                {"name": "s", "index": ["PLANT"], "value": 3},
            ],
            constraints=[
                {"name": "c", "for_each": "p in PLANT", "expression": "q[p] + r[p] >= s[p] + zz"},
                {"name": "d", "expression": "ship['Seattle', 'Chicago'] >= q['Seattle']"},
            ],
        )
    )
    assert [(d.code, d.element, d.message, d.suggestion) for d in found] == [
        ("undefined-name", "constraint 'c'", "'zz' is not defined", "indices here: p"),
        (
            "missing-data",
            "parameter 'q'",
            "no value for q[San Diego]",
            "give every entry, or a default",
        ),
        (
            "bad-data",
            "parameter 'r'",
            "'Seatle' is not a member of 'PLANT'",
            "did you mean 'Seattle'?",
        ),
        (
            "bad-data",
            "parameter 's'",
            "a value is given where one for each member of 'PLANT' is expected",
            "give an object keyed by member, a list in set order, or a default for all",
        ),
    ]


def test_numbers_that_are_not_finite_are_refused() -> None:
    formulation = Formulation(
        parameters=(
            ParameterDefinition(name="q", value=float("nan")),
            ParameterDefinition(name="r", value=10**400),
        ),
        variables=(VariableDefinition(name="x", lower="q + r", upper=float("inf")),),
    )
    advice = "give a finite number; leave a bound out, or write null, where there is none"
    assert [d for d in check(formulation) if d.severity is ERROR] == [
        Diagnostic(
            "non-finite-number",
            ERROR,
            f"{kind} '{name}'",
            f"{number} is not a finite number",
            advice,
            field="value",
        )
        for kind, name, number in [
            ("parameter", "q", "nan"),
            ("parameter", "r", "inf"),
            ("variable", "x", "inf"),
        ]
    ]


@pytest.mark.parametrize(
    ("csv", "message", "suggestion"),
    [
        (
            "plant,price\nSeattle,1\nSan Diego,2\n",
            "table 'q.csv' has no column 'usd'; it has plant, price",
            "correct the column name in the formulation or in the file",
        ),
        (
            "plant,usd\nSeattle,1\nSan Diego,two\n",
            "table 'q.csv', line 3: column 'usd' holds 'two', which is not a number",
            "write a plain number such as 1200 or 0.5",
        ),
        (
            "plant,usd\nSeattle,1\nBoston,2\n",
            "table 'q.csv' has an entry for Boston, which is not in 'PLANT'",
            "remove the row, or add the member to the set",
        ),
    ],
)
def test_a_faulty_table_is_placed(tmp_path: Path, csv: str, message: str, suggestion: str) -> None:
    (tmp_path / "q.csv").write_text(csv)
    table = {"file": "q.csv", "index": ["plant"], "value": "usd"}
    data = transport(
        parameters=[{"name": "q", "index": ["PLANT"], "table": table}],
        constraints=[{"name": "c", "expression": "ship['Seattle','Chicago'] >= q['Seattle']"}],
    )
    (finding,) = findings(data, tmp_path)
    assert finding == Diagnostic(
        "bad-table", ERROR, "parameter 'q'", message, suggestion, field="table"
    )


def test_a_missing_row_of_a_table_is_missing_data(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("plant,usd\nSeattle,1\n")
    table = {"file": "q.csv", "index": ["plant"], "value": "usd"}
    data = transport(
        parameters=[{"name": "q", "index": ["PLANT"], "table": table}],
        constraints=[{"name": "c", "expression": "ship['Seattle','Chicago'] >= q['Seattle']"}],
    )
    (finding,) = findings(data, tmp_path)
    assert (finding.code, finding.message) == ("missing-data", "no value for q[San Diego]")
    (finding,) = findings(data)
    assert (finding.code, finding.message, finding.suggestion) == (
        "bad-table",
        "needs the table 'q.csv' but there is no data folder",
        "pass --data DIR with the folder that holds it",
    )


def test_expressions_that_meet_unfit_data_are_placed() -> None:
    found = findings(
        transport(
            sets=[{"name": "T", "range": [1, 3]}],
            variables=[{"name": "y", "index": ["T"]}],
            constraints=[{"name": "c", "for_each": "t in T", "expression": "y[t+1] >= y[t]"}],
        )
    )
    assert [(d.code, d.element, d.message, d.start, d.end) for d in found] == [
        (
            "wrong-index",
            "constraint 'c'",
            "'y' has no entry for 4: it is not in 'T', where t=3",
            0,
            6,
        )
    ]


def test_an_expression_that_its_data_make_senseless_is_placed() -> None:
    part = {"name": "c", "expression": "piecewise(ship['Seattle','Chicago'], [2, 1], [0, 1]) >= 1"}
    (finding,) = findings(transport(constraints=[part]))
    assert (finding.code, finding.severity, finding.element, finding.message) == (
        "bad-expression",
        ERROR,
        "constraint 'c'",
        "piecewise needs increasing x values",
    )
    assert (finding.start, finding.end) == (0, 52)


def test_a_fault_of_the_check_itself_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Model:
        raise RuntimeError("boom")

    monkeypatch.setattr(Model, "bind", fail)
    assert findings(transport()) == [
        Diagnostic(
            "internal-error",
            ERROR,
            "formulation",
            "the check itself failed: RuntimeError: boom",
            "please report this with the formulation",
        )
    ]


# --------------------------------------------------------------------------- whole


def test_a_formulation_without_variables_is_refused() -> None:
    assert findings({}) == [
        Diagnostic(
            "no-variables",
            ERROR,
            "formulation",
            "it has no variables, so there is nothing to decide",
            "define what is to be decided under `variables`",
        )
    ]
    found = findings(
        {"sets": [{"name": "S", "members": []}], "variables": [{"name": "x", "index": ["S"]}]}
    )
    assert found[0] == Diagnostic(
        "no-variables",
        ERROR,
        "formulation",
        "all its variables are indexed by empty sets, so there is nothing to decide",
        "give the sets members",
        field="value",
    )


@pytest.mark.parametrize("expression", ["sum(capacity[p] for p in PLANT)", "min(3, 4)"])
def test_a_scalar_may_be_computed_over_a_set(expression: str) -> None:
    part = {"name": "c", "expression": "ship['Seattle','Chicago'] <= total"}
    data = transport(parameters=[{"name": "total", "expression": expression}], constraints=[part])
    assert findings(data) == []


def test_a_formulation_without_objective_is_allowed() -> None:
    assert findings({**transport(), "objectives": [], "parameters": PARAMETERS[:2]}) == []


@pytest.mark.parametrize(
    ("variable", "sense", "expression", "limits", "label"),
    [
        ({}, "maximize", "3*x", [], "x: no upper bound"),
        ({"lower": None}, "minimize", "x", [], "x: no lower bound"),
        ({}, "maximize", "x", ["x >= 1"], "x: no upper bound"),
        ({}, "maximize", "x", ["x <= 1"], None),
        ({"upper": 4}, "maximize", "x", [], None),
        ({}, "minimize", "x", [], None),
        ({}, "maximize", "x - x**2", [], None),
        ({}, "maximize", "x", ["x**2 <= 4"], None),
        ({}, "maximize", "exp(x)", [], None),
    ],
)
def test_an_objective_that_nothing_holds_back_is_a_warning(
    variable: dict[str, Any], sense: str, expression: str, limits: list[str], label: str | None
) -> None:
    found = findings(
        {
            "variables": [{"name": "x", **variable}],
            "objectives": [{"name": "o", "sense": sense, "expression": expression}],
            "constraints": [{"name": text, "expression": text} for text in limits],
        }
    )
    expected = [
        Diagnostic(
            "unbounded-objective",
            WARNING,
            "objective 'o'",
            f"it improves without end through {label} and no constraint is in the way",
            "add the limit that the statement gives, or a bound",
        )
    ]
    assert found == (expected if label else [])


def test_errors_come_before_warnings_and_nothing_is_said_twice() -> None:
    found = findings(
        transport(
            parameters=[{"name": "q", "value": 1}],
            constraints=[{"name": "c", "expression": "zz + zz <= zz"}],
        )
    )
    assert [d.severity for d in found] == [ERROR] * 3 + [WARNING]
    assert len(set(found)) == len(found)


def test_the_json_of_a_finding_has_every_field() -> None:
    (finding,) = constraint("ship <= 1")
    assert finding.to_json() == {
        "code": "wrong-index",
        "severity": "error",
        "element": "constraint 'c'",
        "message": "'ship' needs an index over PLANT, MARKET",
        "suggestion": "write ship[…]",
        "start": 0,
        "end": 4,
        "field": "expression",
    }


# --------------------------------------------------------------------------- never raises

REFERENCE = sorted((ROOT / "tests" / "reference").glob("*/*.json"))


@pytest.mark.parametrize("path", REFERENCE, ids=lambda path: path.stem)
def test_right_formulations_have_no_errors(path: Path) -> None:
    found = check(load_formulation(path), data=path.parent)
    assert [d for d in found if d.severity is ERROR] == []
    assert {d.code for d in found} <= {"unbounded-objective"}


LEAVES = st.sampled_from(
    [
        *("ship", "ship[p, m]", "ship['Seattle', 'Chicago']", "ship['Seattle', 'Boston']"),
        *("ship[p]", "ship[p, m, p]", "ship[PLANT, m]", "ship[ship[p,m], m]", "ship[[p, m]]"),
        *("capacity[p]", "capacity['Seattle']", "capacity", "demand[m]", "freight[p, m]"),
        *("PLANT", "MARKET", "PLANT[1]", "p", "m", "zz", "zz[p]", "'Seattle'", "3", "0.5", "0"),
        *("-1", "1e308", "9**9**9", "card(PLANT)", "ord(p)", "first(MARKET)", "succ(p)"),
    ]
)
SHAPES = st.sampled_from(
    [
        *("({a} + {b})", "{a} - {b}", "({a})*({b})", "({a})/({b})", "({a})**2", "({a})**({b})"),
        *("-({a})", "{a} <= {b}", "{a} == {b}", "({a}) != ({b})", "0 <= {a} <= {b}", "{a} % {b}"),
        *("{a} in PLANT", "{a} not in [{b}]", "({a}) and ({b})", "({a}) or ({b})", "not ({a})"),
        *("({a} if {b} else 1)", "implies({a}, {b})", "iff({a}, {b})", "abs({a})", "sqrt({a})"),
        *("log({a})", "min({a}, {b})", "max([{a}, {b}])", "sum({a} for p in PLANT)"),
        "sum({a} for p in PLANT for m in MARKET if {b})",
        *("prod({a} for q in {b})", "all({a} for m in MARKET)", "any([{a}, {b}])"),
        *("expectation({a})", "probability({a})", "element([{a}, {b}], {b})", "floor({a})"),
        *("piecewise({a}, [0, 1], [0, {b}])", "all_different([{a}, {b}])", "inverse({a}, {b})"),
        "circuit({a} for p in PLANT for m in PLANT if p != m)",
        "no_overlap([interval({a}, {b})])",
        "cumulative([interval({a}, 1)], [{b}], 2)",
        *("table([{a}, {b}], [[1, 2]])", "sum(max({a}, p) for p in [{b}, 2])", "[{a}, {b}]"),
    ]
)
EXPRESSIONS = st.recursive(
    LEAVES | st.text(min_size=1, max_size=10),
    lambda inner: st.builds(lambda shape, a, b: shape.format(a=a, b=b), SHAPES, inner, inner),
    max_leaves=8,
)
NUMBERS = st.integers(-3, 3) | st.floats() | st.just(10**400)
VALUES = st.recursive(
    NUMBERS | st.none() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["Seattle", "San Diego", "New York", "1"]), inner)
    ),
    max_leaves=6,
)
FUZZED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@st.composite
def mutants(draw: st.DrawFn) -> Formulation:
    """The right formulation with parts replaced by arbitrary ones."""
    data = json.loads(json.dumps(transport()))
    for _ in range(draw(st.integers(1, 4))):
        group = draw(
            st.sampled_from(["sets", "parameters", "variables", "objectives", "constraints"])
        )
        part = draw(st.sampled_from(data[group]))
        key = draw(st.sampled_from(sorted(part)))
        names = st.sampled_from(["PLANT", "MARKET", "ship", "capacity", "sum", "zz", "for"])
        replacement: st.SearchStrategy[Any] = {
            "name": names,
            "index": st.lists(names, max_size=3),
            "members": st.lists(
                st.sampled_from(["Seattle", "Boston", 1, ["a", "b"], ["a", 2], []]), max_size=3
            ),
            "value": VALUES,
            "sense": st.sampled_from(["minimize", "maximize"]),
        }.get(key, EXPRESSIONS)
        part[key] = draw(replacement)
        extra = draw(
            st.sampled_from(["", "upper", "lower", "start", "unit", "for_each", "default"])
        )
        if extra and extra in VariableDefinition.model_fields and group == "variables":
            part[extra] = draw(EXPRESSIONS if extra != "start" else VALUES)
        if extra in {"unit", "for_each"} and group == "parameters":
            part[extra] = draw(EXPRESSIONS)
    for parameter in data["parameters"]:
        if draw(st.integers(0, 3)) == 0:
            parameter.pop("value", None)
            parameter["expression"] = draw(EXPRESSIONS)
    try:
        return parse_formulation(data)
    except Exception:
        return parse_formulation(transport())


@FUZZED
@given(mutants())
def test_a_mutated_formulation_never_breaks_the_check(formulation: Formulation) -> None:
    found = check(formulation)
    assert [d for d in found if d.code == "internal-error"] == []
    known = re.compile(
        r"(set|parameter|variable|objective|constraint|result) '.*'|formulation", re.S
    )
    for finding in found:
        assert known.fullmatch(finding.element)
        assert finding.message
        assert (finding.start is None) == (finding.end is None)
    if not any(d.severity is ERROR for d in found):
        Model.bind(formulation)


@FUZZED
@given(
    EXPRESSIONS,
    st.sampled_from(["p in PLANT", "p in PLANT for m in MARKET", "m in MARKET if m != 'Chicago'"])
    | EXPRESSIONS,
)
def test_any_constraint_is_checked_and_placed_inside_its_text(text: str, for_each: str) -> None:
    for finding in constraint(text, for_each):
        assert finding.code != "internal-error", finding.message
        if finding.start is not None and finding.end is not None:
            size = len(for_each if finding.field == "for_each" else text)
            assert 0 <= finding.start <= finding.end <= size
