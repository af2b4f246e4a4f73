"""Polynomials in exact arithmetic: expanded objectives, and where those of one variable are low.

Numbers are fractions, so that what is said of a polynomial holds without rounding. Guesses come
from floating point and are then proven, by Sturm's theorem.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Monomial = tuple[tuple[int, int], ...]
"""Column numbers, ascending, each with its exponent."""
Polynomial = dict[Monomial, Fraction]
Univariate = list[Fraction]
"""Coefficients by degree, from 0."""

MOST_TERMS = 500
"""Larger expansions are given up."""
MOST_DEGREE = 16
FIRST_MARGIN = Fraction(1, 10**9)
"""How far, relatively, a guess is moved to the safe side at first."""
ATTEMPTS = 8
"""Attempts to prove a guess, each with a margin ten times as wide."""


# ------------------------------------------------------------------- expansion


def expand(content: dict[str, Any], root: int) -> Polynomial | None:
    """The polynomial that a node of a graph is.

    Args:
        content: As `orkernel_pyomo.job.read_graph` gives it.
        root: Number of the node.

    Returns:
        None if it is no polynomial, or a large one.
    """
    known: list[Polynomial | None] = []
    for node in content["nodes"][: root + 1]:
        made = _node(node, known)
        small = made is not None and len(made) <= MOST_TERMS
        known.append(made if small else None)
    return known[root]


def _node(node: Sequence[Any], known: list[Polynomial | None]) -> Polynomial | None:
    op, *arguments = node
    if op == "c":
        return {(): Fraction(arguments[0])} if np.isfinite(arguments[0]) else None
    if op == "x":
        return {((arguments[0], 1),): Fraction(1)}
    if op not in ("sum", "sub", "neg", "prod", "div", "pow"):
        return None
    parts: list[Polynomial] = []
    for k in arguments:
        part = known[k]
        if part is None:
            return None
        parts.append(part)
    first = parts[0]
    if op == "sum":
        return _total(parts)
    if op == "neg":
        return _scaled(first, Fraction(-1))
    if op == "sub":
        return _total([first, _scaled(parts[1], Fraction(-1))])
    if op == "prod":
        return _product(parts)
    number = _number(parts[1])
    if number is None:
        return None
    if op == "div":
        return _scaled(first, 1 / number) if number else None
    whole = number.denominator == 1 and 0 <= number <= MOST_DEGREE
    return _product([first] * int(number)) if whole else None


def _number(p: Polynomial) -> Fraction | None:
    return p.get((), Fraction(0)) if set(p) <= {()} else None


def _scaled(p: Polynomial, factor: Fraction) -> Polynomial:
    return {monomial: factor * value for monomial, value in p.items()}


def _total(parts: Sequence[Polynomial]) -> Polynomial:
    result: Polynomial = {}
    for monomial, value in itertools.chain.from_iterable(p.items() for p in parts):
        result[monomial] = result.get(monomial, Fraction(0)) + value
    return {monomial: value for monomial, value in result.items() if value}


def _product(parts: Sequence[Polynomial]) -> Polynomial | None:
    result: Polynomial = {(): Fraction(1)}
    for part in parts:
        if len(result) * len(part) > MOST_TERMS**2:
            return None
        pairs = itertools.product(result.items(), part.items())
        result = _total([{_joined(m, n): a * b} for (m, a), (n, b) in pairs])
        if len(result) > MOST_TERMS:
            return None
    return result


def _joined(first: Monomial, second: Monomial) -> Monomial:
    exponents = dict(first)
    for column, exponent in second:
        exponents[column] = exponents.get(column, 0) + exponent
    return tuple(sorted(exponents.items()))


# ------------------------------------------------------------------- one variable


def value(p: Univariate, x: Fraction) -> Fraction:
    """p(x)."""
    result = Fraction(0)
    for coefficient in reversed(p):
        result = result * x + coefficient
    return result


def trimmed(p: Univariate) -> Univariate:
    """Without zeros at the end."""
    degree = max((k for k, coefficient in enumerate(p) if coefficient), default=-1)
    return p[: degree + 1]


def is_positive(p: Univariate, low: Fraction, high: Fraction | None) -> bool:
    """Whether p > 0 on [low, high], up to infinity without `high`.

    By Sturm's theorem: the sign changes along the chain p, p′, … are as many at both ends if p
    has no root between them.
    """
    p = trimmed(p)
    if not p or value(p, low) <= 0 or (p[-1] if high is None else value(p, high)) <= 0:
        return False
    chain = [p, trimmed([k * c for k, c in enumerate(p)][1:])]
    while chain[-1]:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])
    chain.pop()
    at_low = [value(q, low) for q in chain]
    at_high = [q[-1] if high is None else value(q, high) for q in chain]
    return _changes(at_low) == _changes(at_high)


def _remainder(p: Univariate, divisor: Univariate) -> Univariate:
    """p modulo a divisor, scaled by a positive number to keep fractions short."""
    rest = list(p)
    while len(rest) >= len(divisor):
        factor = rest[-1] / divisor[-1]
        shift = len(rest) - len(divisor)
        for k, coefficient in enumerate(divisor):
            rest[shift + k] -= factor * coefficient
        rest.pop()
    rest = trimmed(rest)
    return [c / abs(rest[-1]) for c in rest]


def _changes(values: Sequence[Fraction]) -> int:
    signs = [v > 0 for v in values if v]
    return sum(a != b for a, b in itertools.pairwise(signs))


def least(p: Univariate, low: Fraction, high: Fraction | None) -> Fraction | None:
    """A number just below the minimum of p on [low, high]; None where p has none."""
    p = trimmed(p)
    if len(p) <= 1:
        return p[0] if p else Fraction(0)
    if high is None and p[-1] < 0:
        return None
    slope = [k * c for k, c in enumerate(p)][1:]
    places = [low, *([] if high is None else [high])]
    places += [x for x in _real_roots(slope) if low < x and (high is None or x < high)]
    lowest = min(value(p, x) for x in places)
    margin = FIRST_MARGIN * max(Fraction(1), abs(lowest))
    for _ in range(ATTEMPTS):
        if is_positive(_above(p, lowest - margin), low, high):
            return lowest - margin
        margin *= 10
    return None


def reach(p: Univariate, level: Fraction, low: Fraction, high: Fraction | None) -> Fraction | None:
    """A number beyond which p > level, up to `high`.

    Returns:
        `high` where nothing better can be proven.
    """
    above = trimmed(_above(p, level))
    if len(above) <= 1:
        return low if above and above[0] > 0 else high
    crossings = [x for x in _real_roots(above) if x > low and (high is None or x < high)]
    last = max(crossings, default=low)
    margin = FIRST_MARGIN * max(Fraction(1), abs(last))
    for _ in range(ATTEMPTS):
        place = last + margin
        if high is not None and place >= high:
            return high
        if is_positive(above, place, high):
            return place
        margin *= 10
    return high


def _above(p: Univariate, level: Fraction) -> Univariate:
    return [(p[0] if p else Fraction(0)) - level, *p[1:]]


def _real_roots(p: Univariate) -> list[Fraction]:
    """Roots that are real as far as floating point can tell."""
    p = trimmed(p)
    size = max((abs(c) for c in p), default=Fraction(1))
    roots = np.roots([float(c / size) for c in reversed(p)]) if len(p) > 1 else np.zeros(0)
    near = np.isfinite(roots) & (np.abs(roots.imag) <= 1e-4 * np.maximum(1.0, np.abs(roots)))
    return [Fraction(x) for x in roots.real[near].tolist()]
