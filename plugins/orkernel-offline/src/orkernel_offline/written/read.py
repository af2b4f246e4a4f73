"""The stages of the reader in order: tokens, clauses, facts, model, formulation."""

from __future__ import annotations

from dataclasses import dataclass

from orkernel_offline.reading import Reading, Unreadable
from orkernel_offline.written.assemble import Assembler, Choice
from orkernel_offline.written.clauses import ClauseReader, Document
from orkernel_offline.written.data import Data
from orkernel_offline.written.facts import Facts, gather
from orkernel_offline.written.lexer import Lexer
from orkernel_offline.written.markup import Block, blocks
from orkernel_offline.written.model import Model, build
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.stream import separate
from orkernel_offline.written.tokens import Token

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


def read(statement: str) -> list[Reading]:
    """Every reading of `statement`, best first.

    Raises:
        Unreadable: It, or a part of it, is not understood.
    """
    if len(statement) > MAX_CHARACTERS:
        raise Unreadable(
            f"the statement is longer than {MAX_CHARACTERS} characters; "
            "move its data to CSV files",
            ((0, len(statement)),),
        )
    parts = blocks(statement)
    tokens = separate(Lexer(statement).run(parts))
    document = ClauseReader(tokens, statement).run()
    facts = gather(document)
    data = Data(facts.table)
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
