"""Health check: enumerate, optimise and draw for a moment."""

from __future__ import annotations

import numpy as np
import scipy
from scipy import optimize

from orkernel.errors import PluginError


def check() -> str:
    """One line with the versions at work.

    Raises:
        PluginError: SciPy's linear solver does not answer a two-line program.
    """
    found = optimize.linprog([-3, -5], [[0, 2], [3, 2]], [12, 18], bounds=[(0, 4), (0, None)])
    if found.status != 0 or abs(found.fun + 36) > 1e-9:
        raise PluginError(f"SciPy {scipy.__version__} fails on a small linear program")
    return f"numpy {np.__version__}, scipy {scipy.__version__}"
