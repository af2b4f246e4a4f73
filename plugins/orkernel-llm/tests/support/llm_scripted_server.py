"""A server that speaks OpenAI's chat-completions protocol and behaves as a test says.

    with ScriptedServer([status(429, {"Retry-After": "1"}), answer('{"a": 1}')]) as server:
        LanguageModel("openai/any", base_url=server.url)
        ...
    assert len(server.seen) == 2
    server.seen[0].body["messages"]         # what was asked
    server.seen[0].headers["authorization"]

It is a real HTTP server on 127.0.0.1 in threads of its own. Behaviours are used in order, one a
request, and the last one is used for all further requests. Instead of a list there may be one
function from `Seen` to a behaviour, for tests where threads ask at once:

    ScriptedServer(lambda seen: answer(seen.text.upper()))

A behaviour is any function of an `Exchange`; the ones below cover what real servers do.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came.

    Attributes:
        path: Its path with the query.
        headers: Names in lower case.
        body: The JSON object.
        time: `time.monotonic()` at arrival.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    time: float

    @property
    def text(self) -> str:
        """The last message."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(p["text"] for p in content)


class Exchange:
    """A request and the means to answer it."""

    def __init__(self, seen: Seen, handler: BaseHTTPRequestHandler, stopped: threading.Event):
        self.seen = seen
        self.stopped = stopped
        self._handler = handler

    def head(self, code: int, headers: Mapping[str, str]) -> None:
        """Send status and headers."""
        self._handler.send_response(code)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def write(self, data: bytes) -> None:
        """Send a piece of the body."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def send(self, code: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        """Send a whole response."""
        named = {"Content-Type": kind, "Content-Length": str(len(body))}
        self.head(code, named | {k.replace("_", "-"): v for k, v in headers.items()})
        self.write(body)

    def send_json(self, code: int, value: Any, **headers: str) -> None:
        """Send a JSON response."""
        self.send(code, json.dumps(value).encode(), **headers)

    def hang_up(self) -> None:
        """Close the connection without another word."""
        self._handler.close_connection = True
        self._handler.connection.close()


Behaviour = Callable[[Exchange], None]


def completion(
    text: str | None,
    *,
    finish: str = "stop",
    usage: tuple[int, int] | None = (10, 5),
    **message: Any,
) -> dict[str, Any]:
    """The body of a chat completion; `message` adds to the assistant's message."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if usage is not None:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return body


def error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> Any:
    """The body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


# ------------------------------------------------------------------ behaviours


def answer(text: str, **details: Any) -> Behaviour:
    """A proper answer; `details` go to `completion`."""
    return lambda exchange: exchange.send_json(200, completion(text, **details))


def answer_without_usage(text: str) -> Behaviour:
    """An answer of a server that does not count tokens."""
    return answer(text, usage=None)


def cut_at_length(text: str) -> Behaviour:
    """An answer that reached its limit of tokens."""
    return answer(text, finish="length")


def filtered() -> Behaviour:
    """An answer that a content filter held back."""
    return answer("", finish="content_filter")


def refusal(words: str) -> Behaviour:
    """An answer in which the model declines."""
    return lambda exchange: exchange.send_json(200, completion(None, refusal=words))


def tool_call(name: str = "solve") -> Behaviour:
    """An answer that calls a tool and says nothing."""
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    body = completion(None, finish="tool_calls", tool_calls=[call])
    return lambda exchange: exchange.send_json(200, body)


def empty_choice() -> Behaviour:
    """An answer without any choice."""
    return lambda exchange: exchange.send_json(200, {**completion(""), "choices": []})


def endless_repetition(unit: str, times: int = 400) -> Behaviour:
    """An answer that goes round in circles until its limit of tokens."""
    return answer('{"a": "' + unit * times, finish="length")


def status(code: int, headers: Mapping[str, str] | None = None, body: Any = None) -> Behaviour:
    """An error with this HTTP status."""
    named = {k.replace("-", "_"): v for k, v in (headers or {}).items()}
    said = error(f"scripted {code}") if body is None else body
    return lambda exchange: exchange.send_json(code, said, **named)


def html(code: int = 200) -> Behaviour:
    """A page for people, as proxies send."""
    page = b"<!DOCTYPE html><html><body><h1>Welcome to the proxy</h1></body></html>"
    return lambda exchange: exchange.send(code, page, kind="text/html")


def wrong_content_type(text: str) -> Behaviour:
    """A proper answer that claims to be plain text."""
    body = json.dumps(completion(text)).encode()
    return lambda exchange: exchange.send(200, body, kind="text/plain")


def body_cut() -> Behaviour:
    """JSON of the protocol itself, whole by its length but cut in the middle."""
    body = json.dumps(completion("hello")).encode()[:60]
    return lambda exchange: exchange.send(200, body)


def cut_connection(after: int = 40) -> Behaviour:
    """The connection closes when `after` bytes of the body are sent."""

    def behave(exchange: Exchange) -> None:
        body = json.dumps(completion("hello")).encode()
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        exchange.write(body[:after])
        exchange.hang_up()

    return behave


def hang_up() -> Behaviour:
    """The connection closes without an answer."""
    return Exchange.hang_up


def slow(seconds: float, then: Behaviour) -> Behaviour:
    """Another behaviour after a while."""

    def behave(exchange: Exchange) -> None:
        exchange.stopped.wait(seconds)
        then(exchange)

    return behave


def drip(text: str, pause: float) -> Behaviour:
    """A proper answer, a byte at a time."""

    def behave(exchange: Exchange) -> None:
        body = json.dumps(completion(text)).encode()
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        for place in range(len(body)):
            if exchange.stopped.wait(pause):
                return
            exchange.write(body[place : place + 1])

    return behave


def flood(megabytes: int) -> Behaviour:
    """A body of this many megabytes of blanks."""

    def behave(exchange: Exchange) -> None:
        exchange.head(
            200,
            {"Content-Type": "application/json", "Content-Length": str(megabytes * 2**20)},
        )
        for _ in range(megabytes):
            exchange.write(b" " * 2**20)

    return behave


def without(parameters: Sequence[str], then: Behaviour, code: int = 400) -> Behaviour:
    """A server that turns down requests with one of these parameters, the first one named."""

    def behave(exchange: Exchange) -> None:
        for name in parameters:
            if name in exchange.seen.body:
                said = error(f"Unsupported parameter: '{name}' is not supported with this model.")
                exchange.send_json(code, said)
                return
        then(exchange)

    return behave


# ------------------------------------------------------------------ the server


@dataclass(slots=True)
class ScriptedServer:
    """The server; a context manager.

    Attributes:
        script: Behaviours in order, or a function that chooses one by the request.
        seen: Requests so far.
        most_at_once: The largest number of requests that were open together.
    """

    script: Sequence[Behaviour] | Callable[[Seen], Behaviour]
    seen: list[Seen] = field(default_factory=list)
    most_at_once: int = 0
    _open: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        """What to give as `base_url`."""
        assert self._server is not None, "use it in a `with` block"
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                scripted._handle(self)

            def log_message(self, format: str, *args: Any) -> None:
                del format, args

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that left early is what some tests are about."""

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        self._stopped.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        seen = Seen(
            path=handler.path,
            headers={k.lower(): v for k, v in handler.headers.items()},
            body=json.loads(handler.rfile.read(length)),
            time=time.monotonic(),
        )
        with self._lock:
            place = len(self.seen)
            self.seen.append(seen)
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            behaviour = (
                self.script(seen)
                if callable(self.script)
                else self.script[min(place, len(self.script) - 1)]
            )
            behaviour(Exchange(seen, handler, self._stopped))
        finally:
            with self._lock:
                self._open -= 1
