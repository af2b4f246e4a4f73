"""First pass over the clauses: sets, scalar values, index letters, and who carries indices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.bound import Names
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.sets import IndexSet, SetTable, label_text

Span = tuple[int, int]
MAX_PASSES = 20
"""How long a chain of definitions such as `a = b + 1`, `b = c + 1` may be."""


@dataclass(slots=True)
class Facts:
    """What the first pass found.

    Attributes:
        names: Letters, indexed names and scalars.
        table: The index sets.
        clauses: Clauses that are left for binding: everything but sets and index ranges.
        letter_domains: Domain of an index letter where the statement gives it, by letter.
        scalar_clauses: The clause that gives each scalar its value.
        domain_names: Names that an index is said to run over, with the first place.
        letters_of: The letters that the statement uses with each indexed name.
        declared: Names that a domain, a sign or a heading declares to be variables.
    """

    names: Names
    table: SetTable
    clauses: list[Clause]
    letter_domains: dict[str, list[Node]] = field(default_factory=dict)
    scalar_clauses: dict[str, Clause] = field(default_factory=dict)
    domain_names: dict[str, Span] = field(default_factory=dict)
    letters_of: dict[str, tuple[str | None, ...]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)


def gather(document: Document) -> Facts:
    """Separate sets, index ranges and scalars from the clauses of `document`.

    Raises:
        Unreadable: A set or range is given without a clear meaning.
    """
    parts = list(_everything(document))
    symbols = [p for p in parts if isinstance(p, n.Sym)]
    subscripts = _subscript_letters(symbols)
    generators = [p for p in parts if isinstance(p, n.Gen)]
    domain_names: dict[str, Span] = {}
    for gen in generators:
        for part in n.walk(gen.domain) if gen.domain is not None else ():
            if isinstance(part, n.Sym) and not isinstance(gen.domain, n.RangeSet | n.SetLit):
                domain_names.setdefault(part.name, (part.start, part.end))
    letters = {t for g in generators for t in g.targets}
    letters |= _chain_letters(parts)
    index_clauses = [c for c in document.clauses if _gives_index(c, document, letters | subscripts)]
    for clause in index_clauses:
        assert isinstance(clause.body, n.Compare)
        letters |= {h.name for h in _flat(clause.body.heads) if isinstance(h, n.Sym)}
    rest = [c for c in document.clauses if c not in index_clauses]
    for clause in index_clauses:
        if not _is_membership(clause):
            continue
        for part in n.walk(clause.body):
            if isinstance(part, n.Sym) and part.name not in letters:
                domain_names.setdefault(part.name, (part.start, part.end))
    set_clauses = [c for c in rest if _gives_set(c, domain_names, letters)]
    rest = [c for c in rest if c not in set_clauses]
    declared = _declared(document)
    scalar_clauses = _scalars(rest, declared)
    scalars: dict[str, values.Number] = {}
    for name, clause in scalar_clauses.items():
        assert isinstance(clause.body, n.Compare)
        value = values.constant(clause.body.operands[0], scalars)
        if value is not None:
            scalars[name] = value
    taken = {p.name for p in symbols} | {label_text(p) for p in symbols}
    taken -= letters - domain_names.keys()
    table = SetTable(scalars, taken)
    _define_sets(set_clauses, table)
    for name in domain_names:
        if name not in table.sets and name not in scalars:
            table.sets[name] = IndexSet(name, None)
    names = Names(letters, _lettered(parts, letters), scalars)
    for part in parts:
        base = _superscripted(part, letters)
        if base is not None:
            names.superscripted[base.name] = len(base.subs)
    facts = Facts(names, table, rest, {}, scalar_clauses, domain_names, declared=declared)
    for symbol in symbols:
        if symbol.name in names.lettered:
            used = letters_in(symbol, letters)
            if len(used) == names.lettered[symbol.name] and None not in used:
                facts.letters_of.setdefault(label_of(symbol, letters), used)
    _letter_domains(facts, generators, index_clauses)
    return facts


def _everything(document: Document) -> Iterable[Node]:
    for clause in document.clauses:
        yield from n.walk(clause)
    for mention in document.mentions:
        yield from n.walk(mention)


def _chain_letters(parts: list[Node]) -> set[str]:
    """`i` of the quantifier `1 <= i <= n`."""
    found: set[str] = set()
    for part in parts:
        quants: tuple[Node, ...] = ()
        if isinstance(part, n.Clause | n.Reduce | n.SetBuilder):
            quants = part.quants
        for quant in quants:
            if isinstance(quant, n.Compare):
                for operand in quant.operands[:-1]:
                    if isinstance(operand, n.Sym) and not operand.subs:
                        found.add(operand.name)
    return found


def _flat(heads: tuple[Node, ...]) -> Iterable[Node]:
    for head in heads:
        if isinstance(head, n.Vector):
            yield from head.items
        else:
            yield head


def _is_membership(clause: Clause) -> bool:
    return isinstance(clause.body, n.Compare) and clause.body.ops == ("in",)


def _subscript_letters(symbols: list[n.Sym]) -> set[str]:
    return {
        character
        for symbol in symbols
        for sub in symbol.subs
        for inner in n.walk(sub)
        if isinstance(inner, n.Sym)
        for character in (inner.name, *inner.name)
    }


def _gives_index(clause: Clause, document: Document, known: set[str]) -> bool:
    """Whether the clause says what an index runs over: `t = 1, …, T` or `i \\in I`."""
    body = clause.body
    if clause.role != "relation" or not isinstance(body, n.Compare) or len(body.ops) != 1:
        return False
    heads = list(_flat(body.heads))
    if not all(isinstance(h, n.Sym) and not h.subs for h in heads):
        return False
    if not all(isinstance(h, n.Sym) and h.name in known for h in heads):
        return False
    operand = body.operands[0]
    if body.ops == ("=",):
        return isinstance(operand, n.RangeSet)
    if body.ops != ("in",) or isinstance(operand, n.NumberSet | n.Interval):
        return False
    return not _stands_alone(heads, document, clause)


def _stands_alone(heads: list[Node], document: Document, clause: Clause) -> bool:
    """Whether a symbol is used outside subscripts, so that it is a variable and no index."""
    wanted = {h.name for h in heads if isinstance(h, n.Sym)}
    for other in document.clauses:
        if other is clause or other.role == "domain":
            continue
        bare = {p.name for p in _outside_subscripts(other.body)}
        if wanted & bare:
            return True
    return False


def _outside_subscripts(node: Node) -> Iterable[n.Sym]:
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, n.Sym):
            yield part
        elif isinstance(part, n.Reduce):
            stack.append(part.body)
        else:
            stack.extend(n.children(part))


def _gives_set(clause: Clause, domains: dict[str, Span], letters: set[str]) -> bool:
    body = clause.body
    if not isinstance(body, n.Compare) or body.ops != ("=",) or len(body.heads) != 1:
        return False
    head, operand = body.heads[0], body.operands[0]
    if not isinstance(head, n.Sym):
        return False
    if isinstance(operand, n.SetMinus | n.SetTimes | n.SetBuilder):
        return True
    if isinstance(operand, n.SetLit | n.RangeSet):
        return not (head.name in letters and isinstance(operand, n.RangeSet))
    return False


def _declared(document: Document) -> set[str]:
    """Names that a domain, a sign or a heading declares to be variables."""
    found: set[str] = set()
    for clause in document.clauses:
        body = clause.body
        if not isinstance(body, n.Compare):
            continue
        signed = any(op not in ("=", "in") for op in body.ops) or clause.words
        numeric = body.ops == ("in",) and not isinstance(body.operands[0], n.Sym)
        if signed or numeric or clause.role == "domain":
            parts = body.heads if len(body.ops) < 2 else (*body.heads, *body.operands)
            found |= {label_text(h) for h in parts if isinstance(h, n.Sym)}
            found |= {h.name for h in parts if isinstance(h, n.Sym)}
    for mention in document.mentions:
        if mention.section == "variables":
            found |= {label_text(s) for s in mention.symbols} | {s.name for s in mention.symbols}
    return found


def _scalars(clauses: list[Clause], declared: set[str]) -> dict[str, Clause]:
    """Clauses such as `n = 5`, in an order in which each can be evaluated."""
    found: dict[str, Clause] = {}
    known: dict[str, values.Number] = {}
    waiting = list(clauses)
    progress = True
    passes = 0
    while progress and passes < MAX_PASSES:
        progress, passes = False, passes + 1
        for clause in list(waiting):
            body = clause.body
            if clause.role != "relation" or not isinstance(body, n.Compare):
                continue
            if body.ops != ("=",) or len(body.heads) != 1:
                continue
            head = body.heads[0]
            if not isinstance(head, n.Sym) or clause.quants or clause.words:
                continue
            name = label_text(head)
            if name in declared or head.name in declared or name in found:
                continue
            value = values.constant(body.operands[0], known)
            if value is not None:
                found[name] = clause
                known[name] = value
                waiting.remove(clause)
                progress = True
    return found


def _head_name(clause: Clause) -> str:
    head = clause.body.heads[0] if isinstance(clause.body, n.Compare) else None
    return head.name if isinstance(head, n.Sym) else ""


def _define_sets(clauses: list[Clause], table: SetTable) -> None:
    builders: list[Clause] = []
    waiting = list(clauses)
    while waiting:
        later: list[Clause] = []
        for clause in waiting:
            assert isinstance(clause.body, n.Compare)
            head, operand = clause.body.heads[0], clause.body.operands[0]
            assert isinstance(head, n.Sym)
            if isinstance(operand, n.SetBuilder):
                builders.append(clause)
                continue
            parts = {p.name for p in n.walk(operand) if isinstance(p, n.Sym)}
            others = {_head_name(c) for c in waiting if c is not clause}
            derived = isinstance(operand, n.SetMinus | n.SetTimes)
            if derived and parts & others and len(later) < len(waiting) - 1:
                later.append(clause)
                continue
            table.define(label_text(head), operand, (clause.start, clause.end))
        waiting = later
    for clause in builders:
        assert isinstance(clause.body, n.Compare)
        head = clause.body.heads[0]
        assert isinstance(head, n.Sym)
        table.pending_builders.append((label_text(head), clause))
        table.sets.setdefault(label_text(head), IndexSet(label_text(head), None))


def _superscripted(node: Node, letters: set[str]) -> n.Sym | None:
    """`x_i` of `x_i^k`, where k is an index letter."""
    if not isinstance(node, n.Bin) or node.op != "^" or not isinstance(node.left, n.Sym):
        return None
    carries = isinstance(node.right, n.Sym) and node.right.name in letters
    return node.left if carries and node.left.subs else None


def _lettered(parts: list[Node], letters: set[str]) -> dict[str, int]:
    """Names that carry an index letter somewhere, with how many indices they then take."""
    found: dict[str, int] = {}
    for part in parts:
        sym = part
        extra = 0
        base = _superscripted(part, letters)
        if base is not None:
            sym, extra = base, 1
        if isinstance(part, n.Apply) and not part.sym.subs:
            arguments = [a for a in part.args if isinstance(a, n.Sym) and a.name in letters]
            plain = all(isinstance(a, n.Sym | n.Num | n.Bin) for a in part.args)
            if arguments and plain and (len(part.args) > 1 or len(arguments) == 1):
                found[part.sym.name] = max(found.get(part.sym.name, 0), len(part.args))
            continue
        if not isinstance(sym, n.Sym) or not sym.subs:
            continue
        count = 0
        carries = False
        for sub in sym.subs:
            width, has_letter = _width(sub, letters)
            count += width
            carries = carries or has_letter
        if carries or extra:
            found[sym.name] = max(found.get(sym.name, 0), count + extra)
    return found


def letters_in(symbol: n.Sym, letters: set[str]) -> tuple[str | None, ...]:
    """The index letters of a symbol's subscripts; None for a fixed or computed index."""
    found: list[str | None] = []
    for sub in symbol.subs:
        if isinstance(sub, n.Sym) and sub.name in letters:
            found.append(sub.name)
        elif isinstance(sub, n.Sym) and not sub.styled and all(c in letters for c in sub.name):
            found.extend(sub.name)
        elif not isinstance(sub, n.Sym):
            found.append(None)
    return tuple(found)


def label_of(symbol: n.Sym, letters: set[str]) -> str:
    """A symbol's name with its label subscripts, without its indices."""
    parts = [symbol.name]
    for sub in symbol.subs:
        together = isinstance(sub, n.Sym) and all(c in letters for c in sub.name)
        if isinstance(sub, n.Sym) and sub.name not in letters and not together:
            parts.append(sub.name)
    return "_".join(parts)


def _width(sub: Node, letters: set[str]) -> tuple[int, bool]:
    """How many indices a subscript stands for, and whether a letter is among them."""
    if isinstance(sub, n.Sym) and sub.name in letters:
        return 1, True
    if isinstance(sub, n.Sym) and not sub.styled:
        if len(sub.name) > 1 and all(c in letters for c in sub.name):
            return len(sub.name), True
        return (0 if len(sub.name) > 2 else 1), False
    if isinstance(sub, n.Sym):
        return 0, False
    inside = {p.name for p in n.walk(sub) if isinstance(p, n.Sym)}
    return 1, bool(inside & letters)


def _letter_domains(facts: Facts, generators: list[n.Gen], index_clauses: list[Clause]) -> None:
    for gen in generators:
        if gen.domain is not None and not gen.as_tuple:
            for target in gen.targets:
                facts.letter_domains.setdefault(target, []).append(gen.domain)
    for clause in index_clauses:
        assert isinstance(clause.body, n.Compare)
        if any(isinstance(h, n.Vector) for h in clause.body.heads):
            continue
        for head in clause.body.heads:
            assert isinstance(head, n.Sym)
            facts.letter_domains.setdefault(head.name, []).insert(0, clause.body.operands[0])
