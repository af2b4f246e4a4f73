"""From a statement to a network: groups, sentences, tables, goal, and what must not be missing."""

from __future__ import annotations

from collections.abc import Sequence

from orkernel_offline.written.grids import Cell, Grid

from . import lexicon as lex
from .clause_view import money_kind
from .clauses import Clause, clauses_of
from .facts import GoalWords, Span
from .goals import Goals, clean, find_goals
from .guards import unsupported_words
from .limits import AT_LEAST, AT_MOST, EXACTLY
from .network import Network, NetworkReader, SiteLimit, candidate_groups, refuse
from .sites import Group, Name
from .tables import DEMAND_WORDS, SUPPLY_WORDS, Head, cut_tables, head_of, row_span
from .tagging import label_nouns
from .tokens import MAX_CHARACTERS, MAX_NUMBERS, Sentence, sentences, tokenize
from .trace import Trace

_CORNER_NOUNS = frozenset({"from", "to"})
_DISTANCES = frozenset({"distance", "mile", "kilometer", "km"})
_TIMES = frozenset({"time", "duration", *lex.TIME_UNITS})


def read_network(statement: str) -> tuple[Network, Trace] | None:
    """The transport or assignment problem of a statement; None where it is another kind.

    Raises:
        Unreadable: it is of this kind, but a number, site or condition is not accounted for.
    """
    if len(statement) > MAX_CHARACTERS:
        return None
    text, grids = cut_tables(statement)
    tokens = tokenize(text)
    if sum(token.kind == "number" for token in tokens) > MAX_NUMBERS:
        return None
    trace = Trace(sentences=sentences(tokens, text))
    groups = candidate_groups(trace.sentences) or _table_groups(grids, trace.sentences)
    if groups is None:
        return None
    finding = unsupported_words(trace.sentences)
    if finding is not None:
        raise refuse(finding[0], finding[1])
    labels = label_nouns(tokens)
    for number, sentence in enumerate(trace.sentences):
        trace.clauses += clauses_of(sentence, number, labels)[0]
    goals = find_goals(trace.clauses)
    trace.goals = goals
    lemmas = {token.lemma for token in tokens} | {token.low for token in tokens}
    assignment = bool(lemmas & {"assign", "assigned", "assignment", "assigns", "assigning"})
    reader = NetworkReader(groups, assignment)
    asking = {trace.clauses[number].sentence for number in goals.clauses}
    for grid in grids:
        _place(grid, reader)
    for number, sentence in enumerate(trace.sentences):
        reader.sentence(sentence, number in asking)
    network = reader.network
    _take_goal(network, goals, trace.clauses)
    _check(network)
    trace.facts = network
    return network, trace


# -- tables -----------------------------------------------------------------------------------


def _table_groups(grids: Sequence[Grid], read: Sequence[Sentence]) -> tuple[Group, Group] | None:
    """Rows and columns of a table that has both a supply column and a demand row."""
    words = {token.lemma for sentence in read for token in sentence.tokens}
    if not words & {"ship", "send", "transport", "deliver", "shipment", "route", "haul"}:
        return None
    for grid in grids:
        heads = [head_of(cell) for cell in grid.header]
        labels = [head_of(row[0]) for row in grid.rows]
        ends = {"<=": SUPPLY_WORDS, ">=": DEMAND_WORDS}
        columns = [h for h in heads[1:] if not h.bound]
        rows = [h for h in labels if not h.bound]
        right = [h for h in heads[1:] if h.bound]
        below = [h for h in labels if h.bound]
        if len(right) != 1 or len(below) != 1 or len(columns) < 1 or len(rows) < 1:
            continue
        sides = [set(h.lemmas) & ends[h.bound] for h in (right[0], below[0])]
        if not all(sides) or right[0].bound == below[0].bound:
            continue
        corner = [word for word in heads[0].lemmas if word not in _CORNER_NOUNS]
        noun = corner[0] if corner else ""
        by_rows = Group(noun, tuple(map(_name, rows)), (grid.start, grid.end))
        by_columns = Group("", tuple(map(_name, columns)), (grid.start, grid.end))
        return (by_rows, by_columns) if right[0].bound == "<=" else (by_columns, by_rows)
    return None


def _name(head: Head) -> Name:
    return Name(head.text, head.lemmas)


def _place(grid: Grid, reader: NetworkReader) -> None:
    """Read a table of pairs, or of the supplies or needs of one group.

    Raises:
        Unreadable: a row or column is no known site and no supply or need, or a cell is empty.
    """
    groups = reader.network.groups
    heads = [head_of(cell) for cell in grid.header]
    labels = [head_of(row[0]) for row in grid.rows]
    row_group = _group_of([h for h in labels if not h.bound], groups)
    if row_group is None:
        raise refuse(
            "the rows of this table are not the sites that are listed", row_span(grid.header)
        )
    other = 1 - row_group
    columns = [(n, h) for n, h in enumerate(heads) if n and not h.bound]
    if columns and _group_of([h for _, h in columns], groups) != other:
        raise refuse(
            "the columns of this table are not the sites that are listed", row_span(grid.header)
        )
    reader.network.heads.append(row_span(grid.header))
    unit = heads[0].unit
    for row, label in zip(grid.rows, labels, strict=True):
        for number, head in enumerate(heads):
            if not number:
                continue
            cell = row[number]
            span = row_span(row)
            if label.bound and head.bound:
                if not cell.blank and cell.value is None:
                    raise refuse("cannot read this cell", (cell.start, cell.end))
                continue
            value = _value(cell)
            if label.bound or head.bound:
                bound = label if label.bound else head
                group = other if label.bound else row_group
                site = head if label.bound else label
                _bound(reader, bound, group, groups[group].find(site.lemmas), value, span)
            else:
                sites = {row_group: label, other: head}
                pair = (_index(groups[0], sites[0]), _index(groups[1], sites[1]))
                reader.network.cells[pair] = (value, span)
                if cell.text[:1] in "$€£":
                    reader.set_kind("cost", span)
    if unit:
        reader.set_kind(unit, row_span(grid.header))


def _index(group: Group, head: Head) -> int:
    index = group.find(head.lemmas)
    assert index is not None
    return index


def _value(cell: Cell) -> float:
    value = cell.value
    if value is None or "%" in cell.text:
        raise refuse("this cell of the table holds no number", (cell.start, cell.end))
    return float(value)


def _group_of(heads: Sequence[Head], groups: Sequence[Group]) -> int | None:
    for number, group in enumerate(groups):
        found = [group.find(head.lemmas) for head in heads]
        if heads and None not in found and len(set(found)) == len(found):
            return number
    return None


def _bound(
    reader: NetworkReader, bound: Head, group: int, index: int | None, value: float, span: Span
) -> None:
    if index is None or (bound.bound == "<=") != (group == 0):
        raise refuse("cannot tell whether this is a supply or a need", span)
    sense = AT_MOST if bound.bound == "<=" else AT_LEAST
    reader.network.limits.append(SiteLimit(group, index, sense, value, span))


# -- goal and completeness --------------------------------------------------------------------


def _take_goal(network: Network, goals: Goals, clauses: Sequence[Clause]) -> None:
    asking = [goal for goal in goals.weak if goal.clause in goals.questions]
    found = goals.goals or asking or goals.weak
    if not found:
        raise refuse(
            "the statement does not say what to maximize or minimize",
            (clauses[0].start, clauses[-1].end),
        )
    if len({goal.sense for goal in found}) > 1:
        raise refuse("a second goal differs from the first", found[1].span)
    for goal in found:
        _match_goal(network, goal)
    network.sense, network.goal = found[0].sense, found[0].span


def _match_goal(network: Network, goal: GoalWords) -> None:
    nouns = clean(goal.nouns)
    kind = money_kind(goal.nouns)
    if not kind and goal.nouns & {"cheapest", "cheaper", "spend"}:
        kind = "cost"
    if nouns & _TIMES:
        kind = "time"
    if nouns & _DISTANCES:
        kind = "distance"
    if network.kind and network.kind in nouns:
        kind = network.kind
    if not kind and not network.kind and len(nouns) == 1:
        (kind,) = nouns
    if not kind or (network.kind and kind != network.kind):
        raise refuse("the goal is not about the numbers between the sites", goal.span)
    network.kind = kind


def _check(network: Network) -> None:
    """Every pair has its number and every site its row."""
    first, second = network.groups
    for i, source in enumerate(first.names):
        for j, target in enumerate(second.names):
            if (i, j) not in network.cells:
                raise refuse(
                    f"no {network.kind or 'cost'} is stated from {source.text} to {target.text}",
                    first.span,
                    second.span,
                )
    if network.assignment:
        _check_assignment(network)
        return
    for number, group in enumerate(network.groups):
        known = {limit.index for limit in network.limits if limit.group == number}
        for index, name in enumerate(group.names):
            if index not in known:
                what = ("supply", "need")[number]
                raise refuse(f"no {what} is stated for {name.text}", group.span)


def _check_assignment(network: Network) -> None:
    sides = {limit.group for limit in network.limits}
    if not sides:
        raise refuse(
            'say how often each is chosen: "each … does exactly one …"', network.groups[0].span
        )
    counts = [len(group.names) for group in network.groups]
    if len(sides) == 1:
        (side,) = sides
        bound = all(limit.sense == EXACTLY and limit.value == 1 for limit in network.limits)
        if not bound or counts[0] != counts[1]:
            other = network.groups[1 - side]
            raise refuse(
                f"say how often each {other.noun} is chosen: at most, at least or exactly once",
                other.span,
            )
        network.one_each = True
