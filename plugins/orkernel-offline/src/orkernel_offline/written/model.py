"""Second pass: bind the clauses, place the data, and decide what every symbol is."""

from __future__ import annotations

from collections.abc import Iterable

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Bound, Key, Ref
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.data import Data
from orkernel_offline.written.decisions import Decisions, Model
from orkernel_offline.written.facts import Facts
from orkernel_offline.written.families import Inference
from orkernel_offline.written.nodes import Clause, Mention
from orkernel_offline.written.roles import (
    declarations,
    sign_in_chain,
    words_of,
)
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.set_builders import build_sets

Span = tuple[int, int]


def build(facts: Facts, document: Document, data: Data, binder: Binder) -> Model:
    """Decide what every symbol is.

    Args:
        facts: The first pass.
        document: What was read.
        data: Data from tables and files; the clauses' data are added to it.
        binder: Binds the clauses.

    Raises:
        Unreadable: A symbol has neither a value nor a role, data are missing, or a domain or
            index has no clear meaning.
    """
    build_sets(facts, binder)
    bounds = [binder.bind(c) for c in facts.clauses]
    descriptions, headed = _descriptions(document.mentions, binder)
    declared = _declared(bounds) | headed
    rest = [b for b in bounds if b.clause.role == "objective" or not data.take(b, declared)]
    _everywhere(document, rest)
    families = Inference(facts, binder, data, rest).run()
    return Decisions(facts, binder, data, families, descriptions, headed).decide(rest, document)


def _descriptions(
    mentions: tuple[Mention, ...], binder: Binder
) -> tuple[dict[Key, tuple[str, Span]], set[Key]]:
    found: dict[Key, tuple[str, Span]] = {}
    headed: set[Key] = set()
    for mention in mentions:
        for symbol in mention.symbols:
            for key in _keys_of(symbol, mention, binder):
                found.setdefault(key, (mention.description, (mention.start, mention.end)))
                if mention.section == "variables":
                    headed.add(key)
    return found, headed


def _keys_of(symbol: n.Sym, mention: Mention, binder: Binder) -> Iterable[Key]:
    if symbol.name in binder.names.letters and not symbol.subs:
        return
    if symbol.name in binder.table.sets and not symbol.subs:
        return
    fake = Clause(mention.start, mention.end, "domain", symbol)
    resolved = binder.bind(fake).body
    if isinstance(resolved, Ref):
        yield resolved.key
        arity = binder.names.lettered.get(symbol.name)
        if not resolved.indices and arity:
            yield resolved.name, arity


def _declared(bounds: list[Bound]) -> set[Key]:
    found: set[Key] = set()
    for bound in bounds:
        for declaration in [*(declarations(bound) or ()), *words_of(bound)]:
            found.add(declaration.ref.key)
        sign = sign_in_chain(bound)
        if sign is not None:
            found.add(sign.ref.key)
    return found


def _everywhere(document: Document, rest: list[Bound]) -> None:
    if not rest and not document.clauses:
        raise Unreadable("no objective and no constraint was found", ())


__all__ = ["Model", "build"]
