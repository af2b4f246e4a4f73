"""What an agent may not touch, fake evidence and faulty fronts are each caught."""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Certificate, Duals, InfeasibleSubset, ParetoPoint, Solution
from orkernel.testing.reference_agent import ReferenceAgent


class Changes(ReferenceAgent):
    """Does something more after each solve."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        return self.change(super().solve(problem, model, ctx), model)

    def change(self, solution: Solution, model: Model) -> Solution:
        raise NotImplementedError


# --------------------------------------------------------------------------- other solves


class ReturnsTheLastAnswer(Changes):
    """Answers a model with the incumbent of the last one of the same size."""

    memory: ClassVar[dict[int, Solution]] = {}

    def __init__(self) -> None:
        type(self).memory = {}

    def change(self, solution: Solution, model: Model) -> Solution:
        return self.memory.setdefault(len(model.columns), solution)


class SharesItsState(Changes):
    """Works in place on the values of another object's last answer."""

    shared: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        self.turns = 0

    def change(self, solution: Solution, model: Model) -> Solution:
        self.turns += 1
        type(self).shared.append(self)
        if self.turns > 1 and self.shared[-2] is not self:
            return replace(solution, values=np.zeros(len(model.columns)))
        return solution


class DrawsFromChance(Changes):
    """Shuffles equally good values without regard to the seed."""

    def change(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        values = solution.values + random.random() * 1e-7
        return replace(solution, values=values)


def writable(array: Any) -> Any:
    """The memory behind a read-only view."""
    return array if array.flags.writeable else writable(array.base)


class TightensItsInput(Changes):
    """Writes bounds that it derived into the model that it was given."""

    def change(self, solution: Solution, model: Model) -> Solution:
        writable(model.columns.upper)[:] = 5.0
        return solution


class ScalesItsInput(Changes):
    """Scales the matrix that it was given."""

    def change(self, solution: Solution, model: Model) -> Solution:
        writable(model.quadratic().linear.matrix.data)[:] *= 2.0
        return solution


class RenamesItsInput(Changes):
    """Edits the formulation that it was given."""

    def change(self, solution: Solution, model: Model) -> Solution:
        object.__setattr__(model.formulation, "title", "solved")
        return solution


# --------------------------------------------------------------------------- leftovers


class Prints(Changes):
    """Prints a log to stdout."""

    def change(self, solution: Solution, model: Model) -> Solution:
        print("optimal solution found")
        return solution


class PrintsLikeALibrary(Changes):
    """Writes to the file descriptor of stdout, as C code does."""

    def change(self, solution: Solution, model: Model) -> Solution:
        os.write(1, b"optimal solution found\n")
        return solution


class LeavesAFile(Changes):
    """Leaves a temporary file."""

    def change(self, solution: Solution, model: Model) -> Solution:
        handle, _ = tempfile.mkstemp(suffix=".lp")
        os.close(handle)
        return solution


class LeavesALog(Changes):
    """Writes a log into the working folder."""

    def change(self, solution: Solution, model: Model) -> Solution:
        with open("solver.log", "w", encoding="utf-8") as stream:
            stream.write("done")
        return solution


class MovesElsewhere(Changes):
    """Changes the working folder."""

    def change(self, solution: Solution, model: Model) -> Solution:
        os.chdir(os.pardir)
        return solution


class LeavesAProcess(Changes):
    """Leaves a child process running."""

    children: ClassVar[list[subprocess.Popen[bytes]]] = []

    def change(self, solution: Solution, model: Model) -> Solution:
        self.children.append(
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        )
        return solution


@pytest.fixture(autouse=True)
def no_process_outlives_its_test() -> Iterator[None]:
    yield
    while LeavesAProcess.children:
        child = LeavesAProcess.children.pop()
        child.kill()
        child.wait()


# --------------------------------------------------------------------------- evidence


class TurnsDuals(Changes):
    """States the dual values of the minimised objective for a maximised one."""

    def change(self, solution: Solution, model: Model) -> Solution:
        duals = solution.duals
        assert duals is not None
        return replace(solution, duals=Duals(-duals.rows, duals.columns))


class ForgetsReducedCosts(Changes):
    """States reduced costs of zero."""

    def change(self, solution: Solution, model: Model) -> Solution:
        duals = solution.duals
        assert duals is not None
        return replace(solution, duals=Duals(duals.rows, 0 * duals.columns))


class FakesACertificate(Changes):
    """Certifies with a vector of ones."""

    def change(self, solution: Solution, model: Model) -> Solution:
        if solution.certificate is None:
            return solution
        ones = np.ones_like(solution.certificate.vector)
        return replace(solution, certificate=Certificate(solution.certificate.kind, ones))


class BlamesOneRow(Changes):
    """Calls the first row alone infeasible."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, infeasible_subset=InfeasibleSubset(rows=(0,), minimal=True))


class BlamesARowThatIsNone(Changes):
    """Names a row that the model does not have."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, infeasible_subset=InfeasibleSubset(rows=(len(model.rows),)))


class BlamesEverything(Changes):
    """Calls all rows and bounds together minimal."""

    def change(self, solution: Solution, model: Model) -> Solution:
        columns = tuple(range(len(model.columns)))
        rows = tuple(range(len(model.rows)))
        whole = InfeasibleSubset(rows=rows, lower=columns, upper=columns, minimal=True)
        return replace(solution, infeasible_subset=whole)


# --------------------------------------------------------------------------- fronts


class DropsAPoint(Changes):
    """Leaves an efficient point out of the front."""

    def change(self, solution: Solution, model: Model) -> Solution:
        kept = tuple(p for p in solution.pareto if p.values is not solution.values)
        kept = kept if len(kept) < len(solution.pareto) else solution.pareto[1:]
        return replace(solution, pareto=kept, values=kept[0].values)


class StopsHalfWay(Changes):
    """Covers one end of the front only."""

    def change(self, solution: Solution, model: Model) -> Solution:
        ordered = sorted(solution.pareto, key=lambda p: p.objectives)
        half = tuple(ordered[: len(ordered) // 2])
        return replace(solution, pareto=half, values=half[0].values)


class KeepsDominatedPoints(Changes):
    """Leaves a dominated point in the front."""

    def change(self, solution: Solution, model: Model) -> Solution:
        values = np.zeros(len(model.columns))
        values[2] = 1.0
        objectives = tuple(model.evaluate(values).objectives[0].tolist())
        return replace(solution, pareto=(*solution.pareto, ParetoPoint(objectives, values)))


class RepeatsAPoint(Changes):
    """Lists a point of the front twice."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, pareto=(*solution.pareto, solution.pareto[0]))


class EmbellishesAPoint(Changes):
    """States better objectives than a point has."""

    def change(self, solution: Solution, model: Model) -> Solution:
        first, *rest = solution.pareto
        better = tuple(value + 1.0 for value in first.objectives)
        return replace(solution, pareto=(ParetoPoint(better, first.values), *rest))


class AnswersBesideItsFront(Changes):
    """Answers with a point that is not in its front."""

    def change(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        return replace(solution, values=solution.values * 0.5)


# ------------------------------------------------------- the process, and who answered


class SeedsEverything(Changes):
    """Seeds the random numbers that all code shares."""

    def change(self, solution: Solution, model: Model) -> Solution:
        np.random.seed(1)
        return solution


class TakesCtrlC(Changes):
    """Leaves a handler behind that ignores Ctrl-C."""

    def change(self, solution: Solution, model: Model) -> Solution:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return solution


class SilencesNumPy(Changes):
    """Switches NumPy's errors off for everybody."""

    def change(self, solution: Solution, model: Model) -> Solution:
        np.seterr(all="ignore")
        return solution


class SilencesWarnings(Changes):
    """Switches warnings off for everybody."""

    def change(self, solution: Solution, model: Model) -> Solution:
        warnings.simplefilter("ignore")
        return solution


class SilencesLogging(Changes):
    """Switches logging off for everybody."""

    def change(self, solution: Solution, model: Model) -> Solution:
        logging.disable(logging.CRITICAL)
        return solution


class SetsTheEnvironment(Changes):
    """Counts its solves in an environment variable."""

    def change(self, solution: Solution, model: Model) -> Solution:
        solves = os.environ.get("ORKERNEL_MUTANT_SOLVES", "")
        os.environ["ORKERNEL_MUTANT_SOLVES"] = solves + "1"
        return solution


class LeavesAThread(Changes):
    """Starts a thread with every solve, which lives on."""

    def change(self, solution: Solution, model: Model) -> Solution:
        threading.Thread(target=time.sleep, args=(5.0,), daemon=True).start()
        return solution


class SignsForAnother(Changes):
    """Says that another agent answered."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, solver=replace(solution.solver, agent="another"))


class HidesItsVersion(Changes):
    """Leaves the version of its solver out."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, solver=replace(solution.solver, version=""))


class CountsMilliseconds(ReferenceAgent):
    """States milliseconds for seconds."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        solution = super().solve(problem, model, ctx)
        return replace(solution, seconds=solution.seconds * 1000.0)


class PromisesTooMuch(Changes):
    """Calls a local answer global."""

    def change(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, guarantee=Guarantee.GLOBAL)


class WidensRanges(Changes):
    """States wider sensitivity ranges than hold."""

    def change(self, solution: Solution, model: Model) -> Solution:
        assert solution.duals is not None
        ranges = {"objective": np.tile([-1e3, 1e3], (len(model.columns), 1))}
        return replace(solution, duals=replace(solution.duals, ranges=ranges))


class NarrowsRanges(Changes):
    """States ranges of right-hand sides beside the present ones."""

    def change(self, solution: Solution, model: Model) -> Solution:
        assert solution.duals is not None
        ranges = {"rhs": np.array([[5.0, 6.0], [6.0, 18.0], [12.0, 24.0]])}
        return replace(solution, duals=replace(solution.duals, ranges=ranges))


class BlamesAWholeColumnThatIsNone(Changes):
    """Names a whole column beyond the model's."""

    def change(self, solution: Solution, model: Model) -> Solution:
        assert solution.infeasible_subset is not None
        subset = replace(solution.infeasible_subset, integer=(len(model.columns),))
        return replace(solution, infeasible_subset=subset)


CAUGHT = [
    (ReturnsTheLastAnswer, "test_each_model_gets_its_own_answer[linear]"),
    (ReturnsTheLastAnswer, "test_each_model_gets_its_own_answer[square]"),
    (SharesItsState, "test_instances_are_independent[linear]"),
    (DrawsFromChance, "test_equal_seeds_give_equal_answers[linear]"),
    (TightensItsInput, "test_leaves_its_input_alone[linear]"),
    (TightensItsInput, "test_leaves_its_input_alone[global]"),
    (ScalesItsInput, "test_leaves_its_input_alone[whole]"),
    (RenamesItsInput, "test_leaves_its_input_alone[nonlinear]"),
    (Prints, "test_stdout_stays_untouched[linear]"),
    (PrintsLikeALibrary, "test_stdout_stays_untouched[whole]"),
    (LeavesAFile, "test_leaves_no_files_or_processes[linear]"),
    (LeavesALog, "test_leaves_no_files_or_processes[whole]"),
    (MovesElsewhere, "test_leaves_no_files_or_processes[square]"),
    (LeavesAProcess, "test_leaves_no_files_or_processes[logic]"),
    (TurnsDuals, "test_duals_are_marginal_values[maximize]"),
    (TurnsDuals, "test_duals_are_marginal_values[equality]"),
    (ForgetsReducedCosts, "test_duals_are_marginal_values[minimize]"),
    (FakesACertificate, "test_certificates_prove_their_claim[optimal]"),
    (FakesACertificate, "test_certificates_prove_their_claim[infeasible_rows]"),
    (BlamesOneRow, "test_infeasible_subset_is_infeasible[rows]"),
    (BlamesOneRow, "test_infeasible_subset_is_infeasible[all_different]"),
    (BlamesARowThatIsNone, "test_infeasible_subset_is_infeasible[open_direction]"),
    (BlamesEverything, "test_infeasible_subset_is_as_small_as_claimed[rows]"),
    (DropsAPoint, "test_front_is_complete[projects]"),
    (StopsHalfWay, "test_front_is_complete[trade]"),
    (KeepsDominatedPoints, "test_front_has_no_dominated_point[projects]"),
    (RepeatsAPoint, "test_front_has_no_dominated_point[trade]"),
    (EmbellishesAPoint, "test_front_points_hold[projects]"),
    (AnswersBesideItsFront, "test_front_points_hold[trade]"),
    (SeedsEverything, "test_leaves_the_process_alone[linear]"),
    (TakesCtrlC, "test_leaves_the_process_alone[linear]"),
    (SilencesNumPy, "test_leaves_the_process_alone[nonlinear]"),
    (SilencesWarnings, "test_leaves_the_process_alone[linear]"),
    (SilencesLogging, "test_leaves_the_process_alone[whole]"),
    (SetsTheEnvironment, "test_leaves_the_process_alone[linear]"),
    (LeavesAThread, "test_threads_do_not_pile_up[linear]"),
    (SignsForAnother, "test_says_who_answered_and_how_long_it_took[linear]"),
    (HidesItsVersion, "test_says_who_answered_and_how_long_it_took[integer]"),
    (CountsMilliseconds, "test_says_who_answered_and_how_long_it_took[linear]"),
    (PromisesTooMuch, "test_guarantee_is_no_stronger_than_promised[nonlinear]"),
    (WidensRanges, "test_ranges_hold[maximize]"),
    (NarrowsRanges, "test_ranges_hold[maximize]"),
    (BlamesAWholeColumnThatIsNone, "test_infeasible_subset_is_infeasible[rows]"),
]


@pytest.mark.parametrize(("mutant", "test"), CAUGHT, ids=[f"{m.__name__}-{t}" for m, t in CAUGHT])
def test_mutant_is_caught(caught: Callable[..., None], mutant: type, test: str) -> None:
    caught(mutant, test)
