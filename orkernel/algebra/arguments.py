"""What operations of the graph carry besides expressions: arcs of circuits, keys of lists."""

from __future__ import annotations

from dataclasses import dataclass

from orkernel.algebra.data import DataEvaluator
from orkernel.algebra.globals import key_values
from orkernel.algebra.nodes import Name, Node

Atom = str | int


@dataclass(frozen=True, slots=True)
class Arcs:
    """Data of a `circuit` or `multi_circuit`; argument k says whether arc k is chosen.

    Attributes:
        ends: Tail and head of each arc, in the order of the arguments.
        nodes: All nodes that the tours must pass; some may have no arc.
        depot: The node that every tour passes (`multi_circuit` only).
    """

    ends: tuple[tuple[Atom, Atom], ...]
    nodes: tuple[Atom, ...]
    depot: Atom | None = None


def list_keys(data: DataEvaluator, node: Node, count: int) -> tuple[tuple[float, ...], ...]:
    """Per axis of a list, the numbers by which a variable refers to its entries.

    A parameter or variable with integer members is referred to by member, any other one and a
    written list by position from 1.

    Args:
        data: The data.
        node: The list.
        count: Number of its entries.
    """
    scope = data.scope
    if isinstance(node, Name) and scope.kind(node.id) not in ("set", ""):
        return tuple(tuple(key_values(domain).tolist()) for domain in scope.index_of(node.id))
    return (tuple(float(k) for k in range(1, count + 1)),)
