"""An objective taken apart into terms that bend one way each.

`max(a, b) = b + (a - b)⁺` and `min(a, b) = b - (b - a)⁺`, where `(-u)⁺ = u⁺ - u`: of all terms
with the same kink u only one multiple of u⁺ remains. Thus `9 min(x, d) + 2 max(0, x - d)`, which
no composition rule finds concave, becomes a concave term and an affine one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orkernel.algebra.forms import Column, Constant, Operation

Node = Constant | Column | Operation
Form = dict[int | None, float]
"""Coefficients of columns and random entries by node; of None the constant."""
Kink = tuple[tuple[int | None, float], ...]


class Addends:
    """Takes sums apart, through expectations and constant factors: more terms, better tangents.

    Args:
        nodes: The nodes of the graph.

    Attributes:
        nodes: These, and those that had to be added.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = list(nodes)
        self._forms: dict[int, Form | None] = {}
        self._bent: list[tuple[float, int]] = []
        self._plain: list[int] = []
        self._kinks: dict[tuple[Kink, bool], float] = {}

    def add(self, root: int, factor: float) -> None:
        """Take `factor · root` apart."""
        for sign, k, averaged in self._parts(root, factor, False):
            form = self._form(k)
            kinks = None if form is not None else self._kinked(k)
            if form is not None:
                self._keep(form, sign, averaged)
            elif kinks is not None:
                rest, multiples = kinks
                self._keep(rest, sign, averaged)
                for kink, multiple in multiples:
                    place = kink, averaged
                    self._kinks[place] = self._kinks.get(place, 0.0) + sign * multiple
            else:
                self._bent.append((sign, self._mean(k) if averaged else k))

    def terms(self) -> list[tuple[float, int]]:
        """Factor and node of each term; their sum is what was added."""
        found = list(self._bent)
        for (kink, averaged), multiple in self._kinks.items():
            if multiple:
                zero = self._node(Constant(0.0))
                k = self._node(Operation("max", (self._sum(dict(kink)), zero)))
                found.append((multiple, self._mean(k) if averaged else k))
        if self._plain:
            found.append((1.0, self._node(Operation("sum", tuple(self._plain)))))
        return found

    # ------------------------------------------------------------------ parts

    def _parts(self, k: int, factor: float, averaged: bool) -> Iterator[tuple[float, int, bool]]:
        node = self.nodes[k]
        if isinstance(node, Operation):
            match node.op:
                case "sum":
                    for argument in node.arguments:
                        yield from self._parts(argument, factor, averaged)
                    return
                case "neg":
                    yield from self._parts(node.arguments[0], -factor, averaged)
                    return
                case "expectation" if not averaged:
                    yield from self._parts(node.arguments[0], factor, True)
                    return
                case "prod" if len(node.arguments) == 2:
                    for one, other in (node.arguments, node.arguments[::-1]):
                        scale = self.nodes[one]
                        if isinstance(scale, Constant):
                            yield from self._parts(other, factor * scale.value, averaged)
                            return
        yield factor, k, averaged

    def _form(self, k: int) -> Form | None:
        """The node as an affine form of columns and random entries, if it is one."""
        if k not in self._forms:
            self._forms[k] = self._affine(self.nodes[k], k)
        return self._forms[k]

    def _affine(self, node: Node, k: int) -> Form | None:
        if isinstance(node, Constant):
            return {None: node.value}
        if isinstance(node, Column) or node.op == "random":
            return {k: 1.0}
        if node.op not in ("sum", "neg", "prod"):
            return None
        parts = [self._form(j) for j in node.arguments]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if node.op != "prod":
            total: Form = {}
            for part in known:
                _accumulate(total, part, -1.0 if node.op == "neg" else 1.0)
            return total
        varying = [part for part in known if set(part) != {None}]
        if len(varying) != 1:
            return None
        scale = 1.0
        for part in known:
            if part is not varying[0]:
                scale *= part[None]
        return {j: scale * c for j, c in varying[0].items()}

    def _kinked(self, k: int) -> tuple[Form, list[tuple[Kink, float]]] | None:
        """An affine form and multiples of u⁺ that make up a maximum, minimum or absolute value."""
        node = self.nodes[k]
        if not isinstance(node, Operation) or node.op not in ("max", "min", "abs"):
            return None
        if node.op == "abs":
            first = self._form(node.arguments[0])
            second = None if first is None else {j: -c for j, c in first.items()}
        elif len(node.arguments) == 2:
            first, second = (self._form(j) for j in node.arguments)
        else:
            return None
        if first is None or second is None:
            return None
        up = -1.0 if node.op == "min" else 1.0
        difference: Form = {}
        _accumulate(difference, first, up)
        _accumulate(difference, second, -up)
        rest = dict(second)
        keys = sorted((j for j, c in difference.items() if j is not None and c), key=int)
        if not keys:
            constant = difference.get(None, 0.0)
            _accumulate(rest, {None: max(0.0, constant)}, up)
            return rest, []
        lead = difference[keys[0]]
        kink: Kink = tuple((j, difference[j] / lead) for j in keys)
        if difference.get(None, 0.0):
            kink = (*kink, (None, difference[None] / lead))
        if lead < 0:
            _accumulate(rest, dict(kink), up * lead)
        return rest, [(kink, up * abs(lead))]

    # ------------------------------------------------------------------ nodes

    def _keep(self, form: Form, sign: float, averaged: bool) -> None:
        k = self._sum({j: sign * c for j, c in form.items()})
        self._plain.append(self._mean(k) if averaged else k)

    def _sum(self, form: Form) -> int:
        parts = []
        for j, coefficient in form.items():
            part = self._node(Constant(coefficient))
            parts.append(part if j is None else self._node(Operation("prod", (part, j))))
        return self._node(Operation("sum", tuple(parts)))

    def _mean(self, k: int) -> int:
        return self._node(Operation("expectation", (k,)))

    def _node(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _accumulate(total: Form, part: Form, factor: float) -> None:
    for j, coefficient in part.items():
        total[j] = total.get(j, 0.0) + factor * coefficient
