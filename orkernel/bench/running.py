"""Running the pipeline over items, one after the other or in several processes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from orkernel.bench.items import Item
from orkernel.bench.scoring import Outcome, Tolerance
from orkernel.errors import Cancelled, OrkernelError, UsageError
from orkernel.records import Problem

if TYPE_CHECKING:
    from orkernel.answer import Answer
    from orkernel.config import Config
    from orkernel.registry import Registry


@dataclass(frozen=True, slots=True)
class Settings:
    """How each item is run: arguments of `orkernel.run`, and the tolerance."""

    tolerance: Tolerance
    arguments: Mapping[str, Any] = field(default_factory=dict)


def run_items(
    items: Sequence[Item], settings: Settings, config: Config, jobs: int
) -> Iterator[Outcome]:
    """Outcomes as they become known; a failing item never stops the rest.

    Raises:
        UsageError: The arguments are wrong for every item, e.g. an unknown plugin.
    """
    from orkernel.registry import Registry

    if jobs == 1:
        registry = Registry.load(config)
        for item in items:
            yield run_item(item, settings, registry)
        return
    pool = ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_prepare, initargs=(config,)
    )
    try:
        pending = {pool.submit(_run_in_worker, item, settings): item for item in items}
        for done in as_completed(pending):
            error = done.exception()
            if isinstance(error, UsageError | Cancelled):
                raise error
            yield _failed(pending[done], str(error)) if error is not None else done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


_registry: Registry | None = None


def _prepare(config: Config) -> None:
    """Load the plugins once per worker process."""
    global _registry
    from orkernel.registry import Registry

    _registry = Registry.load(config)


def _run_in_worker(item: Item, settings: Settings) -> Outcome:
    assert _registry is not None
    return run_item(item, settings, _registry)


def run_item(item: Item, settings: Settings, registry: Registry) -> Outcome:
    """Answer one item and compare.

    Raises:
        UsageError: The arguments are wrong for every item, e.g. an unknown plugin.
        Cancelled: The user interrupted.
    """
    from orkernel.pipeline import run

    started = time.perf_counter()
    try:
        answer = run(
            Problem(item.question, f"item-{item.id}"), registry=registry, **settings.arguments
        )
    except (Cancelled, UsageError):
        raise
    except OrkernelError as error:
        return _failed(item, str(error), time.perf_counter() - started)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return _failed(item, why, time.perf_counter() - started)
    if answer.interrupted:
        raise Cancelled
    return judge(item, answer, settings.tolerance, time.perf_counter() - started)


def _failed(item: Item, why: str, seconds: float = 0.0) -> Outcome:
    return Outcome(item.id, "failed", None, item.label, "error", why, item.fault, seconds)


def judge(item: Item, answer: Answer, tolerance: Tolerance, seconds: float) -> Outcome:
    """Compare the answer's objective with the label.

    An answer counts as answered only if the kernel has verified it.
    """
    found = answer.objective if answer.verified else None
    chosen = answer.candidates[answer.selection.index] if answer.selection else None
    if found is None:
        verdict = "failed" if answer.exit_code == 5 else "refused"
    elif item.label is None:
        verdict = "unscored"
    else:
        verdict = "right" if tolerance.accepts(found, item.label) else "wrong"
    why = answer.message or (str(answer.status) if found is None else "")
    return Outcome(
        id=item.id,
        verdict=verdict,
        found=found,
        label=item.label,
        status=str(answer.status),
        why=why,
        fault=item.fault,
        seconds=seconds,
        min_confidence=chosen.min_confidence if chosen is not None else None,
    )
