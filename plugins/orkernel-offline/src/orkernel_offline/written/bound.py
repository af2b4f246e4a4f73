"""The syntax tree once its symbols and index letters are bound."""

from __future__ import annotations

from dataclasses import dataclass, field

from orkernel_offline.written import values
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.sets import Atom

Key = tuple[str, int]
"""A family of symbols: its name and how many indices it takes."""


@dataclass(frozen=True, slots=True)
class Ref(Node):
    """A parameter or variable with its indices."""

    name: str
    indices: tuple[Node, ...] = ()

    @property
    def key(self) -> Key:
        """The family that this belongs to."""
        return self.name, len(self.indices)


@dataclass(frozen=True, slots=True)
class Idx(Node):
    """A bound index, by the number of its binding."""

    binding: int


@dataclass(frozen=True, slots=True)
class Const(Node):
    """A fixed member of an index set."""

    member: Atom


@dataclass(frozen=True, slots=True)
class SetName(Node):
    """A named set in a condition."""

    name: str


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """A generator: the bindings it makes and the set they run over (None: to be inferred)."""

    bindings: tuple[int, ...]
    domain: str | None


@dataclass(frozen=True, slots=True)
class Sigma(Node):
    """A resolved `Reduce`."""

    func: str
    loops: tuple[Loop, ...]
    conditions: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Moving(Node):
    """A range whose ends depend on other indices, as in `\\sum_{s=1}^{t}`."""

    binding: int
    lo: Node
    hi: Node


@dataclass(frozen=True, slots=True)
class Bound(Node):
    """A clause with its indices bound.

    Attributes:
        clause: What was read.
        body: The clause's body over `Ref` and `Idx`.
        loops: Generators of its quantifiers.
        conditions: Conditions of its quantifiers.
        implied: Whether a letter had no quantifier and is taken to run over its whole set.
    """

    clause: Clause
    body: Node
    loops: tuple[Loop, ...]
    conditions: tuple[Node, ...]
    implied: tuple[str, ...] = ()


@dataclass(slots=True)
class Binding:
    """An index letter in one scope."""

    letter: str
    domain: str | None
    span: tuple[int, int]


@dataclass(slots=True)
class Names:
    """What is known of the statement's names before its clauses are bound.

    Attributes:
        letters: Index letters.
        lettered: Names that carry a letter, or data with several entries, and their arity.
        scalars: Names with a single numeric value.
        superscripted: Names that carry a letter as superscript, with how many subscripts.
    """

    letters: set[str]
    lettered: dict[str, int]
    scalars: dict[str, values.Number] = field(default_factory=dict)
    superscripted: dict[str, int] = field(default_factory=dict)
