"""Option values: from a text or a configuration file to their declared type."""

from __future__ import annotations

from math import isfinite

from orkernel.errors import UsageError
from orkernel.records import Option

TRUE = ("1", "true", "yes", "on")
FALSE = ("0", "false", "no", "off")
WORDS = {bool: "true or false", int: "a whole number", float: "a finite number", str: "a text"}


def convert(option: Option, value: object, place: str) -> str | int | float | bool:
    """The value in the option's type.

    Args:
        option: The declaration.
        value: A text from the command line or environment, or a TOML value.
        place: Where it was set, for messages, e.g. `-o highs.threads`.

    Raises:
        UsageError: It has another type, or is none of the choices.
    """
    converted = _typed(option.type, value)
    if converted is None:
        raise UsageError(
            f"{place}: {value!r} is not {WORDS[option.type]}",
            fix=option.help or f"give {WORDS[option.type]}",
        )
    if option.choices and str(converted) not in option.choices:
        raise UsageError(
            f"{place}: {value!r} is not allowed", fix=f"one of {', '.join(option.choices)}"
        )
    return converted


def _typed(wanted: type, value: object) -> str | int | float | bool | None:
    if wanted is str:
        return value if isinstance(value, str) else None
    if wanted is bool:
        if isinstance(value, bool):
            return value
        word = value.strip().lower() if isinstance(value, str) else ""
        return True if word in TRUE else False if word in FALSE else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = int(value) if wanted is int else float(value)
    except (ValueError, OverflowError):
        return None
    if not isfinite(number) or (isinstance(value, float) and number != value):
        return None
    return number
