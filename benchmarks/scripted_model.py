"""A language model that answers one family of problems by rules, and a server for it.

It reads the figures out of statements made by `statement`, so that the pipeline around it has all
its work to do. As `--model scripted_model:Instant` it answers at once; as a program it is a server
of OpenAI's chat-completions protocol that takes a while for every answer:

    python benchmarks/scripted_model.py --seconds 1
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Sequence
from typing import Any

DIMENSIONS = ("parameters", "variables", "objective", "constraints")
FIGURES = re.compile(
    r"block of butter takes (?P<butter>\d+) litres of milk and a wheel of cheese takes "
    r"(?P<cheese>\d+); (?P<milk>\d+) litres come in each day\. The cellar takes at most "
    r"(?P<cellar>\d+) wheels of cheese\. A block of butter earns (?P<gain_butter>\d+) euros and "
    r"a wheel of cheese (?P<gain_cheese>\d+)"
)


def statement(number: int) -> str:
    """A problem of the family; other figures for other numbers."""
    return (
        f"A dairy makes butter and cheese. A block of butter takes {20 + number % 7} litres of "
        f"milk and a wheel of cheese takes {90 + number % 11}; {4000 + number} litres come in "
        f"each day. The cellar takes at most {25 + number % 5} wheels of cheese. A block of "
        f"butter earns {8 + number % 3} euros and a wheel of cheese {55 + number % 13}. How many "
        "of each should be made to earn the most?"
    )


def answer(text: str, schema: dict[str, Any] | None) -> str:
    """What the model says to a request whose answer is to follow a schema."""
    asked = set((schema or {}).get("properties", ()))
    if "findings" in asked:
        marks = {d: {"explanation": "agrees with the statement", "score": 95} for d in DIMENSIONS}
        return json.dumps({"findings": [], **marks})
    if "agents" in asked:
        agents = schema["properties"]["agents"]["items"]["properties"]["name"]["enum"]  # type: ignore[index]
        return json.dumps(
            {"kind": "linear", "agents": [{"reason": "installed", "name": name} for name in agents]}
        )
    return json.dumps(_formulation(text))


def _formulation(text: str) -> dict[str, Any]:
    found = list(FIGURES.finditer(text))[-1]

    def parameter(name: str, group: str, quote: str) -> dict[str, Any]:
        return {
            "name": name, "index": [], "value": int(found[group]), "table": None,
            "distribution": "", "unit": "", "quotes": [quote],
        }  # fmt: skip

    milk, earning = (
        f"block of butter takes {found['butter']} litres of milk and a wheel of cheese takes "
        f"{found['cheese']}",
        f"block of butter earns {found['gain_butter']} euros and a wheel of cheese "
        f"{found['gain_cheese']}",
    )
    cellar = f"at most {found['cellar']} wheels of cheese"
    return {
        "refusal": "",
        "title": "Dairy",
        "sets": [],
        "parameters": [
            parameter("milk_butter", "butter", milk),
            parameter("milk_cheese", "cheese", milk),
            parameter("milk", "milk", f"{found['milk']} litres come in each day"),
            parameter("cellar", "cellar", cellar),
            parameter("gain_butter", "gain_butter", earning),
            parameter("gain_cheese", "gain_cheese", earning),
        ],
        "variables": [
            {"name": name, "index": [], "domain": "integer", "lower": 0, "upper": None,
             "unit": "", "quotes": ["How many of each should be made"]}
            for name in ("butter", "cheese")
        ],
        "objectives": [
            {"name": "earnings", "sense": "maximize", "priority": 1, "unit": "",
             "expression": "gain_butter*butter + gain_cheese*cheese",
             "quotes": ["earn the most"]}
        ],
        "constraints": [
            {"name": "milk_limit", "for_each": "", "quotes": ["litres come in each day"],
             "expression": "milk_butter*butter + milk_cheese*cheese <= milk"},
            {"name": "cellar_limit", "for_each": "", "quotes": [cellar],
             "expression": "cheese <= cellar"},
        ],
        "results": [],
        "assumptions": [],
    }  # fmt: skip


class Instant:
    """The model in this process, for `--model scripted_model:Instant`."""

    def generate(self, messages: Sequence[Any], **settings: Any) -> str:
        """The answer, at once."""
        text = "\n".join(part["text"] for m in messages for part in m.content)
        schema = settings.get("response_format", {}).get("json_schema", {}).get("schema")
        return answer(text, schema)


# ----------------------------------------------------------------------------- server


class Server:
    """Answers every request after `seconds`, any number at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.calls = 0
        self.at_once = 0
        self.most_at_once = 0
        self.first: float | None = None
        self.last = 0.0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = re.search(r"(?i)^content-length: *(\d+)", head, re.MULTILINE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                answered = self._figures() if head.startswith("GET") else await self._chat(body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%s" % (len(answered), answered)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _chat(self, body: bytes) -> bytes:
        began = time.monotonic()
        self.first = began if self.first is None else self.first
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        request = json.loads(body)
        text = "\n".join(_text(m["content"]) for m in request["messages"])
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema")
        said = answer(text, schema)
        await asyncio.sleep(max(0.0, began + self.seconds - time.monotonic()))
        self.at_once -= 1
        self.last = time.monotonic()
        return json.dumps(
            {
                "id": "scripted", "object": "chat.completion", "created": 0, "model": "scripted",
                "choices": [{"index": 0, "finish_reason": "stop",
                             "message": {"role": "assistant", "content": said}}],
                "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": len(said) // 4,
                          "total_tokens": (len(text) + len(said)) // 4},
            }
        ).encode()  # fmt: skip

    def _figures(self) -> bytes:
        span = self.last - self.first if self.first is not None else 0.0
        figures = {"calls": self.calls, "most_at_once": self.most_at_once, "span": span}
        return json.dumps(figures).encode()


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


async def _serve(seconds: float) -> None:
    made = Server(seconds)
    server = await asyncio.start_server(made.handle, "127.0.0.1", 0, backlog=1024, limit=2**22)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    """Serve until ended; the first line printed is the port. GET answers what was served."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0)
    asyncio.run(_serve(parser.parse_args().seconds))


if __name__ == "__main__":
    main()
