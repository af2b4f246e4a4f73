"""What orkernel's own plugins provide, so that an absent one can be installed by name."""

CATALOGUE = {
    "offline": "orkernel-offline",
    "evidence": "orkernel-offline",
    "structure": "orkernel-offline",
    "max-min": "orkernel-maxmin",
    "highs": "orkernel-highs",
    "pyomo": "orkernel-pyomo",
    "ortools": "orkernel-ortools",
    "pymoo": "orkernel-pymoo",
    "numpy": "orkernel-numpy",
    "lean": "orkernel-lean",
}
"""Name of a record, to the distribution to install."""
