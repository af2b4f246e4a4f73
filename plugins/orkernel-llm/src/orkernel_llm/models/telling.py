"""Turns what went wrong in a call into the failure that the run sees."""

from __future__ import annotations

from orkernel.errors import OrkernelError, PluginError
from orkernel_llm.failures import (
    BadCredentials,
    BadRequest,
    ContextTooLong,
    Malformed,
    ModelRefused,
    RateLimited,
    ServerFailed,
    TimedOut,
    UnknownModel,
    Unreachable,
)
from orkernel_llm.models.faults import Fault, Trouble

KEYS = {
    "openai": "set OPENAI_API_KEY to a key of this server",
    "hf": "set HF_TOKEN to a token of Hugging Face",
    "litellm": "set the provider's key, e.g. ANTHROPIC_API_KEY or GEMINI_API_KEY",
}
NAMES = {
    "openai": "ask the server which models it has, at its address /models",
    "llamacpp": "name a .gguf file",
}

FAMILIES: dict[Trouble, tuple[type[OrkernelError], str]] = {
    Trouble.RATE: (
        RateLimited,
        "wait and run again, which goes on where it stopped; or lower -o model.concurrency=N",
    ),
    Trouble.QUOTA: (RateLimited, "check the plan and the billing of the account"),
    Trouble.SERVER: (ServerFailed, "look into the server's log, or try again later"),
    Trouble.TIMEOUT: (TimedOut, "allow more with -o model.timeout=SECONDS"),
    Trouble.DEADLINE: (TimedOut, "allow more with --time-limit SECONDS"),
    Trouble.CONNECTION: (Unreachable, "check that the server runs and that --base-url is right"),
    Trouble.FOREIGN: (ServerFailed, "check --base-url; most addresses end with /v1"),
    Trouble.CREDENTIALS: (BadCredentials, "give a valid key of the provider"),
    Trouble.MODEL: (UnknownModel, "check the model's name"),
    Trouble.CONTEXT: (
        ContextTooLong,
        "lower -o model.max_tokens=N, shorten the statement, or take a model with a longer context",
    ),
    Trouble.REQUEST: (BadRequest, "try -o model.structured=off, or another model"),
    Trouble.FILTERED: (ModelRefused, "rephrase the statement, or take another model"),
    Trouble.OTHER: (PluginError, "try another model"),
}
"""Per trouble the failure and its fix."""


def failure(fault: Fault, name: str, kind: str, tries: int) -> OrkernelError:
    """The failure to raise.

    Args:
        fault: What went wrong in the last try; its detail without secrets.
        name: Name of the model.
        kind: Form of its identifier.
        tries: How often it was tried.
    """
    detail = f": {fault.detail}" if fault.detail else ""
    if fault.pause:
        detail += f"; it asks to wait {fault.pause:.0f} s"
    status = f" (HTTP {fault.status})" if fault.status else ""
    if fault.trouble is Trouble.EMPTY:
        return Malformed("", f"{fault.detail} after {counted(tries)}", model=name)
    made, fix = FAMILIES[fault.trouble]
    if fault.trouble is Trouble.CREDENTIALS:
        fix = KEYS.get(kind, fix)
    if fault.trouble is Trouble.MODEL:
        fix = NAMES.get(kind, fix)
    if kind == "litellm" and "provider not" in fault.detail.lower():
        fix = "write litellm/PROVIDER/NAME, e.g. litellm/anthropic/claude-sonnet-4-5"
    return made(f"{name}: {fault.trouble.value}{status} after {counted(tries)}{detail}", fix=fix)


def counted(tries: int) -> str:
    """`1 try`, `3 tries`."""
    return "1 try" if tries == 1 else f"{tries} tries"
