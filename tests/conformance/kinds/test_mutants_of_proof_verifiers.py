"""Faulty verifiers, each caught by the test that is meant for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from orkernel.proof.verdict import Limits, OracleFailure, ProofTask, Reason, Verdict

Verdicts = list[Any]


def changing(change: Callable[[Sequence[ProofTask], Verdicts], Verdicts]) -> Any:
    """A mutation that changes the verdicts of a batch."""

    def mutate(verifier: type[Any]) -> type[Any]:
        class Mutant(verifier):
            def verify(self, batch: Any, limits: Any, ctx: Any) -> Verdicts:
                return change(batch, super().verify(batch, limits, ctx))

        return Mutant

    return mutate


def each(change: Callable[[ProofTask, Verdict], Any]) -> Any:
    """A mutation that changes every verdict."""
    return changing(lambda batch, found: [change(t, v) for t, v in zip(batch, found, strict=True)])


ACCEPTED = Verdict(True, True, (), None, Reason.OK)


def believes_the_last_line(task: ProofTask, verdict: Verdict) -> Verdict:
    return ACCEPTED if verdict.reason is Reason.UNSOLVED_GOALS else verdict


def believes_sorry(task: ProofTask, verdict: Verdict) -> Verdict:
    return ACCEPTED if verdict.reason is Reason.FORBIDDEN else verdict


def believes_what_it_cannot_parse(task: ProofTask, verdict: Verdict) -> Verdict:
    return ACCEPTED if verdict.reason is Reason.PARSE_ERROR else verdict


def shrugs(task: ProofTask, verdict: Verdict) -> Any:
    return verdict if verdict.outcome else OracleFailure("it did not work out")


def doubts_everything(task: ProofTask, verdict: Verdict) -> Verdict:
    return replace(verdict, outcome=False, reason=Reason.UNSOLVED_GOALS)


def says_ok_of_failures(task: ProofTask, verdict: Verdict) -> Verdict:
    return replace(verdict, reason=Reason.OK)


def calls_its_failure_a_verdict(task: ProofTask, verdict: Verdict) -> Verdict:
    return verdict if verdict.outcome else replace(verdict, reason=Reason.ORACLE_FAILURE)


def names_the_last_tactic(task: ProofTask, verdict: Verdict) -> Verdict:
    last = len(verdict.tactics) - 1
    return replace(verdict, first_error=last if last >= 0 else None)


def forgets_the_error(task: ProofTask, verdict: Verdict) -> Verdict:
    return replace(verdict, first_error=None)


def counts_from_one(task: ProofTask, verdict: Verdict) -> Verdict:
    moved = [replace(t, start=t.start + 1, end=t.end + 1) for t in verdict.tactics]
    return replace(verdict, tactics=tuple(moved))


def reports_backwards(task: ProofTask, verdict: Verdict) -> Verdict:
    return replace(verdict, tactics=verdict.tactics[::-1])


def believes_the_second(batch: Sequence[ProofTask], found: Verdicts) -> Verdicts:
    return [ACCEPTED if k == 1 else verdict for k, verdict in enumerate(found)]


def adds_one_for_nothing(batch: Sequence[ProofTask], found: Verdicts) -> Verdicts:
    return found or [ACCEPTED]


def empties_the_batch(batch: Any, found: Verdicts) -> Verdicts:
    if isinstance(batch, list):
        batch.clear()
    return found


def takes_its_time(verifier: type[Any]) -> type[Any]:
    class Mutant(verifier):
        def verify(self, batch: Any, limits: Any, ctx: Any) -> Verdicts:
            return super().verify(batch, Limits(), ctx)

    return Mutant


def without_failures(verifier: type[Any]) -> type[Any]:
    class Mutant(verifier):
        examples = tuple((task, proven) for task, proven in verifier.examples if proven)

    return Mutant


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_proofs_are_accepted", each(doubts_everything)),
        ("test_failed_proofs_are_rejected", each(believes_the_last_line)),
        ("test_failed_proofs_are_rejected", each(shrugs)),
        ("test_failed_proofs_are_rejected", without_failures),
        ("test_cheats_are_rejected", each(believes_sorry)),
        ("test_cheats_are_rejected", each(believes_the_last_line)),
        ("test_odd_texts_are_no_proofs", each(believes_what_it_cannot_parse)),
        ("test_outcome_and_reason_agree", each(says_ok_of_failures)),
        ("test_outcome_and_reason_agree", each(calls_its_failure_a_verdict)),
        ("test_the_first_error_is_the_first_failing_tactic", each(names_the_last_tactic)),
        ("test_the_first_error_is_the_first_failing_tactic", each(forgets_the_error)),
        ("test_tactics_lie_inside_the_proof", each(counts_from_one)),
        ("test_tactics_lie_inside_the_proof", each(reports_backwards)),
        ("test_order_and_size_of_batches_have_no_influence", changing(believes_the_second)),
        ("test_an_empty_batch_gives_an_empty_list", changing(adds_one_for_nothing)),
        ("test_without_time_nothing_is_accepted", takes_its_time),
        ("test_tasks_are_not_changed", changing(empties_the_batch)),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("verifier", test, mutate)
