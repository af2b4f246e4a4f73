"""Settings: what every item is run with, several side by side for an ablation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.errors import UnknownName, UsageError
from orkernel.language_model import without_credentials

if TYPE_CHECKING:
    from orkernel.config import Config
    from orkernel.registry import Registry

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run the items.

    Attributes:
        name: For tables; the text of `--ablate`.
        arguments: Arguments of `orkernel.run`.
        options: Plugin options, `NAME.key=value`, weakest first.
    """

    name: str
    arguments: Mapping[str, Any]
    options: tuple[str, ...] = ()

    @property
    def asks_model(self) -> bool:
        """True if a language model, or a recording of one, is used."""
        return any(self.arguments.get(name) is not None for name in ("model", "replay_model"))

    def config(self, *, plugins: str, no_plugins: bool) -> Config:
        """The configuration of its registry.

        Raises:
            UsageError: A file or an option is malformed.
        """
        from orkernel.config import Config

        return Config.load(
            plugins=plugins, no_plugins=no_plugins, options=(*self._preset(), *self.options)
        )

    def run_arguments(self) -> dict[str, Any]:
        """The arguments of `orkernel.run`, options included."""
        return {**self.arguments, "options": dict(o.split("=", 1) for o in self.options)}

    def check(self, registry: Registry) -> None:
        """See that it can be run at all, before any item is.

        Raises:
            UsageError: A plugin or preset that does not exist, or a value without sense.
        """
        from orkernel.language_model import chosen_model
        from orkernel.records import Problem
        from orkernel.request import Request, check_names

        given = dict(self.arguments)
        model = (given.pop(name, None) for name in ("model", "base_url", "replay_model"))
        given = {key: value for key, value in given.items() if key != "k" or value is not None}
        asked = chosen_model(registry.config, *model)
        check_names(Request(Problem(""), **given, language_model=asked), registry)

    def to_json(self) -> dict[str, Any]:
        """For `bench.json`: no credentials, paths as text."""
        kept = {k: str(v) if isinstance(v, Path) else v for k, v in self.arguments.items()}
        kept["base_url"] = without_credentials(self.arguments.get("base_url"))
        scorers = self.arguments.get("scorers")
        kept["scorers"] = list(scorers) if scorers is not None else None
        return {"name": self.name, "arguments": kept, "options": list(self.options)}

    def _preset(self) -> list[str]:
        from orkernel.presets import preset_named

        name = self.arguments.get("preset")
        chosen = preset_named(name).options if name is not None else {}
        return [f"{key}={value}" for key, value in chosen.items()]


def settings_of(
    arguments: Mapping[str, Any], options: Sequence[str], ablations: Sequence[str]
) -> list[Setting]:
    """The settings that `--ablate` texts describe; one, the default, if there are none.

    A text is `default`, or changes to the default: `KEY=VALUE` separated by spaces, KEY being
    a flag of the command without its dashes, or `NAME.key`, an option of a plugin.

    Raises:
        UsageError: A text is malformed or given twice.
    """
    base = Setting(DEFAULT, dict(arguments), tuple(options))
    if not ablations:
        return [base]
    names = [" ".join(text.split()) for text in ablations]
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"--ablate '{twice.pop()}' is given twice", fix="leave one out")
    return [_changed(base, name) for name in names]


def _changed(base: Setting, text: str) -> Setting:
    if text == DEFAULT:
        return base
    arguments, options = dict(base.arguments), list(base.options)
    for part in text.split() or [""]:
        key, equals, value = part.partition("=")
        if not equals or not value:
            raise UsageError(
                f"--ablate '{text}': '{part}' is not KEY=VALUE",
                fix='e.g. --ablate default --ablate "k=1 selector=first"',
            )
        if "." in key:
            options.append(part)
            continue
        if key not in KEYS:
            from orkernel.plugins.problems import near

            raise UnknownName(
                f"--ablate '{text}': there is no setting '{key}'", fix=near(key, KEYS)
            )
        name, read = KEYS[key]
        try:
            arguments[name] = read(value)
        except ValueError as error:
            raise UsageError(f"--ablate '{text}': {key} cannot be '{value}'") from error
    return Setting(text, arguments, tuple(options))


def names_in(text: str) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name.strip() for name in text.split(","))


def _switch(text: str) -> bool:
    words = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
    if text.casefold() not in words:
        raise ValueError(text)
    return words[text.casefold()]


KEYS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "k": ("k", int),
    "formulator": ("formulator", str),
    "scorer": ("scorers", names_in),
    "selector": ("selector", str),
    "classifier": ("classifier", str),
    "solver": ("solver", str),
    "time-limit": ("time_limit", float),
    "gap": ("gap", float),
    "seed": ("seed", int),
    "second-opinion": ("second_opinion", _switch),
    "model": ("model", str),
    "base-url": ("base_url", str),
    "replay-model": ("replay_model", Path),
    "preset": ("preset", str),
}
"""What a setting may change: the argument of `orkernel.run`, and how its value is read."""
