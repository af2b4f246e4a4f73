"""Units: symbolic products of unit names, and the physical ones among them through pint.

A unit is a product of powers of names, e.g. `usd/kg`. Names on an allow-list are physical and
are compared through pint; every other name (a currency, a countable thing) equals only itself,
because pint would read `bag` as a mass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from math import isclose
from typing import Any

_PHYSICAL = {
    spelling: name
    for name, spellings in {
        "mg": "mg milligram",
        "g": "g gram gramme",
        "kg": "kg kilo kilogram kilogramme",
        "t": "t tonne metric-ton",
        "lb": "lb lbs",
        "oz": "oz ounce",
        "ml": "ml mL millilitre milliliter",
        "cl": "cl centilitre centiliter",
        "l": "l L litre liter",
        "hl": "hl hL hectolitre hectoliter",
        "gal": "gal gallon",
        "mm": "mm millimetre millimeter",
        "cm": "cm centimetre centimeter",
        "m": "m metre meter",
        "km": "km kilometre kilometer",
        "inch": "inch inche",
        "ft": "ft foot feet",
        "yd": "yd yard",
        "mile": "mile mi",
        "ha": "ha hectare",
        "acre": "acre",
        "s": "s sec second",
        "min": "min minute",
        "h": "h hr hrs hour",
        "day": "day",
        "week": "week",
        "W": "W watt",
        "kW": "kW kilowatt",
        "MW": "MW megawatt",
        "GW": "GW gigawatt",
        "Wh": "Wh watt-hour",
        "kWh": "kWh kilowatt-hour",
        "MWh": "MWh megawatt-hour",
        "GWh": "GWh gigawatt-hour",
        "J": "J joule",
        "kJ": "kJ kilojoule",
        "MJ": "MJ megajoule",
        "GJ": "GJ gigajoule",
        "kcal": "kcal kilocalorie",
        "N": "N newton",
        "kN": "kN kilonewton",
        "Pa": "Pa pascal",
        "kPa": "kPa kilopascal",
        "bar": "bar",
    }.items()
    for spelling in spellings.split()
}
_PINT_NAMES = {"t": "metric_ton", "gal": "gallon", "ft": "foot", "yd": "yard", "ha": "hectare"}
_TEMPERATURES = {"°C": "°C", "degC": "°C", "celsius": "°C", "°F": "°F", "degF": "°F", "K": "K"}
_CURRENCIES = {"$": "usd", "us$": "usd", "dollar": "usd", "€": "eur", "euro": "eur", "£": "gbp"}
_GENERIC = frozenset({"unit", "piece", "item", "each", "count", "number", "pc", "ea"})
_DIMENSIONLESS = frozenset({"", "1", "-", "dimensionless", "ratio", "fraction", "share", "none"})
_UNKNOWN = frozenset({"%", "percent", "percentage", "per cent", "‰"})
_TOKEN = re.compile(
    r"\s*(?:(?P<power>\^|\*\*)|(?P<times>[*·×])|(?P<over>/|\bper\b)|(?P<open>\()|(?P<close>\))"
    r"|(?P<number>-?\d+)|(?P<name>(?:[^\W\d]|[$€£¥°])[^\W\d$€£¥]*\$?"
    r"(?:(?:[ -](?!per\b))[^\W\d]+)*))"
)
_SUPERSCRIPTS = str.maketrans({"²": "^2", "³": "^3", "µ": "u"})
MAX_UNIT = 200
"""Longest unit text, in characters."""


class UnitError(ValueError):
    """A unit text that cannot be read."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A product of powers of unit names.

    Attributes:
        powers: Names, sorted, with their non-zero exponents.
    """

    powers: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, Fraction]) -> Unit:
        """The product of names raised to exponents."""
        return cls(tuple(sorted((name, power) for name, power in powers.items() if power)))

    def __mul__(self, other: Unit) -> Unit:
        powers = dict(self.powers)
        for name, power in other.powers:
            powers[name] = powers.get(name, Fraction(0)) + power
        return Unit.of(powers)

    def __truediv__(self, other: Unit) -> Unit:
        return self * other**-1

    def __pow__(self, exponent: Fraction | int) -> Unit:
        return Unit.of({name: power * exponent for name, power in self.powers})

    def __str__(self) -> str:
        above = [_power_text(n, p) for n, p in self.powers if p > 0]
        below = [_power_text(n, -p) for n, p in self.powers if p < 0]
        text = "*".join(above) or "1"
        if len(below) > 1:
            return f"{text}/({'*'.join(below)})"
        return f"{text}/{below[0]}" if below else text

    @property
    def physical(self) -> bool:
        """Whether it is made of physical units only, at least one."""
        return bool(self.powers) and all(
            name in _PHYSICAL or name in _TEMPERATURES for name, _ in self.powers
        )


def _power_text(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


# --------------------------------------------------------------------------- reading


def parse_unit(text: str) -> Unit | None:
    """Read a unit such as `kg`, `usd/(kg*day)`, `m^2`, `cases per week`.

    Returns:
        The unit; None for a percentage, whose scale (0.4 or 40) its name does not tell.

    Raises:
        UnitError: The text is no unit.
    """
    cleaned = " ".join(text.translate(_SUPERSCRIPTS).split())
    if len(cleaned) > MAX_UNIT:
        raise UnitError("it is too long")
    if cleaned.casefold() in _UNKNOWN:
        return None
    if cleaned.casefold() in _DIMENSIONLESS:
        return Unit()
    return _Reader(cleaned).whole()


@dataclass(slots=True)
class _Reader:
    """Products and quotients from left to right; `a/b*c` is `(a/b)*c`, as in Python."""

    text: str
    position: int = 0
    depth: int = field(default=0)

    def whole(self) -> Unit:
        unit = self.product()
        if self.position < len(self.text):
            raise UnitError(f"'{self.text[self.position :]}' is out of place")
        return unit

    def peek(self) -> re.Match[str] | None:
        return _TOKEN.match(self.text, self.position)

    def take(self, kind: str) -> str | None:
        token = self.peek()
        if token is None or token.lastgroup != kind:
            return None
        self.position = token.end()
        return token[kind]

    def product(self) -> Unit:
        unit = self.power()
        while True:
            if self.take("times") is not None:
                unit = unit * self.power()
            elif self.take("over") is not None:
                unit = unit / self.power()
            else:
                return unit

    def power(self) -> Unit:
        unit, plain = self.factor()
        caret = self.take("power") is not None
        exponent = self.take("number") if caret or plain else None
        if exponent is None:
            if caret:
                raise UnitError("an exponent is missing")
            return unit
        if abs(int(exponent)) > 9:
            raise UnitError(f"the exponent {exponent} is too large")
        return unit ** int(exponent)

    def factor(self) -> tuple[Unit, bool]:
        if self.take("open") is not None:
            self.depth += 1
            if self.depth > 20:
                raise UnitError("it is nested too deeply")
            unit = self.product()
            if self.take("close") is None:
                raise UnitError("a parenthesis is not closed")
            return unit, False
        if (number := self.take("number")) is not None:
            if number != "1":
                raise UnitError(f"the number {number} is out of place")
            return Unit(), False
        name = self.take("name")
        if name is None:
            raise UnitError("a unit name is missing")
        return Unit.of({canonical(name): Fraction(1)}), True


def canonical(name: str) -> str:
    """One spelling per unit name: physical names as listed, others lower-case and singular."""
    for spelling in (name, name.lower(), _singular(name.lower()), name.lower().replace(" ", "-")):
        known = _PHYSICAL.get(spelling) or _TEMPERATURES.get(spelling) or _CURRENCIES.get(spelling)
        if known:
            return known
        single = _singular(spelling)
        known = _PHYSICAL.get(single) or _CURRENCIES.get(single)
        if known:
            return known
    return _singular(name.lower())


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > 3:
        return word[:-1]
    return word


# --------------------------------------------------------------------------- comparing


@dataclass(frozen=True, slots=True)
class Difference:
    """How two units differ.

    Attributes:
        factor: How many of the first make one of the second, where they measure the same
            thing; None where they do not.
        certain: True if the difference is beyond doubt.
    """

    factor: float | None
    certain: bool


def difference(one: Unit, two: Unit) -> Difference | None:
    """How two units differ; None if they do not, or if a count of things hides the answer."""
    if one == two:
        return None
    ratio = one / two
    names = {name for name, _ in ratio.powers}
    if names & _GENERIC:
        return None
    if not ratio.physical:
        return Difference(None, certain=False)
    measured = _measured(ratio)
    if measured is None:
        return Difference(None, certain=False)
    factor, dimensions = measured
    if dimensions:
        return Difference(None, certain=one.physical and two.physical)
    if isclose(factor, 1.0, rel_tol=1e-9):
        return None
    return Difference(1 / factor, certain=True)


def _measured(unit: Unit) -> tuple[float, dict[str, Fraction]] | None:
    """Factor to base units and dimensions; None without pint."""
    factor = 1.0
    dimensions: dict[str, Fraction] = {}
    for name, power in unit.powers:
        if name in _TEMPERATURES:
            base: tuple[float, dict[str, Fraction]] | None = (1.0, {name: Fraction(1)})
        else:
            base = _base(name)
        if base is None:
            return None
        factor *= base[0] ** float(power)
        for dimension, exponent in base[1].items():
            dimensions[dimension] = dimensions.get(dimension, Fraction(0)) + exponent * power
    return factor, {name: power for name, power in dimensions.items() if power}


@cache
def _base(name: str) -> tuple[float, dict[str, Fraction]] | None:
    registry = _registry()
    if registry is None:
        return None
    quantity = registry.Quantity(1.0, _PINT_NAMES.get(name, name)).to_base_units()
    exponents = {
        dimension: Fraction(power).limit_denominator(12)
        for dimension, power in quantity.dimensionality.items()
    }
    return float(quantity.magnitude), exponents


@cache
def _registry() -> Any:
    """pint's registry, or None where pint is not installed."""
    try:
        import pint
    except ImportError:
        return None
    return pint.UnitRegistry()


def pint_missing() -> bool:
    """Whether physical units cannot be compared; loads nothing."""
    return find_spec("pint") is None
