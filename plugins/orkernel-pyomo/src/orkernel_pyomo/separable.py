"""Where a polynomial of several variables is low: an underestimate that is a sum over columns.

A product of several columns is replaced by a sum of powers of their sizes, by the weighted
inequality of the arithmetic and the geometric mean (Young's inequality): with shares r > 0 that
sum to 1, c · ∏ yᵢ^aᵢ ≤ Σ kᵢ · yᵢ^(aᵢ/rᵢ) for all y ≥ 0 if ∏ (kᵢ/rᵢ)^rᵢ ≥ c. What remains is a
polynomial of each column's size on either side of 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from orkernel_pyomo.polynomials import MOST_DEGREE, Monomial, Polynomial, Univariate, least, reach

BLENDS = (1.0, 1 / 8, 1 / 64, 1 / 4096)
"""Weights of the upper of two neighbouring powers that replace a power between them."""
BALANCING = 12
"""Rounds that even out what the products take from each column's highest power."""
ROUNDING = 1 + 1e-9
"""Coefficients that come from floating point are made larger by this."""

Bound = float | None
"""A column's bound; None where it has none."""


@dataclass(frozen=True, slots=True)
class _Product:
    """`size · ∏ |x|^exponent`, to be subtracted; the columns have no bound on some side."""

    size: Fraction
    exponents: Monomial


def low_region(
    polynomial: Polynomial, level: Fraction, bounds: Sequence[tuple[Bound, Bound]]
) -> list[tuple[Bound, Bound]]:
    """Bounds on the columns of all points at which a polynomial is at most `level`.

    Args:
        polynomial: In the columns.
        level: Where it is low.
        bounds: Of the columns; only points within them matter.

    Returns:
        Bounds, none wider than the given ones; the same where the argument does not apply.
    """
    best = list(bounds)
    for blend in BLENDS:
        estimate = _Estimate.of(polynomial, bounds, blend)
        found = None if estimate is None else estimate.region(level)
        if found is not None:
            best = [_common(a, b) for a, b in zip(best, found, strict=True)]
    return best


def _common(first: tuple[Bound, Bound], second: tuple[Bound, Bound]) -> tuple[Bound, Bound]:
    lows = [bound for bound in (first[0], second[0]) if bound is not None]
    highs = [bound for bound in (first[1], second[1]) if bound is not None]
    return max(lows, default=None), min(highs, default=None)


@dataclass(frozen=True, slots=True)
class _Estimate:
    """`constant + Σ own[j](x_j) − taken[j](|x_j|)`, nowhere above the polynomial."""

    bounds: Sequence[tuple[Bound, Bound]]
    constant: Fraction
    own: dict[int, Univariate]
    taken: dict[int, Univariate]

    @classmethod
    def of(
        cls, polynomial: Polynomial, bounds: Sequence[tuple[Bound, Bound]], blend: float
    ) -> _Estimate | None:
        """None where the products may outdo the powers of single columns."""
        constant, own = Fraction(0), {j: [Fraction(0)] for j in range(len(bounds))}
        products: list[_Product] = []
        for monomial, coefficient in polynomial.items():
            if not monomial:
                constant += coefficient
            elif len(monomial) == 1:
                _add(own[monomial[0][0]], monomial[0][1], coefficient)
            elif not _is_nonnegative(monomial, coefficient, bounds):
                product = _without_bounded(monomial, coefficient, bounds)
                if product.exponents:
                    products.append(product)
                else:
                    constant -= product.size
        taken = {j: [Fraction(0)] for j in own}
        weights = _Weights(own, products)
        if not weights.apply:
            return None
        for product in products:
            for j, power, amount in weights.powers(product):
                for degree, part in _whole_powers(power, amount, blend):
                    _add(taken[j], degree, part)
        if max(len(p) for p in (*own.values(), *taken.values())) > MOST_DEGREE + 1:
            return None
        return cls(bounds, constant, own, taken)

    def region(self, level: Fraction) -> list[tuple[Bound, Bound]] | None:
        """Where the estimate is at most `level`; None if it has no minimum."""
        lowest: dict[int, Fraction] = {}
        for j in self.own:
            sides = [least(p, *span) for _, p, span in self._sides(j)]
            found = [low for low in sides if low is not None]
            if len(found) < len(sides) or not found:
                return None
            lowest[j] = min(found)
        left = level - self.constant - sum(lowest.values())
        return [self._span(j, left + lowest[j]) for j in self.own]

    def _span(self, j: int, level: Fraction) -> tuple[Bound, Bound]:
        low, high = self.bounds[j]
        for sign, p, (near, far) in self._sides(j):
            end = reach(p, level, near, far)
            if end is None:
                continue
            if sign > 0:
                high = float(end)
            else:
                low = -float(end)
        return low, high

    def _sides(self, j: int) -> Iterator[tuple[int, Univariate, tuple[Fraction, Fraction | None]]]:
        """Per side of 0 its sign, the function of |x|, and the interval of |x|."""
        low, high = self.bounds[j]
        for sign, near, far in (
            (1, low, high),
            (-1, None if high is None else -high, None if low is None else -low),
        ):
            if far is not None and far < 0:
                continue
            start = Fraction(0 if near is None else max(0.0, near))
            p = [sign**k * c for k, c in enumerate(self.own[j])]
            for degree, coefficient in enumerate(self.taken[j]):
                _add(p, degree, -coefficient)
            yield sign, p, (start, None if far is None else Fraction(far))


def _add(p: Univariate, degree: int, coefficient: Fraction) -> None:
    p.extend([Fraction(0)] * (degree + 1 - len(p)))
    p[degree] += coefficient


def _is_nonnegative(
    monomial: Monomial, coefficient: Fraction, bounds: Sequence[tuple[Bound, Bound]]
) -> bool:
    """Whether signs alone tell that a term is never below 0."""
    positive = coefficient > 0
    for j, exponent in monomial:
        low, high = bounds[j]
        if exponent % 2 == 0 or (low is not None and low >= 0):
            continue
        if high is None or high > 0:
            return False
        positive = not positive
    return positive


def _without_bounded(
    monomial: Monomial, coefficient: Fraction, bounds: Sequence[tuple[Bound, Bound]]
) -> _Product:
    """The largest size of a term, columns with two bounds replaced by them."""
    size, rest = abs(coefficient), []
    for j, exponent in monomial:
        low, high = bounds[j]
        if low is None or high is None:
            rest.append((j, exponent))
        else:
            size *= Fraction(max(abs(low), abs(high))) ** exponent
    return _Product(size, tuple(rest))


class _Weights:
    """How each product is shared out among its columns.

    A column of degree D takes part in a product with exponent a to the extent a/D; the powers
    that replace the product are D · Σ a/D, so they do not outgrow the column's own.

    Attributes:
        apply: Whether every product is small enough for its columns far out.
    """

    def __init__(self, own: dict[int, Univariate], products: Sequence[_Product]) -> None:
        self.degree = {j: len(p) - 1 for j, p in own.items()}
        involved = {j for product in products for j, _ in product.exponents}
        self.apply = all(own[j][-1] for j in involved) and all(self.degree[j] > 0 for j in involved)
        if not self.apply:
            return
        self.apply = all(
            len(product.exponents) == 1 or self._extent(product) <= 1 for product in products
        )
        if not self.apply:
            return
        leading = {j: float(abs(own[j][-1])) for j in involved}
        self.weight = dict(leading)
        full = [p for p in products if len(p.exponents) > 1 and self._extent(p) == 1]
        for _ in range(BALANCING if full else 0):
            load = dict.fromkeys(involved, 0.0)
            for product in full:
                for j, _, coefficient in self.powers(product):
                    load[j] += coefficient / leading[j]
            for j in involved:
                if load[j]:
                    self.weight[j] /= math.sqrt(load[j])

    def _extent(self, product: _Product) -> Fraction:
        return sum((Fraction(a, self.degree[j]) for j, a in product.exponents), Fraction(0))

    def powers(self, product: _Product) -> list[tuple[int, Fraction, float]]:
        """Column, power and coefficient of each summand that replaces a product."""
        if len(product.exponents) == 1:
            ((j, exponent),) = product.exponents
            return [(j, Fraction(exponent), float(product.size) * ROUNDING)]
        extent = self._extent(product)
        shares = [(j, Fraction(a, self.degree[j]) / extent) for j, a in product.exponents]
        common = float(product.size) * math.prod(
            (float(share) / self.weight[j]) ** float(share) for j, share in shares
        )
        return [(j, self.degree[j] * extent, common * self.weight[j] * ROUNDING) for j, _ in shares]


def _whole_powers(power: Fraction, coefficient: float, blend: float) -> list[tuple[int, Fraction]]:
    """Powers with whole exponents whose sum is never below `coefficient · y^power`."""
    low = math.floor(power)
    upper = float(power - low)
    if not upper:
        return [(low, Fraction(coefficient))]
    lower = 1 - upper
    parts = (lower * blend ** (-upper / lower), upper * blend)
    return [(low + k, Fraction(coefficient * part * ROUNDING)) for k, part in enumerate(parts)]
