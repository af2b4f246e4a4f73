"""Values and subgradients of graph expressions at a point, all scenarios at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.forms import Column, Operation
from orkernel.algebra.graph import reachable
from orkernel_numpy.curvature import apply

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_numpy.curvature import Shapes

    Floats = NDArray[np.float64]


class Expression:
    """One node of a graph as a function of the columns.

    Where the node is convex (or concave), the gradient is a subgradient: of several pieces that
    attain a maximum the first is taken.

    Args:
        shapes: The graph, and its data.
        root: The node; it must not depend on a scenario other than through expectations.
    """

    def __init__(self, shapes: Shapes, root: int) -> None:
        self.shapes = shapes
        self.root = root
        used = np.flatnonzero(reachable(shapes.graph, [root])).tolist()
        self.order = [k for k in used if shapes.data[k] is None]

    def at(self, x: Floats) -> tuple[float, Floats]:
        """Value and gradient, shape `(n,)`; not finite where the expression is undefined."""
        graph, data = self.shapes.graph, self.shapes.data
        values: dict[int, Any] = {}
        count: dict[int, int] = {}
        gradient = np.zeros(x.size)

        def value(k: int) -> Any:
            return values[k] if data[k] is None else data[k]

        if data[self.root] is not None:
            return float(data[self.root]), gradient
        with np.errstate(all="ignore"):
            for k in self.order:
                node = graph.nodes[k]
                if isinstance(node, Column):
                    values[k] = x[node.number]
                elif isinstance(node, Operation):
                    arguments = [value(j) for j in node.arguments]
                    values[k] = apply(node, arguments)
                    if node.op == "expectation":
                        count[k] = np.size(arguments[0])
            adjoints: dict[int, Any] = {self.root: 1.0}
            for k in reversed(self.order):
                if k not in adjoints:
                    continue
                node, adjoint = graph.nodes[k], adjoints.pop(k)
                if np.ndim(adjoint) and not np.ndim(values[k]):
                    adjoint = adjoint.sum()
                if isinstance(node, Column):
                    gradient[node.number] += adjoint
                    continue
                assert isinstance(node, Operation)
                for j, part in _passed(node, adjoint, value, values[k], count.get(k, 1)):
                    if data[j] is None:
                        adjoints[j] = adjoints[j] + part if j in adjoints else part
        return float(values[self.root]), gradient


def _passed(node: Operation, adjoint: Any, value: Any, result: Any, count: int) -> Any:
    """What each argument gets of the adjoint."""
    arguments = node.arguments
    match node.op:
        case "sum":
            for j in arguments:
                yield j, adjoint
        case "sub":
            yield arguments[0], adjoint
            yield arguments[1], -adjoint
        case "neg":
            yield arguments[0], -adjoint
        case "prod":
            for place, j in enumerate(arguments):
                rest: Any = 1.0
                for other, k in enumerate(arguments):
                    rest = rest if other == place else rest * value(k)
                yield j, adjoint * rest
        case "div":
            yield arguments[0], adjoint / value(arguments[1])
        case "pow":
            yield arguments[0], adjoint * 2.0 * value(arguments[0])
        case "abs":
            yield arguments[0], adjoint * np.sign(value(arguments[0]))
        case "exp":
            yield arguments[0], adjoint * result
        case "log":
            yield arguments[0], adjoint / value(arguments[0])
        case "log10":
            yield arguments[0], adjoint / (value(arguments[0]) * np.log(10.0))
        case "sqrt":
            yield arguments[0], adjoint * 0.5 / result
        case "max" | "min":
            free: Any = True
            for j in arguments:
                chosen = free & (value(j) == result)
                free = free & ~np.asarray(chosen)
                yield j, adjoint * chosen
        case "expectation":
            yield arguments[0], np.broadcast_to(adjoint / count, (count,))
        case "piecewise":
            xs, ys = (np.asarray(side, np.float64) for side in node.data)
            piece = np.searchsorted(xs, value(arguments[0]), "right") - 1
            slopes = np.diff(ys) / np.diff(xs)
            yield arguments[0], adjoint * slopes[np.clip(piece, 0, slopes.size - 1)]
