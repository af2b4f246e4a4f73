"""Tables on the terminal; rich is imported only to print one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from orkernel.plugins.problems import one_line

PLAIN_WIDTH = 200
"""Columns when the output is not a terminal, so that scripts can read whole lines."""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of plain texts to stdout, with a header."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)
