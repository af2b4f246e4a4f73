"""Consoles: JSON and reports go to stdout, everything else to stderr."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def progress_console() -> Console:
    """A console on stderr."""
    from orkernel.cli.consoles import PlainConsole

    return PlainConsole(file=sys.stderr)


def print_report(report: RenderableType) -> None:
    """Print a report to stdout; at least 100 columns wide when not a terminal."""
    from orkernel.cli.consoles import PlainConsole

    console = PlainConsole(file=sys.stdout)
    if not console.is_terminal:
        console = PlainConsole(file=sys.stdout, width=max(100, console.width))
    console.print(report)


def print_json(value: Any) -> None:
    """Print one JSON value to stdout; numbers that JSON lacks are an error of ours."""
    escape = not (sys.stdout.encoding or "").lower().startswith("utf")
    click.echo(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=escape))
