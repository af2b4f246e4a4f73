"""Random small models against enumeration by the kernel's own evaluator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from orkernel.model import Model

# --------------------------------------------------------------------------- expressions

NAMES = ("x", "y", "z")
NUMBERS = st.sampled_from(["-3", "-1", "0", "1", "2", "3", "0.5", "1.25", "-0.1", "5"])
LEAVES = st.one_of(st.sampled_from(NAMES), NUMBERS, st.sampled_from(["(a >= 1)", "a", "b"]))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"({p[0]} + {p[1]})"),
        pairs.map(lambda p: f"({p[0]} - {p[1]})"),
        pairs.map(lambda p: f"({p[0]} * {p[1]})"),
        pairs.map(lambda p: f"max({p[0]}, {p[1]})"),
        pairs.map(lambda p: f"min({p[0]}, {p[1]})"),
        inner.map(lambda e: f"abs({e})"),
        inner.map(lambda e: f"(-({e}))"),
        inner.map(lambda e: f"({e})**2"),
        inner.map(lambda e: f"({e}) / 4"),
        st.sampled_from(NAMES).map(lambda v: f"piecewise({v}, [-2, 0, 1, 3], [4, 0, 2, 1])"),
        st.sampled_from(NAMES).map(lambda v: f"element([4, 1, 7], {v})"),
        st.sampled_from(NAMES).map(lambda v: f"element([x, 2, y + 1], {v} + 1)"),
    )


EXPRESSIONS = st.recursive(LEAVES, _grown, max_leaves=4)
COMPARISONS = st.tuples(
    EXPRESSIONS, st.sampled_from(["<=", ">=", "==", "!=", "<", ">"]), EXPRESSIONS
).map(" ".join)

GLOBALS = st.sampled_from(
    [
        "all_different([x, y, z])",
        "all_different([x, y + 1, 2 * z])",
        "table([x, y], [[0, 1], [2, 2], [-1, 0]])",
        "table([2 * x, y], [[0, 1], [2, 2], [3, 0]])",
        "no_overlap([interval(x, 2), interval(y, 1), interval(z, 2)])",
        "no_overlap([interval(x, 0), interval(y, 3), interval(z, y, a)])",
        "no_overlap([interval(x, y, a), interval(z, 1, b), interval(1, 1)])",
        "cumulative([interval(x, 2), interval(y, 3)], [1, 2], 2)",
        "cumulative([interval(x, 2, a), interval(y, z)], [y, 1], 2)",
        "cumulative([interval(x, 0.5), interval(y, 1.5)], [0.5, z], 1.5)",
        "cumulative([interval(x, 1), interval(y, 2)], [1, 1], z)",
        "inverse([x, y, z], [x, z, y])",
        "inverse([x, y], [z, y])",
    ]
)


def _logical(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"({p[0]} and {p[1]})"),
        pairs.map(lambda p: f"({p[0]} or {p[1]})"),
        pairs.map(lambda p: f"implies({p[0]}, {p[1]})"),
        pairs.map(lambda p: f"iff({p[0]}, {p[1]})"),
        inner.map(lambda e: f"(not ({e}))"),
    )


TRUTHS = st.recursive(
    st.one_of(COMPARISONS.map(lambda c: f"({c})"), st.sampled_from(["a == 1", "b == 0"]), GLOBALS),
    _logical,
    max_leaves=3,
)


def judged_clearly(model: Model) -> bool:
    """Whether no point misses a row by so little that enumeration tolerates what is exact here."""
    columns = model.columns
    axes = [np.arange(a, b + 1) for a, b in zip(columns.lower, columns.upper, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(columns))
    values = model.evaluate(points)
    missed = values.violations / values.scales
    return not np.any((missed > 1e-10) & (missed < 1e-5))


BOUNDS = st.tuples(st.integers(-2, 1), st.integers(0, 3)).map(lambda p: (p[0], p[0] + p[1]))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    bounds=st.lists(BOUNDS, min_size=3, max_size=3),
    constraints=st.lists(st.one_of(COMPARISONS, TRUTHS), min_size=1, max_size=3),
    objective=st.one_of(st.just(""), EXPRESSIONS.map("0 + {}".format)),
    sense=st.sampled_from(["minimize", "maximize"]),
)
def test_random_models_agree_with_enumeration(
    model_of: Callable[..., Model],
    agrees: Callable[..., None],
    bounds: list[tuple[int, int]],
    constraints: list[str],
    objective: str,
    sense: str,
) -> None:
    variables = [
        {"name": name, "lower": low, "upper": high}
        for name, (low, high) in zip(NAMES, bounds, strict=True)
    ]
    variables += [{"name": name, "domain": "binary"} for name in ("a", "b")]
    model = model_of(variables, constraints, objective, sense)
    assume(judged_clearly(model))
    agrees(model)
