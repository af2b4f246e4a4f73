"""Sums over a bench: verdicts, work, seconds, calibration."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from orkernel.bench.calibration import Calibration, calibrate
from orkernel.bench.labels import LabelSet
from orkernel.bench.results import FAILED, NO_SOLUTION, REFUSED, Result
from orkernel.bench.scoring import Rules, Score, score

SCORED = ("right", "wrong")
WITHOUT_FAULTY = "without faulty labels"


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over some items.

    Attributes:
        items: All of them.
        right: Agree with the label.
        wrong: Do not.
        unscored: Answered, but there is no figure to compare.
        refused: Not answered, for a reason.
        failed: Not answered: something broke.
        seconds: Of all items together, as if they had been answered one after the other.
        wrong_no_solution: Of the wrong ones, those said to have no solution.
    """

    items: int
    right: int
    wrong: int
    unscored: int
    refused: int
    failed: int
    seconds: float
    wrong_no_solution: int = 0

    @property
    def answered(self) -> int:
        """Items with a checked answer."""
        return self.right + self.wrong + self.unscored

    @property
    def accuracy(self) -> float | None:
        """right / (right + wrong); None if nothing was scored."""
        scored = self.right + self.wrong
        return self.right / scored if scored else None

    def to_json(self) -> dict[str, Any]:
        """All counts."""
        return {**asdict(self), "answered": self.answered, "accuracy": self.accuracy}


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over some items: mean, largest and sum."""

    mean: float
    max: float
    sum: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of at least one value."""
        return cls(sum(values) / len(values), max(values), sum(values))


@dataclass(frozen=True, slots=True)
class Work:
    """What the items of one setting took.

    Attributes:
        calls: Language-model calls per item.
        prompt_tokens: Per item.
        completion_tokens: Per item.
        cost: USD per item; None if a price is not known.
        seconds: Per item.
        model_seconds: Of them waiting for the model; calls at once count each.
        solve_seconds: Of them in solvers.
        overhead: Of them in neither.
        stages: Mean seconds per item by stage.
    """

    calls: Spread
    prompt_tokens: Spread
    completion_tokens: Spread
    cost: Spread | None
    seconds: Spread
    model_seconds: Spread
    solve_seconds: Spread
    overhead: Spread
    stages: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return asdict(self)


def scores_of(
    results: Iterable[Result], labels: LabelSet, rules: Rules
) -> list[tuple[Result, Score]]:
    """Each result with what the labels say."""
    return [(result, score(result, labels.labels[result.id], rules)) for result in results]


def summarise(scored: Sequence[tuple[Result, Score]]) -> Summary:
    """Count verdicts."""
    count = Counter(score.verdict for _, score in scored)
    return Summary(
        items=len(scored),
        right=count["right"],
        wrong=count["wrong"],
        unscored=count["unscored"],
        refused=count["refused"],
        failed=count["failed"],
        seconds=sum(result.seconds for result, _ in scored),
        wrong_no_solution=sum(
            score.verdict == "wrong" and result.state == NO_SOLUTION for result, score in scored
        ),
    )


def summaries(scored: Sequence[tuple[Result, Score]], name: str) -> dict[str, Summary]:
    """By the labels as they are, and, where some are known to be wrong, without those."""
    found = {name: summarise(scored)}
    if any(s.fault for _, s in scored):
        without = WITHOUT_FAULTY if name == "raw labels" else f"{name}, {WITHOUT_FAULTY}"
        found[without] = summarise([(r, s) for r, s in scored if not s.fault])
    return found


def work_of(results: Sequence[Result]) -> Work | None:
    """What items took that got as far as to be timed; None if none did."""
    timed = [r for r in results if r.seconds > 0]
    if not timed:
        return None

    def used(name: str) -> Spread:
        return Spread.of([float(r.usage.get(name) or 0.0) for r in timed])

    priced = all(r.usage.get("cost") is not None for r in timed if r.usage)
    stages = dict.fromkeys(stage for r in timed for stage in r.timings)
    return Work(
        calls=used("calls"),
        prompt_tokens=used("prompt_tokens"),
        completion_tokens=used("completion_tokens"),
        cost=used("cost") if priced else None,
        seconds=Spread.of([r.seconds for r in timed]),
        model_seconds=used("seconds"),
        solve_seconds=Spread.of([r.solve_seconds for r in timed]),
        overhead=Spread.of([r.overhead for r in timed]),
        stages={s: sum(r.timings.get(s, 0.0) for r in timed) / len(timed) for s in stages},
    )


def calibrations(scored: Sequence[tuple[Result, Score]]) -> dict[str, Calibration]:
    """How well confidence tells right from wrong: all scorers together, then each alone."""
    judged = [(r, s.verdict == "right") for r, s in scored if s.verdict in SCORED]
    found: dict[str, Calibration] = {}
    whole = [(r.confidence, right) for r, right in judged if r.confidence is not None]
    if whole:
        found["all scorers"] = calibrate([c for c, _ in whole], [right for _, right in whole])
    names = sorted({name for r, _ in judged for name in r.confidences})
    for name in names if len(names) > 1 else ():
        own = [(r.confidences[name], right) for r, right in judged if name in r.confidences]
        found[name] = calibrate([c for c, _ in own], [right for _, right in own])
    return found


def rules_used(scored: Sequence[tuple[Result, Score]]) -> list[tuple[str, str, int]]:
    """How many items each rule scored on each kind of figure."""
    count = Counter((s.rule, s.figure.partition(" ")[0]) for _, s in scored if s.verdict in SCORED)
    return [(rule, figure, number) for (rule, figure), number in sorted(count.items())]


def reasons(results: Iterable[Result], most: int = 10) -> list[tuple[str, int]]:
    """The commonest kinds of refusal and failure; quoted parts are left out to group them."""

    def kind(why: str) -> str:
        return re.sub(r"[“\"'‘].*?[”\"'’]", "…", why)[:100]

    return Counter(kind(r.why) for r in results if r.state in (REFUSED, FAILED)).most_common(most)
