"""LP and MPS files, with names that the formats allow."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import highspy

from orkernel.context import RunContext
from orkernel.errors import PluginError, Unsupported
from orkernel_highs.engine import Engine

if TYPE_CHECKING:
    from orkernel.algebra.forms import LinearForm
    from orkernel_highs.program import Program

FORMATS = ("lp", "mps")
LONGEST_NAME = 200
"""CPLEX LP files allow 255 characters."""
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]+")


def file_names(labels: Iterable[str], prefix: str) -> list[str]:
    """Names that LP and MPS files allow, unique and close to the labels.

    Args:
        labels: Labels such as `ship[San Diego,Boston]`.
        prefix: Put before a name that does not start with a letter, or that a reader
            could take for a number or a keyword.
    """
    taken: set[str] = set()
    names = []
    for label in labels:
        name = _FORBIDDEN.sub("_", label).strip("_")[:LONGEST_NAME]
        if not name or not name[0].isalpha() or name[0] in "eE" or name.lower() in _KEYWORDS:
            name = f"{prefix}_{name}".rstrip("_")
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name}_{number}", number + 1
        taken.add(unique)
        names.append(unique)
    return names


_KEYWORDS = frozenset(
    {
        "min", "max", "minimize", "maximize", "minimise", "maximise", "minimum", "maximum",
        "subject", "such", "st", "to", "that", "bounds", "bound", "general", "generals", "gen",
        "integer", "integers", "int", "binary", "binaries", "bin", "end", "free", "inf",
        "infinity", "semi", "sec", "sin", "sos", "sos1", "sos2", "rhs", "ranges", "rows",
        "columns", "name", "obj", "objective", "constant",
    }
)  # fmt: skip


def written(program: Program, form: LinearForm, format: str) -> str:
    """The program as the text of an LP or MPS file.

    Args:
        program: The arrays.
        form: Where the labels of columns and rows come from.
        format: `lp` or `mps`.

    Raises:
        Unsupported: Another format.
        PluginError: HiGHS cannot write it.
    """
    if format not in FORMATS:
        raise Unsupported(f"format '{format}'", f"HiGHS writes {' and '.join(FORMATS)}")
    engine = Engine(program, RunContext(), silent=True)
    m, n = program.matrix.shape
    columns = file_names((form.columns.label(j) for j in range(n)), "v")
    rows = file_names((form.rows.label(i) for i in range(m)), "c")
    for j, name in enumerate(columns):
        engine.highs.passColName(j, name)
    for i, name in enumerate(rows):
        engine.highs.passRowName(i, name)
    with tempfile.TemporaryDirectory(prefix="orkernel-") as folder:
        path = Path(folder) / f"model.{format}"
        if engine.highs.writeModel(str(path)) == highspy.HighsStatus.kError:
            raise PluginError(f"HiGHS cannot write the model as {format}")
        return path.read_text(encoding="utf-8")
