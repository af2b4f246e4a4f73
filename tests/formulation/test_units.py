"""Units are read, compared through pint where physical, and mismatches are placed."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.formulation import units
from orkernel.formulation.check import Diagnostic, Severity, check
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.units import Unit, UnitError, difference, parse_unit

ERROR, WARNING = Severity.ERROR, Severity.WARNING


def unit(text: str) -> Unit:
    found = parse_unit(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("kg", "kg"),
        ("Kilograms", "kg"),
        ("KG", "kg"),
        ("metric tons", "t"),
        ("litres", "l"),
        ("feet", "ft"),
        ("kWh", "kWh"),
        ("MW", "MW"),
        ("°C", "°C"),
        ("m²", "m^2"),
        ("m2", "m^2"),
        ("m**2", "m^2"),
        ("kg*m/s^2", "kg*m/s^2"),
        ("usd/(kg*day)", "usd/(day*kg)"),
        ("usd/kg/day", "usd/(day*kg)"),
        ("usd per case", "usd/case"),
        ("$/unit", "usd/unit"),
        ("€/MWh", "eur/MWh"),
        ("Dollars", "usd"),
        ("cases", "case"),
        ("boxes", "box"),
        ("batteries", "battery"),
        ("glass", "glass"),
        ("machine hours", "machine hour"),
        ("bag", "bag"),
        ("1/day", "1/day"),
        ("kg/kg", "1"),
        ("1", "1"),
        ("", "1"),
        ("ratio", "1"),
    ],
)
def test_a_unit_is_read_to_one_spelling(text: str, written: str) -> None:
    assert str(unit(text)) == written


def test_a_percentage_has_no_known_scale() -> None:
    assert parse_unit("%") is None
    assert parse_unit("percent") is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("kg/", "a unit name is missing"),
        ("kg//m", "a unit name is missing"),
        ("(kg", "a parenthesis is not closed"),
        ("2kg", "the number 2 is out of place"),
        ("kg)", "')' is out of place"),
        ("m^", "an exponent is missing"),
        ("m^99", "the exponent 99 is too large"),
        ("(" * 30 + "kg", "it is nested too deeply"),
        ("kg;", "';' is out of place"),
        ("k" * 300, "it is too long"),
    ],
)
def test_a_bad_unit_says_why(text: str, cause: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_unit(text)
    assert str(caught.value) == cause


@given(st.text(max_size=20) | st.text(alphabet="kgmsh/*^()12 usd$", max_size=20))
def test_any_text_is_a_unit_or_a_unit_error(text: str) -> None:
    try:
        found = parse_unit(text)
    except UnitError:
        return
    if found is not None:
        assert parse_unit(str(found)) == found


@pytest.mark.parametrize(
    ("one", "two", "factor", "certain"),
    [
        ("kg", "t", 1000, True),
        ("t", "kg", 0.001, True),
        ("min", "h", 60, True),
        ("l", "m^3", 1000, True),
        ("km/h", "m/s", 3.6, True),
        ("usd/kg", "usd/t", 0.001, True),
        ("kg", "l", None, True),
        ("kW", "kWh", None, True),
        ("°C", "°F", None, True),
        ("usd/kg", "usd/l", None, False),
        ("usd", "case", None, False),
        ("usd", "eur", None, False),
        ("kg", "1", None, False),
    ],
)
def test_units_differ_by_a_factor_or_in_kind(
    one: str, two: str, factor: float | None, certain: bool
) -> None:
    found = difference(unit(one), unit(two))
    assert found is not None
    assert found.certain is certain
    assert found.factor == (None if factor is None else pytest.approx(factor))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("kWh", "kW*h"),
        ("kg", "kilograms"),
        ("m^3", "m*m2"),
        ("usd/unit*chair", "usd"),
        ("N", "kg*m/s^2"),
    ],
)
def test_units_that_measure_the_same_do_not_differ(one: str, two: str) -> None:
    assert difference(unit(one), unit(two)) is None


def test_powers_of_units_follow_the_rules() -> None:
    kg, day = unit("kg"), unit("day")
    assert kg * day / kg == day
    assert (kg / day) ** 2 == unit("kg^2/day^2")
    assert unit("m^2") ** Fraction(1, 2) == unit("m")
    assert not Unit().physical
    assert kg.physical
    assert not unit("usd/kg").physical


# --------------------------------------------------------------------------- expressions


def model(expression: str, **more: Any) -> dict[str, Any]:
    return {
        "sets": [{"name": "F", "members": ["oats", "corn"]}],
        "parameters": [
            {"name": "price", "index": ["F"], "value": [2, 3], "unit": "usd/kg"},
            {"name": "capacity", "value": 5, "unit": "t"},
            {"name": "budget", "value": 50, "unit": "usd"},
            {"name": "volume", "value": 9, "unit": "l"},
            {"name": "plain", "value": 9},
        ],
        "variables": [
            {"name": "buy", "index": ["F"], "unit": "kg"},
            {"name": "crates", "unit": "case"},
        ],
        "constraints": [{"name": "c", "expression": expression}],
        **more,
    }


def unit_findings(data: dict[str, Any]) -> list[Diagnostic]:
    return [d for d in check(parse_formulation(data)) if d.code.startswith("unit")]


FACTOR_FIX = "1 t is 1000 kg: multiply what is in t by 1000, or state both in one unit"


@pytest.mark.parametrize(
    ("expression", "code", "severity", "message", "suggestion", "place"),
    [
        (
            "sum(buy[f] for f in F) <= capacity",
            "unit-factor",
            ERROR,
            "the left side is in kg, the right side in t",
            FACTOR_FIX,
            (0, 34),
        ),
        (
            "buy['oats'] <= volume",
            "unit-mismatch",
            ERROR,
            "the left side is in kg, the right side in l",
            "correct the units, or the expression",
            (0, 21),
        ),
        (
            "sum(price[f]*buy[f] for f in F) <= crates",
            "unit-mismatch",
            WARNING,
            "the left side is in usd, the right side in case",
            "correct the units, or the expression",
            (0, 41),
        ),
        (
            "1 <= buy['oats'] + crates",
            "unit-mismatch",
            WARNING,
            "case is added to kg",
            "correct the units, or the expression",
            (5, 25),
        ),
        (
            "buy['oats'] - capacity <= 3",
            "unit-factor",
            ERROR,
            "t is subtracted from kg",
            FACTOR_FIX,
            (0, 22),
        ),
        (
            "min(buy['oats'], capacity) >= 1",
            "unit-factor",
            ERROR,
            "one argument is in kg, another in t",
            FACTOR_FIX,
            (17, 25),
        ),
        (
            "implies(crates >= 1, buy['oats'] <= capacity)",
            "unit-factor",
            ERROR,
            "the left side is in kg, the right side in t",
            FACTOR_FIX,
            (21, 44),
        ),
        (
            "sqrt(buy['oats']**2) <= capacity",
            "unit-factor",
            ERROR,
            "the left side is in kg, the right side in t",
            FACTOR_FIX,
            (0, 32),
        ),
    ],
)
def test_a_mismatch_is_placed(
    expression: str,
    code: str,
    severity: Severity,
    message: str,
    suggestion: str,
    place: tuple[int, int],
) -> None:
    (finding,) = unit_findings(model(expression))
    assert finding == Diagnostic(code, severity, "constraint 'c'", message, suggestion, *place)


@pytest.mark.parametrize(
    "expression",
    [
        "sum(price[f]*buy[f] for f in F) <= budget",
        "buy['oats'] <= 1000*capacity",
        "buy['oats'] <= plain",
        "plain*buy['oats'] <= capacity",
        "buy['oats'] <= 500",
        "buy['oats']/buy['corn'] <= 2",
        "budget/price['oats'] >= buy['oats']",
        "-buy['oats'] >= -1*buy['corn']",
        "(buy['oats'] if 1 > 0 else buy['corn']) >= 2",
        "exp(plain) <= crates",
        "buy['oats'] >= 1",
    ],
)
def test_what_is_right_or_unknown_gives_no_finding(expression: str) -> None:
    assert unit_findings(model(expression)) == []


def test_objectives_results_bounds_and_derived_data_are_compared_with_their_unit() -> None:
    found = unit_findings(
        model(
            "crates >= 1",
            objectives=[
                {
                    "name": "o",
                    "sense": "minimize",
                    "unit": "usd",
                    "expression": "sum(buy[f] for f in F)",
                }
            ],
            results=[{"name": "r", "unit": "t", "expression": "buy['oats']"}],
        )
        | {
            "variables": [
                {"name": "buy", "index": ["F"], "unit": "kg", "upper": "capacity"},
                {"name": "crates", "unit": "case"},
            ]
        }
    )
    assert [(d.code, d.severity, d.element, d.message, d.field) for d in found] == [
        (
            "unit-factor",
            ERROR,
            "variable 'buy'",
            "its upper bound is in t, its unit is kg",
            "upper",
        ),
        (
            "unit-factor",
            ERROR,
            "result 'r'",
            "its expression is in kg, its unit is t",
            "expression",
        ),
        (
            "unit-mismatch",
            WARNING,
            "objective 'o'",
            "its expression is in kg, its unit is usd",
            "expression",
        ),
    ]


def test_an_unreadable_unit_is_a_warning() -> None:
    data = model("crates >= 1")
    data["parameters"][0] = {"name": "price", "value": 1, "unit": "usd//kg"}
    (finding,) = unit_findings(data)
    assert finding == Diagnostic(
        "unit-unreadable",
        WARNING,
        "parameter 'price'",
        "its unit 'usd//kg' cannot be read: a unit name is missing",
        "write names with * / ^ and parentheses, e.g. usd/(kg*day)",
        field="unit",
    )


@pytest.fixture
def without_pint(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation in which `import pint` fails."""
    units._registry.cache_clear()
    units._base.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)


@pytest.mark.usefixtures("without_pint")
def test_without_pint_physical_units_are_compared_by_name_and_that_is_said() -> None:
    try:
        found = unit_findings(model("sum(buy[f] for f in F) <= capacity"))
    finally:
        units._registry.cache_clear()
        units._base.cache_clear()
    assert found == [
        Diagnostic(
            "unit-mismatch",
            WARNING,
            "constraint 'c'",
            "the left side is in kg, the right side in t",
            "correct the units, or the expression",
            0,
            34,
        ),
        Diagnostic(
            "units-unchecked",
            WARNING,
            "formulation",
            "physical units are compared by name only, because pint is not installed",
            "pip install 'orkernel[units]'",
            field="unit",
        ),
    ]


def test_pint_is_loaded_only_to_compare_different_physical_units() -> None:
    program = (
        "import sys\n"
        "from orkernel.formulation.check import check\n"
        "from orkernel.formulation.load import parse_formulation\n"
        "def run(one, two):\n"
        "    variables = [{'name': 'x', 'unit': one}, {'name': 'y', 'unit': two}]\n"
        "    constraints = [{'name': 'c', 'expression': 'x <= y'}]\n"
        "    check(parse_formulation({'variables': variables, 'constraints': constraints}))\n"
        "    return 'pint' in sys.modules\n"
        "print(run('case', 'bag'), run('kg', 'kg'), run('kg', 't'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "False", "True"]


def test_every_physical_name_is_known_to_pint() -> None:
    for name in set(units._PHYSICAL.values()):
        base = units._base(name)
        assert base is not None
        assert base[0] > 0
