"""What each index position of each family runs over, from how the statement uses it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Bound, Const, Idx, Key, Loop, Ref, Sigma
from orkernel_offline.written.data import Data, Datum
from orkernel_offline.written.facts import Facts
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import Atom, Member
from orkernel_offline.written.shifts import allowed, shifted

Position = tuple[Key, int]


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a family.

    Attributes:
        ref: Where it stands.
        loops: All generators in force there.
        conditions: All conditions in force there.
    """

    ref: Ref
    loops: tuple[Loop, ...]
    conditions: tuple[Node, ...]


@dataclass(slots=True)
class Families:
    """Index sets of every family.

    Attributes:
        uses: Occurrences of each family.
        index: Names of the index sets of each family; a set of tuples takes several positions.
    """

    uses: dict[Key, list[Use]] = field(default_factory=dict)
    index: dict[Key, tuple[str, ...]] = field(default_factory=dict)


def uses_of(bounds: Iterable[Bound]) -> dict[Key, list[Use]]:
    """Every occurrence of every family in `bounds`."""
    found: dict[Key, list[Use]] = {}
    for bound in bounds:
        stack: list[tuple[Node, tuple[Loop, ...], tuple[Node, ...]]] = [
            (part, bound.loops, bound.conditions) for part in (bound.body, *bound.conditions)
        ]
        while stack:
            node, loops, conditions = stack.pop()
            if isinstance(node, Ref):
                found.setdefault(node.key, []).append(Use(node, loops, conditions))
            if isinstance(node, Sigma):
                loops = (*loops, *node.loops)
                conditions = (*conditions, *node.conditions)
            stack.extend((child, loops, conditions) for child in n.children(node))
    for several in found.values():
        several.sort(key=lambda u: u.ref.start)
    return found


class Inference:
    """Finds the index set of every position and binding."""

    def __init__(self, facts: Facts, binder: Binder, data: Data, bounds: list[Bound]) -> None:
        self.facts = facts
        self.binder = binder
        self.table = facts.table
        self.data = data
        self.families = Families(uses_of(bounds))
        self._known: dict[Position, str] = {}
        self._tuple_domain = {
            binding: (loop.domain, loop.bindings)
            for bound in bounds
            for loop in _all_loops(bound)
            if len(loop.bindings) > 1
            for binding in loop.bindings
        }

    def run(self) -> Families:
        """Infer all sets.

        Raises:
            Unreadable: A position's set is not given, or its uses disagree.
        """
        tupled = self._tuple_families()
        self._fill_pending()
        self._bindings_by_letter()
        for _ in range(3):
            self._moving_domains()
            self._positions(tupled)
            self._bindings_by_position()
        for key, uses in self.families.uses.items():
            if key in tupled:
                self.families.index[key] = (tupled[key],)
            elif key[1]:
                self.families.index[key] = tuple(
                    self._required(key, k, uses[0]) for k in range(key[1])
                )
            else:
                self.families.index[key] = ()
        self._check_shifts(tupled)
        self._check_moving()
        return self.families

    # -- bindings -------------------------------------------------------------------------

    def _bindings_by_letter(self) -> None:
        common: dict[str, str | None] = {}
        for letter, domains in self.facts.letter_domains.items():
            common[letter] = self._widest(letter, domains)
        for number, binding in enumerate(self.binder.bindings):
            if binding.domain is None and number not in self._tuple_domain:
                binding.domain = common.get(binding.letter)

    def _widest(self, letter: str, domains: list[Node]) -> str | None:
        names: set[str] = set()
        for domain in domains:
            inside = {p.name for p in n.walk(domain) if isinstance(p, n.Sym)}
            if inside & self.facts.names.letters:
                continue
            name = self._name_of(domain, letter)
            if name is None:
                return None
            names.add(name)
        return self._cover(sorted(names), set())

    def _name_of(self, domain: Node, letter: str) -> str | None:
        while isinstance(domain, n.SetMinus):
            domain = domain.left
        if isinstance(domain, n.Sym):
            return domain.name if domain.name in self.table.sets else None
        if isinstance(domain, n.NumberSet):
            return None
        return self.table.anonymous(domain, letter).name

    def _bindings_by_position(self) -> None:
        for key, uses in self.families.uses.items():
            for use in uses:
                for k, index in enumerate(use.ref.indices):
                    if isinstance(index, Idx) and (key, k) in self._known:
                        binding = self.binder.bindings[index.binding]
                        if binding.domain is None and index.binding not in self._tuple_domain:
                            binding.domain = self._known[key, k]

    def _moving_domains(self) -> None:
        """`\\sum_{s=1}^{t}`: s runs over the set of t, as far as the range says."""
        for moving in self.binder.moving:
            binding = self.binder.bindings[moving.binding]
            if binding.domain is not None:
                continue
            ends = [p for end in (moving.lo, moving.hi) for p in n.walk(end) if isinstance(p, Idx)]
            names = {self.binder.bindings[e.binding].domain for e in ends}
            if len(names) == 1:
                binding.domain = names.pop()

    def _check_moving(self) -> None:
        """No part of a moving range may fall outside the set that it runs over."""
        for moving in self.binder.moving:
            domain = self.binder.bindings[moving.binding].domain
            members = self.table.sets[domain].members if domain else None
            ends = [p for end in (moving.lo, moving.hi) for p in n.walk(end) if isinstance(p, Idx)]
            if members is None or not ends:
                continue
            inside = set(members)
            outer = self.binder.bindings[ends[0].binding].domain
            if outer is None or len({e.binding for e in ends}) > 1:
                raise Unreadable("this moving range is not understood",
                                 ((moving.start, moving.end),))  # fmt: skip
            for member in self.table.sets[outer].members or ():
                if not isinstance(member, int):
                    raise Unreadable("this range needs whole numbers",
                                     ((moving.start, moving.end),))  # fmt: skip
                lo, hi = shifted(moving.lo, member), shifted(moving.hi, member)
                if lo is None or hi is None or (lo <= hi and not {lo, hi} <= inside):
                    raise Unreadable(
                        f"this range leaves its index set (from {lo} to {hi})",
                        ((moving.start, moving.end),),
                    )

    # -- positions ------------------------------------------------------------------------

    def _tuple_families(self) -> dict[Key, str]:
        """Families that every use indexes by one set of tuples."""
        found: dict[Key, str] = {}
        for key, uses in self.families.uses.items():
            names: set[str | None] = set()
            for use in uses:
                numbers = {i.binding for i in use.ref.indices if isinstance(i, Idx)}
                plain = all(isinstance(i, Idx | Const) for i in use.ref.indices)
                if plain and numbers and key[1] > 1:
                    domain, bindings = self._tuple_domain.get(min(numbers), (None, ()))
                    inside = numbers <= set(bindings) and len(bindings) == key[1]
                    names.add(domain if inside else None)
                elif not plain or key[1] < 2:
                    names.add(None)
            if len(names) == 1 and (name := names.pop()) is not None:
                found[key] = name
        return found

    def _fill_pending(self) -> None:
        """Give members to sets that the statement names but does not list, from data."""
        for key, datum in self.data.by_key.items():
            if datum.file or (datum.dense is None and not datum.entries):
                continue
            for k in range(key[1]):
                for name in self._candidates(key, k, datum):
                    pending = self.table.sets[name]
                    if pending.members is None and pending.file is None:
                        pending.members = datum.axis(k)
                        pending.spans.extend(datum.spans)

    def _candidates(self, key: Key, k: int, datum: Datum | None) -> list[str]:
        names: dict[str, None] = {}
        for use in self.families.uses.get(key, ()):
            index = use.ref.indices[k]
            if isinstance(index, Idx):
                domain = self.binder.bindings[index.binding].domain
                if domain is not None:
                    names[domain] = None
        letter = datum.letters[k] if datum and k < len(datum.letters) else None
        if letter and letter in self.facts.letter_domains:
            widest = self._widest(letter, self.facts.letter_domains[letter])
            if widest is not None:
                names[widest] = None
        return list(names)

    def _positions(self, tupled: dict[Key, str]) -> None:
        for key in self.families.uses:
            for k in range(key[1]):
                if (key, k) in self._known or key in tupled:
                    continue
                name = self._position(key, k)
                if name is not None:
                    self._known[key, k] = name

    def _position(self, key: Key, k: int) -> str | None:
        datum = self.data.by_key.get(key)
        names = self._candidates(key, k, datum)
        fixed: set[Atom] = {
            use.ref.indices[k].member  # type: ignore[attr-defined]
            for use in self.families.uses[key]
            if isinstance(use.ref.indices[k], Const)
        }
        if datum is not None and datum.entries and names:
            fixed |= set(datum.axis(k)) - self._members(names)
        if names:
            found = self._cover(names, fixed)
            if found is None:
                spans = tuple((u.ref.start, u.ref.end) for u in self.families.uses[key][:6])
                raise Unreadable(
                    f"index {k + 1} of {key[0]} runs over {', '.join(names)}"
                    + (f" and {', '.join(map(str, sorted(map(str, fixed))))}" if fixed else "")
                    + ", which no one set covers",
                    spans,
                )
            return found
        if datum is not None and not datum.file and datum.axis(k):
            letter = self._letter_at(key, k, datum)
            return self.table.of_members(letter, datum.axis(k), datum.spans[0]).name
        return None

    def _members(self, names: list[str]) -> set[Member]:
        return {m for name in names for m in self.table.sets[name].members or ()}

    def _letter_at(self, key: Key, k: int, datum: Datum) -> str:
        if k < len(datum.letters) and (letter := datum.letters[k]):
            return letter
        for use in self.families.uses.get(key, ()):
            index = use.ref.indices[k]
            if isinstance(index, Idx):
                return self.binder.bindings[index.binding].letter
        return "ijkl"[k] if k < 4 else f"i{k}"

    def _cover(self, names: list[str], fixed: set[Atom]) -> str | None:
        """The one set that contains the others and `fixed`; extended by neighbours of a range."""
        if not names:
            return None
        sets = [self.table.sets[x] for x in names]
        if any(s.members is None for s in sets):
            return names[0] if len(names) == 1 else None
        widest = max(sets, key=lambda s: len(s.members or ()))
        inside = set(widest.members or ())
        needed: set[Member] = {m for s in sets for m in s.members or ()} | set(fixed)
        if needed <= inside:
            return widest.name
        whole = [m for m in needed if isinstance(m, int)]
        if len(whole) != len(needed):
            return None
        lo, hi = min(whole), max(whole)
        known = {m for s in sets for m in s.members or ()}
        adjacent = all(m - 1 in known or m + 1 in known for m in whole if m not in known)
        if not adjacent or needed != set(range(lo, hi + 1)):
            return None
        letter = widest.description or widest.name
        extended = self.table.of_members(
            f"{letter.upper()}_all", tuple(range(lo, hi + 1)), widest.spans[0]
        )
        return extended.name

    def _required(self, key: Key, k: int, use: Use) -> str:
        name = self._known.get((key, k))
        if name is None:
            index = use.ref.indices[k]
            raise Unreadable(
                f"it is not said what index {k + 1} of {key[0]} runs over",
                ((index.start, index.end), (use.ref.start, use.ref.end)),
            )
        return name

    # -- shifted indices --------------------------------------------------------------------

    def _check_shifts(self, tupled: dict[Key, str]) -> None:
        for key, uses in self.families.uses.items():
            if key in tupled:
                continue
            for use in uses:
                for k, index in enumerate(use.ref.indices):
                    if isinstance(index, n.Bin):
                        self._check_shift(key, k, index, use)

    def _check_shift(self, key: Key, k: int, index: n.Bin, use: Use) -> None:
        members = self.table.sets[self.families.index[key][k]].members
        inner = [p for p in n.walk(index) if isinstance(p, Idx)]
        if len(inner) != 1 or members is None:
            return
        domain = self.binder.bindings[inner[0].binding].domain
        running = self.table.sets[domain].members if domain else None
        inside = set(members)
        for member in running or ():
            if not isinstance(member, int):
                raise Unreadable(
                    "a neighbour such as t-1 needs an index over whole numbers",
                    ((index.start, index.end),),
                )
            if not allowed(member, inner[0].binding, use.conditions):
                continue
            reached = shifted(index, member)
            if reached is not None and reached not in inside:
                raise Unreadable(
                    f"{key[0]} is used for {reached} (from {member}) but is not given there; "
                    "give its value or exclude this case",
                    ((use.ref.start, use.ref.end),),
                )


def _all_loops(bound: Bound) -> Iterable[Loop]:
    yield from bound.loops
    for node in n.walk(bound.body):
        if isinstance(node, Sigma):
            yield from node.loops
