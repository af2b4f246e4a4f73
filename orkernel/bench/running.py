"""Running the pipeline over one item."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from orkernel.bench.items import Item
from orkernel.bench.results import FAILED, Result, measured
from orkernel.bench.settings import Setting
from orkernel.errors import Cancelled, OrkernelError, UsageError
from orkernel.records import Problem

if TYPE_CHECKING:
    import threading

    from orkernel.answer import Answer
    from orkernel.registry import Registry


def run_item(
    item: Item,
    setting: Setting,
    registry: Registry,
    *,
    folder: Path | None = None,
    cancel: threading.Event | None = None,
) -> Result:
    """Answer one item in one setting; whatever else goes wrong is a result too.

    Args:
        item: The item.
        setting: How it is run.
        registry: Loaded plugins, with the setting's options.
        folder: Where its run folder is kept. An interrupted run in it is gone on with.
        cancel: Set it to stop.

    Raises:
        UsageError: The arguments are wrong, e.g. an unknown plugin.
        Cancelled: The user interrupted.
    """
    started = time.perf_counter()
    try:
        answer = _answer(item, setting, registry, folder, cancel)
    except (Cancelled, UsageError):
        raise
    except OrkernelError as error:
        return failed(item.id, setting.name, str(error), time.perf_counter() - started)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return failed(item.id, setting.name, why, time.perf_counter() - started)
    if answer.interrupted:
        raise Cancelled
    return measured(setting.name, item.id, answer, time.perf_counter() - started)


def failed(id: str, setting: str, why: str, seconds: float = 0.0) -> Result:
    """The result of an item that ended in an error."""
    return Result(setting, id, FAILED, why=why, seconds=seconds)


def _answer(
    item: Item,
    setting: Setting,
    registry: Registry,
    folder: Path | None,
    cancel: threading.Event | None,
) -> Answer:
    from orkernel.pipeline import run
    from orkernel.replaying import resume

    if folder is not None and (begun := _interrupted_run(folder)) is not None:
        return resume(begun, registry, cancel=cancel)
    return run(
        Problem(item.question, f"item-{item.id}"),
        registry=registry,
        out=folder,
        cancel=cancel,
        **setting.run_arguments(),
    )


def _interrupted_run(folder: Path) -> Path | None:
    """The latest run folder below, if it can be gone on with."""
    from orkernel.replaying import stored_request
    from orkernel.runs import RunFolder

    runs = sorted(path for path in folder.glob("*/run.json"))
    if not runs:
        return None
    latest = RunFolder(runs[-1].parent)
    try:
        state = (latest.read_json("run.json") or {}).get("state")
        stored_request(latest)
        latest.read_candidates()
    except UsageError:
        return None
    return latest.path if state in ("running", "interrupted") else None
