"""Random parameters and the scenarios that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.members import BoundSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ARGUMENTS: Mapping[str, tuple[frozenset[str], ...]] = {
    "normal": (frozenset({"mean", "std"}),),
    "lognormal": (frozenset({"mean", "std"}), frozenset({"mu", "sigma"})),
    "uniform": (frozenset({"low", "high"}),),
    "triangular": (frozenset({"low", "mode", "high"}),),
    "exponential": (frozenset({"mean"}), frozenset({"rate"})),
    "poisson": (frozenset({"mean"}),),
    "discrete": (frozenset({"values", "probabilities"}),),
    "empirical": (frozenset({"values"}),),
}
"""Per distribution the sets of arguments it may be given by. `mean` and `std` of a lognormal are
those of the parameter itself, `mu` and `sigma` those of its logarithm."""

LISTS = frozenset({"values", "probabilities"})
"""Arguments that are plain lists of numbers, the same for every member."""


SCENARIOS = 4096
"""Scenarios of the sample that the kernel judges by."""
CLIP = 1e-12
"""Quantiles are taken no nearer to 0 and 1 than this."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomParameter:
    """A parameter that is known only by its distribution; its members are independent.

    Attributes:
        index: Its index sets.
        shape: Number of members per set; `()` for a scalar.
        distribution: normal | lognormal | uniform | triangular | exponential | poisson |
            discrete | empirical.
        arguments: Per argument an array of the parameter's shape (of shape `(k,)` for
            `values` and `probabilities`).
    """

    name: str
    index: tuple[BoundSet, ...]
    shape: tuple[int, ...]
    distribution: str
    arguments: Mapping[str, Floats]

    @property
    def size(self) -> int:
        """Number of independent numbers."""
        return int(np.prod(self.shape))

    def quantile(self, probability: Floats) -> Floats:
        """Inverse distribution function.

        Args:
            probability: In (0, 1), shape `(scenarios, size)`.

        Returns:
            Values, same shape, members in C order.
        """
        from scipy import stats

        a = {
            name: values if name in LISTS else values.reshape(-1)
            for name, values in self.arguments.items()
        }
        result: Floats
        match self.distribution:
            case "normal":
                result = a["mean"] + a["std"] * stats.norm.ppf(probability)
            case "lognormal":
                mu, sigma = _logarithmic(a)
                result = np.exp(mu + sigma * stats.norm.ppf(probability))
            case "uniform":
                result = a["low"] + probability * (a["high"] - a["low"])
            case "triangular":
                width = a["high"] - a["low"]
                result = stats.triang.ppf(
                    probability, (a["mode"] - a["low"]) / width, a["low"], width
                )
            case "exponential":
                mean = a["mean"] if "mean" in a else 1 / a["rate"]
                result = -mean * np.log1p(-probability)
            case "poisson":
                result = stats.poisson.ppf(probability, a["mean"])
            case _:
                values = a["values"]
                weights = a.get("probabilities", np.full(values.size, 1 / values.size))
                steps = np.cumsum(weights)
                places = np.searchsorted(steps / steps[-1], probability, "left")
                result = values[np.minimum(places, values.size - 1)]
        return np.broadcast_to(result, probability.shape)


def _logarithmic(arguments: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the logarithm of a lognormal."""
    if "mu" in arguments:
        return arguments["mu"], arguments["sigma"]
    variance = np.log1p((arguments["std"] / arguments["mean"]) ** 2)
    return np.log(arguments["mean"]) - variance / 2, np.sqrt(variance)


def problem(distribution: str, arguments: Mapping[str, Floats]) -> str:
    """What is wrong with the values of the arguments; empty when nothing is."""
    if set(arguments) not in ARGUMENTS[distribution]:
        wanted = " or ".join(", ".join(sorted(names)) for names in ARGUMENTS[distribution])
        return f"{distribution} takes {wanted}; given: {', '.join(sorted(arguments)) or 'nothing'}"
    a = arguments
    positive = {"std": "≥ 0", "sigma": "≥ 0", "rate": "> 0"}
    for name, rule in positive.items():
        if name in a and (np.any(a[name] < 0) or (rule == "> 0" and np.any(a[name] == 0))):
            return f"{name} must be {rule}"
    if distribution in ("lognormal", "exponential") and "mean" in a and np.any(a["mean"] <= 0):
        return "mean must be > 0"
    if distribution == "poisson" and np.any(a["mean"] < 0):
        return "mean must be ≥ 0"
    if distribution == "uniform" and np.any(a["low"] > a["high"]):
        return "low must not exceed high"
    if distribution == "triangular" and (
        np.any(a["low"] > a["mode"])
        or np.any(a["mode"] > a["high"])
        or np.any(a["low"] >= a["high"])
    ):
        return "low ≤ mode ≤ high must hold, and low < high"
    if "values" in a and not a["values"].size:
        return "values is empty"
    if "probabilities" in a:
        p = a["probabilities"]
        if p.size != a["values"].size:
            return f"{a['values'].size} values but {p.size} probabilities"
        if np.any(p < 0) or abs(float(p.sum()) - 1) > 1e-6:
            return f"probabilities must be ≥ 0 and sum to 1, not to {float(p.sum()):g}"
    return ""


def scenarios(
    parameters: Mapping[str, RandomParameter], count: int, seed: int = 0
) -> dict[str, Floats]:
    """Joint scenarios of random parameters, equally likely, by Latin hypercube sampling.

    Each number's quantiles are spread evenly over its `count` scenarios, so that means
    converge faster than with independent draws. Equal arguments give equal scenarios.

    Returns:
        Per parameter an array of shape `(count, size)`.
    """
    found = {}
    for number, parameter in enumerate(parameters.values()):
        generator = np.random.default_rng([seed, number])
        order = generator.permuted(np.tile(np.arange(count), (parameter.size, 1)), axis=1).T
        jitter = generator.uniform(size=(count, parameter.size))
        found[parameter.name] = parameter.quantile(
            np.clip((order + jitter) / count, CLIP, 1 - CLIP)
        )
    return found


def common_sample(parameters: Mapping[str, RandomParameter]) -> Mapping[str, Floats]:
    """The scenarios that stand for random parameters wherever a point is judged.

    Every point sees the same ones (common random numbers), so what an agent optimised on them
    is reproduced by the check.

    Returns:
        `SCENARIOS` Latin hypercube scenarios, per parameter a read-only array
        `(SCENARIOS, size)`.
    """
    return _common_sample(tuple(parameters.values()))


@lru_cache(maxsize=4)
def _common_sample(parameters: tuple[RandomParameter, ...]) -> Mapping[str, Floats]:
    drawn = scenarios({p.name: p for p in parameters}, SCENARIOS)
    for values in drawn.values():
        values.setflags(write=False)
    return drawn


def independent(
    parameters: Mapping[str, RandomParameter], count: int, generator: np.random.Generator
) -> dict[str, Floats]:
    """Independent joint scenarios, as confidence intervals assume them.

    Returns:
        Per parameter an array of shape `(count, size)`.
    """
    return {
        p.name: p.quantile(np.clip(generator.uniform(size=(count, p.size)), CLIP, 1 - CLIP))
        for p in parameters.values()
    }
