"""Tours and vehicle routes through the routing library of OR-Tools: good points, no proofs.

`recognise` finds the structure in a model's graph or says None; `improve` searches it and returns
a point that the model's own evaluator has accepted, or None, which proves nothing.
"""

from __future__ import annotations

from orkernel_ortools.routing.improvement import improve
from orkernel_ortools.routing.recognition import recognise
from orkernel_ortools.routing.tour import Dimension, Tour

__all__ = ["Dimension", "Tour", "improve", "recognise"]
