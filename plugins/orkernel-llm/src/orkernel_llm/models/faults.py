"""Tells apart what goes wrong in a call, whichever library reports it.

The clients of OpenAI, litellm and Hugging Face raise errors of their own families that agree in
carrying a status, a response and a body; that is what is looked at here.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from orkernel_llm.failures import excerpt


class NoAnswer(Exception):
    """The server answered as it should, but with no answer in it."""


class NotAModelServer(Exception):
    """The server answered something that is no answer of a model."""


class Trouble(Enum):
    """What a failed call means."""

    RATE = "the server wants fewer requests"
    QUOTA = "the account has no quota left"
    SERVER = "the server failed"
    TIMEOUT = "no complete answer came in time"
    DEADLINE = "the time of the run is up"
    CONNECTION = "the connection failed"
    EMPTY = "the answer has no choice in it"
    FOREIGN = "this is not the answer of a language model's server"
    CREDENTIALS = "the key is missing or not accepted"
    MODEL = "the server has no such model"
    CONTEXT = "the prompt does not fit into the model's context"
    FILTERED = "a content filter stopped it"
    REQUEST = "the server does not accept the request"
    OTHER = "it failed"


PASSING = frozenset(
    {Trouble.RATE, Trouble.SERVER, Trouble.TIMEOUT, Trouble.CONNECTION, Trouble.EMPTY}
)
"""What may be gone when the call is repeated."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed call.

    Attributes:
        trouble: What it means.
        detail: What the server or the library said, on one line; may still hold secrets.
        status: HTTP status, or 0.
        pause: Seconds that the server asked to wait, or 0.
        parameters: Names of the request's parameters that the server speaks of.
    """

    trouble: Trouble
    detail: str
    status: int = 0
    pause: float = 0.0
    parameters: tuple[str, ...] = ()


PARAMETERS = {
    "response_format": re.compile(r"response_?format|json_?schema|json_?object|structured|grammar"),
    "temperature": re.compile(r"temperature"),
    "seed": re.compile(r"\bseed\b"),
    "stop": re.compile(r"\bstop\b|stop_sequences"),
    "max_completion_tokens": re.compile(r"max_completion_tokens"),
    "max_tokens": re.compile(r"max_(new_)?tokens"),
}
"""How messages of servers name what they do not accept; the first fit is dropped first."""

TRACEBACK = "Traceback (most recent call last)"
"""Where libraries append their own insides to what the server said."""
CONTEXT = re.compile(
    r"context[ _]?(length|window|size)|maximum context|exceed_context|too many tokens|"
    r"prompt is too long|input (is )?too long|reduce the length|longer than the model"
)
NO_MODEL = re.compile(
    r"model.{0,200}(not found|not exist|unknown|no such)|model_not_found|unknown model"
)
QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|out of credits"
)
NO_KEY = re.compile(
    r"missing credentials|(missing|invalid|incorrect|no|provide an?) .{0,20}api[ _]key|api key not"
)
FILTERED = re.compile(r"content[_ ]?(filter|policy|management)|responsible ?ai|safety system")


def fault_of(error: BaseException) -> Fault:
    """What an error of a client library means."""
    if isinstance(error, NoAnswer):
        return Fault(Trouble.EMPTY, str(error))
    if isinstance(error, NotAModelServer):
        return Fault(Trouble.FOREIGN, str(error))
    status, detail = _status(error), _detail(error)
    if status:
        return _of_status(status, detail, _pause(_headers(error)))
    names = " ".join(t.__name__ for t in type(error).__mro__)
    if isinstance(error, TimeoutError) or "Timeout" in names:
        return Fault(Trouble.TIMEOUT, detail)
    if isinstance(error, OSError) or re.search(
        r"Connection|ConnectError|NetworkError|ReadError|ProtocolError|TransportError", names
    ):
        return Fault(Trouble.CONNECTION, detail)
    if isinstance(error, json.JSONDecodeError):
        return Fault(Trouble.FOREIGN, detail)
    missing = NO_KEY.search(detail.lower())
    return Fault(Trouble.CREDENTIALS if missing else Trouble.OTHER, detail)


def _of_status(status: int, detail: str, pause: float) -> Fault:
    said = detail.lower()
    if status == 429:
        trouble = Trouble.QUOTA if QUOTA.search(said) else Trouble.RATE
        return Fault(trouble, detail, status, pause)
    if status in (401, 403) or NO_KEY.search(said):
        return Fault(Trouble.CREDENTIALS, detail, status)
    if status == 402:
        return Fault(Trouble.QUOTA, detail, status)
    if status in (408, 504):
        return Fault(Trouble.TIMEOUT, detail, status, pause)
    if CONTEXT.search(said) or status == 413:
        return Fault(Trouble.CONTEXT, detail, status)
    named = tuple(name for name, pattern in PARAMETERS.items() if pattern.search(said))
    if status >= 500 and "response_format" in named:
        return Fault(Trouble.REQUEST, detail, status, parameters=("response_format",))
    if status >= 500 or status in (409, 425):
        return Fault(Trouble.SERVER, detail, status, pause)
    if status in (404, 400) and NO_MODEL.search(said):
        return Fault(Trouble.MODEL, detail, status)
    if status in (404, 405):
        return Fault(Trouble.FOREIGN, detail, status)
    if FILTERED.search(said):
        return Fault(Trouble.FILTERED, detail, status)
    if status in (400, 422):
        return Fault(Trouble.REQUEST, detail, status, parameters=named)
    return Fault(Trouble.OTHER, detail, status)


def _status(error: BaseException) -> int:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return 0


def _headers(error: BaseException) -> Mapping[str, str]:
    found = getattr(getattr(error, "response", None), "headers", None)
    return found if isinstance(found, Mapping) else {}


def _detail(error: BaseException) -> str:
    """What the server said; the library's own words where it said nothing."""
    body = getattr(error, "body", None)
    inner: Any = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(inner, Mapping):
        words = [str(inner[k]) for k in ("message", "code", "type") if inner.get(k)]
        if words:
            return excerpt(" · ".join(dict.fromkeys(words)), 600)
    if isinstance(inner, str) and inner.strip():
        return excerpt(inner, 600)
    said = str(getattr(error, "server_message", None) or error)
    cause = str(error.__cause__ or "")
    told = said if cause in said else f"{said} {cause}"
    told = told.partition(TRACEBACK)[0]
    return excerpt(told if told.strip() else type(error).__name__, 600)


def _pause(headers: Mapping[str, str]) -> float:
    """Seconds of a `Retry-After` header: a number or an HTTP date."""
    milliseconds = headers.get("retry-after-ms")
    value = headers.get("retry-after") or headers.get("Retry-After")
    try:
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        if value:
            return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(value or "")
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, when.timestamp() - time.time())
