"""What a statement leaves open: signs, strictness, whole numbers; and what is then assumed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Key, Ref
from orkernel_offline.written.identifiers import slug, unique
from orkernel_offline.written.model import Model
from orkernel_offline.written.roles import Variable
from orkernel_offline.written.values import constant


@dataclass(frozen=True, slots=True)
class Choice:
    """How to settle what a statement leaves open.

    Attributes:
        strict: Keep `<` strict; otherwise it is read as `<=`.
        nonnegative: Variables of which no sign is said are at least 0.
        whole: Counted variables of which no domain is said are integers.
    """

    strict: bool = True
    nonnegative: bool = False
    whole: bool = False


class OpenQuestions:
    """The open questions of one model, and the readings that settle them."""

    def __init__(self, model: Model, identifiers: dict[Key, str]) -> None:
        self.model = model
        self.identifiers = identifiers

    @cached_property
    def _floored(self) -> frozenset[Key]:
        """Scalars that a constraint keeps at or above a number that is not negative."""
        found: set[Key] = set()
        for bound in self.model.constraints:
            body = bound.body
            if not isinstance(body, n.Compare) or len(body.ops) != 1:
                continue
            value = constant(body.operands[0])
            if value is None or value < 0 or body.ops[0] not in (">=", ">", "="):
                continue
            found |= {h.key for h in body.heads if isinstance(h, Ref) and not h.indices}
        return frozenset(found)

    @cached_property
    def _derived(self) -> frozenset[Key]:
        """Scalars that an equation such as `profit = 3x + 5y` defines."""
        found: set[Key] = set()
        for bound in self.model.constraints:
            body = bound.body
            if isinstance(body, n.Compare) and body.ops == ("=",) and len(body.heads) == 1:
                head = body.heads[0]
                if isinstance(head, Ref) and not head.indices:
                    found.add(head.key)
        return frozenset(found)

    def _unsigned(self) -> list[Variable]:
        """Variables whose sign the statement leaves open."""
        settled = self._floored | self._derived
        return [
            v
            for v in self._ordered_variables()
            if not v.signed and v.domain != "binary" and v.key not in settled
        ]

    def _may_be_whole(self, variable: Variable) -> bool:
        return not variable.stated and bool(
            re.search(r"\b(number|count|how many)\b", self._description(variable.key), re.I)
        )

    def _is_quantity(self, variable: Variable) -> bool:
        return bool(
            re.search(
                r"\b(number|amount|quantity|quantities|units|tons?|tonnes|litres?|liters?|barrels|"
                r"hours|kg|kilograms|pounds|acres|hectares|produced|shipped|bought|sold)\b",
                self._description(variable.key), re.I,
            )
        )  # fmt: skip

    def _description(self, key: Key) -> str:
        return self.model.descriptions.get(key, ("", (0, 0)))[0]

    def _ordered_variables(self) -> list[Variable]:
        first = {k: min(u.ref.start for u in uses) for k, uses in self.model.families.uses.items()}
        return sorted(self.model.variables.values(), key=lambda v: (first[v.key], v.key))

    def _assumptions(self, choice: Choice) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []

        def assume(text: str, affects: list[str]) -> None:
            if affects:
                out.append({"text": text, "affects": affects})

        unsigned = self._unsigned()
        names = [self.identifiers[v.key] for v in unsigned]
        if choice.nonnegative:
            assume("not negative, although the statement gives no sign", names)
        else:
            assume("may be negative, because the statement gives no sign", names)
        assume(
            "a decision variable, because nothing gives it a value",
            sorted(self.identifiers[k] for k in self.model.implicit - self._derived),
        )
        if choice.whole:
            counted = [v for v in self._ordered_variables() if self._may_be_whole(v)]
            assume("whole numbers, because they are counted",
                   [self.identifiers[v.key] for v in counted])  # fmt: skip
        strict = [v for v in self._ordered_variables() if v.strict and v.domain != "integer"]
        assume("'> 0' is read as '>= 0'", [self.identifiers[v.key] for v in strict])
        if not choice.strict:
            assume("'<' is read as '<='", self._strict_names())
        implied = [b for b in self.model.constraints if b.implied]
        if implied:
            letters = sorted({x for b in implied for x in b.implied})
            out.append({
                "text": f"a constraint with no 'for all' holds for every {', '.join(letters)}",
                "affects": [],
            })  # fmt: skip
        by_order = [self.identifiers[k] for k, d in self.model.data.by_key.items()
                    if d.by_order and k in self.identifiers]  # fmt: skip
        assume("the rows of the table stand for 1, 2, ... in their order", by_order)
        return out

    def _strict_names(self) -> list[str]:
        used: set[str] = set()
        names: list[str] = []
        for number, bound in enumerate(self.model.constraints, start=1):
            body = bound.body
            assert isinstance(body, n.Compare)
            base = slug(bound.clause.label) or f"constraint_{number}"
            for _ in body.heads:
                name = unique(base, used)
                if any(op in ("<", ">") for op in body.ops):
                    names.append(name)
        return names

    def choices(self) -> list[tuple[str, Choice]]:
        """The genuine readings, best first."""
        ops = [
            op for b in self.model.constraints if isinstance(b.body, n.Compare) for op in b.body.ops
        ]
        has_strict = any(op in ("<", ">") for op in ops)
        only_strict = has_strict and not any(op in ("<=", ">=") for op in ops)
        unsigned = self._unsigned()
        counted = [v for v in self.model.variables.values() if self._may_be_whole(v)]
        quantities = bool(unsigned) and all(self._is_quantity(v) for v in unsigned)
        first = Choice(strict=not only_strict, nonnegative=quantities)
        out: list[tuple[str, Choice]] = [("as written", first)]
        if has_strict:
            label = "'<' strict" if only_strict else "'<' read as '<='"
            out.append((label, Choice(only_strict, first.nonnegative)))
        if unsigned:
            label = "variables free" if quantities else "variables not negative"
            out.append((label, Choice(first.strict, not quantities)))
        if counted:
            out.append(("counted variables whole", Choice(first.strict, first.nonnegative, True)))
        return out
