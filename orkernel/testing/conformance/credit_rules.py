"""The conformance kit of credit rules.

A rule that gives zeros to a group in which all proofs end alike says so with an attribute
`normalizes = True`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.proof.verdict import Reason, Tactic, Verdict
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import unchanged

if TYPE_CHECKING:
    from numpy.typing import NDArray

Spans = list[list[tuple[int, int]]]
ROUNDS = 40
"""Random groups per test."""
CLOSE = 1e-12
"""Difference of two advantages that is rounding."""


@dataclass(frozen=True)
class Group:
    """Proofs of one theorem, their tokens, and the entropies of the tokens."""

    verdicts: list[Verdict]
    spans: Spans
    entropies: NDArray[np.float64]

    def permuted(self, order: Sequence[int]) -> Group:
        """The proofs in another order."""
        return Group(
            [self.verdicts[i] for i in order],
            [self.spans[i] for i in order],
            self.entropies[list(order)],
        )


def _verdict(draw: random.Random, count: int, outcome: bool) -> tuple[Verdict, int]:
    """A verdict of a proof with `count` tactics of ten characters, and the proof's length."""
    error = None if outcome or not count or draw.random() < 0.3 else draw.randrange(count)
    reason = Reason.OK if outcome else Reason.UNSOLVED_GOALS
    if error is not None:
        reason = Reason.TACTIC_ERROR
    elif not outcome and draw.random() < 0.3:
        reason = Reason.TIMEOUT

    def status(k: int) -> str:
        if error is None or k < error:
            return "ok"
        return "error" if k == error else "not_reached"

    tactics = tuple(Tactic(11 * k, 11 * k + 10, "norm", 0, None, status(k)) for k in range(count))
    return Verdict(outcome, True, tactics, error, reason), max(0, 11 * count - 1)


def _tokens(draw: random.Random, length: int) -> list[tuple[int, int]]:
    """Tokens of a text of that length, one to six characters each."""
    found: list[tuple[int, int]] = []
    start = 0
    while start < length:
        end = min(length, start + draw.randint(1, 6))
        found.append((start, end))
        start = end
    return found


def group(seed: int, size: int | None = None, outcome: bool | None = None) -> Group:
    """A random group.

    Args:
        seed: Seed.
        size: Number of proofs; drawn by default.
        outcome: Outcome of every proof; drawn by default.
    """
    draw = random.Random(seed)
    verdicts, spans = [], []
    for _ in range(draw.randint(2, 6) if size is None else size):
        proven = draw.random() < 0.5 if outcome is None else outcome
        verdict, length = _verdict(draw, draw.randint(1 if proven else 0, 5), proven)
        verdicts.append(verdict)
        spans.append(_tokens(draw, length))
    longest = max((len(tokens) for tokens in spans), default=0)
    numbers = [[draw.random() for _ in range(longest)] for _ in spans]
    return Group(verdicts, spans, np.array(numbers, dtype=np.float64).reshape(len(spans), longest))


def _groups() -> list[Group]:
    return [group(seed) for seed in range(ROUNDS)]


def _advantages(
    subject: Subject, given: Group, *, entropies: bool = True, defaults: bool = False
) -> NDArray[np.float64]:
    found: Any = subject.target.advantages(
        given.verdicts,
        given.spans,
        given.entropies if entropies else None,
        ctx=None if defaults else subject.context(),
    )
    require(isinstance(found, np.ndarray), f"it returns {type(found).__name__}, no array")
    advantages: NDArray[np.float64] = found
    return advantages


def _close(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= CLOSE))


@conformance_test(added_in="0.1")
def test_there_is_one_advantage_per_token(subject: Subject) -> None:
    """The array has shape (G, T), T being the number of tokens of the longest proof."""
    for given in _groups():
        shape = _advantages(subject, given).shape
        require(shape == given.entropies.shape, f"{shape}, not {given.entropies.shape}")


@conformance_test(added_in="0.1")
def test_advantages_are_finite(subject: Subject) -> None:
    """No advantage is infinite or NaN, not even if all proofs end alike."""
    for given in (*_groups(), *(group(s, outcome=o) for s in range(10) for o in (True, False))):
        found = _advantages(subject, given)
        require(np.issubdtype(found.dtype, np.floating), f"its numbers are {found.dtype}")
        require(bool(np.all(np.isfinite(found))), "an advantage is not finite")


@conformance_test(added_in="0.1")
def test_past_the_last_token_there_is_no_credit(subject: Subject) -> None:
    """Beyond a proof's own tokens its row is zero."""
    for given in _groups():
        found = _advantages(subject, given)
        for row, tokens in zip(found, given.spans, strict=True):
            require(not row[len(tokens) :].any(), "a token that is not there gets credit")


@conformance_test(added_in="0.1")
def test_the_order_of_proofs_has_no_influence(subject: Subject) -> None:
    """Proofs in another order get the same advantages, in that order."""
    for seed, given in enumerate(_groups()):
        order = list(range(len(given.verdicts)))
        random.Random(seed).shuffle(order)
        wanted = _advantages(subject, given)[order]
        found = _advantages(subject, given.permuted(order))
        require(_close(found, wanted), "a proof gets another advantage in another place")


@conformance_test(added_in="0.1")
def test_groups_that_end_alike_get_zeros_where_stated(subject: Subject) -> None:
    """With `normalizes = True`, a group of only proofs, or of only failures, gets zeros."""
    if not getattr(subject.target, "normalizes", False):
        return
    for seed in range(10):
        for outcome in (True, False):
            found = _advantages(subject, group(seed, outcome=outcome))
            require(not found.any(), "all proofs end alike, but there is credit")


@conformance_test(added_in="0.1")
def test_proofs_earn_more_than_failures(subject: Subject) -> None:
    """On average a proof's tokens earn at least as much as those of a failed one of its group."""
    for given in _groups():
        found = _advantages(subject, given)
        totals: dict[bool, list[float]] = {True: [], False: []}
        for verdict, row, tokens in zip(given.verdicts, found, given.spans, strict=True):
            if tokens:
                totals[verdict.outcome].append(float(row[: len(tokens)].mean()))
        if totals[True] and totals[False]:
            require(
                max(totals[False]) <= min(totals[True]) + CLOSE,
                "a failed proof earns more than one",
            )


@conformance_test(added_in="0.1")
def test_a_group_of_one_gets_finite_advantages(subject: Subject) -> None:
    """A single proof, or a single failure, has nothing to be compared with."""
    for outcome in (True, False):
        given = group(3, size=1, outcome=outcome)
        found = _advantages(subject, given)
        require(found.shape == given.entropies.shape, f"shape {found.shape}")
        require(bool(np.all(np.isfinite(found))), "an advantage is not finite")


@conformance_test(added_in="0.1")
def test_proofs_without_tokens_are_taken(subject: Subject) -> None:
    """An empty proof has a row of zeros; if all are empty, T is 0."""
    failed = Verdict(False, True, (), None, Reason.UNSOLVED_GOALS)
    empty = Group([failed, failed], [[], []], np.zeros((2, 0)))
    require(_advantages(subject, empty).shape == (2, 0), "T is not 0")
    other = group(1, size=1, outcome=True)
    width = other.entropies.shape[1]
    mixed = Group(
        [failed, *other.verdicts], [[], *other.spans], np.vstack([np.zeros(width), other.entropies])
    )
    require(not _advantages(subject, mixed)[0].any(), "a proof without tokens gets credit")


@conformance_test(added_in="0.1")
def test_equal_groups_give_equal_advantages(subject: Subject) -> None:
    """Asked twice, as a new object, and without a context, the rule answers the same."""
    for given in _groups():
        first = _advantages(subject, given)
        require(np.array_equal(first, _advantages(subject, given)), "asked again it differs")
        fresh = subject.fresh().advantages(
            given.verdicts, given.spans, given.entropies, ctx=subject.context()
        )
        require(np.array_equal(first, fresh), "a new object of it answers otherwise")


@conformance_test(added_in="0.1")
def test_without_a_context_the_declared_defaults_hold(subject: Subject) -> None:
    """`ctx=None` means the defaults of the declared options; entropies may be unknown."""
    from orkernel.context import RunContext

    defaults = RunContext(options={o.name: o.default for o in subject.record.options})
    for given in _groups():
        wanted = subject.target.advantages(given.verdicts, given.spans, None, ctx=defaults)
        found = _advantages(subject, given, entropies=False, defaults=True)
        require(np.array_equal(found, wanted), "without a context it answers otherwise")


@conformance_test(added_in="0.1")
def test_nothing_given_is_changed(subject: Subject) -> None:
    """Verdicts, tokens and entropies are the same afterwards, and may be read-only."""
    for given in _groups():
        given.entropies.setflags(write=False)
        with unchanged(group=given.verdicts, spans=given.spans, entropies=given.entropies):
            _advantages(subject, given)


class CreditRuleConformance(Conformance, kind="credit_rules", modules=(__name__,)):
    """What a credit rule must do."""
