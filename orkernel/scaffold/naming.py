"""Names of a new plugin: which are allowed, and what is made of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from orkernel.errors import UsageError

LONGEST = 40
"""Longest name, in characters."""

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class PluginName:
    """A checked name.

    Attributes:
        name: What users write, e.g. `my-solver`; also the name of the entry point.
    """

    name: str

    @property
    def distribution(self) -> str:
        """Name of the distribution and of its folder, e.g. `orkernel-my-solver`."""
        return f"orkernel-{self.name}"

    @property
    def module(self) -> str:
        """Name of the importable package, e.g. `orkernel_my_solver`."""
        return self.distribution.replace("-", "_")

    @property
    def test_class(self) -> str:
        """Name of the conformance test class, e.g. `TestMySolver`."""
        return "Test" + "".join(part.capitalize() for part in self.name.split("-"))


def plugin_name(text: str, taken: Iterable[tuple[str, str]] = ()) -> PluginName:
    """Check a name for a new plugin.

    Args:
        text: Lower-case ASCII letters, digits and single dashes, starting with a letter.
        taken: Names that are in use, each with who uses it.

    Raises:
        UsageError: The name is not allowed or in use; the fix gives one that would do.
    """
    if not _NAME.fullmatch(text) or len(text) > LONGEST:
        raise UsageError(f"'{_shown(text)}' is no name for a plugin: {_why(text)}", fix=_fix(text))
    if text == "orkernel" or text.startswith("orkernel-"):
        raise UsageError(f"'{text}': the prefix `orkernel-` is added by itself", fix=_fix(text))
    name = PluginName(text)
    for used, owner in taken:
        if used.replace("_", "-").lower() in (name.name, name.distribution):
            raise UsageError(
                f"the name '{text}' is taken by {owner}", fix=f"another one, e.g. `my-{text}`"
            )
    return name


def _shown(text: str) -> str:
    printable = "".join(c if c.isprintable() else "?" for c in text)
    return printable if len(printable) <= LONGEST else printable[:LONGEST] + "…"


def _why(text: str) -> str:
    if not text.strip():
        return "it is empty"
    if not text.isascii():
        return f"{_shown(next(c for c in text if not c.isascii()))!r} is not an ASCII letter"
    if len(text) > LONGEST:
        return f"it has {len(text)} characters, more than {LONGEST}"
    if text[0].isdigit():
        return "it starts with a digit"
    if text != text.lower():
        return "it has capital letters"
    if "_" in text:
        return "it has an underscore"
    return "it may hold lower-case letters, digits, and single dashes between them"


def _fix(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    tidy = re.sub(r"[^a-z0-9]+", "-", plain).strip("-").removeprefix("orkernel").strip("-")
    tidy = re.sub(r"^[0-9-]+", "", tidy)[:LONGEST].strip("-")
    return f"write `{tidy}`" if tidy else "write a name such as `my-solver`"
