"""The reference agent declares every capability and passes every conformance test."""

from __future__ import annotations

import pytest

from orkernel.records import Capability
from orkernel.testing import SolverAgentConformance
from orkernel.testing.conformance.declaring import Item
from orkernel.testing.conformance.runner import judge
from orkernel.testing.conformance.solver_agents.surroundings import SIBLINGS
from orkernel.testing.conformance.subject import Subject
from orkernel.testing.reference_agent import reference_record

ITEMS = [i for t in SolverAgentConformance.conformance_tests.values() for i in t.items()]


@pytest.mark.parametrize("item", ITEMS, ids=[item.id for item in ITEMS])
def test_reference_agent_passes(reference: Subject, item: Item) -> None:
    result = judge(SolverAgentConformance, reference, item, {})
    assert result.good, result.message
    assert not result.refusal, "the reference agent declares everything"


def test_reference_agent_declares_every_capability() -> None:
    assert frozenset().union(*reference_record().supports) == frozenset(Capability)


def test_every_capability_is_needed_by_some_test() -> None:
    assert frozenset().union(*(item.needs for item in ITEMS)) == frozenset(Capability)


def test_siblings_can_be_mistaken_for_each_other() -> None:
    for pair in SIBLINGS.values():
        assert pair.other.needs <= pair.one.needs
        assert len(pair.one.model().columns) == len(pair.other.model().columns)
        assert pair.one.optimum != pair.other.optimum


def test_every_test_says_what_it_proves_and_since_when() -> None:
    for test in SolverAgentConformance.conformance_tests.values():
        assert test.summary.endswith("."), test.name
        assert test.added_in, test.name
