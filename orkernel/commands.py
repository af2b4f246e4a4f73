"""The kernel's own commands: a table, so that none is imported to be listed."""

COMMANDS = {
    "run": ("orkernel.cli.run", "Solve a problem: a statement or a formulation."),
    "check": ("orkernel.cli.check", "Check a formulation; nothing is solved."),
    "export": ("orkernel.cli.export", "Write a formulation as LP, MPS, NL or JSON."),
    "show": ("orkernel.cli.show", "Show a finished run."),
    "replay": ("orkernel.cli.replay", "Repeat a run from its folder, without any model."),
    "runs": ("orkernel.cli.runs", "List the runs of a folder."),
    "bench": ("orkernel.cli.bench", "Answer a file of questions and count the right answers."),
    "plugins": ("orkernel.cli.plugins", "List, show, disable and enable plugins."),
    "conformance": (
        "orkernel.cli.conformance",
        "Test whether a plugin does what its extension point asks.",
    ),
    "doctor": ("orkernel.cli.doctor", "Check the installation and every plugin's health."),
    "new-plugin": ("orkernel.cli.new_plugin", "Make the package of a new plugin."),
}
"""Name, to the module that holds the click command `command`, and one line of help."""
