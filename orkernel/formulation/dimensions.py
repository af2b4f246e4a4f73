"""Unit checks: the unit of every expression, inferred from the units of its names.

A number written in an expression may carry any unit, so a product with one has an unknown
unit and is never reported; ±1 is the exception.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Name,
    Node,
    Number,
    Subscript,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.formulation.declarations import Declarations, Element
from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.units import Unit, UnitError, difference, parse_unit, pint_missing

_SAME_UNIT = frozenset({"sum", "min", "max", "abs", "expectation", "floor", "ceil"})
_PARTS = {"expression": "its expression", "lower": "its lower bound", "upper": "its upper bound"}


def unit_findings(declared: Declarations) -> Iterator[Diagnostic]:
    """Unreadable units, and expressions whose parts or sides are in different units."""
    units: dict[str, Unit] = {}
    own: dict[str, Unit] = {}
    for element in declared.elements:
        text = getattr(element.definition, "unit", None)
        if text is None:
            continue
        try:
            unit = parse_unit(text)
        except UnitError as error:
            yield Diagnostic(
                "unit-unreadable",
                Severity.WARNING,
                element.label,
                f"its unit '{text}' cannot be read: {error}",
                "write names with * / ^ and parentheses, e.g. usd/(kg*day)",
                field="unit",
            )
            continue
        if unit is not None:
            own[element.label] = unit
            if element.definition.name in declared.declared:
                units[element.definition.name] = unit
    if not own:
        return
    for element in declared.elements:
        for text in element.texts:
            if text.tree is not None:
                inference = _Inference(units, element, text.field)
                found = inference.unit(text.tree)
                inference.against(own.get(element.label), found, text.tree)
                yield from inference.findings
    names = {name for unit in own.values() for name, _ in unit.powers}
    if any(Unit(((name, Fraction(1)),)).physical for name in names) and pint_missing():
        yield Diagnostic(
            "units-unchecked",
            Severity.WARNING,
            "formulation",
            "physical units are compared by name only, because pint is not installed",
            "pip install 'orkernel[units]'",
            field="unit",
        )


class _Inference:
    """Infers the unit of one expression; None stands for a unit that is not known."""

    def __init__(self, units: dict[str, Unit], element: Element, field: str) -> None:
        self.units = units
        self.element = element
        self.field = field
        self.findings: list[Diagnostic] = []

    def unit(self, node: Node) -> Unit | None:
        match node:
            case Name(id=name):
                return self.units.get(name)
            case Subscript(base=name, indices=indices):
                self.each(indices)
                return self.units.get(name)
            case Unary(op="-" | "+", operand=operand):
                return self.unit(operand)
            case Binary():
                return self.binary(node)
            case Compare(operands=operands, ops=ops):
                found = self.each(operands)
                for op, one, two in zip(ops, found, found[1:], strict=False):
                    if op not in ("in", "not in"):
                        self.compare(one, two, node, "the left side is in {}, the right side in {}")
                return None
            case Conditional(test=test, then=then, otherwise=otherwise):
                self.unit(test)
                return self.joined((then, otherwise), "one branch is in {}, the other in {}")
            case Comprehension(element=element, generators=generators):
                self.each([c for g in generators for c in g.conditions])
                return self.unit(element)
            case Display(items=items):
                return self.joined(items, "one part is in {}, another in {}")
            case Call():
                return self.call(node)
        self.each(node.children())
        return None

    def each(self, nodes: Sequence[Node]) -> list[Unit | None]:
        return [self.unit(node) for node in nodes]

    def joined(self, nodes: Sequence[Node], message: str) -> Unit | None:
        """The unit that all of some parts have; they are compared with the first known one."""
        known: Unit | None = None
        for node in nodes:
            unit = self.unit(node)
            self.compare(known, unit, node, message)
            known = known if known is not None else unit
        return known

    def binary(self, node: Binary) -> Unit | None:
        if node.op in ("+", "-"):
            word = "added to" if node.op == "+" else "subtracted from"
            one, two = self.unit(node.left), self.unit(node.right)
            self.compare(one, two, node, f"{{1}} is {word} {{0}}")
            return one if one is not None else two
        one, two = self.unit(node.left), self.unit(node.right)
        if node.op == "**":
            exponent = node.right
            if one is not None and isinstance(exponent, Number) and isinstance(exponent.value, int):
                return one**exponent.value if abs(exponent.value) <= 9 else None
            return None
        if node.op == "%":
            return one
        one = Unit() if _is_one(node.left) else one
        two = Unit() if _is_one(node.right) else two
        if one is None or two is None:
            return None
        return one * two if node.op == "*" else one / two

    def call(self, node: Call) -> Unit | None:
        if node.function in _SAME_UNIT:
            return self.joined(node.arguments, "one argument is in {}, another in {}")
        found = self.each(node.arguments)
        match node.function, found:
            case "sqrt", [Unit() as unit]:
                return unit ** Fraction(1, 2)
            case "piecewise", [x, xs, ys]:
                self.compare(x, xs, node, "the argument is in {}, its break points in {}")
                return ys
            case "element", [values, *_]:
                return values
        return None

    def against(self, own: Unit | None, found: Unit | None, tree: Node) -> None:
        """Compare an element's expression or bound with the unit that the element states."""
        part = _PARTS.get(self.field)
        if part is not None:
            self.compare(found, own, tree, f"{part} is in {{}}, its unit is {{}}")

    def compare(self, one: Unit | None, two: Unit | None, node: Node, message: str) -> None:
        if one is None or two is None:
            return
        differs = difference(one, two)
        if differs is None:
            return
        start, end = node.span
        if differs.factor is None:
            code, fix = "unit-mismatch", "correct the units, or the expression"
        else:
            code = "unit-factor"
            fix = (
                f"1 {two} is {differs.factor:.6g} {one}: multiply what is in {two} by "
                f"{differs.factor:.6g}, or state both in one unit"
            )
        self.findings.append(
            Diagnostic(
                code,
                Severity.ERROR if differs.certain else Severity.WARNING,
                self.element.label,
                message.format(one, two),
                fix,
                start,
                end,
                self.field,
            )
        )


def _is_one(node: Node) -> bool:
    if isinstance(node, Unary) and node.op in ("-", "+"):
        return _is_one(node.operand)
    return isinstance(node, Number) and node.value == 1
