"""Questions of a run, put to whoever sits at the terminal."""

from __future__ import annotations

import sys

import click

from orkernel.plugins.problems import one_line
from orkernel.records import Question

LONGEST = 2000
"""Characters of a question or a choice that are shown."""


def ask_on_terminal(question: Question) -> str | None:
    """Print a question on stderr and read the answer from standard input.

    Returns:
        The answer, one of the choices where their number was typed; None for an empty line or
        at the end of the input.
    """
    click.echo(f"\n? {one_line(question.text, LONGEST)}", err=True)
    for number, choice in enumerate(question.choices, start=1):
        click.echo(f"  {number}. {one_line(choice, LONGEST)}", err=True)
    hint = "number or text" if question.choices else "text"
    click.echo(f"  answer ({hint}; empty to leave it open): ", err=True, nl=False)
    typed = sys.stdin.readline().strip()
    if typed.isdecimal() and 1 <= int(typed) <= len(question.choices):
        return question.choices[int(typed) - 1]
    return typed or None
