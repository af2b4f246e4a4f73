"""How asking a language model can fail. Every message names the model, what happened and the fix.

Three families, by what the run does with them:

- the answer of one call is of no use (`PluginError`): the candidate is refused, the run goes on;
- the service does not answer (`Unavailable`): asking again now would not help;
- the request can never work as it stands (`UsageError`): the user has to change something.
"""

from __future__ import annotations

from orkernel.errors import PluginError, Unavailable, UsageError

SHOWN = 200
"""Characters of an answer that a message quotes."""


def excerpt(text: str, length: int = SHOWN) -> str:
    """The beginning of a text on one line, with `…` where it was cut."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else line[:length] + "…"


# ------------------------------------------------------------------ one answer is of no use


class Truncated(PluginError):
    """The answer reached its limit of tokens before its end."""


class ModelRefused(PluginError):
    """The model, or the filter in front of it, declined to answer."""


class Malformed(PluginError):
    """The answer is there but cannot be read.

    Args:
        text: The answer.
        why: What is wrong with it, as a clause: `the JSON is cut in the middle`.
        model: Name of the model, if known.
        fix: What the user can do about it.
    """

    def __init__(self, text: str, why: str, *, model: str = "", fix: str = "") -> None:
        who = f"{model}: " if model else ""
        quoted = f": {excerpt(text)!r}" if text.strip() else ""
        super().__init__(f"{who}the answer cannot be read, {why}{quoted}", fix=fix)
        self.text = text
        self.why = why


# ------------------------------------------------------------------ the service does not answer


class RateLimited(Unavailable):
    """The server wants fewer requests, or the account has no quota left."""


class TimedOut(Unavailable):
    """No complete answer within the time that one call may take, or the run has left."""


class Unreachable(Unavailable):
    """No connection, or one that was cut."""


class ServerFailed(Unavailable):
    """The server answered with an error of its own, or not as a model's server does."""


class ReplayMiss(Unavailable):
    """The recording has no answer to this request."""


# ------------------------------------------------------------------ the user has to act


class BadCredentials(UsageError):
    """The key is missing, wrong, or not allowed to use the model."""


class UnknownModel(UsageError):
    """The server, or the disk, has no model of that name."""


class ContextTooLong(UsageError):
    """The prompt and the longest answer do not fit into the model's context."""


class BadRequest(UsageError):
    """The server does not accept the request, whatever is left out of it."""


class MissingPackage(UsageError):
    """The package that reaches this kind of model is not installed."""
