"""The conformance kit of proof verifiers.

A verifier has an attribute `examples`: pairs of a `ProofTask` and whether it is a proof, with at
least one of each. The kit makes cheats out of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from orkernel.errors import Cancelled
from orkernel.proof.verdict import Limits, OracleFailure, ProofTask, Reason, Verdict
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import cancelled, error_of, unchanged, within
from orkernel.testing.conformance.samples import ODD_TEXTS

STATUSES = ("ok", "error", "not_reached")
CHEATS = (
    "",
    " \n",
    "sorry",
    "admit",
    "by sorry",
    "exact sorry",
    "-- nothing",
    "axiom cheat : 1 = 0",
)


def _examples(subject: Subject) -> list[tuple[ProofTask, bool]]:
    found = list(getattr(subject.target, "examples", ()))
    for outcome, word in ((True, "proofs"), (False, "failed proofs")):
        require(
            any(proven is outcome for _, proven in found),
            f"`examples` has no {word}: give pairs of a ProofTask and whether it is a proof",
        )
    return found


def _verify(
    subject: Subject, tasks: Sequence[ProofTask], limits: Limits | None = None
) -> list[Verdict | OracleFailure]:
    found = subject.target.verify(tasks, limits or Limits(), subject.context())
    require(isinstance(found, list), f"it returns {type(found).__name__}, no list")
    require(len(found) == len(tasks), f"{len(found)} verdicts for {len(tasks)} tasks")
    for verdict in found:
        known = isinstance(verdict, Verdict | OracleFailure)
        require(known, f"it returns {type(verdict).__name__}, no Verdict or OracleFailure")
    verdicts: list[Verdict | OracleFailure] = found
    return verdicts


def _proves(verdict: Verdict | OracleFailure) -> bool:
    return isinstance(verdict, Verdict) and bool(verdict.outcome)


def _shown(task: ProofTask) -> str:
    return f"{task.proof[:40]!r} for {task.statement[:40]!r}"


def _cheats(subject: Subject) -> list[ProofTask]:
    """Tasks that are no proofs, made of the examples."""
    examples = _examples(subject)
    failed = [task.statement for task, proven in examples if not proven]
    unproven = [task for task, proven in examples if not proven]
    proven = [task for task, outcome in examples if outcome]
    return [
        *(ProofTask(task.statement, cheat) for task in proven for cheat in CHEATS),
        *(ProofTask(task.statement, f"{task.proof}\nsorry") for task in proven),
        *(ProofTask(text, "sorry") for text in failed),
        *(ProofTask("", task.proof) for task in proven),
        *(ProofTask(f"{task.statement}\n{proven[0].statement}", task.proof) for task in unproven),
    ]


@conformance_test(added_in="0.1")
def test_proofs_are_accepted(subject: Subject) -> None:
    """Every proof among the examples is one."""
    tasks = [task for task, proven in _examples(subject) if proven]
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        require(_proves(verdict), f"{_shown(task)} is not accepted: {verdict}")


@conformance_test(added_in="0.1")
def test_failed_proofs_are_rejected(subject: Subject) -> None:
    """Every other example gives a verdict, which says no."""
    tasks = [task for task, proven in _examples(subject) if not proven]
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        require(not _proves(verdict), f"{_shown(task)} is accepted")
        require(isinstance(verdict, Verdict), f"{_shown(task)}: an oracle failure is no verdict")


@conformance_test(added_in="0.1")
def test_cheats_are_rejected(subject: Subject) -> None:
    """`sorry`, `admit`, axioms, nothing, and a proof of another statement are no proofs."""
    tasks = _cheats(subject)
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        require(not _proves(verdict), f"{_shown(task)} is accepted")


@conformance_test(added_in="0.1", cases=ODD_TEXTS)
def test_odd_texts_are_no_proofs(subject: Subject, case: str) -> None:
    """Empty, huge, binary and hostile texts, as proof or as statement, are not accepted."""
    (statement, proof) = next((t.statement, t.proof) for t, ok in _examples(subject) if ok)
    tasks = [ProofTask(statement, case), ProofTask(case, proof), ProofTask(case, case)]
    verdicts = within(60.0, "it", lambda: _verify(subject, tasks))
    for task, verdict in zip(tasks, verdicts, strict=True):
        require(not _proves(verdict), f"{_shown(task)} is accepted")


@conformance_test(added_in="0.1")
def test_outcome_and_reason_agree(subject: Subject) -> None:
    """A proof is complete, without error, for reason `ok`; nothing else has that reason."""
    tasks = [*(task for task, _ in _examples(subject)), *_cheats(subject)]
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        if not isinstance(verdict, Verdict):
            continue
        require(type(verdict.outcome) is bool, f"{_shown(task)}: outcome {verdict.outcome!r}")
        require(
            verdict.outcome == (verdict.reason is Reason.OK),
            f"{_shown(task)}: outcome {verdict.outcome}, reason '{verdict.reason}'",
        )
        require(
            verdict.reason is not Reason.ORACLE_FAILURE,
            f"{_shown(task)}: a failure of the verifier is an OracleFailure, no verdict",
        )
        if verdict.outcome:
            require(verdict.complete, f"{_shown(task)}: accepted, though not seen whole")
            require(
                all(tactic.status == "ok" for tactic in verdict.tactics),
                f"{_shown(task)}: accepted with a tactic that failed or was not reached",
            )


@conformance_test(added_in="0.1")
def test_the_first_error_is_the_first_failing_tactic(subject: Subject) -> None:
    """`first_error` names a failing tactic, before which none fails; None if none fails."""
    tasks = [task for task, _ in _examples(subject)]
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        if not isinstance(verdict, Verdict):
            continue
        failing = [k for k, tactic in enumerate(verdict.tactics) if tactic.status == "error"]
        first = verdict.first_error
        if first is None:
            require(not failing, f"{_shown(task)}: a tactic fails, but there is no first error")
            continue
        require(first in failing, f"{_shown(task)}: tactic {first} does not fail")
        earliest = min(verdict.tactics[k].start for k in failing)
        require(
            verdict.tactics[first].start == earliest, f"{_shown(task)}: another one fails before"
        )


@conformance_test(added_in="0.1")
def test_tactics_lie_inside_the_proof(subject: Subject) -> None:
    """Offsets count characters of the proof, sorted by start; parents enclose their children."""
    tasks = [task for task, _ in _examples(subject)]
    for task, verdict in zip(tasks, _verify(subject, tasks), strict=True):
        if not isinstance(verdict, Verdict):
            continue
        starts = [tactic.start for tactic in verdict.tactics]
        require(starts == sorted(starts), f"{_shown(task)}: tactics are not sorted by start")
        for number, tactic in enumerate(verdict.tactics):
            place = f"{_shown(task)}: tactic {number}"
            inside = 0 <= tactic.start < tactic.end <= len(task.proof)
            require(inside, f"{place} at {tactic.start}…{tactic.end} is outside the proof")
            text = task.proof[tactic.start : tactic.end]
            require(text == text.strip(), f"{place} has blanks at its ends")
            require(tactic.status in STATUSES, f"{place} has status '{tactic.status}'")
            require((tactic.parent is None) == (tactic.depth == 0), f"{place}: depth and parent")
            if tactic.parent is not None:
                parent = verdict.tactics[tactic.parent]
                encloses = parent.start <= tactic.start and tactic.end <= parent.end
                require(tactic.parent != number and encloses, f"{place} is not in its parent")


@conformance_test(added_in="0.1")
def test_order_and_size_of_batches_have_no_influence(subject: Subject) -> None:
    """Verdicts follow their tasks, in any order, one by one or together, asked once or twice."""
    tasks = [task for task, _ in _examples(subject)]
    together = _verify(subject, tasks)
    require(_verify(subject, tasks) == together, "asked again it answers otherwise")
    require(_verify(subject, tasks[::-1])[::-1] == together, "a reversed batch gives others")
    alone = [_verify(subject, [task])[0] for task in tasks]
    require(alone == together, "tasks one by one give other verdicts")
    doubled = _verify(subject, [task for task in tasks for _ in range(2)])
    require(doubled[::2] == together == doubled[1::2], "a repeated task gives another verdict")


@conformance_test(added_in="0.1")
def test_an_empty_batch_gives_an_empty_list(subject: Subject) -> None:
    """Nothing to judge gives nothing."""
    require(_verify(subject, []) == [], "it returns something")


@conformance_test(added_in="0.1")
def test_without_time_nothing_is_accepted(subject: Subject) -> None:
    """With a limit of 0 seconds no proof is accepted, and the answer is quick."""
    tasks = [task for task, _ in _examples(subject)]
    verdicts = within(10.0, "it", lambda: _verify(subject, tasks, Limits(seconds=0.0)))
    for task, verdict in zip(tasks, verdicts, strict=True):
        require(not _proves(verdict), f"{_shown(task)} is accepted in no time")


@conformance_test(added_in="0.1")
def test_tasks_are_not_changed(subject: Subject) -> None:
    """The batch is the same afterwards; a tuple does as well as a list."""
    tasks = [task for task, _ in _examples(subject)]
    with unchanged(tasks=tasks):
        verdicts = _verify(subject, tasks)
    require(_verify(subject, tuple(tasks)) == verdicts, "a tuple gives other verdicts")


@conformance_test(added_in="0.1")
def test_an_interrupted_run_is_not_held_up(subject: Subject) -> None:
    """After an interruption it raises Cancelled, or answers at once."""
    tasks = [task for task, _ in _examples(subject)]
    ctx = subject.context(cancel=cancelled())
    error = within(
        10.0, "it", lambda: error_of(lambda: subject.target.verify(tasks, Limits(), ctx))
    )
    require(error is None or isinstance(error, Cancelled), f"it raises {type(error).__name__}")


class VerifierConformance(Conformance, kind="proof_verifiers", modules=(__name__,)):
    """What a proof verifier must do."""
