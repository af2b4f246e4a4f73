"""Keeps keys out of everything that is shown or written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

HIDDEN = "[hidden]"
SHORTEST = 6
"""Shorter values are not looked for: they would hit ordinary words."""
NAMES_OF_SECRETS = re.compile(r"(_API_KEY|_TOKEN|_SECRET|_PASSWORD|_ACCESS_KEY)$")

PATTERNS = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(?:sk|pk|rk|hf|gsk|xai|key)[-_][\w-]{8,}"), HIDDEN),
    (re.compile(r"\bAIza[\w-]{20,}"), HIDDEN),
    (re.compile(r"(?i)([a-z][a-z0-9+.-]*://)[^\s/@'\"]+@"), rf"\1{HIDDEN}@"),
    (
        re.compile(
            r"(?i)(\b(?:api[-_]?key|x-api-key|access[-_]?token|token|secret|password|authorization|"
            r"signature|sig|key)[\"']?\s*[=:]\s*[\"']?)(?!\[hidden\])[^\s\"'&,;})]{6,}"
        ),
        rf"\1{HIDDEN}",
    ),
)


def secrets_of_url(url: str | None) -> tuple[str, ...]:
    """User, password and query values of an address."""
    if not url:
        return ()
    try:
        parts = urlsplit(url)
        found = [parts.password, *(value for _, value in parse_qsl(parts.query))]
    except ValueError:
        return ()
    return tuple(form for value in found if value for form in {value, unquote(value)})


def secrets_of_environment() -> tuple[str, ...]:
    """Values of the environment variables whose names say that they are keys."""
    return tuple(value for name, value in os.environ.items() if NAMES_OF_SECRETS.search(name))


class Redactor:
    """Replaces known secrets, and what looks like one, by `[hidden]`.

    Args:
        secrets: Values that must never be shown.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {*secrets, *secrets_of_environment()}
        self._known = sorted((s for s in known if len(s) >= SHORTEST), key=len, reverse=True)

    def hide_known(self, text: str) -> str:
        """The text without the secrets that are known; nothing else is touched."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        return text

    def hide(self, text: str) -> str:
        """The text without known secrets and without what looks like a key; for messages."""
        text = self.hide_known(text)
        for pattern, replacement in PATTERNS:
            text = pattern.sub(replacement, text)
        return text
