"""Which solver takes which model when the user does not say."""

from __future__ import annotations

import shutil
import sysconfig
from importlib.util import find_spec

AUTO = "auto"


def find_glpsol() -> str | None:
    """Path of GLPK's executable, also where a Python package put it."""
    return shutil.which("glpsol") or shutil.which("glpsol", path=sysconfig.get_path("scripts"))


def default_solver(
    *, linear: bool, integer: bool, convex: bool = False, boundless: bool = False
) -> str:
    """The solver for a kind of model.

    Linear models go to GLPK where it is installed: it shares no code with HiGHS, so its
    answer is worth more as a second opinion. It never ends on some models whose integer
    columns have no bounds; those go to HiGHS. Convex models go to Ipopt, all others to SCIP,
    which proves a global optimum.

    Args:
        linear: All rows and the objective are linear.
        integer: Some column is integer.
        convex: A continuous model known to be convex.
        boundless: Some integer column has no finite bounds, not even implied ones.
    """
    if linear:
        return "glpk" if find_glpsol() and not boundless else "highs"
    if convex and not integer:
        return "ipopt"
    return "scip" if find_spec("pyscipopt") else without_scip(integer=integer)


def without_scip(*, integer: bool) -> str:
    """The local solver for a nonlinear model."""
    return "bonmin" if integer else "ipopt"
