"""Conformance runs on the reference agent and on mutants of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from orkernel.hookspecs import hookimpl
from orkernel.records import SolverAgentSpec
from orkernel.testing.conformance.runner import Result, run
from orkernel.testing.conformance.solver_agents import endings
from orkernel.testing.conformance.subject import Subject
from orkernel.testing.reference_agent import reference_record

HOME = "orkernel_mutant"
Tried = Callable[..., list[Result]]


class Plugin:
    """A plugin with one solver agent."""

    __name__ = HOME

    def __init__(self, record: SolverAgentSpec) -> None:
        self.record = record

    @hookimpl
    def orkernel_solver_agents(self) -> Iterator[SolverAgentSpec]:
        yield self.record


def subject_of(record: SolverAgentSpec) -> Subject:
    """The subject for a record that no installed plugin has."""
    return Subject.find(record.name, "solver_agents", extra=(Plugin(record),))


@pytest.fixture(scope="session")
def reference() -> Subject:
    return subject_of(reference_record())


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Tried:
    """Runs one conformance test on an agent class, little patience for overruns."""

    def run_on(
        agent: type[Any], test: str, change: Callable[[SolverAgentSpec], SolverAgentSpec]
    ) -> list[Result]:
        module = ModuleType(HOME)
        module.Agent = agent  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, HOME, module)
        monkeypatch.setattr(endings, "GRACE", 1.0)
        return run(subject_of(change(reference_record(f"{HOME}:Agent"))), only=test)

    return run_on


@pytest.fixture
def caught(tried: Tried) -> Callable[..., None]:
    """Checks that a conformance test fails on a mutant and passes on the unmutated agent."""

    def check(
        mutant: type[Any],
        test: str,
        change: Callable[[SolverAgentSpec], SolverAgentSpec] = lambda record: record,
    ) -> None:
        from orkernel.testing.reference_agent import ReferenceAgent

        (sound,) = tried(ReferenceAgent, test, lambda record: record)
        assert sound.good, f"{test} fails on the unmutated agent: {sound.message}"
        (result,) = tried(mutant, test, change)
        assert not result.good, f"{test} does not notice: {mutant.__doc__}"

    return check
