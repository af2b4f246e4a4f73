"""Which libraries a program may use: those of installed solvers, the most fitting first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from orkernel.records import Capability

_GLOBAL = frozenset(
    {
        Capability.LOGICAL,
        Capability.ALL_DIFFERENT,
        Capability.CIRCUIT,
        Capability.MULTI_CIRCUIT,
        Capability.CUMULATIVE,
        Capability.NO_OVERLAP,
        Capability.ELEMENT,
        Capability.TABLE,
        Capability.INVERSE,
    }
)
_CURVED = frozenset(
    {
        Capability.QUADRATIC_OBJECTIVE,
        Capability.QUADRATIC_CONSTRAINT,
        Capability.NONCONVEX,
        Capability.NONLINEAR,
    }
)


@dataclass(frozen=True, slots=True)
class Library:
    """A library by the module that is imported, what it is for, and which needs it suits."""

    module: str
    purpose: str
    suits: Callable[[frozenset[Capability]], bool]


def _is_linear(needs: frozenset[Capability]) -> bool:
    return not needs & (_CURVED | _GLOBAL | {Capability.RANDOM, Capability.PIECEWISE})


def _is_whole(needs: frozenset[Capability]) -> bool:
    return Capability.CONTINUOUS not in needs and not needs & (_CURVED | {Capability.RANDOM})


def _is_smooth(needs: frozenset[Capability]) -> bool:
    return bool(needs & _CURVED) and not needs & (_GLOBAL | {Capability.INTEGER, Capability.RANDOM})


def _is_curved_and_whole(needs: frozenset[Capability]) -> bool:
    return bool(needs & _CURVED) and Capability.INTEGER in needs


LIBRARIES = (
    Library("highspy", "linear and mixed-integer programs (HiGHS)", _is_linear),
    Library(
        "ortools",
        "whole-number and scheduling models (ortools.sat.python.cp_model)",
        lambda needs: _is_whole(needs) and bool(needs & _GLOBAL or Capability.LINEAR in needs),
    ),
    Library(
        "scipy",
        "scipy.optimize: linprog, milp, minimize, differential_evolution",
        lambda needs: _is_linear(needs) or _is_smooth(needs) or Capability.RANDOM in needs,
    ),
    Library("pyscipopt", "nonlinear models with whole numbers (SCIP)", _is_curved_and_whole),
    Library("casadi", "smooth nonlinear models (Ipopt)", _is_smooth),
    Library("pymoo", "evolutionary search", lambda needs: False),
    Library("pyomo", "algebraic models for the solvers above", lambda needs: False),
    Library("numpy", "arrays; random and exhaustive search", lambda needs: False),
)
"""In the order of preference among those that suit a model."""


def usable(needs: Iterable[Capability]) -> list[Library]:
    """The libraries that are installed, those that suit the needs first; nothing is imported."""
    wanted = frozenset(needs)
    installed = [library for library in LIBRARIES if find_spec(library.module) is not None]
    return sorted(installed, key=lambda library: not library.suits(wanted))


def described(libraries: Iterable[Library]) -> str:
    """One line per library."""
    return "\n".join(f"- {library.module}: {library.purpose}" for library in libraries)
