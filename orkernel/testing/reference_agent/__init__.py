"""A small, slow, honest solver agent for every capability, on SciPy and enumeration alone.

It is what the conformance kit is tested with, and the judge of infeasible subsets. For real
problems install a real agent.
"""

from __future__ import annotations

from orkernel.testing.reference_agent.agent import ReferenceAgent as ReferenceAgent
from orkernel.testing.reference_agent.record import reference_record as reference_record
