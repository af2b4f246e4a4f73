"""Simulated figures: intervals that cover as often as they say, and differences of designs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from orkernel.algebra import estimation
from orkernel.algebra.estimation import Precision, compare, estimate, standard_errors
from orkernel.algebra.sampling import SCENARIOS, common_sample, independent
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Guarantee
from orkernel.solution import Estimate, Solution, SolverIdentity, Status
from orkernel.verify import verify

ME = SolverIdentity("me", "me", "1")
NORMAL = {"name": "d", "distribution": {"normal": {"mean": 50, "std": 8}}}


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def shop() -> Model:
    return bind(
        parameters=[NORMAL],
        variables=[{"name": "q", "domain": "continuous", "upper": 200}],
        objectives=[
            {
                "name": "profit",
                "sense": "maximize",
                "expression": "expectation(10 * min(q, d)) - 6 * q",
            }
        ],
        constraints=[{"name": "service", "expression": "probability(q >= d) >= 0.4"}],
        results=[
            {"name": "fill", "expression": "expectation(min(q, d)) / expectation(d)"},
            {"name": "percent", "expression": "100 * probability(q >= d)"},
            {"name": "variance", "expression": "expectation(d**2) - expectation(d)**2"},
            {"name": "plain", "expression": "2 * q"},
        ],
    )


def exact(q: float) -> dict[str, float]:
    z = (q - 50) / 8
    left = 8 * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
    return {
        "profit": 4 * q - 10 * left,
        "service": float(stats.norm.cdf(z)),
        "fill": (q - left) / 50,
        "percent": 100 * float(stats.norm.cdf(z)),
        "variance": 64.0,
    }


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """Means, a ratio of means, a function of a chance, a variance; exact binomial tests."""
    model, x = shop(), np.array([55.0])
    runs = 250
    hits = dict.fromkeys(exact(55.0), 0)
    for seed in range(runs):
        for found in estimate(model, x, Precision(samples=400), seed=seed).estimates:
            hits[found.name] += found.low <= exact(55.0)[found.name] <= found.high
    for name, count in hits.items():
        # Clopper and Pearson cover at least as often as they say
        side = "less" if name == "service" else "two-sided"
        assert stats.binomtest(count, runs, 0.95, side).pvalue > 1e-3, (name, count)


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_other_levels_cover_as_often_as_they_say(level: float) -> None:
    model, x = shop(), np.array([48.0])
    runs = 200
    hits = 0
    for seed in range(runs):
        (profit, *_) = estimate(
            model, x, Precision(level=level, samples=300), seed=1000 + seed
        ).estimates
        hits += profit.low <= exact(48.0)["profit"] <= profit.high
    assert stats.binomtest(hits, runs, level).pvalue > 1e-3


def test_only_figures_that_depend_on_random_parameters_are_estimated() -> None:
    found = estimate(shop(), np.array([48.0])).estimates
    assert [(e.kind, e.name) for e in found] == [
        ("objective", "profit"),
        ("result", "fill"),
        ("result", "percent"),
        ("result", "variance"),
        ("constraint", "service"),
    ]
    assert {e.samples for e in found} == {Precision().samples}


def test_an_event_that_never_occurred_keeps_a_chance() -> None:
    model = bind(
        parameters=[NORMAL],
        variables=[{"name": "q", "domain": "continuous"}],
        results=[
            {"name": "never", "expression": "probability(d >= 500)"},
            {"name": "always", "expression": "probability(d <= 500)"},
            {"name": "cost", "expression": "1000 * probability(d >= 500)"},
        ],
    )
    never, always, cost = estimate(model, np.array([1.0]), Precision(samples=1000)).estimates
    most = 1 - 0.025 ** (1 / 1000)
    assert (never.low, never.value, never.high) == pytest.approx((0.0, 0.0, most))
    assert (always.low, always.value, always.high) == pytest.approx((1 - most, 1.0, 1.0))
    assert cost.high == pytest.approx(1000 * most)


def test_common_random_numbers_narrow_the_interval_of_a_difference() -> None:
    model = shop()
    first, second = np.array([48.0]), np.array([47.0])
    precision = Precision(samples=4000, level=0.999)
    found = compare(model, first, second, precision, seed=5)
    (profit,) = [e for e in found if e.name == "profit"]
    assert profit.low <= exact(47.0)["profit"] - exact(48.0)["profit"] <= profit.high
    apart = [estimate(model, x, precision, seed=5).estimates[0] for x in (first, second)]
    width = float(np.hypot(*(e.high - e.low for e in apart)))
    assert (profit.high - profit.low) < width / 5
    assert profit.value == pytest.approx(apart[1].value - apart[0].value)
    assert "constraint" not in {e.kind for e in found}


def test_a_wanted_half_width_sets_the_number_of_scenarios() -> None:
    model, x = shop(), np.array([48.0])
    for half in (1.0, 0.25):
        found = estimate(model, x, Precision(half_width=half))
        assert found.met
        profit = found.estimates[0]
        assert (profit.high - profit.low) / 2 <= half
    short = estimate(model, x, Precision(half_width=1e-3, limit=2000))
    assert not short.met
    assert {e.samples for e in short.estimates} == {2000}


def test_stopping_keeps_what_was_drawn_and_draws_at_least_one_batch() -> None:
    found = estimate(shop(), np.array([48.0]), Precision(samples=10**8), stop=lambda: True)
    assert {e.samples for e in found.estimates} == {estimation.BATCH}


def test_rows_are_named_by_their_index_and_left_out_rows_are_not_estimated() -> None:
    model = bind(
        sets=[{"name": "I", "members": ["a", "b", "c"]}],
        parameters=[
            {
                "name": "d",
                "index": ["I"],
                "distribution": {"normal": {"mean": [1, 2, 3], "std": 1}},
            }
        ],
        variables=[{"name": "x", "index": ["I"], "domain": "continuous"}],
        constraints=[
            {"name": "met", "for_each": "i in I", "expression": "probability(x[i] >= d[i]) >= 0.5"},
            {"name": "both", "expression": "expectation(d['a']) <= expectation(d['b']) + x['a']"},
        ],
        results=[{"name": "mean", "for_each": "i in I", "expression": "expectation(d[i] + x[i])"}],
    )
    x = np.array([3.0, 2.0, 0.0])
    found = estimate(model, x, Precision(level=0.9999))
    names = [e.name for e in found.estimates]
    assert names == ["mean[a]", "mean[b]", "mean[c]", "met[a]", "met[b]", "met[c]", "both"]
    by_name = {e.name: e for e in found.estimates}
    for name, value in [("mean[b]", 4), ("met[a]", stats.norm.cdf(2)), ("both", -4.0)]:
        assert by_name[name].low <= value <= by_name[name].high
    assert [doubt.split("'")[1] for doubt in found.doubts] == ["met[b]", "met[c]"]
    assert "may not hold" in found.doubts[0]
    assert "does not hold" in found.doubts[1]
    kept = model.derive(keep_rows=np.array([False, True, False, True]))
    assert [e.name for e in estimate(kept, x).estimates][3:] == ["met[b]", "both"]


def test_batches_do_not_change_what_a_figure_means(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = shop(), np.array([48.0])
    monkeypatch.setattr(estimation, "BATCH", 100)
    found = estimate(model, x, Precision(samples=5000, level=0.9999))
    for figure in found.estimates:
        assert figure.low <= exact(48.0)[figure.name] <= figure.high
        assert figure.samples == 5000


def test_the_model_can_be_evaluated_over_scenarios_of_the_caller() -> None:
    model = shop()
    values = model.evaluate(np.array([[48.0], [60.0]]), {"d": np.array([[40.0], [56.0]])})
    np.testing.assert_allclose(values.objectives[:, 0], [440 - 288, 480 - 360])
    np.testing.assert_allclose(values.bodies[:, 0], [0.5 - 0.4, 1.0 - 0.4])
    own = model.evaluate(np.array([48.0]), common_sample(model.program.scope.random))
    assert own.objectives[0, 0] == model.evaluate(np.array([48.0])).objectives[0, 0]


def test_many_points_are_averaged_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = shop()
    points = np.linspace(0, 100, 23)[:, np.newaxis]
    together = model.evaluate(points)
    for block in (1, 5000, 10**9):
        monkeypatch.setattr("orkernel.algebra.evaluate.SCENARIO_BLOCK", block)
        again = model.evaluate(points)
        np.testing.assert_allclose(again.objectives, together.objectives, rtol=1e-13)
        np.testing.assert_allclose(again.bodies, together.bodies, rtol=1e-13)


def test_the_judging_sample_is_shared_read_only_and_apart_from_the_independent_one() -> None:
    random = shop().program.scope.random
    sample = common_sample(random)
    assert common_sample(random) is sample
    assert sample["d"].shape == (SCENARIOS, 1)
    with pytest.raises(ValueError, match="read-only"):
        sample["d"][0] = 0.0
    drawn = independent(random, SCENARIOS, np.random.default_rng(0))["d"]
    assert not np.isin(drawn, sample["d"]).any()


@pytest.mark.parametrize(
    "settings", [{"level": 0.0}, {"level": 1.0}, {"half_width": 0.0}, {"samples": 1}, {"limit": 0}]
)
def test_a_senseless_precision_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"level|half_width|scenarios"):
        Precision(**settings)


# ----------------------------------------------------------------------------- the check


def answer(model: Model, x: float, estimates: tuple[Estimate, ...], **changes: Any) -> Solution:
    point = np.array([x])
    settings: dict[str, Any] = {
        "values": point,
        "objective": float(model.evaluate(point).objectives[0, 0]),
        "guarantee": Guarantee.SAMPLED,
        "estimates": estimates,
    }
    return Solution(Status.FEASIBLE, ME, **{**settings, **changes})


def test_the_kernel_accepts_estimates_that_agree_with_its_own_sample() -> None:
    model = shop()
    for seed in range(20):
        found = estimate(model, np.array([50.0]), Precision(samples=500), seed=seed)
        checked = verify(model, answer(model, 50.0, found.estimates))
        assert checked.verified, checked.problems


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        (Estimate("objective", "profit", 300.0, 299.0, 301.0, 0.95, 1000), "simulated as 300"),
        (Estimate("result", "fill", 0.2, 0.19, 0.21, 0.95, 1000), "simulated as 0.2"),
        (Estimate("result", "plain", 100.0, 99.0, 101.0, 0.95, 1000), "no random parameter"),
        (Estimate("result", "percent", 50.0, 51.0, 52.0, 0.95, 1000), "outside its own interval"),
        (Estimate("result", "percent", np.nan, 0.0, 99.0, 0.95, 1000), "outside its own interval"),
    ],
)
def test_the_kernel_refuses_estimates_that_do_not_hold(claim: Estimate, problem: str) -> None:
    model = shop()
    checked = verify(model, answer(model, 50.0, (claim,)))
    assert not checked.verified
    assert any(problem in line for line in checked.problems)


def test_optimal_cannot_be_claimed_on_a_sample() -> None:
    model = shop()
    claimed = Solution(
        Status.OPTIMAL,
        ME,
        values=np.array([50.0]),
        objective=float(model.evaluate(np.array([50.0])).objectives[0, 0]),
    )
    checked = verify(model, claimed)
    assert not checked.verified
    assert any("sample" in line for line in checked.problems)


def test_standard_errors_shrink_with_the_square_root_of_the_scenarios() -> None:
    model, x = shop(), np.array([48.0])
    random = model.program.scope.random
    few, many = (
        standard_errors(model, x, independent(random, n, np.random.default_rng(1)), n)
        for n in (1000, 16_000)
    )
    for key in few:
        assert few[key][1] / many[key][1] == pytest.approx(4.0, rel=0.1)
