"""One way to ask every kind of model: through smolagents' `generate()`.

An `OpenedModel` knows what its model takes besides the messages. Parameters that a model, or the
server behind it, has turned down are not sent again.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from orkernel.errors import UsageError
from orkernel_llm.conversation import Completion, Message, Request
from orkernel_llm.models.stopping import Stop

SHAPES = ("json_schema", "json_object", "")
"""How an answer's shape is asked for, the strictest first; the last is not at all."""
SETTINGS = ("temperature", "seed", "stop")
"""Parameters that can be left out when a server turns them down."""


@dataclass(slots=True)
class OpenedModel:
    """A model that can be asked.

    Attributes:
        model: A smolagents `Model`, or any object with `generate(messages, …)`.
        name: As the user wrote it.
        address: Address of the server, without credentials; empty where there is none.
        kind: The form of the identifier: `openai`, `litellm`, `hf` and so on.
        free: True if a call costs nothing.
        at_once: Calls that it works on at once; None means as many as the user allows.
        shape: How the shape of an answer is asked for, one of `SHAPES`.
        secrets: What must never be shown: keys, passwords of addresses.
        price: USD of a call, from its raw answer; None where nobody knows.
    """

    model: Any
    name: str
    kind: str
    address: str = ""
    free: bool = False
    at_once: int | None = None
    shape: str = SHAPES[0]
    secrets: tuple[str, ...] = ()
    price: Callable[[Any], float | None] = lambda raw: None
    renamed: dict[str, str] = field(default_factory=dict)
    _left_out: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, request: Request) -> frozenset[str]:
        """Names of the request's parameters that go to the model now."""
        names = {"max_tokens"}
        names |= {n for n in SETTINGS if getattr(request, n) not in (None, ())}
        if request.schema is not None and self.shape:
            names.add("response_format")
        return frozenset(names - self._left_out)

    def leave_out(self, name: str) -> None:
        """Do without a parameter from now on; `response_format` goes down one step first."""
        with self._lock:
            if name == "response_format":
                self.shape = SHAPES[min(SHAPES.index(self.shape) + 1, len(SHAPES) - 1)]
            else:
                self._left_out.add(name)

    def complete(self, request: Request, stop: Stop) -> Completion:
        """Ask once. Errors of the library behind the model pass through."""
        sent = self.sent(request)
        values: dict[str, Any] = {
            self.renamed.get(name, name): getattr(request, name)
            for name in ("max_tokens", "temperature", "seed")
            if name in sent
        }
        if "response_format" in sent:
            assert request.schema is not None
            values["response_format"] = response_format(self.shape, request.schema)
        if "stop" in sent:
            values["stop_sequences"] = list(request.stop)
        values["until"] = stop
        taken = accepted(self.model.generate, values)
        answer = self.model.generate(chat_messages(request.messages), **taken)
        if not is_answer(answer):
            raise UsageError(
                f"{self.name}: generate(…) returns an object of type {type(answer).__name__}",
                fix="return a text, or an object with the text as its `content`",
            )
        return completion_of(answer, self.free, self.price)


def accepted(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a function takes by name. `until` must be named, not caught by `**`."""
    parameters = inspect.signature(function).parameters
    catches = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return {
        name: value
        for name, value in values.items()
        if name in parameters or (catches and name != "until")
    }


def chat_messages(messages: tuple[Message, ...]) -> list[Any]:
    """The messages as smolagents wants them; neighbours of one role are joined."""
    from smolagents.models import ChatMessage, MessageRole

    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            joined[-1] = Message(message.role, f"{joined[-1].text}\n\n{message.text}")
        else:
            joined.append(message)
    return [
        ChatMessage(role=MessageRole(m.role), content=[{"type": "text", "text": m.text}])
        for m in joined
    ]


def response_format(shape: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The parameter of this name, as OpenAI's protocol has it."""
    if shape == "json_object":
        return {"type": "json_object"}
    wrapped = {"name": "answer", "schema": dict(schema), "strict": is_strict(schema)}
    return {"type": "json_schema", "json_schema": wrapped}


def is_strict(schema: Any) -> bool:
    """True if every object in a schema is closed and requires all of its properties."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, Mapping):
        return True
    properties = schema.get("properties")
    is_object = schema.get("type") == "object" or isinstance(properties, Mapping)
    if is_object and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(properties or ())
    ):
        return False
    return all(is_strict(part) for part in schema.values())


def is_answer(answer: Any) -> bool:
    """True for a string and for what has a `content`, a mapping or an object."""
    if isinstance(answer, Mapping):
        return "content" in answer
    return isinstance(answer, str) or hasattr(answer, "content")


def completion_of(answer: Any, free: bool, price: Callable[[Any], float | None]) -> Completion:
    """What a `ChatMessage`, a mapping like it, or a plain string says."""
    if isinstance(answer, str):
        return Completion(text=_whole(answer), cost=0.0 if free else None)
    raw = getattr(answer, "raw", None)
    choice = _first(_look(raw, "choices"))
    usage = getattr(answer, "token_usage", None)
    return Completion(
        text=_text(_look(answer, "content")),
        finish=str(_look(choice, "finish_reason") or "stop"),
        refusal=_whole(str(_look(_look(choice, "message"), "refusal") or "")),
        tool_calls=bool(
            getattr(answer, "tool_calls", None) or _look(_look(choice, "message"), "tool_calls")
        ),
        prompt_tokens=getattr(usage, "input_tokens", None),
        completion_tokens=getattr(usage, "output_tokens", None),
        cost=0.0 if free else price(raw),
    )


def _look(holder: Any, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)


def _first(found: Any) -> Any:
    return found[0] if isinstance(found, list | tuple) and found else None


def _text(content: Any) -> str:
    """The text of an answer's content, which may come in parts."""
    if isinstance(content, list):
        return "".join(_text(_look(part, "text")) for part in content)
    return _whole(content) if isinstance(content, str) else ""


def _whole(text: str) -> str:
    """The text with a question mark for each half of a character, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
