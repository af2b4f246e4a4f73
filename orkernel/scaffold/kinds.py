"""The kinds of plugins that can be scaffolded, in the words of the command line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PluginKind:
    """One kind.

    Attributes:
        word: What the user writes.
        records: Name of the kind in the registry, as in `Registry.records(name)`.
        kit: Class of `orkernel.testing` that tests it.
        requires: What the package needs besides the kernel.
        summary: What the generated plugin does, one line.
    """

    word: str
    records: str
    kit: str
    requires: tuple[str, ...]
    summary: str

    @property
    def folder(self) -> str:
        """Name of its folder of templates."""
        return self.word.replace("-", "_")


PLUGIN_KINDS = {
    kind.word: kind
    for kind in (
        PluginKind(
            "formulator",
            "formulators",
            "FormulatorConformance",
            (),
            "Reads models written as lines: goal, limits, bounds.",
        ),
        PluginKind(
            "scorer",
            "confidence_scorers",
            "ScorerConformance",
            (),
            "Scores the share of elements whose quote stands in the statement.",
        ),
        PluginKind(
            "selector",
            "selection_rules",
            "SelectionRuleConformance",
            (),
            "Picks the candidate with the highest mean confidence.",
        ),
        PluginKind(
            "classifier",
            "classifiers",
            "ClassifierConformance",
            (),
            "Ranks solver agents by what they promise for the model, then by name.",
        ),
        PluginKind(
            "solver",
            "solver_agents",
            "SolverAgentConformance",
            ("numpy>=1.26", "scipy>=1.12"),
            "Solves linear and mixed-integer programs by scipy.optimize.milp.",
        ),
        PluginKind(
            "verifier",
            "proof_verifiers",
            "VerifierConformance",
            (),
            "Checks proofs about whole numbers in a small tactic language.",
        ),
        PluginKind(
            "credit-rule",
            "credit_rules",
            "CreditRuleConformance",
            ("numpy>=1.26",),
            "Gives every token of a proof the group-normalised outcome.",
        ),
        PluginKind(
            "command",
            "commands",
            "CommandConformance",
            ("click>=8.1",),
            "Counts the runs of a folder by how they ended.",
        ),
        PluginKind(
            "observer",
            "observers",
            "ObserverConformance",
            (),
            "Appends every event of a run to a file, one JSON object a line.",
        ),
    )
}
"""Every kind, by the word that the user writes."""
