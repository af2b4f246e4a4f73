"""Conformance of a solver agent's record."""

from __future__ import annotations

from orkernel.records import SolverAgentSpec
from orkernel.testing.conformance.base import Subject, conformance_test, require


@conformance_test(added_in="0.1")
def test_supports_something(subject: Subject) -> None:
    """The record declares at least one set of capabilities, and none that is empty."""
    record = subject.record
    assert isinstance(record, SolverAgentSpec)
    require(record.supports, f"'{record.name}' supports nothing")
    require(all(record.supports), f"'{record.name}' has an empty set of capabilities")
