"""One clear word of advice for what programs of language models typically get wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NETWORK = r"[Nn]etwork is|gaierror|ConnectionRefused|name resolution|URLError"
_FENCE = r"PermissionError|Permission denied|Read-only file system|Operation not permitted"
_FILE = r"FileNotFoundError|No such file or directory"


@dataclass(frozen=True, slots=True)
class Hint:
    """Advice with the patterns that call for it, in the error or in the code that failed."""

    advice: str
    error: str = ""
    code: str = ""


HINTS = (
    Hint(
        "Nobody is there to type: all data is already defined as variables.",
        r"\bEOFError|input\(\): ",
        r"\binput\(",
    ),
    Hint(
        "No pictures: only the values of the variables count.",
        r"matplotlib|seaborn|plotly",
        r"\bplt\.|matplotlib|\.show\(\)",
    ),
    Hint(
        "Nothing can be installed; use only the libraries that are listed.",
        r"No module named|ModuleNotFoundError|ensurepip",
        r"\bpip3? install|\bensurepip\b",
    ),
    Hint(
        "There is no network, and none is needed: all data is defined as variables.",
        _NETWORK,
        r"\b(?:socket|urllib|requests|httpx|aiohttp|http\.client)\b",
    ),
    Hint(
        "The program may use its own working folder only, and needs no file: all data is "
        "defined as variables.",
        f"{_FENCE}|{_FILE}",
    ),
    Hint("The memory is limited; compute with less at a time.", r"MemoryError"),
    Hint("Write plain Python only, without prose in the code block.", r"SyntaxError|IndentationE"),
)


def hint(error: str, code: str) -> str:
    """The advice for a program that failed; empty if there is none."""
    for known in HINTS:
        if (known.error and re.search(known.error, error)) or (
            known.code and re.search(known.code, code)
        ):
            return known.advice
    return ""


def uncalled(code: str) -> str:
    """What to tell about a program that ended without an answer."""
    if re.search(r"\bdef final_answer\b|\bfinal_answer\s*=[^=]", code):
        return "final_answer is defined already: do not define it, call it with the values."
    return "final_answer was not called: call it with the values."


def was_fenced(error: str) -> bool:
    """True if an exception looks like something that the isolation does not allow."""
    return re.search(f"{_NETWORK}|{_FENCE}|No such file or directory: '/", error) is not None
