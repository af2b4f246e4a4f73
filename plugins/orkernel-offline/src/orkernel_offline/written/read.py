"""The stages of the reader in order: tokens, clauses, facts, model, formulation."""

from __future__ import annotations

from dataclasses import dataclass

from orkernel_offline.reading import Reading, Unreadable
from orkernel_offline.written.assemble import Assembler
from orkernel_offline.written.bound import Key
from orkernel_offline.written.choices import Choice
from orkernel_offline.written.clauses import ClauseReader, Document
from orkernel_offline.written.data import Data, Datum
from orkernel_offline.written.facts import Facts, gather
from orkernel_offline.written.files import place_files
from orkernel_offline.written.lexer import Lexer
from orkernel_offline.written.markup import Block, blocks
from orkernel_offline.written.model import Model, build
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import IndexSet
from orkernel_offline.written.stream import separate
from orkernel_offline.written.tables import place_tables
from orkernel_offline.written.tokens import Token
from orkernel_offline.written.unread import refuse_unread
from orkernel_offline.written.vectors import without_vectors

MAX_CHARACTERS = 200_000


@dataclass(frozen=True)
class Trace:
    """What each stage made of the statement."""

    blocks: tuple[Block, ...]
    tokens: tuple[Token, ...]
    document: Document
    facts: Facts
    model: Model
    choice: Choice

    def __str__(self) -> str:
        """The stages, one line per clause, set, datum and variable."""
        model = self.model
        lines = [f"{len(self.blocks)} blocks, {len(self.tokens)} tokens"]
        for clause in self.document.clauses:
            words = " ".join(x for x in (clause.sense, clause.role, *clause.words) if x)
            lines.append(
                f"clause {clause.start}-{clause.end}: {words} ({clause.section or 'text'})"
            )
        for mention in self.document.mentions:
            names = ", ".join(s.name for s in mention.symbols)
            lines.append(f"mention {mention.start}-{mention.end}: {names}: {mention.description}")
        for found in self.facts.table.sets.values():
            lines.append(f"set {found.name}: {_members(found)}")
        for key, datum in model.data.by_key.items():
            lines.append(f"data {_family(model, key)}: {_amount(datum)}")
        for key, variable in model.variables.items():
            bounds = f"{variable.domain}, lower {variable.lower}, upper {variable.upper}"
            lines.append(f"variable {_family(model, key)}: {bounds}")
        lines.append(f"choice: {self.choice}")
        return "\n".join(lines)


def _family(model: Model, key: Key) -> str:
    index = model.families.index.get(key, ())
    return f"{key[0]}[{', '.join(index)}]" if index else key[0]


def _members(found: IndexSet) -> str:
    if found.members is None:
        return f"in {found.file[0]}" if found.file else "unknown"
    shown = ", ".join(map(str, found.members[:8]))
    return shown + (f", ... ({len(found.members)})" if len(found.members) > 8 else "")


def _amount(datum: Datum) -> str:
    if datum.file:
        return f"in {datum.file[0]}"
    if datum.dense is not None:
        return f"{len(datum.dense)} rows or entries"
    if datum.default is not None and not datum.entries:
        return f"{datum.default} throughout"
    return f"{len(datum.entries)} entries"


def read(statement: str) -> list[Reading]:
    """Every reading of `statement`, best first.

    Raises:
        Unreadable: It, or a part of it, is not understood.
    """
    if len(statement) > MAX_CHARACTERS:
        raise Unreadable(
            f"the statement is longer than {MAX_CHARACTERS} characters; move its data to CSV files",
            ((0, len(statement)),),
        )
    try:
        return _read(statement)
    except RecursionError:
        raise Unreadable("the statement is nested too deeply", ((0, len(statement)),)) from None


def _read(statement: str) -> list[Reading]:
    parts = blocks(statement)
    tokens = separate(Lexer(statement).run(parts))
    document = without_vectors(ClauseReader(tokens, statement).run())
    facts = gather(document)
    data = Data(facts.table)
    place_tables(statement, parts, tokens, facts, data)
    place_files(statement, tokens, facts, data)
    refuse_unread(statement, tokens, document, data)
    binder = Binder(facts.names, facts.table)
    model = build(facts, document, data, binder)
    assembler = Assembler(model, statement)
    readings: list[Reading] = []
    seen: list[dict[str, object]] = []
    for label, choice in assembler.choices():
        formulation = assembler.write(choice)
        core = {k: v for k, v in formulation.items() if k != "assumptions"}
        if core in seen:
            continue
        seen.append(core)
        trace = Trace(tuple(parts), tuple(tokens), document, facts, model, choice)
        readings.append(Reading(formulation, label, trace))
    return readings
