"""Names that orkernel's own plugins provide, so that an absent one can be installed by name."""

CATALOGUE = {
    ("formulators", "offline"): "orkernel-offline",
    ("confidence_scorers", "evidence"): "orkernel-offline",
    ("classifiers", "structure"): "orkernel-offline",
    ("selection_rules", "max-min"): "orkernel-maxmin",
    ("selection_rules", "first"): "orkernel-maxmin",
    ("selection_rules", "mean"): "orkernel-maxmin",
    ("solver_agents", "highs"): "orkernel-highs",
    ("solver_agents", "pyomo"): "orkernel-pyomo",
    ("solver_agents", "ortools"): "orkernel-ortools",
    ("solver_agents", "pymoo"): "orkernel-pymoo",
    ("solver_agents", "numpy"): "orkernel-numpy",
    ("proof_verifiers", "lean"): "orkernel-lean",
}
"""Kind and record name, to the distribution to install."""
