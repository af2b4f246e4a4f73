"""The worker process: `python -m orkernel_pyomo.worker FOLDER`.

Reads a request and a model from the folder, solves or writes it, leaves the answer
there. Whatever it prints, and whatever its solver prints, is the log.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

from orkernel_pyomo import building, installed
from orkernel_pyomo.building import Built
from orkernel_pyomo.job import (
    GRAPH,
    Answer,
    Point,
    Request,
    Stored,
    read_graph,
    read_request,
    write_answer,
)


def main(folder: Path) -> None:
    """Do the job in a folder."""
    _die_with_parent()
    request = read_request(folder)
    try:
        built = _build(folder, request)
        work = _export if request.export else _solve
        answer, point = work(built, request, folder)
    except installed.UnknownSolver as error:
        answer, point = Answer("unknown_solver", str(error), text=" ".join(error.available)), None
    except Exception as error:
        traceback.print_exc()
        answer, point = Answer("failed", f"{type(error).__name__}: {error}"), None
    write_answer(answer, point, folder)


def _build(folder: Path, request: Request) -> Built:
    names = request.column_names, request.row_names
    if (folder / GRAPH).exists():
        return building.from_graph(read_graph(folder), *names)
    return building.from_arrays(Stored.read(folder), *names)


def _solve(built: Built, request: Request, folder: Path) -> tuple[Answer, Point | None]:
    if request.solver == "bonmin" or (request.solver == "ipopt" and not installed.has_ipopt()):
        from orkernel_pyomo import nlp

        return nlp.solve(built, request, folder)
    return installed.solve(built, request)


def _export(built: Built, request: Request, folder: Path) -> tuple[Answer, Point | None]:
    path = folder / f"model.{request.export}"
    built.model.write(str(path), io_options={"symbolic_solver_labels": True})
    return Answer("exported", text=path.read_text(encoding="utf-8")), None


def _die_with_parent() -> None:
    """End the whole session when the process that asked is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
