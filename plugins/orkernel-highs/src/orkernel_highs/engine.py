"""Engine: one HiGHS instance that is loaded from arrays and runs interruptibly."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np
from scipy.sparse import csc_array, tril

from orkernel.errors import Cancelled, PluginError
from orkernel.records import Event
from orkernel_highs.scaling import scaled

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel_highs.program import Program

ModelStatus = highspy.HighsModelStatus
_make_highs: Any = highspy.Highs

POLL = 0.02
"""Seconds between looks at the cancel flag while HiGHS runs."""
GRACE = 0.8
"""Seconds that HiGHS has to react to an interrupt, or past its time limit, before it is left."""
TIGHT_GAP = 5e-7
"""Relative MIP gap asked of HiGHS when the user sets none."""
LARGEST = 1e15
"""HiGHS refuses matrix coefficients from here on."""
SMALLEST = 1e-12
"""HiGHS drops matrix coefficients up to here."""


@cache
def _swallow_banner() -> None:
    """Make the process' first HiGHS instance, which greets on standard output whatever is set.

    Standard output belongs to the caller's results, so it is turned away meanwhile.
    """
    libc = ctypes.CDLL("msvcrt" if os.name == "nt" else None)
    sys.stdout.flush()
    libc.fflush(None)
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        _make_highs()
        libc.fflush(None)
    finally:
        os.dup2(kept, 1)
        os.close(nowhere)
        os.close(kept)


def _new_highs() -> Any:
    _swallow_banner()
    return _make_highs()


class Engine:
    """A loaded program.

    HiGHS works in its own thread while the caller's thread polls for cancellation and
    reports events, so Python signal handlers run at once. A HiGHS that reacts neither to
    the interrupt nor to its time limit is left behind in its daemon thread.

    Args:
        program: What to solve.
        ctx: Seed, deadline, gap, options (`threads`, `presolve`, `method`, `log`).
        silent: No events, for the auxiliary problems behind a certificate.
        settings: HiGHS options that override all others.
    """

    def __init__(
        self, program: Program, ctx: RunContext, *, silent: bool = False, **settings: Any
    ) -> None:
        self.program = program
        self._ctx = ctx
        self._silent = silent
        self._stop = threading.Event()
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._error: BaseException | None = None
        self.interrupted = False
        self.abandoned = False
        self.highs = _new_highs()
        self._set(log_to_console=False)
        arranged, self.scaling = scaled(program)
        self._configure(settings)
        self._load(arranged)

    # ------------------------------------------------------------------ set-up

    def _set(self, **settings: Any) -> None:
        for name, value in settings.items():
            if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                raise PluginError(f"HiGHS {self.highs.version()} refuses option {name}={value!r}")

    def _configure(self, settings: dict[str, Any]) -> None:
        options = self._ctx.options
        log = bool(options.get("log", True)) and not self._silent
        gap = TIGHT_GAP if self._ctx.gap is None else max(0.0, self._ctx.gap)
        self._set(
            output_flag=log,
            random_seed=self._ctx.seed % (2**31),
            presolve=str(options.get("presolve", "choose")),
            mip_rel_gap=gap,
            mip_abs_gap=1e-9,
            small_matrix_value=SMALLEST,
            infinite_bound=highspy.kHighsInf,
        )
        if self.program.is_lp:
            self._set(solver=str(options.get("method", "choose")))
        self._set(threads=int(options.get("threads", 0)))
        self._set(**settings)

        for callback in ("cbSimplexInterrupt", "cbIpmInterrupt", "cbMipInterrupt"):
            getattr(self.highs, callback).subscribe(self._on_interrupt)
        if log:
            self.highs.cbLogging.subscribe(self._on_log)
        if self.program.is_mip and not self._silent:
            self.highs.cbMipImprovingSolution.subscribe(self._on_incumbent)

    def _load(self, program: Program) -> None:
        m, n = program.matrix.shape
        matrix = program.matrix
        status = self.highs.passModel(
            n,
            m,
            matrix.nnz,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMaximize if program.maximize else highspy.ObjSense.kMinimize),
            program.offset,
            program.cost,
            program.lower,
            program.upper,
            program.row_lower,
            program.row_upper,
            matrix.indptr.astype(np.int32, copy=False),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data,
            program.integer.astype(np.int32),
        )
        if status == highspy.HighsStatus.kError:
            raise PluginError(
                f"HiGHS {self.highs.version()} refuses the model ({m} rows, {n} columns)",
                fix="look at the solver's log for the coefficient that it cannot take",
            )
        if program.hessian is not None:
            lower = csc_array(tril(csc_array(program.hessian)))
            status = self.highs.passHessian(
                n,
                lower.nnz,
                int(highspy.HessianFormat.kTriangular),
                lower.indptr.astype(np.int32),
                lower.indices.astype(np.int32),
                lower.data,
            )
            if status == highspy.HighsStatus.kError:
                raise PluginError(f"HiGHS {self.highs.version()} refuses the quadratic objective")
        given = np.flatnonzero(np.isfinite(program.start))
        if program.is_mip and given.size:
            self.highs.setSolution(
                given.size, given.astype(np.int32), program.start[given].astype(float)
            )

    # ------------------------------------------------------------------ callbacks

    def _on_interrupt(self, event: highspy.HighsCallbackEvent) -> None:
        if self._stop.is_set():
            event.interrupt()

    def _on_log(self, event: highspy.HighsCallbackEvent) -> None:
        for line in event.message.splitlines():
            self._events.put(Event("log.line", "solve", line))

    def _on_incumbent(self, event: highspy.HighsCallbackEvent) -> None:
        out = event.data_out
        objective = out.objective_function_value / self.scaling.objective
        bound = out.mip_dual_bound / self.scaling.objective
        data = {
            "objective": objective,
            "bound": bound if np.isfinite(bound) else None,
            "gap": out.mip_gap if np.isfinite(out.mip_gap) else None,
            "seconds": out.running_time,
        }
        self._events.put(Event("solver.incumbent", "solve", f"objective {objective:.9g}", data))

    def _report(self) -> None:
        while True:
            try:
                self._ctx.emit(self._events.get_nowait())
            except Empty:
                return

    # ------------------------------------------------------------------ running

    def run(self) -> ModelStatus:
        """Solve, and return HiGHS' own status.

        Returns:
            `kInterrupt` after a cancellation and `kTimeLimit` after the deadline, whether
            or not HiGHS itself reacted (`abandoned` tells).

        Raises:
            Cancelled: Ctrl-C arrived as a KeyboardInterrupt.
        """
        remaining = self._ctx.remaining()
        if remaining is not None:
            self._set(time_limit=remaining)
        self._in_thread(self.highs.run)
        if self.interrupted:
            return ModelStatus.kInterrupt
        if self.abandoned:
            return ModelStatus.kTimeLimit
        status: ModelStatus = self.highs.getModelStatus()
        return status

    def call(self, work: Callable[[], Any]) -> Any:
        """Another long call of this HiGHS instance, run the same way; None if left behind."""
        result: list[Any] = []
        self._in_thread(lambda: result.append(work()))
        return result[0] if result and not self.abandoned else None

    def _in_thread(self, work: Callable[[], Any]) -> None:
        finished = threading.Event()

        def target() -> None:
            try:
                work()
            except BaseException as error:
                self._error = error
            finally:
                highspy.Highs.resetThreadScheduler(False)
                finished.set()

        threading.Thread(target=target, name="highs", daemon=True).start()
        try:
            while not finished.wait(POLL):
                self._report()
                if self._must_stop() and not self._stop_within_grace(finished):
                    self.abandoned = True
                    break
        except KeyboardInterrupt:
            self._stop_within_grace(finished)
            raise Cancelled from None
        self._report()
        if self._error is not None:
            raise PluginError(f"HiGHS failed: {self._error}") from self._error

    def _must_stop(self) -> bool:
        if self._ctx.cancelled:
            self.interrupted = True
            return True
        deadline = self._ctx.deadline
        return deadline is not None and time.monotonic() > deadline + GRACE

    def _stop_within_grace(self, finished: threading.Event) -> bool:
        self._stop.set()
        return finished.wait(GRACE)

    # ------------------------------------------------------------------ results

    @property
    def has_point(self) -> bool:
        """True if HiGHS holds a feasible point."""
        return (
            not self.abandoned
            and self.highs.getInfo().primal_solution_status
            == highspy.SolutionStatus.kSolutionStatusFeasible
        )

    def values(self) -> Floats:
        """The point, shape `(n,)`, moved onto its bounds where rounding left them."""
        x: Floats = np.asarray(self.highs.getSolution().col_value, dtype=float)
        inside: Floats = np.clip(x, self.program.lower, self.program.upper)
        return inside + 0.0

    def bound(self) -> float | None:
        """Best proven bound of a MIP, in the objective's own sense."""
        bound = self.highs.getInfo().mip_dual_bound / self.scaling.objective
        return float(bound) if np.isfinite(bound) else None

    def statistics(self) -> dict[str, float]:
        """Iterations and nodes, where there were any."""
        info = self.highs.getInfo()
        counts = {
            "simplex_iterations": info.simplex_iteration_count,
            "ipm_iterations": info.ipm_iteration_count,
            "qp_iterations": info.qp_iteration_count,
            "nodes": info.mip_node_count,
        }
        return {name: float(count) for name, count in counts.items() if count > 0}
