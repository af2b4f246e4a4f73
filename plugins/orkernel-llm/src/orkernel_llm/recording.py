"""Calls as files: written as they complete, found again on resume and on replay.

`RUN/calls/NNNN.json` holds one completed call each. What is matched is the request's canonical
form (`Request.to_json`): neither the model's address nor any key is part of it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
)

from orkernel.errors import UsageError
from orkernel.runs import no_constant, to_lines, write_atomically
from orkernel_llm.conversation import Completion, Message, Prompt, Request, Role
from orkernel_llm.failures import excerpt

FOLDER = "calls"
FORMAT = 1
"""Version of the files' layout."""


@dataclass(frozen=True, slots=True)
class Call:
    """One completed call.

    Attributes:
        model: Name of the model, without credentials.
        stage: Stage that asked.
        prompt: Prompt file and version.
        request: What was asked.
        completion: What came back.
        estimated: True if the tokens were estimated from the length of the texts.
        seconds: How long the last try took.
        tries: How often it was tried.
    """

    model: str
    stage: str
    prompt: str
    request: Request
    completion: Completion
    estimated: bool
    seconds: float
    tries: int


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Message(_Strict):
    role: Role
    text: str


class _Request(_Strict):
    messages: list[_Message]
    schema_: dict[str, Any] | None
    temperature: float
    seed: int | None
    max_tokens: int
    stop: list[str]

    model_config = ConfigDict(alias_generator=lambda name: name.rstrip("_"))


class _Completion(_Strict):
    text: str
    finish: str
    refusal: str
    tool_calls: bool
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt
    cost: NonNegativeFloat | None


class _Stored(_Strict):
    """The shape of a file."""

    format: int
    model: str
    stage: str
    prompt: str
    request: _Request
    completion: _Completion
    estimated: bool
    seconds: NonNegativeFloat
    tries: PositiveInt


def call_to_json(call: Call) -> dict[str, Any]:
    """The content of a call's file."""
    return {
        "format": FORMAT,
        "model": call.model,
        "stage": call.stage,
        "prompt": call.prompt,
        "request": call.request.to_json(),
        "completion": asdict(call.completion),
        "estimated": call.estimated,
        "seconds": round(call.seconds, 3),
        "tries": call.tries,
    }


def read_call(path: Path) -> Call:
    """A call from its file.

    Raises:
        UsageError: The file cannot be read or is damaged.
    """
    try:
        text = path.read_text(encoding="utf-8")
        json.loads(text, parse_constant=no_constant)
        stored = _Stored.model_validate_json(text)
        if stored.format != FORMAT:
            raise ValueError(f"its format is {stored.format}, this version reads {FORMAT}")
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "content"
        raise _damaged(path, f"{place}: {first['msg']}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    asked = stored.request
    return Call(
        model=stored.model,
        stage=stored.stage,
        prompt=stored.prompt,
        request=Request(
            messages=tuple(Message(m.role, m.text) for m in asked.messages),
            schema=asked.schema_,
            temperature=asked.temperature,
            seed=asked.seed,
            max_tokens=asked.max_tokens,
            stop=tuple(asked.stop),
        ),
        completion=Completion(**stored.completion.model_dump()),
        estimated=stored.estimated,
        seconds=stored.seconds,
        tries=stored.tries,
    )


def _damaged(path: Path, why: str) -> UsageError:
    return UsageError(
        f"the recorded call {path} is damaged: {excerpt(why)}",
        fix="delete the file to ask the model again, or take another recording",
    )


def key_of(request: Request) -> str:
    """What equal requests have in common."""
    canonical = json.dumps(request.to_json(), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


# ---------------------------------------------------------------------- writing


class Recorder:
    """Writes the calls of one run; threads may write at once.

    Args:
        run: The run folder.
    """

    def __init__(self, run: Path) -> None:
        self._folder = run / FOLDER
        self._lock = threading.Lock()
        self._next = 1 + max((int(p.stem) for p in files_of(self._folder)), default=0)

    def add(self, call: Call) -> None:
        """Write a call.

        Raises:
            OSError: The folder cannot be written.
        """
        with self._lock:
            number = self._next
            self._next += 1
        content = to_lines(call_to_json(call))
        self._folder.mkdir(exist_ok=True)
        write_atomically(self._folder / f"{number:04d}.json", content + "\n")


def files_of(folder: Path) -> list[Path]:
    """The recorded calls of a `calls` folder, in order."""
    if not folder.is_dir():
        return []
    found = (p for p in folder.iterdir() if p.suffix == ".json" and p.stem.isdecimal())
    return sorted(found, key=lambda p: int(p.stem))


# ---------------------------------------------------------------------- reading


class Index:
    """Recorded calls by their requests; it does not change.

    Args:
        calls: In the order in which they were recorded.
    """

    def __init__(self, calls: Iterable[Call]) -> None:
        self.calls = tuple(calls)
        self._by_key: dict[str, list[Call]] = {}
        for call in self.calls:
            self._by_key.setdefault(key_of(call.request), []).append(call)

    def equal(self, request: Request) -> list[Call]:
        """The calls of this request, in recorded order."""
        return self._by_key.get(key_of(request), [])


class Recorded:
    """Recorded calls that are given again, each once; equal requests in recorded order.

    Args:
        index: The calls; many may share it.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._given: set[int] = set()
        self._lock = threading.Lock()

    def take(self, request: Request, model: str) -> Call | None:
        """The next call of this request by this model (by any model if `model` is empty)."""
        with self._lock:
            for call in self._index.equal(request):
                if model in ("", call.model) and id(call) not in self._given:
                    self._given.add(id(call))
                    return call
        return None

    def miss(self, request: Request, prompt: Prompt, model: str) -> str:
        """Why there is no call of this request: the nearest one and its first difference."""
        equal = self._index.equal(request)
        mine = [call for call in equal if model in ("", call.model)]
        if mine:
            return f"it is asked once more than the {len(mine)} times that it was recorded"
        if equal:
            return f"it was recorded with the model {equal[0].model}, not {model}"
        text = json.dumps(request.to_json())
        near = max(
            self._index.calls,
            key=lambda call: (
                (call.stage, call.prompt) == (prompt.stage, prompt.name),
                call.stage == prompt.stage,
                _agreeing(text, json.dumps(call.request.to_json())),
            ),
        )
        return (
            f"the nearest recorded call ({near.stage}, {near.prompt}) differs in "
            f"{first_difference(request, near.request)}"
        )


def first_difference(asked: Request, recorded: Request) -> str:
    """In words, where two requests first differ."""
    for name in ("temperature", "seed", "max_tokens", "stop"):
        mine, theirs = getattr(asked, name), getattr(recorded, name)
        if mine != theirs:
            return f"{name}: asked with {mine!r}, recorded with {theirs!r}"
    if asked.schema != recorded.schema:
        return "the schema of the answer"
    for number, (mine, theirs) in enumerate(
        zip(asked.messages, recorded.messages, strict=False), start=1
    ):
        if mine.role != theirs.role:
            return f"message {number}: {mine.role} instead of {theirs.role}"
        if mine.text != theirs.text:
            at = _agreeing(mine.text, theirs.text)
            return (
                f"message {number} ({mine.role}) at character {at}: "
                f"{excerpt(mine.text[at:], 40)!r}, recorded {excerpt(theirs.text[at:], 40)!r}"
            )
    return f"the number of messages: {len(asked.messages)} instead of {len(recorded.messages)}"


def _agreeing(a: str, b: str) -> int:
    """How many characters two texts have in common at their beginning."""
    differing = (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differing, min(len(a), len(b)))


def recorded_in(run: Path) -> Recorded:
    """The calls that a run folder has so far.

    Raises:
        UsageError: One of them is damaged.
    """
    return Recorded(_index(run / FOLDER))


def recording(place: Path) -> Recorded:
    """The calls of a run folder, of its `calls` folder, or of a folder of run folders.

    Raises:
        UsageError: There are none, or one is damaged.
    """
    for folder in (place / FOLDER, place):
        if files_of(folder):
            return Recorded(_index(folder))
    if place.is_dir():
        index = _index_of_runs(place.resolve(), place.stat().st_mtime_ns)
        if index.calls:
            return Recorded(index)
    raise UsageError(
        f"{place} holds no recorded calls",
        fix="name a run folder that has a `calls` folder, or a folder of such run folders",
    )


def _index(*folders: Path) -> Index:
    return Index(read_call(path) for folder in folders for path in files_of(folder))


@lru_cache(maxsize=4)
def _index_of_runs(place: Path, changed: int) -> Index:
    """The calls of all runs below a folder, read once for all the runs of this process."""
    del changed
    return _index(*sorted(place.rglob(FOLDER)))
