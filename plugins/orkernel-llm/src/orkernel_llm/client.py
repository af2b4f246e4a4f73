"""Asks the language model of a run: one adapter for every kind of model.

Deals with what servers and models really do: limits of rate and time, failures that pass,
parameters that are turned down, answers that are cut, refused or no JSON. Counts tokens and cost,
tells progress, records every completed call, and answers from a recording where there is one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from orkernel.context import RunContext
from orkernel.errors import OrkernelError, UsageError
from orkernel.language_model import LanguageModel
from orkernel.records import Event
from orkernel_llm.conversation import Completion, Message, Prompt, Reply, Request
from orkernel_llm.extraction import extract, repeated
from orkernel_llm.failures import (
    BadRequest,
    Malformed,
    ModelRefused,
    ReplayMiss,
    Truncated,
    excerpt,
)
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.faults import Fault, Trouble, fault_of
from orkernel_llm.models.gate import gate_of
from orkernel_llm.models.opening import open_model
from orkernel_llm.models.retrying import Retrying
from orkernel_llm.models.secrets import Redactor, secrets_of_url
from orkernel_llm.models.stopping import OutOfTime, run_stoppable, sleep
from orkernel_llm.models.telling import counted, failure
from orkernel_llm.recording import Call, Recorded, Recorder, recorded_in, recording

__all__ = ["Message", "ModelClient", "Prompt", "Reply", "client_of"]

KEY = "orkernel_llm.client"
CHARACTERS_PER_TOKEN = 4
"""Where a server does not count tokens, they are estimated from the length of the texts."""


def client_of(ctx: RunContext) -> ModelClient:
    """The client of a run, made when it is asked for first.

    Raises:
        UsageError: The run has no language model.
    """
    asked = ctx.language_model
    if asked is None:
        raise UsageError(
            "this needs a language model and none is named",
            fix="name one with --model, e.g. --model openai/gpt-4o-mini",
        )
    return ctx.resources.get(KEY, lambda: ModelClient(asked))


class ModelClient:
    """Asks one language model; threads may ask at once.

    Args:
        asked: The model and its options.

    Raises:
        UsageError: The recording to replay from is not there or is damaged.
    """

    def __init__(self, asked: LanguageModel) -> None:
        self._asked = asked
        self._redactor = Redactor(secrets_of_url(asked.base_url))
        self.name = self._redactor.hide(asked.name)
        self._options = asked.options
        self._replayed = recording(asked.replay) if asked.replay is not None else None
        self._lock = Lock()
        self._opened: OpenedModel | None = None
        self._stores: dict[Path, tuple[Recorded, Recorder]] = {}
        self._retrying = Retrying(
            tries=1 + max(0, int(asked.options["retries"])),
            patience=max(float(asked.options["timeout"]), 60.0),
        )

    # ------------------------------------------------------------------ asking

    def ask(self, prompt: Prompt, ctx: RunContext) -> Reply:
        """The model's answer, from the recording if it is there.

        Raises:
            Truncated, ModelRefused, Malformed: This one answer is of no use.
            RateLimited, TimedOut, Unreachable, ServerFailed, ReplayMiss: The service does not
                answer.
            BadCredentials, UnknownModel, ContextTooLong, BadRequest, MissingPackage: The user has
                to change something.
            Cancelled: The user interrupted the run.
        """
        ctx.check_cancelled()
        request = self._request(prompt, ctx)
        resumed, recorder = self._store(ctx.folder)
        call = resumed.take(request, self.name) if resumed is not None else None
        is_recorded = call is not None
        if call is None and self._replayed is not None:
            call, is_recorded = self._replay(request, prompt), True
            self._keep(call, recorder, ctx)
        if call is None:
            call = self._live(request, prompt, ctx)
            self._keep(call, recorder, ctx)
        reply = self._count(call, is_recorded, ctx)
        return self._judged(reply, call, prompt)

    def close(self) -> None:
        """Let go of the model; its connections are shared by the runs of the process."""
        with self._lock:
            self._opened = None

    def _request(self, prompt: Prompt, ctx: RunContext) -> Request:
        seed = self._options["seed"]
        return Request(
            messages=tuple(replace(m, text=whole_characters(m.text)) for m in prompt.messages),
            schema=prompt.schema,
            temperature=float(self._options["temperature"]),
            seed=ctx.seed if seed is None else int(seed),
            max_tokens=prompt.max_tokens or int(self._options["max_tokens"]),
            stop=prompt.stop,
        )

    def _replay(self, request: Request, prompt: Prompt) -> Call:
        assert self._replayed is not None
        call = self._replayed.take(request, self.name)
        if call is not None:
            return call
        why = self._replayed.miss(request, prompt, self.name)
        raise ReplayMiss(
            f"the recording {self._asked.replay} has no answer to this request of the stage "
            f"'{prompt.stage}' ({prompt.name}): {why}",
            fix="replay with the statement, data, options, seed and versions of the recording, "
            "or record again without --replay-model",
        )

    def _store(self, folder: Path | None) -> tuple[Recorded | None, Recorder | None]:
        """What a run folder has recorded so far, and where to add to it."""
        if folder is None:
            return None, None
        with self._lock:
            if folder not in self._stores:
                self._stores[folder] = (recorded_in(folder), Recorder(folder))
            return self._stores[folder]

    def _keep(self, call: Call, recorder: Recorder | None, ctx: RunContext) -> None:
        """Record a call; a disk that is full costs the recording, never the answer."""
        if recorder is None:
            return
        try:
            recorder.add(call)
        except OSError as error:
            why = error.strerror or str(error)
            self._emit(ctx, "model.unrecorded", call, f"the call cannot be recorded: {why}")

    # ------------------------------------------------------------------ calling

    def _model(self) -> OpenedModel:
        with self._lock:
            if self._opened is None:
                opened = open_model(self._asked)
                self._redactor = Redactor((*secrets_of_url(self._asked.base_url), *opened.secrets))
                self._opened = opened
            return self._opened

    def _live(self, request: Request, prompt: Prompt, ctx: RunContext) -> Call:
        """Ask the model, again where that may help."""
        opened = self._model()
        chance = random.Random(f"{request.seed} {prompt.name} {request.messages[-1].text[:200]}")
        limit = max(1, min(int(self._options["concurrency"]), opened.at_once or 1_000_000))
        asked = replace(request, schema=None) if self._options["structured"] == "off" else request
        if (
            self._options["structured"] == "schema"
            and asked.schema is not None
            and not opened.shape
        ):
            raise BadRequest(
                f"{self.name} cannot be asked for answers that follow a schema",
                fix="set -o model.structured=auto, or take another model",
            )
        tried = 0
        while True:
            tried += 1
            sent = opened.sent(asked)
            shape = opened.shape
            begun = time.monotonic()
            try:
                with gate_of(opened.name, opened.address).through(
                    limit, ctx, lambda waited: self._wait(ctx, prompt, "a place at", waited)
                ):
                    begun = time.monotonic()
                    completion = self._once(opened, asked, prompt, ctx)
            except OutOfTime:
                is_over = ctx.remaining() == 0
                trouble = Trouble.DEADLINE if is_over else Trouble.TIMEOUT
                fault = Fault(trouble, f"{time.monotonic() - begun:.1f} s passed")
            except OrkernelError:
                raise
            except Exception as error:
                fault = self._hidden(fault_of(error))
            else:
                return self._call(request, prompt, completion, time.monotonic() - begun, tried)
            if self._adapt(opened, fault, sent, shape):
                tried -= 1
                continue
            pause = self._retrying.pause(fault, tried, ctx.remaining(), chance)
            if pause is None:
                raise failure(fault, self.name, opened.kind, tried)
            self._emit(
                ctx,
                "model.retried",
                prompt,
                f"{fault.trouble.value}, asking again in {pause:.1f} s",
                pause=round(pause, 3),
                tried=tried,
                detail=fault.detail,
            )
            sleep(pause, ctx)

    def _once(
        self, opened: OpenedModel, request: Request, prompt: Prompt, ctx: RunContext
    ) -> Completion:
        remaining = ctx.remaining()
        seconds = float(self._options["timeout"])
        if remaining is not None:
            seconds = min(seconds, remaining)
        if seconds <= 0:
            raise OutOfTime
        self._emit(ctx, "model.started", prompt, f"asking {self.name}")
        return run_stoppable(
            lambda stop: opened.complete(request, stop),
            ctx,
            seconds,
            lambda waited: self._wait(ctx, prompt, "", waited),
        )

    def _wait(self, ctx: RunContext, prompt: Prompt, what: str, waited: float) -> None:
        place = " ".join(word for word in (what, self.name) if word)
        message = f"waiting for {place} for {waited:.0f} s"
        self._emit(ctx, "model.waiting", prompt, message, seconds=round(waited, 1))

    def _adapt(self, opened: OpenedModel, fault: Fault, sent: frozenset[str], shape: str) -> bool:
        """Leave out what the server turned down; True if that is worth another try."""
        if fault.trouble is not Trouble.REQUEST:
            return False
        named = [name for name in fault.parameters if name in sent]
        if "max_completion_tokens" in fault.parameters and "max_tokens" in sent:
            if opened.renamed.get("max_tokens") != "max_completion_tokens":
                opened.renamed["max_tokens"] = "max_completion_tokens"
                return True
            named = [name for name in named if name != "max_tokens"]
        if not named and "response_format" in sent:
            named = ["response_format"]
        if not named or (named[0] == "response_format" and self._options["structured"] == "schema"):
            return False
        if named[0] != "response_format" or opened.shape == shape:
            opened.leave_out(named[0])
        return True

    def _call(
        self, request: Request, prompt: Prompt, completion: Completion, seconds: float, tried: int
    ) -> Call:
        """A completed call, tokens estimated where the server did not count them."""
        asked = sum(len(message.text) for message in request.messages)
        known = completion.prompt_tokens, completion.completion_tokens
        tokens = [
            estimate_tokens(length) if count is None else count
            for count, length in zip(known, (asked, len(completion.text)), strict=True)
        ]
        cost = self._cost(*tokens)
        return Call(
            model=self.name,
            stage=prompt.stage,
            prompt=prompt.name,
            request=request,
            completion=replace(
                completion,
                text=self._redactor.hide_known(before(completion.text, request.stop)),
                refusal=self._redactor.hide(completion.refusal),
                prompt_tokens=tokens[0],
                completion_tokens=tokens[1],
                cost=completion.cost if cost is None else cost,
            ),
            estimated=None in known,
            seconds=seconds,
            tries=tried,
        )

    def _cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        prices = self._options["price_in"], self._options["price_out"]
        if prices == (None, None):
            return None
        return (prompt_tokens * (prices[0] or 0) + completion_tokens * (prices[1] or 0)) / 1e6

    # ------------------------------------------------------------------ judging

    def _count(self, call: Call, recorded: bool, ctx: RunContext) -> Reply:
        said = call.completion
        reply = Reply(
            text=said.text,
            value=None,
            prompt_tokens=said.prompt_tokens or 0,
            completion_tokens=said.completion_tokens or 0,
            cost=said.cost,
            seconds=call.seconds,
            recorded=recorded,
        )
        ctx.ledger.add(
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost=reply.cost,
            seconds=reply.seconds,
        )
        self._emit(
            ctx,
            "model.finished",
            call,
            f"{call.model} answered {reply.completion_tokens} tokens "
            + ("from the recording" if recorded else f"in {reply.seconds:.1f} s"),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost=reply.cost,
            seconds=round(reply.seconds, 3),
            recorded=recorded,
        )
        return reply

    def _judged(self, reply: Reply, call: Call, prompt: Prompt) -> Reply:
        """The reply with its value, if it is one that can be used."""
        said, tries = call.completion, counted(call.tries)
        if said.refusal or said.finish == "content_filter":
            why = f": {excerpt(said.refusal)}" if said.refusal else " (content filter)"
            raise ModelRefused(
                f"{call.model}: the model declined to answer after {tries}{why}",
                fix="rephrase the statement, or take another model",
            )
        if said.finish == "length":
            unit = repeated(said.text)
            loop = f"; it repeats {excerpt(unit, 40)!r} without end" if unit else ""
            raise Truncated(
                f"{call.model}: the answer was cut at {reply.completion_tokens} tokens "
                f"after {tries}{loop}",
                fix="take another model" if unit else "allow more with -o model.max_tokens=N",
            )
        if not said.text.strip():
            what = "it is a tool call, not text" if said.tool_calls else "it is empty"
            raise Malformed(said.text, f"{what}, after {tries}", model=call.model)
        if prompt.schema is None:
            return reply
        try:
            return replace(reply, value=extract(said.text, prompt.schema))
        except Malformed as error:
            raise Malformed(
                error.text,
                f"{error.why}, after {tries}",
                model=call.model,
                fix="take a model that follows a JSON schema",
            ) from error

    # ------------------------------------------------------------------ telling

    def _hidden(self, fault: Fault) -> Fault:
        return replace(fault, detail=self._redactor.hide(fault.detail))

    def _emit(
        self, ctx: RunContext, kind: str, prompt: Prompt | Call, message: str, **data: Any
    ) -> None:
        name = prompt.name if isinstance(prompt, Prompt) else prompt.prompt
        details: Mapping[str, Any] = {"model": self.name, "prompt": name, **data}
        ctx.emit(Event(kind, prompt.stage, message, details))


def before(text: str, stop: tuple[str, ...]) -> str:
    """The text up to the first of the words that end it, where a server did not see to that."""
    places = [place for word in stop if (place := text.find(word)) >= 0]
    return text[: min(places)] if places else text


def whole_characters(text: str) -> str:
    """A text that can be sent: half characters (lone surrogates) become replacement marks."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def estimate_tokens(characters: int) -> int:
    """Tokens of a text of this length, roughly."""
    return -(-characters // CHARACTERS_PER_TOKEN)
