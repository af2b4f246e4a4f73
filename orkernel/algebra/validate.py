"""Names, arities and places of variables in an expression, checked before any evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from orkernel.algebra.functions import FUNCTIONS, Argument, Kind
from orkernel.algebra.nodes import (
    Call,
    Compare,
    Comprehension,
    Conditional,
    Generator,
    Name,
    Node,
    Subscript,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.scope import Scope
from orkernel.errors import ExpressionError


def validate(node: Node, scope: Scope, indices: Sequence[str]) -> None:
    """Check an expression, or a generator of a `for_each`.

    Args:
        node: The expression.
        scope: What names stand for.
        indices: Indices in scope.

    Raises:
        ExpressionError: An unknown name, a set or list in a wrong place, a wrong number of
            indices or arguments, a variable where only data may stand, a random parameter
            outside expectation and probability.
    """
    Checker(scope).check(node, list(indices), "")


class Checker:
    """Walks an expression and raises at the first thing that does not fit.

    `data_only` is the reason why no variable may stand at a place, or empty.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.random = False

    def check(self, node: Node, indices: list[str], data_only: str) -> None:
        match node:
            case Name():
                self._name(node, indices, data_only)
            case Subscript():
                self._subscript(node, indices, data_only)
            case Comprehension():
                names = list(indices)
                for generator in node.generators:
                    self._generator(generator, names)
                    names.extend(generator.targets)
                self.check(node.element, names, data_only)
            case Generator():
                self._generator(node, list(indices))
            case Conditional():
                self.check(node.test, indices, "the test of a conditional expression")
                self.check(node.then, indices, data_only)
                self.check(node.otherwise, indices, data_only)
            case Compare():
                for k, operand in enumerate(node.operands):
                    around = node.ops[max(0, k - 1) : k + 1]
                    if k and node.ops[k - 1] in ("in", "not in"):
                        self._collection(operand, indices)
                        continue
                    membership = any(op in ("in", "not in") for op in around)
                    reason = "a test with 'in'" if membership else data_only
                    parts = operand.items if membership and isinstance(operand, Display) else None
                    for part in parts if parts is not None else (operand,):
                        self.check(part, indices, reason)
            case Call():
                self._call(node, indices, data_only)
            case _:
                for child in node.children():
                    self.check(child, indices, data_only)

    def _name(self, node: Name, indices: Sequence[str], data_only: str) -> None:
        if node.id in indices:
            return
        kind = self.scope.kind(node.id)
        if not kind:
            raise self.scope.unknown(node, node.id, indices)
        if kind == "set":
            _fail(
                node,
                f"'{node.id}' is a set, not a number",
                f"write card({node.id}) for its size, or let an index run over it",
            )
        index = self.scope.index_of(node.id)
        if index:
            sets = ", ".join(s.name for s in index)
            _fail(node, f"'{node.id}' needs an index over {sets}", f"write {node.id}[…]")
        self._place(node, node.id, kind, data_only)

    def _place(self, node: Node, name: str, kind: str, data_only: str) -> None:
        if kind == "random parameter" and not self.random:
            _fail(
                node,
                f"'{name}' is random; it may stand only inside expectation(…) or probability(…)",
                f"write expectation({name}), or give it a fixed value",
            )
        if data_only and kind in ("variable", "random parameter"):
            fix = (
                "use element(values, index) to choose by a variable"
                if data_only == "an index"
                else "use implies(…) or a binary variable"
            )
            _fail(node, f"'{name}' is a {kind}; {data_only} must be data", fix)

    def _subscript(self, node: Subscript, indices: list[str], data_only: str) -> None:
        if node.base in indices:
            _fail(node, f"'{node.base}' is an index and takes none")
        kind = self.scope.kind(node.base)
        if not kind:
            raise self.scope.unknown(node, node.base)
        for item in node.indices:
            for part in item.items if isinstance(item, Display) else (item,):
                self.check(part, indices, "an index")
        if kind == "set":
            return
        if not self.scope.index_of(node.base):
            _fail(node, f"'{node.base}' is a single {kind} and takes no index")
        self._place(node, node.base, kind, data_only)

    def _generator(self, generator: Generator, indices: list[str]) -> None:
        self._collection(generator.source, indices)
        for name in generator.targets:
            kind = self.scope.kind(name)
            if kind:
                _fail(generator, f"the index '{name}' has the name of a {kind}", "rename the index")
            if name in indices:
                _fail(generator, f"the index '{name}' is already in use here", "rename one of them")
        if len(set(generator.targets)) < len(generator.targets):
            _fail(generator, "two indices of one tuple have the same name", "rename one of them")
        names = [*indices, *generator.targets]
        for condition in generator.conditions:
            self.check(condition, names, "a condition of a generator")

    def _collection(self, node: Node, indices: list[str]) -> None:
        """A set, or a list of data."""
        if isinstance(node, Name) and node.id not in indices:
            kind = self.scope.kind(node.id)
            if not kind:
                raise self.scope.unknown(node, node.id)
            if kind != "set":
                _fail(node, f"'{node.id}' is a {kind}, not a set")
        elif isinstance(node, Display):
            for item in node.items:
                self.check(item, indices, "a member of a list")
        elif isinstance(node, Comprehension):
            self.check(node, indices, "a member of a list")
        else:
            _fail(node, "a set is expected here", "name a set, or write a list [a, b]")

    def _call(self, node: Call, indices: list[str], data_only: str) -> None:
        function = FUNCTIONS.get(node.function)
        if function is None:
            _fail(node, f"there is no function '{node.function}'")
        if not function.takes(len(node.arguments)) and node.function != "element":
            _fail(
                node,
                f"'{node.function}' is called with {len(node.arguments)} arguments",
                f"write {function.signature}",
            )
        not_plain = function.kind in (Kind.GLOBAL, Kind.RANDOM) or function.name == "interval"
        if data_only and not_plain:
            _fail(node, f"{node.function}(…) is no data; {data_only} must be data")
        outside = self.random
        self.random = self.random or function.kind is Kind.RANDOM
        several = len(node.arguments) > 1 and function.repeats
        for k, argument in enumerate(node.arguments):
            kind = function.arguments[min(k, len(function.arguments) - 1)]
            if kind is Argument.SET:
                self._collection(argument, indices)
            elif kind is Argument.LIST and not several:
                self._list(argument, indices, data_only)
            elif kind is Argument.MEMBER:
                self.check(argument, indices, "a member")
            else:
                self.check(argument, indices, data_only)
        self.random = outside

    def _list(self, node: Node, indices: list[str], data_only: str) -> None:
        """A list: a comprehension, a display, or the name of something indexed."""
        if isinstance(node, Name) and node.id not in indices:
            kind = self.scope.kind(node.id)
            if not kind:
                raise self.scope.unknown(node, node.id, indices)
            if kind == "set":
                return
            if not self.scope.index_of(node.id):
                _fail(node, f"'{node.id}' is a single {kind}, not a list", "write [a, b]")
            self._place(node, node.id, kind, data_only)
        elif isinstance(node, Display):
            for item in node.items:
                for part in item.items if isinstance(item, Display) else (item,):
                    self.check(part, indices, data_only)
        elif isinstance(node, Comprehension):
            self.check(node, indices, data_only)
        else:
            _fail(node, "a list is expected here", "write [a, b] or (… for i in I)")


def _fail(node: Node, message: str, fix: str = "") -> NoReturn:
    raise ExpressionError(message, span=node.span, fix=fix)
