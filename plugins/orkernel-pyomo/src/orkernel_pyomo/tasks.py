"""What a worker does with a request: build the model, then solve it or write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orkernel_pyomo import building, installed, rewriting
from orkernel_pyomo.job import GRAPH, Answer, Point, Request, Stored, read_graph

if TYPE_CHECKING:
    from orkernel_pyomo.building import Built


def perform(request: Request, folder: Path) -> tuple[Answer, Point | None]:
    """Do the job in a folder.

    Raises:
        MemoryError: The worker has no memory left.
    """
    try:
        if request.export:
            return _export(_build(folder, request), request, folder)
        if request.solver == "scip":
            return _solve_globally(request, folder)
        return _solve(_build(folder, request), request, folder)
    except installed.UnknownSolver as error:
        return Answer("unknown_solver", str(error), text=" ".join(error.available)), None
    except rewriting.Undefined as error:
        return Answer("failed", str(error), request.solver), None
    except Exception as error:
        if "bad_alloc" in str(error):
            raise MemoryError from error
        raise


def _build(folder: Path, request: Request) -> Built:
    names = request.column_names, request.row_names
    if (folder / GRAPH).exists():
        return building.from_graph(rewriting.without_kinks(read_graph(folder)), *names)
    return building.from_arrays(Stored.read(folder), *names)


def _solve_globally(request: Request, folder: Path) -> tuple[Answer, Point | None]:
    if (folder / GRAPH).exists():
        from orkernel_pyomo import boxed

        return boxed.solve(rewriting.without_kinks(read_graph(folder)), request, folder)
    from orkernel_pyomo import scip

    built = building.from_arrays(Stored.read(folder))
    return scip.solve(built, built, request, folder)


def _solve(built: Built, request: Request, folder: Path) -> tuple[Answer, Point | None]:
    if request.solver == "bonmin" or (request.solver == "ipopt" and not installed.has_ipopt()):
        from orkernel_pyomo import nlp

        return nlp.solve(built, request, folder)
    return installed.solve(built, request)


def _export(built: Built, request: Request, folder: Path) -> tuple[Answer, Point | None]:
    path = folder / f"model.{request.export}"
    built.model.write(str(path), io_options={"symbolic_solver_labels": True})
    return Answer("exported", text=path.read_text(encoding="utf-8")), None
