"""Write a model down as a formulation, in one or several readings."""

from __future__ import annotations

import keyword
import re
from functools import cached_property
from typing import Any

from orkernel.algebra.functions import RESERVED
from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Bound, Idx, Key, Ref, SetName, Sigma
from orkernel_offline.written.choices import Choice, OpenQuestions
from orkernel_offline.written.data import Datum, nested
from orkernel_offline.written.identifiers import ascii_name, slug, unique
from orkernel_offline.written.model import Model
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.printer import Printer
from orkernel_offline.written.roles import Variable
from orkernel_offline.written.sets import Atom, IndexSet, consecutive

Span = tuple[int, int]
MAX_QUOTE = 20_000


class Assembler(OpenQuestions):
    """Writes one model."""

    def __init__(self, model: Model, statement: str) -> None:
        super().__init__(model, _identify(model))
        self.statement = statement
        self.sets = self._identify_sets()
        taken = {*self.identifiers.values(), *self.sets.values()}
        self.printer = Printer(model.binder, self.identifiers, self.sets, taken)

    def write(self, choice: Choice) -> dict[str, Any]:
        """The formulation under one choice.

        Raises:
            Unreadable: Something cannot be written in the project's algebra.
        """
        constraints = self._constraints(choice)
        objectives = self._objectives()
        parameters = self._parameters()
        variables = [self._variable(v, choice) for v in self._ordered_variables()]
        return {
            "schema_version": 1,
            "statement": self.statement,
            "sets": self._set_dicts(),
            "parameters": parameters,
            "variables": variables,
            "objectives": objectives,
            "constraints": constraints,
            "assumptions": self._assumptions(choice),
        }

    # -- names ----------------------------------------------------------------------------

    def _identify_sets(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for name in self.model.facts.table.sets:
            wanted = ascii_name(name)
            if keyword.iskeyword(wanted) or wanted in RESERVED:
                wanted = f"{wanted}_"
            while wanted in names.values():
                wanted = f"{wanted}_"
            names[name] = wanted
        return names

    # -- sets -----------------------------------------------------------------------------

    def _used_sets(self) -> list[IndexSet]:
        model = self.model
        names: dict[str, None] = {}
        for key in [*model.data.by_key, *model.formulas, *model.variables]:
            for name in model.families.index.get(key, ()):
                if self._is_used(key):
                    names[name] = None
        for bound in self._bounds():
            for loop in bound.loops:
                self._note(names, loop.domain, loop.bindings)
            for root in (bound.body, *bound.conditions):
                for part in n.walk(root):
                    if isinstance(part, Sigma):
                        for loop in part.loops:
                            self._note(names, loop.domain, loop.bindings)
                    elif isinstance(part, SetName):
                        names[part.name] = None
        return [s for name, s in model.facts.table.sets.items() if name in names]

    def _note(self, names: dict[str, None], domain: str | None, bindings: tuple[int, ...]) -> None:
        found = domain or self.model.binder.bindings[bindings[0]].domain
        if found is not None:
            names[found] = None

    def _bounds(self) -> list[Bound]:
        model = self.model
        return [*model.objectives, *model.constraints, *model.formulas.values()]

    def _set_dicts(self) -> list[dict[str, Any]]:
        return [self._set(s) for s in self._used_sets()]

    def _set(self, index_set: IndexSet) -> dict[str, Any]:
        out: dict[str, Any] = {"name": self.sets[index_set.name]}
        if index_set.file is not None:
            out["table"] = {"file": index_set.file[0], "index": list(index_set.file[1])}
        elif index_set.members is None:
            raise Unreadable(
                f"the members of the set {index_set.name} are not given; list them, "
                f"for example {index_set.name} = {{1, ..., 5}}",
                (self.model.facts.domain_names.get(index_set.name, (0, 0)),),
            )
        else:
            ends = consecutive(index_set.members)
            if ends is not None and ends[0] < ends[1]:
                out["range"] = list(ends)
            else:
                out["members"] = [list(m) if isinstance(m, tuple) else m for m in index_set.members]
        spans = [*index_set.spans, *self._sizes(index_set)]
        out["sources"] = self._sources(spans)
        return out

    def _sizes(self, index_set: IndexSet) -> list[Span]:
        """Where the numbers that size a range are given, as in `n = 5`."""
        spans: list[Span] = []
        for start, end in index_set.spans:
            for name, clause in self.model.facts.scalar_clauses.items():
                if re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])",
                             self.statement[start:end]):  # fmt: skip
                    spans.append((clause.start, clause.end))
        return spans

    # -- parameters -----------------------------------------------------------------------

    def _is_used(self, key: Key) -> bool:
        return key in self._used_keys

    @cached_property
    def _used_keys(self) -> frozenset[Key]:
        return frozenset(
            p.key
            for b in self._bounds()
            for root in (b.body, *b.conditions)
            for p in n.walk(root)
            if isinstance(p, Ref)
        )

    def _parameters(self) -> list[dict[str, Any]]:
        out = [
            self._parameter(key, datum)
            for key, datum in self.model.data.by_key.items()
            if self._is_used(key)
        ]
        out += [self._formula(key, bound) for key, bound in self.model.formulas.items()]
        return out

    def _parameter(self, key: Key, datum: Datum) -> dict[str, Any]:
        out: dict[str, Any] = {"name": self.identifiers[key]}
        index = self.model.families.index.get(key, ())
        if index:
            out["index"] = [self.sets[i] for i in index]
        if datum.file is not None:
            file, columns, value = datum.file
            out["table"] = {"file": file, "index": list(columns), "value": value}
        else:
            self._values(out, key, datum, index)
        self._describe(out, key, datum.spans)
        return out

    def _values(self, out: dict[str, Any], key: Key, datum: Datum, index: tuple[str, ...]) -> None:
        sets = [self.model.facts.table.sets[i] for i in index]
        if datum.default is not None:
            out["default"] = datum.default
            if not datum.entries and index:
                return
        if any(s.file is not None for s in sets):
            raise Unreadable(
                f"{key[0]} is listed here but its index set stands in a file; "
                "put its values into a file as well",
                tuple(datum.spans),
            )
        if len(index) == 1 and key[1] > 1:
            out["value"] = self._by_tuple(key, datum, sets[0])
            return
        axes: list[tuple[Atom, ...]] = [
            tuple(m for m in s.members or () if not isinstance(m, tuple)) for s in sets
        ]
        out["value"] = nested(datum, axes) if index else datum.entries.get((), datum.default)
        if datum.default is not None and not index:
            out.pop("default")

    def _by_tuple(self, key: Key, datum: Datum, tuples: IndexSet) -> dict[str, Any]:
        value: dict[str, Any] = {}
        entries = dict(datum.entries)
        if datum.dense is not None:
            members = tuples.members or ()
            if len(datum.dense) != len(members):
                raise Unreadable(f"{key[0]} and {tuples.name} differ in length",
                                 tuple(datum.spans))  # fmt: skip
        for member in tuples.members or ():
            if member not in entries and datum.default is None:
                raise Unreadable(f"{key[0]}{list(member) if isinstance(member, tuple) else member}"
                                 " has no value", tuple(datum.spans))  # fmt: skip
        for member, number in entries.items():
            level = value
            for part in member[:-1]:
                level = level.setdefault(str(part), {})
            level[str(member[-1])] = number
        return value

    def _formula(self, key: Key, bound: Bound) -> dict[str, Any]:
        assert isinstance(bound.body, n.Compare)
        out: dict[str, Any] = {"name": self.identifiers[key]}
        index = self.model.families.index.get(key, ())
        if index:
            out["index"] = [self.sets[i] for i in index]
            head = bound.body.heads[0]
            assert isinstance(head, Ref)
            order = [i.binding for i in head.indices if isinstance(i, Idx)]
            loops = sorted(bound.loops, key=lambda x: order.index(x.bindings[0]))
            out["for_each"] = self.printer.generators(tuple(loops), ())
        out["expression"] = self.printer.expression(bound.body.operands[0])
        self._describe(out, key, [(bound.start, bound.end)])
        return out

    # -- variables ------------------------------------------------------------------------

    def _variable(self, variable: Variable, choice: Choice) -> dict[str, Any]:
        key = variable.key
        out: dict[str, Any] = {"name": self.identifiers[key]}
        index = self.model.families.index.get(key, ())
        if index:
            out["index"] = [self.sets[i] for i in index]
        domain = variable.domain
        if choice.whole and self._may_be_whole(variable):
            domain = "integer"
        out["domain"] = domain
        if domain != "binary":
            lower = variable.lower
            if not variable.signed:
                open_sign = key not in self._derived
                lower = 0 if (choice.nonnegative and open_sign) or key in self._floored else None
            elif variable.strict and domain == "integer" and lower == 0:
                lower = 1
            out["lower"] = lower
            if variable.upper is not None:
                out["upper"] = variable.upper
        spans = list(variable.spans)
        if not spans and key not in self.model.descriptions:
            use = self.model.families.uses[key][0].ref
            spans.append(self._clause_span(use))
        self._describe(out, key, spans)
        return out

    def _clause_span(self, use: Node) -> Span:
        for bound in self._bounds():
            if bound.start <= use.start and use.end <= bound.end:
                return bound.start, bound.end
        return use.start, use.end

    # -- objectives and constraints -----------------------------------------------------------

    def _objectives(self) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        used: set[str] = set()
        for bound in self.model.objectives:
            if bound.loops or bound.implied:
                raise Unreadable("an index of this objective is not bound",
                                 ((bound.start, bound.end),))  # fmt: skip
            name = unique(slug(bound.clause.label) or "objective", used)
            out.append({
                "name": name,
                "sense": bound.clause.sense,
                "expression": self.printer.expression(bound.body),
                "sources": self._sources([(bound.start, bound.end)]),
            })  # fmt: skip
        return out

    def _constraints(self, choice: Choice) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        used: set[str] = set()
        for number, bound in enumerate(self.model.constraints, start=1):
            body = bound.body
            assert isinstance(body, n.Compare)
            base = slug(bound.clause.label) or f"constraint_{number}"
            for head in body.heads:
                entry: dict[str, Any] = {"name": unique(base, used)}
                if bound.loops:
                    entry["for_each"] = self.printer.generators(bound.loops, bound.conditions)
                entry["expression"] = self.printer.relation(body, head, choice.strict)
                entry["sources"] = self._sources([(bound.start, bound.end)])
                out.append(entry)
        return out

    # -- sources --------------------------------------------------------------------------

    def _describe(self, out: dict[str, Any], key: Key, spans: list[Span]) -> None:
        text, span = self.model.descriptions.get(key, ("", (0, 0)))
        text = re.sub(r"^(?:is|are|be|denotes?|represents?|means?|the)\s+", "", text)
        text = re.sub(r"^the\s+", "", text)
        if text and ".csv" not in text:
            out["description"] = text[:500]
            spans = [*spans, span]
        out["sources"] = self._sources(spans)

    def _sources(self, spans: list[Span]) -> list[dict[str, str]]:
        quotes: dict[str, None] = {}
        for start, end in spans:
            quote = self.statement[start:end][:MAX_QUOTE].strip()
            if quote:
                quotes[quote] = None
        return [{"quote": q} for q in quotes]


def _identify(model: Model) -> dict[Key, str]:
    names: dict[Key, str] = {}
    used = {ascii_name(x) for x in model.facts.table.sets}
    keys = sorted(model.families.uses, key=lambda k: (k[0], k[1]))
    for key in keys:
        wanted = ascii_name(key[0])
        if keyword.iskeyword(wanted) or wanted in RESERVED:
            wanted = f"{wanted}_"
        candidate, number = wanted, 1
        while candidate in used:
            suffix = f"_{'ijklmnpqr'[: key[1]]}" if key[1] else "_value"
            candidate = f"{wanted}{suffix}{number if number > 1 else ''}"
            number += 1
        used.add(candidate)
        names[key] = candidate
    return names
