"""Scope: what the names of a formulation stand for, once bound to data."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orkernel.algebra.forms import VariableBlock
from orkernel.algebra.functions import FUNCTIONS, Kind
from orkernel.algebra.members import BoundSet, Universe
from orkernel.algebra.nodes import Call, Name, Node, Subscript
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from orkernel.algebra.sampling import RandomParameter


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter with its values.

    Attributes:
        index: Its index sets; a set of n-tuples counts once.
        values: Shape: number of members per set; `()` for a scalar.
    """

    name: str
    index: tuple[BoundSet, ...]
    values: NDArray[np.float64]


@dataclass(slots=True, eq=False)
class Scope:
    """The named things that expressions may refer to.

    Attributes:
        resolve: Asked for a name that is not there yet; binding sets it, to bind on demand.
    """

    universe: Universe = field(default_factory=Universe)
    sets: dict[str, BoundSet] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    random: dict[str, RandomParameter] = field(default_factory=dict)
    variables: dict[str, VariableBlock] = field(default_factory=dict)
    resolve: Callable[[str], None] | None = None

    def require(self, name: str) -> None:
        """Have a name bound if binding is under way and it is not bound yet."""
        if self.resolve is not None:
            self.resolve(name)

    def kind(self, name: str) -> str:
        """`set`, `parameter`, `random parameter`, `variable`, or empty for an unknown name."""
        self.require(name)
        for kind, things in (
            ("set", self.sets),
            ("parameter", self.parameters),
            ("random parameter", self.random),
            ("variable", self.variables),
        ):
            if name in things:
                return kind
        return ""

    def index_of(self, name: str) -> tuple[BoundSet, ...]:
        """Index sets of a parameter or variable."""
        if name in self.parameters:
            return self.parameters[name].index
        if name in self.random:
            return self.random[name].index
        return self.variables[name].index  # type: ignore[return-value]

    def unknown(self, node: Node, name: str, indices: Collection[str] = ()) -> ExpressionError:
        """The error for a name that nothing has."""
        known = [*self.sets, *self.parameters, *self.random, *self.variables, *indices]
        close = difflib.get_close_matches(name, known, n=1)
        if close:
            fix = f"did you mean '{close[0]}'?"
        elif indices:
            fix = f"indices here: {', '.join(indices)}"
        else:
            fix = "define it, or name it as an index in for_each"
        return ExpressionError(f"'{name}' is not defined", span=node.span, fix=fix)


@contextmanager
def place(element: str, text: str) -> Iterator[None]:
    """Name the element and the text in every expression error that leaves the block."""
    try:
        yield
    except ExpressionError as error:
        if not error.element:
            error.element, error.text = element, text
        raise


_NOT_PLAIN = frozenset(
    f.name
    for f in FUNCTIONS.values()
    if f.kind in (Kind.GLOBAL, Kind.RANDOM) or f.name == "interval"
)


def dependent_nodes(node: Node, variables: Mapping[str, object]) -> frozenset[int]:
    """`id` of each node whose value is more than data.

    That is: it contains a variable, or a function whose value the data alone does not give
    (a global constraint, an expectation).
    """
    found: set[int] = set()
    for part in reversed(list(node.walk())):
        if (
            (isinstance(part, Name) and part.id in variables)
            or (isinstance(part, Subscript) and part.base in variables)
            or (isinstance(part, Call) and part.function in _NOT_PLAIN)
            or any(id(child) in found for child in part.children())
        ):
            found.add(id(part))
    return frozenset(found)
