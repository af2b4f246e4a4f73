"""What a solver agent leaves alone: its input, other solves, stdout, files, processes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np

from orkernel.errors import Unsupported
from orkernel.model import Model
from orkernel.records import Capability
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import ask, require_answer
from orkernel.testing.conformance.solver_agents.leftovers import (
    captured_stdout,
    empty_folders,
    more_threads,
    new_children,
    settings_of_the_process,
)
from orkernel.testing.conformance.solver_agents.problems import (
    binding,
    conditions,
    linear,
    several,
    smooth,
    structures,
    whole,
)
from orkernel.testing.conformance.solver_agents.problems.known import (
    KnownProblem,
    integer,
    maximize,
    problem,
    rows,
    variable,
)

THEMES = {
    "linear": linear.TRANSPORT,
    "whole": whole.KNAPSACK,
    "square": smooth.NEAREST_POINT,
    "nonlinear": smooth.HOCK_SCHITTKOWSKI_71,
    "whole_nonlinear": smooth.WHOLE_EXPONENTIAL,
    "logic": conditions.TWO_RANGES,
    "global": structures.NO_OVERLAP,
    "several": several.PROJECTS,
}
"""One problem for every way in which agents usually solve."""

TIES = {
    "linear": problem(
        [variable("x", 9), variable("y", 9), variable("z", 9)],
        rows("x + y + z <= 10"),
        maximize("x + y + z"),
        10.0,
        slack=1.0,
    ),
    "whole": problem(
        [integer("x", 9), integer("y", 9), integer("z", 9)],
        rows("x + y + z <= 10"),
        maximize("x + y + z"),
        10.0,
        slack=1.0,
    ),
    "global": problem(
        [integer("x", 4, 1, index=["I"])],
        rows("all_different(x[i] for i in I)"),
        maximize("sum(x[i] for i in I)"),
        9.0,
        sets={"I": 3},
        slack=1.0,
    ),
    "nonlinear": problem(
        [variable("x", 3, -3), variable("y", 3, -3)],
        [],
        maximize("cos(3*x) + cos(3*y)"),
        2.0,
    ),
    "several": several.TRADE,
}
"""Problems with many equally good answers, so that chance would show."""


@dataclass(frozen=True, eq=False)
class Siblings:
    """Two problems of equally many columns, which an agent could mistake for each other.

    `one` needs all that `other` needs.
    """

    one: KnownProblem
    other: KnownProblem

    @property
    def needs(self) -> frozenset[Capability]:
        """Those of the first one, and so of both."""
        return self.one.needs

    def model(self) -> Model:
        """The first one's model."""
        return self.one.model()


SIBLINGS = {
    "linear": Siblings(linear.OFFSET_UP, linear.OFFSET_DOWN),
    "whole": Siblings(whole.STRICT, whole.ROUNDING),
    "square": Siblings(smooth.NEAREST_POINT, smooth.CONCAVE_REVENUE),
    "nonlinear": Siblings(smooth.EXPONENTIAL, smooth.WAVES),
    "logic": Siblings(conditions.UNEQUAL, whole.ROUNDING),
    "global": Siblings(binding.LOWER["global"], binding.UPPER["global"]),
}


def fingerprint(model: Model) -> str:
    """A digest of all that an agent is given: formulation, columns, arrays and evaluation."""
    digest = hashlib.sha256(model.formulation.model_dump_json().encode())
    columns = model.columns
    parts = [columns.lower, columns.upper, columns.integer, columns.start]
    parts += [values for _, values in sorted(model.parameters.items())]
    try:
        form = model.quadratic().linear
        parts += [form.matrix.data, form.matrix.indices, form.row_lower, form.row_upper]
        parts += [objective.cost for objective in form.objectives]
    except Unsupported:
        pass
    points = np.random.default_rng(1).uniform(0.0, 3.0, (4, len(columns)))
    values = model.evaluate(np.where(columns.integer, np.round(points), points))
    parts += [values.objectives, values.bodies, values.violations]
    for part in parts:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Watched:
    """What one solve did besides answering."""

    changed: bool
    written: str
    files: list[str]
    processes: list[str]


@cache
def _watched(subject: Subject, case: KnownProblem) -> _Watched:
    model = case.model()
    before = fingerprint(model)
    with captured_stdout() as written, new_children() as children, empty_folders() as left:
        ask(subject, model)
    return _Watched(fingerprint(model) != before, written.text, left.names, children.names)


@conformance_test(added_in="0.1", cases=THEMES)
def test_leaves_its_input_alone(subject: Subject, case: KnownProblem) -> None:
    """Formulation, arrays and data are the same after a solve as before."""
    require(not _watched(subject, case).changed, "the solve changed the model that it was given")


@conformance_test(added_in="0.1", cases=THEMES)
def test_stdout_stays_untouched(subject: Subject, case: KnownProblem) -> None:
    """Nothing is written to stdout, neither by Python nor by a library beneath it."""
    written = _watched(subject, case).written
    require(not written, f"it wrote to stdout: {written[:80]!r}")


@conformance_test(added_in="0.1", cases=THEMES)
def test_leaves_no_files_or_processes(subject: Subject, case: KnownProblem) -> None:
    """After a solve no temporary file, file in the working folder, or child process is left."""
    found = _watched(subject, case)
    require(not found.files, f"it left files behind: {', '.join(found.files)}")
    require(not found.processes, f"it left processes behind: {', '.join(found.processes)}")


@conformance_test(added_in="0.1", cases=THEMES)
def test_threads_do_not_pile_up(subject: Subject, case: KnownProblem) -> None:
    """Threads end with the solve, or are used again by the next one."""
    model = case.model()
    ask(subject, model)
    with more_threads() as left:
        ask(subject, model)
    require(not left.names, f"the second solve left threads behind: {', '.join(left.names)}")


@conformance_test(added_in="0.1", cases=THEMES)
def test_leaves_the_process_alone(subject: Subject, case: KnownProblem) -> None:
    """Ctrl-C, random numbers, warnings, environment and the like are as before the solve."""
    model = case.model()
    with settings_of_the_process():
        ask(subject, model)
    with settings_of_the_process() as left:
        ask(subject, model)
    require(not left.names, f"the solve changed {', '.join(left.names)}")


@conformance_test(added_in="0.1", cases=TIES)
def test_equal_seeds_give_equal_answers(subject: Subject, case: KnownProblem) -> None:
    """Two solves with the same seed, by two objects, give the same values."""
    first = ask(subject, case.model(), subject.fresh(), seed=7)
    second = ask(subject, case.model(), subject.fresh(), seed=7)
    require(first.status is second.status, f"once '{first.status}', once '{second.status}'")
    require(
        (first.values is None) == (second.values is None)
        and np.array_equal(np.asarray(first.values), np.asarray(second.values)),
        f"with equal seeds once {first.values}, once {second.values}",
    )


@conformance_test(added_in="0.1", cases=SIBLINGS)
def test_each_model_gets_its_own_answer(subject: Subject, case: Siblings) -> None:
    """One object solves two models of the same shape in turns, each time afresh."""
    agent = subject.fresh()
    for known in (case.one, case.other, case.one):
        model = known.model()
        require_answer(subject, known, model, ask(subject, model, agent))


@conformance_test(added_in="0.1", cases=SIBLINGS)
def test_instances_are_independent(subject: Subject, case: Siblings) -> None:
    """Two objects that solve in turns do not disturb each other."""
    first, second = subject.fresh(), subject.fresh()
    for agent, known in ((first, case.one), (second, case.other), (first, case.one)):
        model = known.model()
        require_answer(subject, known, model, ask(subject, model, agent))
