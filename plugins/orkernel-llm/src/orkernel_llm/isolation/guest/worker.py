"""The isolated interpreter: reads requests, executes code, writes results. Standard library only.

Started by `python -I -S -c START FOLDER CONFIG`, or by the warden in a process that is fenced in
already. Requests and results are lines of JSON on two inherited pipes; what the code prints goes
to standard output, a third pipe. The host believes none of it.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

from . import identity
from .running import Runner, flushed


def serve(config: dict[str, Any]) -> None:
    """Answer requests until their pipe ends.

    Args:
        config: `requests` and `results` (descriptors), `path` (folders to import from),
            `limits`, `answer_bytes`.
    """
    sys.path.extend(folder for folder in config["path"] if folder not in sys.path)
    sys.argv = [""]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    flush_c = ctypes.CDLL(None).fflush
    write, dumps, loads = os.write, json.dumps, json.loads
    own, present, leave = os.getpid(), os.getpid, os._exit
    runner = Runner(config["limits"], config["answer_bytes"])
    results = config["results"]

    def tell(line: str) -> None:
        data = memoryview(line.encode() + b"\n")
        while data:
            data = data[write(results, data) :]

    tell('{"id": 0}')
    for line in open(config["requests"], "rb"):  # noqa: SIM115
        request = loads(line)
        number = request["id"]
        if "put" in request:
            runner.names.update(request["put"])
            tell(dumps({"id": number}))
            continue
        answer, error = runner.run(request["run"])
        flushed()
        flush_c(None)
        if present() != own:  # a child of the code came to its end: only its parent answers
            leave(1 if error else 0)
        finished = "false" if answer is None else "true"
        tell(
            f'{{"id": {number}, "finished": {finished}, "value": {answer or "null"}, '
            f'"error": {dumps(error)}}}'
        )


def main() -> None:
    """Give up what the process still may do, then serve."""
    config = json.loads(sys.argv[2])
    identity.give_up(config["uid"])
    identity.limit(config["limits"])
    serve(config)
