"""Write `docs/hooks.md`: every hook, record and protocol, from their source.

python docs/generate_reference.py            rewrites the file
python docs/generate_reference.py --check    exits with 1 if it is out of date
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from orkernel import hookspecs, protocols, records
from orkernel.plugins.kinds import KINDS, Kind

TARGET = Path(__file__).with_name("hooks.md")

PROTOCOLS = {
    "formulators": protocols.Formulator,
    "confidence_scorers": protocols.ConfidenceScorer,
    "selection_rules": protocols.SelectionRule,
    "classifiers": protocols.Classifier,
    "solver_agents": protocols.SolverAgent,
    "proof_verifiers": protocols.ProofVerifier,
    "credit_rules": protocols.CreditRule,
    "observers": protocols.Observer,
}
"""What the target of a kind's records offers; a command's target is a click command."""

INTRODUCTION = """\
<!-- Written by docs/generate_reference.py from orkernel/hookspecs.py; do not edit. -->

# Hooks

{module}

A hook is all or nothing: if it raises half-way, or gives one thing that is no valid record,
none of its records are taken, while the plugin's other hooks are. A record whose name another
plugin claims too is used by neither, until the user disables one of them. A function whose name
starts with `orkernel_` but matches no hook is reported.

The level of this contract is **{level}** (`orkernel.API_LEVEL`).

## Fields of every record

{common}

## Option

{option_text}

{option}
"""


def render() -> str:
    """The whole page."""
    option_text, _ = split_docstring(records.Option)
    parts = [
        INTRODUCTION.format(
            module=_body(inspect.getdoc(hookspecs) or ""),
            level=records.API_LEVEL,
            common=_table(fields_of(records.Record)),
            option_text=option_text,
            option=_table(fields_of(records.Option)),
        )
    ]
    parts.extend(_section(kind) for kind in KINDS.values())
    return "\n".join(parts).rstrip() + "\n"


def _section(kind: Kind) -> str:
    hook = getattr(hookspecs, kind.hook)
    signature = f"def {kind.hook}{_signature(hook)}: ..."
    text = (inspect.getdoc(hook) or "").replace("Versionadded:", "*New in version*")
    lines = [f"## {kind.hook}", "", "```python", signature, "```", "", text, ""]
    record_text, _ = split_docstring(kind.record)
    lines += [f"### {kind.record.__name__}", "", record_text, ""]
    own = [row for row in fields_of(kind.record) if row[0] not in _names(records.Record)]
    lines += [_table(own) if own else "It has the fields of every record and no others.", ""]
    if protocol := PROTOCOLS.get(kind.name):
        lines += [_protocol(protocol)]
    if kind.name == "solver_agents":
        lines += [_protocol(protocols.Exporter)]
    return "\n".join(lines)


def _protocol(protocol: type) -> str:
    lines = [f"### {protocol.__name__}", "", inspect.getdoc(protocol) or "", ""]
    for name, method in methods_of(protocol):
        signature = f"def {name}{_signature(method)}: ..."
        lines += ["```python", _wrapped(signature), "```", "", _definitions(method), ""]
    return "\n".join(lines)


def methods_of(protocol: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Public methods that a protocol itself declares."""
    for name, member in vars(protocol).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            yield name, member


def fields_of(record: type) -> list[tuple[str, str, str, str]]:
    """Name, type, default and description of every field, in order.

    Raises:
        KeyError: A field is not described in the docstring of the class or of a base.
    """
    described: dict[str, str] = {}
    for base in reversed(record.__mro__):
        described |= split_docstring(base)[1]
    rows = []
    for field in dataclasses.fields(record):
        default = "required" if field.default is dataclasses.MISSING else f"`{field.default!r}`"
        if isinstance(field.default, type):
            default = f"`{field.default.__name__}`"
        rows.append((field.name, f"`{field.type}`", default, described[field.name]))
    return rows


def split_docstring(thing: type) -> tuple[str, dict[str, str]]:
    """The text before `Attributes:`, and the description of each attribute."""
    text, _, section = (inspect.getdoc(thing) or "").partition("Attributes:\n")
    described: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \S)", "\n" + section):
        name, colon, rest = entry.strip().partition(":")
        if colon:
            described[name] = " ".join(rest.split())
    return text.strip(), described


def _signature(function: Callable[..., object]) -> str:
    """Signature with its annotations as the source has them, without quotes."""
    return str(inspect.signature(function)).replace("'", "")


def _names(record: type) -> set[str]:
    return {field.name for field in dataclasses.fields(record)}


def _table(rows: list[tuple[str, str, str, str]]) -> str:
    escaped = (
        (f"`{name}`", type_.replace("|", "\\|"), default, text)
        for name, type_, default, text in rows
    )
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in escaped)])


def _body(docstring: str) -> str:
    """A docstring without its first line, which is the title."""
    return docstring.partition("\n")[2].strip()


def _wrapped(signature: str) -> str:
    """A long signature with one argument a line."""
    if len(signature) <= 88:
        return signature
    head, _, rest = signature.partition("(")
    arguments, _, tail = rest.rpartition(") ->")
    split = re.split(r", (?![^\[]*\])", arguments)
    return "\n".join([f"{head}(", *(f"    {argument}," for argument in split), f") ->{tail}"])


def _definitions(method: object) -> str:
    """A docstring with its `Args:` and `Raises:` sections as lists."""
    out = []
    for line in (inspect.getdoc(method) or "").splitlines():
        if re.fullmatch(r"(Args|Raises|Returns):", line):
            out += [f"**{line[:-1]}**", ""]
        elif match := re.fullmatch(r"    (\w+): (.*)", line):
            out.append(f"- `{match[1]}`: {match[2]}")
        elif line.startswith("        "):
            out.append(f"  {line.strip()}")
        else:
            out.append(line)
    return "\n".join(out)


def main() -> int:
    """Write the page, or compare it."""
    text = render()
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
