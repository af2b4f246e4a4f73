"""Composition over any solver agent: several objectives, and the deletion filter.

An agent that solves one objective at a time serves lexicographic and weighted models
through here, an exact one Pareto fronts too, and any agent that can say "infeasible"
yields an irreducible infeasible subset.
"""

from __future__ import annotations

from orkernel.compose.conflicts import irreducible_subset
from orkernel.compose.efficiency import Dominated, dominated_point
from orkernel.compose.levels import LEXICOGRAPHIC_SLACK, Levels, arrange, solve_composed
from orkernel.compose.routes import Route, lacking, route

__all__ = [
    "LEXICOGRAPHIC_SLACK",
    "Dominated",
    "Levels",
    "Route",
    "arrange",
    "dominated_point",
    "irreducible_subset",
    "lacking",
    "route",
    "solve_composed",
]
