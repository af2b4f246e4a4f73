"""Lowered forms of a model: the arrays and graphs that solver agents consume.

Columns are scalar variables, rows are scalar comparisons. Every form of one
model uses the same column order and the same row order. Forms are shared between
agents, so their arrays are read-only: copy what you want to change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from orkernel.formulation.schema import SourceReference

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

Member = str | int | tuple[str | int, ...]


def _protect(form: Any, *names: str) -> None:
    """Make arrays and matrices read-only, so that every agent is asked the same question."""
    for name in names:
        held = getattr(form, name)
        if isinstance(held, np.ndarray):
            object.__setattr__(form, name, _read_only(held))
        elif held is not None:
            held.data, held.indices, held.indptr = map(
                _read_only, (held.data, held.indices, held.indptr)
            )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, slots=True, eq=False)
class IndexSet:
    """An ordered index set bound to its data.

    Attributes:
        name: Name of the set.
        members: In order; tuples for a set of tuples.
        arity: Number of index positions a member takes.
    """

    name: str
    members: tuple[Member, ...]
    arity: int
    position: Mapping[Member, int]

    def __len__(self) -> int:
        return len(self.members)


@dataclass(frozen=True, slots=True, eq=False)
class VariableBlock:
    """A variable's columns: `offset … offset + size`, C order over `index`.

    Attributes:
        index: Its index sets, in order; a set of n-tuples counts once here.
        shape: Number of members per set; `()` for a scalar.
    """

    name: str
    index: tuple[IndexSet, ...]
    shape: tuple[int, ...]
    offset: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """All columns of a model.

    Attributes:
        blocks: One per variable, in formulation order.
        lower: Shape `(n,)`, −inf where free.
        upper: Shape `(n,)`, inf where free.
        integer: Shape `(n,)`, True for integer and binary columns.
        start: Shape `(n,)`, NaN where no starting value was given.
    """

    blocks: tuple[VariableBlock, ...]
    lower: Floats
    upper: Floats
    integer: Bools
    start: Floats

    def __post_init__(self) -> None:
        _protect(self, "lower", "upper", "integer", "start")

    def __len__(self) -> int:
        return int(self.lower.size)

    def block_of(self, column: int) -> VariableBlock:
        """The block that holds a column number."""
        for block in self.blocks:
            if block.offset <= column < block.offset + block.size:
                return block
        raise IndexError(f"no column {column}")

    def member(self, column: int) -> tuple[str | int, ...]:
        """Index of a column, flattened: one entry per index position."""
        block = self.block_of(column)
        if not block.index:
            return ()
        flat: list[str | int] = []
        for index_set, k in zip(
            block.index, np.unravel_index(column - block.offset, block.shape), strict=True
        ):
            member = index_set.members[int(k)]
            flat.extend(member if isinstance(member, tuple) else (member,))
        return tuple(flat)

    def label(self, column: int) -> str:
        """`ship[Seattle,Boston]`, or `x` for a scalar."""
        member = self.member(column)
        name = self.block_of(column).name
        return f"{name}[{','.join(map(str, member))}]" if member else name


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """The rows of one comparison of one constraint: `offset … offset + size`.

    Attributes:
        constraint: Name of the constraint.
        part: Which comparison of a chain (0 for the first).
        names: Names of the `for_each` indices.
        index: Per name the members, each a sequence of length `size`.
        sources: The quotes behind the constraint.
        logical: True for a constraint that is not a plain comparison of numbers
            (implies, or, a global constraint …); it has no arrays, only a truth value.
    """

    constraint: str
    part: int
    offset: int
    size: int
    names: tuple[str, ...] = ()
    index: tuple[NDArray[np.object_], ...] = ()
    sources: tuple[SourceReference, ...] = ()
    logical: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """All rows of a model, in constraint order."""

    blocks: tuple[RowBlock, ...]
    size: int

    def __len__(self) -> int:
        return self.size

    def block_of(self, row: int) -> RowBlock:
        """The block that holds a row number."""
        for block in self.blocks:
            if block.offset <= row < block.offset + block.size:
                return block
        raise IndexError(f"no row {row}")

    def index_of(self, row: int) -> dict[str, Any]:
        """`{"p": "Seattle"}` for a row of a constraint with `for_each`."""
        block = self.block_of(row)
        return {n: v[row - block.offset] for n, v in zip(block.names, block.index, strict=True)}

    def label(self, row: int) -> str:
        """`supply[Seattle]`; a second comparison of a chain gets `#2`."""
        block = self.block_of(row)
        index = ",".join(str(v) for v in self.index_of(row).values())
        part = f"#{block.part + 1}" if block.part else ""
        return f"{block.constraint}[{index}]{part}" if index else f"{block.constraint}{part}"


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """`offset + cost · x`, with `quadratic` also `+ ½ xᵀ Q x`.

    Attributes:
        cost: Shape `(n,)`.
        quadratic: Symmetric `(n, n)`; None when linear.
    """

    name: str
    maximize: bool
    cost: Floats
    offset: float
    quadratic: csr_array | None = None

    def __post_init__(self) -> None:
        _protect(self, "cost", "quadratic")


@dataclass(frozen=True, slots=True, eq=False)
class LinearForm:
    """`row_lower ≤ A x ≤ row_upper`, `lower ≤ x ≤ upper`, x integer where marked.

    For a strict comparison over integers the bound already holds the −1.

    Attributes:
        matrix: CSR, shape `(m, n)`, duplicates summed, no explicit zeros.
        row_lower: Shape `(m,)`, −inf where open.
        row_upper: Shape `(m,)`, inf where open.
        objectives: In formulation order; empty for a feasibility problem.
        assumptions: What the form assumes beyond the model, in words.
    """

    matrix: csr_array
    row_lower: Floats
    row_upper: Floats
    columns: Columns
    rows: Rows
    objectives: tuple[LinearObjective, ...]
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _protect(self, "matrix", "row_lower", "row_upper")


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticForm:
    """A linear form plus quadratic rows: `row_lower ≤ A x + ½ xᵀ Q_r x ≤ row_upper`.

    Attributes:
        linear: Matrix, bounds, columns, rows; its objectives may be quadratic.
        row_quadratic: Row number → symmetric `(n, n)` matrix, only for quadratic rows.
    """

    linear: LinearForm
    row_quadratic: Mapping[int, csr_array]


@dataclass(frozen=True, slots=True)
class Constant:
    """Graph node: a number."""

    value: float


@dataclass(frozen=True, slots=True)
class Column:
    """Graph node: a scalar variable, by column number."""

    number: int


@dataclass(frozen=True, slots=True)
class Operation:
    """Graph node: `op` applied to other nodes of the same graph.

    `op` is one of: sum prod sub div pow neg abs exp log log10 sqrt sin cos tan asin acos
    atan sinh cosh tanh min max floor ceil · le ge eq ne lt gt · and or not implies iff ·
    piecewise · interval · all_different circuit multi_circuit cumulative no_overlap element
    table inverse · list · expectation probability.
    `data` carries what is not an expression (arc ends of a circuit, rows of a table).
    """

    op: str
    arguments: tuple[int, ...]
    data: Any = None


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A row: node number, and the bounds of its value.

    A logical row has `lower = upper = 1`: its truth value must be 1.
    """

    node: int
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class GraphObjective:
    """An objective: node number and sense."""

    name: str
    maximize: bool
    node: int


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Expression graph of a whole model, scalar by scalar, common parts shared.

    Attributes:
        nodes: In topological order: arguments come before the operations using them.
        rows: One per row of the model, same order as `rows` of the linear form; constants
            are moved to the bounds where the body is a difference of two sides.
    """

    nodes: tuple[Constant | Column | Operation, ...]
    rows: tuple[GraphRow, ...]
    objectives: tuple[GraphObjective, ...]
    columns: Columns
    row_labels: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What the evaluator computes for a population of points.

    Attributes:
        objectives: Shape `(pop, m)`, each in its own sense.
        bodies: Shape `(pop, rows)`: left side minus right side of each comparison,
            1.0/0.0 for the truth of a logical row.
        violations: Shape `(pop, rows)`, ≥ 0: distance of the body from its allowed interval.
        scales: Shape `(pop, rows)`: max(1, |rhs|), rhs being the side without variables
            (0 when both sides have variables); a row holds if violation ≤ tolerance · scale.
    """

    objectives: Floats
    bodies: Floats
    violations: Floats
    scales: Floats


@dataclass(frozen=True, slots=True)
class Structure:
    """What kind of model it is.

    Attributes:
        capabilities: What an agent must support to take the model.
        objective_class: Per objective `linear | quadratic | nonlinear | random`.
        constraint_class: Per constraint name `linear | quadratic | nonlinear | logical |
            random` or the name of a global constraint.
        convex: True or False where decided, None where not.
        assumptions: What lowering assumed (strict inequalities), in words.
        sizes: columns, integer, rows, nonzeros, objectives.
    """

    capabilities: frozenset[str]
    objective_class: Mapping[str, str]
    constraint_class: Mapping[str, str]
    convex: bool | None
    assumptions: tuple[str, ...]
    sizes: Mapping[str, int]
