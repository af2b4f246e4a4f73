"""Logical operations of a graph as linear rows with indicator columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orkernel.algebra.affine import INFINITY, Affine, total
from orkernel.algebra.forms import Column, Constant, Operation
from orkernel.algebra.interning import COMPARISONS, NEGATED
from orkernel.algebra.linearizer import Side

if TYPE_CHECKING:
    from orkernel.algebra.linearizer import Linearizer

STRICT_GAP = 1e-5
"""How far apart the sides of a strict comparison inside logic are kept, times
max(1, |the constant side|), where they are not whole numbers."""

Literal = tuple[int, bool]
"""A truth node, and whether it or its opposite is meant."""


class Conditions:
    """Turns truth nodes into rows and 0–1 expressions.

    Args:
        linearizer: Linearizes the sides of comparisons.
        whole: Per node, whether it is a whole number at every whole point.
    """

    def __init__(self, linearizer: Linearizer, whole: Sequence[bool]) -> None:
        self.linearizer = linearizer
        self.assembly = linearizer.assembly
        self.graph = linearizer.graph
        self.whole = whole
        self.assumptions: dict[str, None] = {}
        self._indicators: dict[tuple[int, bool, Side], Affine] = {}

    # ------------------------------------------------------------------ enforcing

    def enforce(self, literal: Literal, guards: Sequence[Affine] = ()) -> None:
        """Add rows that make a literal true where all guards are 1.

        Raises:
            Unsupported: It has no linear form, or needs a bound that is missing.
        """
        number, positive = literal
        node = self.graph.nodes[number]
        plain = self._plain(literal)
        if plain is not None:
            self.assembly.require(plain, lower=1.0, guards=guards)
            return
        assert isinstance(node, Operation)
        if node.op in COMPARISONS:
            self._compare(node, node.op if positive else NEGATED[node.op], guards)
            return
        if node.op == "iff":
            left, right = node.arguments
            self._equivalence((left, True), (right, positive), guards)
            return
        conjunction, literals = self._normal(node, positive)
        if conjunction:
            for part in literals:
                self.enforce(part, guards)
        else:
            self._clause(literals, guards)

    def _equivalence(self, left: Literal, right: Literal, guards: Sequence[Affine]) -> None:
        """Make two literals both true or both false where all guards are 1.

        A comparison beside something plain needs no indicator; everything else gets one, made
        once however often it occurs.
        """
        flag = self._flag(left)
        other = self._flag(right)
        if flag is None and other is None:
            flag = self.indicator(left[0], left[1], Side.EXACT)
        if flag is not None and other is not None:
            self.assembly.require(flag - other, 0.0, 0.0, guards)
            return
        if flag is None:
            flag, (number, positive) = other, left
        else:
            number, positive = right
        assert flag is not None
        self.enforce((number, positive), [*guards, flag])
        self.enforce((number, not positive), [*guards, Affine(1.0) - flag])

    def _flag(self, literal: Literal) -> Affine | None:
        """A 0–1 expression for a literal; None for a comparison that would need a new column."""
        node = self.graph.nodes[literal[0]]
        plain = self._plain(literal)
        if plain is not None or (isinstance(node, Operation) and node.op in COMPARISONS):
            return plain
        return self.indicator(literal[0], literal[1], Side.EXACT)

    def _normal(self, node: Operation, positive: bool) -> tuple[bool, list[Literal]]:
        """A junction with `not` pushed inside: whether it is an `and`, and its literals."""
        arguments = node.arguments
        match node.op:
            case "not":
                return True, [(arguments[0], not positive)]
            case "and" | "or":
                return (node.op == "and") == positive, [(k, positive) for k in arguments]
            case "implies":
                return not positive, [(arguments[0], not positive), (arguments[1], positive)]
        raise self.assembly.unsupported(
            f"the global constraint {node.op}(…) has no linear form here"
        )

    def _clause(self, literals: Sequence[Literal], guards: Sequence[Affine]) -> None:
        """Make at least one literal true where all guards are 1.

        What is not plain gets an indicator, except the last such literal: it is enforced
        where everything else fails.
        """
        flags: list[Affine] = []
        compound: list[Literal] = []
        pending = list(reversed(literals))
        while pending:
            literal = pending.pop()
            plain = self._plain(literal)
            inner = self._disjuncts(literal) if plain is None else None
            if plain is not None:
                flags.append(plain)
            elif inner is not None:
                pending.extend(reversed(inner))
            else:
                compound.append(literal)
        if any(not flag.terms and flag.constant >= 1.0 for flag in flags):
            return
        flags = [flag for flag in flags if flag.terms]
        for literal in compound[:-1]:
            flags.append(self.indicator(literal[0], literal[1], Side.BELOW))
        if compound:
            self.enforce(compound[-1], [*guards, *(Affine(1.0) - flag for flag in flags)])
        else:
            self.assembly.require(total(flags), lower=1.0, guards=guards)

    def _disjuncts(self, literal: Literal) -> list[Literal] | None:
        node = self.graph.nodes[literal[0]]
        if isinstance(node, Operation) and node.op in ("not", "and", "or", "implies"):
            conjunction, literals = self._normal(node, literal[1])
            if not conjunction or len(literals) == 1:
                return literals
        return None

    # ------------------------------------------------------------------ comparisons

    def _compare(self, node: Operation, op: str, guards: Sequence[Affine]) -> None:
        left, right = node.arguments
        if op == "ne":
            chosen = self.assembly.binary()
            self._compare(node, "lt", [*guards, chosen])
            self._compare(node, "gt", [*guards, Affine(1.0) - chosen])
            return
        if op in ("ge", "gt"):
            left, right = right, left
        if op == "eq":
            body = self._difference(left, right, Side.EXACT, guards)
            self.assembly.require(body, 0.0, 0.0, guards)
            return
        body = self._difference(left, right, Side.ABOVE, guards)
        limit = -self._gap(node) if op in ("lt", "gt") else 0.0
        self.assembly.require(body, -INFINITY, limit, guards)

    def _difference(self, left: int, right: int, side: Side, guards: Sequence[Affine]) -> Affine:
        """Left minus right, which need not have a value where a guard is 0."""
        affine = self.linearizer.affine
        outer = self.linearizer.conditional
        self.linearizer.conditional = outer or bool(guards)
        difference = affine(left, side) - affine(right, side.through(-1.0))
        self.linearizer.conditional = outer
        return difference

    def _gap(self, node: Operation) -> float:
        """How far apart the sides of a strict comparison must be."""
        if all(self.whole[k] for k in node.arguments):
            return 1.0
        fixed = [n.value for k in node.arguments if isinstance(n := self.graph.nodes[k], Constant)]
        gap = STRICT_GAP * max([1.0, *(abs(value) for value in fixed)])
        self.assumptions[
            f"{self.assembly.owner.element}: a strict comparison of fractions inside a condition "
            f"is kept {STRICT_GAP:g} away from equality"
        ] = None
        return gap

    # ------------------------------------------------------------------ 0–1 expressions

    def indicator(self, number: int, positive: bool, side: Side) -> Affine:
        """A 0–1 expression for a literal.

        `BELOW`: 1 only where it is true; `ABOVE`: 0 only where it is false; `EXACT`: both.
        """
        plain = self._plain((number, positive))
        if plain is not None:
            return plain
        for known in (side, Side.EXACT):
            if (number, positive, known) in self._indicators:
                return self._indicators[number, positive, known]
            if (number, not positive, Side(-known)) in self._indicators:
                return Affine(1.0) - self._indicators[number, not positive, Side(-known)]
        flag = self.assembly.binary()
        if side is not Side.ABOVE:
            self.enforce((number, positive), [flag])
        if side is not Side.BELOW:
            self.enforce((number, not positive), [Affine(1.0) - flag])
        self._indicators[number, positive, side] = flag
        return flag

    def _plain(self, literal: Literal) -> Affine | None:
        """A literal that already is a 0–1 expression of one column, or a constant."""
        number, positive = literal
        node = self.graph.nodes[number]
        found: Affine | None = None
        if isinstance(node, Constant):
            found = Affine(1.0 if node.value >= 0.5 else 0.0)
        elif isinstance(node, Column):
            found = Affine.column(node.number)
        elif node.op == "not":
            return self._plain((node.arguments[0], not positive))
        elif node.op in COMPARISONS:
            found = self._comparison_of_flag(node)
        if found is None or positive:
            return found
        return Affine(1.0) - found

    def _comparison_of_flag(self, node: Operation) -> Affine | None:
        """A comparison of a binary column with a number."""
        left, right = (self.graph.nodes[k] for k in node.arguments)
        test = COMPARISONS[node.op]
        if isinstance(left, Column) and isinstance(right, Constant):
            column = left
            at_zero, at_one = test(0.0, right.value), test(1.0, right.value)
        elif isinstance(left, Constant) and isinstance(right, Column):
            column = right
            at_zero, at_one = test(left.value, 0.0), test(left.value, 1.0)
        else:
            return None
        flag = Affine.column(column.number)
        if not self.assembly.is_binary(flag):
            return None
        return flag.scaled(float(at_one) - float(at_zero)).plus(float(at_zero))
