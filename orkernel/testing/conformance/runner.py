"""Running conformance tests, without pytest: each item gives one result."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from orkernel.errors import UnknownName, UsageError
from orkernel.plugins.problems import describe, near
from orkernel.testing.conformance.declaring import ConformanceTest, Item
from orkernel.testing.conformance.kits import kit_for

if TYPE_CHECKING:
    from orkernel.testing.conformance.base import Conformance
    from orkernel.testing.conformance.subject import Subject


class Verdict(StrEnum):
    """How a conformance test ended."""

    PASSED = "passed"
    FAILED = "failed"
    EXPECTED_FAILURE = "expected_failure"
    UNEXPECTED_PASS = "unexpected_pass"


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one item.

    Attributes:
        test: `test_name` or `test_name[case]`.
        verdict: How it ended.
        message: Why it failed, or why the failure was expected.
        seconds: Wall-clock seconds.
        refusal: True if the subject lacks a needed capability, so that its refusal was tested.
        added_in: Version of the kernel that brought the test.
        error: What was raised.
    """

    test: str
    verdict: Verdict
    message: str = ""
    seconds: float = 0.0
    refusal: bool = False
    added_in: str = ""
    error: BaseException | None = field(default=None, compare=False, repr=False)

    @property
    def good(self) -> bool:
        """True unless something has to be mended."""
        return self.verdict in (Verdict.PASSED, Verdict.EXPECTED_FAILURE)

    def to_json(self) -> dict[str, Any]:
        """JSON-able fields."""
        return {
            "test": self.test,
            "verdict": str(self.verdict),
            "message": self.message,
            "seconds": round(self.seconds, 3),
            "refusal": self.refusal,
            "added_in": self.added_in,
        }


def run(
    subject: Subject,
    expected_failures: Mapping[str, str] | None = None,
    *,
    only: str = "",
    progress: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Run the kit of a subject's kind.

    Args:
        subject: What is tested.
        expected_failures: Test (or `test[case]`) to the reason why it fails. One that passes
            though listed is an `unexpected_pass`.
        only: Name of the one test (or `test[case]`) to run; empty runs all.
        progress: Told every result as it comes.

    Raises:
        UnknownName: `only` or an expected failure names no test.
        UsageError: An expected failure has no reason, or the subject asks a language model and
            there is none.
    """
    subject.check_ready()
    kit = kit_for(subject.kind)
    expected = dict(expected_failures or {})
    check_expected(kit.conformance_tests, expected)
    results = []
    for item in chosen_items(kit.conformance_tests, only):
        result = judge(kit, subject, item, expected)
        if progress is not None:
            progress(result)
        results.append(result)
    return results


def chosen_items(tests: Mapping[str, ConformanceTest], only: str = "") -> Iterator[Item]:
    """The items to run, in order.

    Raises:
        UnknownName: `only` names none.
    """
    items = [item for test in tests.values() for item in test.items()]
    chosen = [item for item in items if not only or only in (item.id, item.test.name)]
    if not chosen:
        known = [*tests, *(item.id for item in items)]
        raise UnknownName(f"no conformance test is named '{only}'", fix=near(only, known))
    yield from chosen


def check_expected(
    tests: Mapping[str, ConformanceTest], expected_failures: Mapping[str, str]
) -> None:
    """Refuse expected failures without a reason, or of tests that do not exist.

    Raises:
        UnknownName: There is no such test.
        UsageError: There is no reason.
    """
    known = {*tests, *(item.id for test in tests.values() for item in test.items())}
    for name, reason in expected_failures.items():
        if name not in known:
            raise UnknownName(
                f"expected_failures: no conformance test is named '{name}'", fix=near(name, known)
            )
        if not isinstance(reason, str) or not reason.strip():
            raise UsageError(
                f"expected_failures: '{name}' has no reason", fix="say why the test fails"
            )


def judge(
    kit: type[Conformance], subject: Subject, item: Item, expected_failures: Mapping[str, str]
) -> Result:
    """Run one item.

    A skip counts as a failure: a capability that is declared has to work.

    Raises:
        KeyboardInterrupt: The user interrupted.
    """
    reason = expected_failures.get(item.id, expected_failures.get(item.test.name))
    refusal = not subject.declares(item.needs)
    started = time.perf_counter()
    error = _failure(kit, subject, item, refusal)
    seconds = time.perf_counter() - started
    if error is None:
        verdict = Verdict.PASSED if reason is None else Verdict.UNEXPECTED_PASS
        message = "" if reason is None else f"it passes, though expected to fail: {reason}"
    else:
        verdict = Verdict.FAILED if reason is None else Verdict.EXPECTED_FAILURE
        message = _message(error) if reason is None else reason
    return Result(item.id, verdict, message, seconds, refusal, item.test.added_in, error)


def _failure(
    kit: type[Conformance], subject: Subject, item: Item, refusal: bool
) -> BaseException | None:
    try:
        with redirect_stdout(sys.stderr):
            _carry_out(kit, subject, item, refusal)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error
    return None


def _carry_out(kit: type[Conformance], subject: Subject, item: Item, refusal: bool) -> None:
    if refusal:
        kit.must_refuse(subject, item)
    elif item.case_id:
        item.test.function(subject, item.case)
    else:
        item.test.function(subject)


def _message(error: BaseException) -> str:
    if isinstance(error, AssertionError):
        return str(error) or "an assertion does not hold"
    if type(error).__name__ in ("Skipped", "SkipTest"):
        return f"it skips, which a declared capability does not allow: {error}"
    return describe(error)
