"""Presets: named choices of plugins and settings for the stages that make and judge candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orkernel.errors import UnknownName

DEFAULT_K = 3
"""Candidates where nobody says how many."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What each stage uses unless the user names something else.

    Attributes:
        summary: One line.
        formulator: Name of the formulator.
        scorers: Names of the confidence scorers.
        selector: Name of the selection rule.
        classifier: Name of the classifier.
        k: Largest number of candidates.
        options: Options of plugins, `{"NAME.key": value}`; the user's own options win.
    """

    summary: str
    formulator: str
    scorers: tuple[str, ...]
    selector: str = "max-min"
    classifier: str = "structure"
    k: int = DEFAULT_K
    options: Mapping[str, str] = field(default_factory=dict)


OFFLINE = "offline"
CHECKED = "checked"

PRESETS: Mapping[str, Preset] = {
    OFFLINE: Preset(
        "rules instead of a language model; used without --model",
        formulator="offline",
        scorers=("evidence",),
    ),
    CHECKED: Preset(
        "a language model writes and judges, counting and solving check it; used with --model",
        formulator="llm",
        scorers=("self-confidence", "evidence", "solving"),
    ),
    "coopa": Preset(
        "as published (arXiv 2606.27611): three candidates, self-confidence alone, max-min",
        formulator="llm",
        scorers=("self-confidence",),
        classifier="llm",
        options={"llm.stop_early": "false"},
    ),
}


def preset_named(name: str) -> Preset:
    """The preset of that name.

    Raises:
        UnknownName: There is none; says near matches.
    """
    if name not in PRESETS:
        from orkernel.plugins.problems import near

        raise UnknownName(f"no preset is named '{name}'", fix=near(name, PRESETS))
    return PRESETS[name]
