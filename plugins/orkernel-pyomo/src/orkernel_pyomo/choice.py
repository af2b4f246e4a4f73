"""Which solver takes which model when the user does not say."""

from __future__ import annotations

import shutil
import sysconfig

AUTO = "auto"


def find_glpsol() -> str | None:
    """Path of GLPK's executable, also where a Python package put it."""
    return shutil.which("glpsol") or shutil.which("glpsol", path=sysconfig.get_path("scripts"))


def default_solver(*, linear: bool, integer: bool) -> str:
    """The solver for a kind of model.

    Linear models go to GLPK where it is installed: it shares no code with HiGHS, so its
    answer is worth more as a second opinion. Smooth models go to Ipopt, with integers to Bonmin.

    Args:
        linear: All rows and the objective are linear.
        integer: Some column is integer.
    """
    if linear:
        return "glpk" if find_glpsol() else "highs"
    return "bonmin" if integer else "ipopt"
