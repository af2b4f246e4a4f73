"""Checks that need no data: names, indices, members, kinds of expressions, cycles, uses."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from orkernel.algebra.functions import RESERVED
from orkernel.algebra.nodes import (
    Call,
    Comprehension,
    Generator,
    Name,
    Node,
    Number,
    Subscript,
    Text,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.program import is_condition
from orkernel.algebra.validate import Checker
from orkernel.errors import ExpressionError
from orkernel.formulation.declarations import Declarations, Element
from orkernel.formulation.declarations import Text as ElementText
from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.elements import GROUPS
from orkernel.formulation.schema import (
    ConstraintDefinition,
    ObjectiveDefinition,
    ParameterDefinition,
    SetDefinition,
    VariableDefinition,
)

MAX_CHOICES = 5_000
"""Among how many names or members a near match is sought."""

_CODES = (
    ("is not defined", "undefined-name"),
    ("needs an index over", "wrong-index"),
    ("takes no index", "wrong-index"),
    ("is an index and takes none", "wrong-index"),
    ("is random; it may stand only inside", "random-outside-expectation"),
    ("must be data", "variable-in-data"),
    ("has the name of a", "index-name-taken"),
    ("is already in use here", "index-name-taken"),
    ("have the same name", "index-name-taken"),
    ("a number is expected, this is a condition", "wrong-kind"),
    ("has no entry for", "wrong-index"),
    ("stands across index positions", "wrong-index"),
    ("only data may stand here", "variable-in-data"),
    (" given", "wrong-index"),
    ("where a number is expected", "wrong-kind"),
    ("where a member is expected", "wrong-kind"),
    ("where a condition is expected", "wrong-kind"),
    ("is a set, not a number", "wrong-kind"),
    ("not a set", "wrong-kind"),
    ("not a list", "wrong-kind"),
    ("is expected here", "wrong-kind"),
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def code_of(error: ExpressionError) -> str:
    """The diagnostic code of an expression error, by its message."""
    return next((code for part, code in _CODES if part in error.message), "bad-expression")


def static_findings(declared: Declarations) -> Iterator[Diagnostic]:
    """Everything that is wrong before any data is looked at."""
    yield from _clashes(declared)
    for element in declared.elements:
        yield from _index_sets(declared, element)
        for text in element.texts:
            yield from _text(declared, element, text)
    yield from _cycles(declared)
    yield from _unused(declared)
    if not declared.formulation.variables:
        yield Diagnostic(
            "no-variables",
            Severity.ERROR,
            "formulation",
            "it has no variables, so there is nothing to decide",
            "define what is to be decided under `variables`",
        )


def _error(
    code: str, element: str, message: str, suggestion: str = "", field: str = "expression"
) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, element, message, suggestion, field=field)


def near(word: str, choices: Sequence[str]) -> str:
    """`did you mean 'x'?`, or nothing when no choice is close or there are very many."""
    if len(choices) > MAX_CHOICES:
        return ""
    close = difflib.get_close_matches(word, choices, n=1)
    return f"did you mean '{close[0]}'?" if close else ""


# --------------------------------------------------------------------------- names


def _clashes(declared: Declarations) -> Iterator[Diagnostic]:
    formulation = declared.formulation
    kinds: dict[str, str] = {}
    for group in ("sets", "parameters", "variables"):
        kind = GROUPS[group]
        for definition in getattr(formulation, group):
            name, label = definition.name, f"{kind} '{definition.name}'"
            if name in RESERVED:
                yield _error(
                    "reserved-name",
                    label,
                    f"'{name}' is a word of the expression language",
                    f"rename it, e.g. '{name}_{kind}'",
                )
            if name in kinds:
                other = "another" if kinds[name] == kind else f"a {kinds[name]}"
                same = f"{other} {kind}" if other == "another" else other
                yield _error("duplicate-name", label, f"{same} has this name too", "rename one")
            kinds.setdefault(name, kind)
    for group in ("objectives", "constraints", "results"):
        counts = Counter(definition.name for definition in getattr(formulation, group))
        for name, count in counts.items():
            if count > 1:
                yield _error(
                    "duplicate-name",
                    f"{GROUPS[group]} '{name}'",
                    f"{count} {group} have this name",
                    "give each its own name",
                )


def _index_sets(declared: Declarations, element: Element) -> Iterator[Diagnostic]:
    sets = [part.name for part in declared.formulation.sets]
    for name in element.index:
        kind = declared.kind(name)
        if kind == "set":
            continue
        known = near(name, sets) or (f"the sets are {', '.join(sets[:20])}" if sets else "")
        if kind:
            message = f"its index '{name}' is a {kind}, not a set"
            yield _error("wrong-kind", element.label, message, known, "index")
        else:
            message = f"its index set '{name}' is not defined"
            suggestion = known or f"define a set '{name}'"
            yield _error("undefined-name", element.label, message, suggestion, "index")


def _unused(declared: Declarations) -> Iterator[Diagnostic]:
    used: set[str] = set()
    named = SetDefinition | ParameterDefinition | VariableDefinition
    for element in declared.elements:
        itself = {element.definition.name} if isinstance(element.definition, named) else set()
        used |= element.names() - itself
        for text in element.texts:
            if text.error is not None:
                used.update(_IDENTIFIER.findall(text.text))
    for element in declared.elements:
        definition = element.definition
        if isinstance(definition, named) and definition.name not in used:
            yield Diagnostic(
                "unused-name",
                Severity.WARNING,
                element.label,
                "no other element uses it",
                "remove it, or add what it stands for to the model",
            )


def _cycles(declared: Declarations) -> Iterator[Diagnostic]:
    """Sets and parameters that are defined by each other, each circle once."""
    needs = {
        element.definition.name: sorted(element.names() & declared.declared.keys())
        for element in declared.elements
        if isinstance(element.definition, SetDefinition | ParameterDefinition)
    }
    done: set[str] = set()
    for start in needs:
        path: list[str] = []
        active: set[str] = set()
        stack: list[tuple[str, int]] = [(start, 0)]
        while stack:
            name, position = stack.pop()
            if position == 0:
                if name in active:
                    circle = path[path.index(name) :]
                    yield _cycle(declared, circle)
                    continue
                if name in done or name not in needs:
                    continue
                path.append(name)
                active.add(name)
            if position < len(needs[name]):
                stack.append((name, position + 1))
                stack.append((needs[name][position], 0))
            else:
                active.discard(path.pop())
                done.add(name)


def _cycle(declared: Declarations, circle: list[str]) -> Diagnostic:
    kind = "set" if declared.kind(circle[0]) == "set" else "parameter"
    return _error(
        "cyclic-definition",
        f"{kind} '{circle[0]}'",
        f"its definition needs itself: {' → '.join([*circle, circle[0]])}",
        "give one of them by plain data",
    )


# --------------------------------------------------------------------------- expressions


def _text(declared: Declarations, element: Element, text: ElementText) -> Iterator[Diagnostic]:
    if text.error is not None:
        error = text.error
        yield placed("syntax", element.label, error, text.field)
        return
    for_each = element.for_each
    if text.field != "for_each" and for_each is not None and for_each.error is not None:
        return
    checker = _Collector(declared)
    generators = for_each.generators if for_each is not None else ()
    names: list[str] = []
    arities: dict[str, int | None] = {}
    for generator in generators:
        if text.field == "for_each":
            checker.check(generator, names, text.data_only)
        names.extend(generator.targets)
        arities |= _target_arities(declared, generator)
    if text.tree is not None:
        checker.check(text.tree, names, text.data_only)
    for error in checker.errors:
        code = code_of(error)
        if code == "variable-in-data" and text.data_only:
            error.fix = "write it as a constraint, or use data alone"
        yield placed(code, element.label, error, text.field)
    for root in (text.tree, *text.generators):
        if root is not None:
            for error in _indices(declared, root, arities):
                code = "unknown-member" if "is not a member" in error.message else "wrong-index"
                yield placed(code, element.label, error, text.field)
    if text.field == "expression" and text.tree is not None:
        yield from _kind(element, text.tree)


def placed(code: str, label: str, error: ExpressionError, field: str) -> Diagnostic:
    """An expression error as a diagnostic."""
    start, end = error.span
    return Diagnostic(
        code, Severity.ERROR, label, error.message, error.fix, start, max(start, end), field
    )


class _Collector(Checker):
    """Collects what does not fit instead of stopping at the first."""

    def __init__(self, scope: Declarations) -> None:
        super().__init__(scope)
        self.errors: list[ExpressionError] = []

    def check(self, node: Node, indices: list[str], data_only: str) -> None:
        outside = self.random
        try:
            super().check(node, indices, data_only)
        except ExpressionError as error:
            self.errors.append(error)
            self.random = outside


def _kind(element: Element, tree: Node) -> Iterator[Diagnostic]:
    definition = element.definition
    start, end = tree.span
    if isinstance(definition, ConstraintDefinition) and not is_condition(tree):
        yield Diagnostic(
            "non-boolean-constraint",
            Severity.ERROR,
            element.label,
            "a constraint must be a comparison or a condition, this is a number",
            "compare it with <=, >= or ==",
            start,
            end,
        )
    if isinstance(definition, ObjectiveDefinition) and is_condition(tree):
        yield Diagnostic(
            "boolean-objective",
            Severity.ERROR,
            element.label,
            "an objective must be a number, this is a condition",
            "move it to the constraints",
            start,
            end,
        )


# --------------------------------------------------------------------------- indices


def _target_arities(declared: Declarations, generator: Generator) -> dict[str, int | None]:
    """Index positions that each target of a generator takes; None where only data tells."""
    if len(generator.targets) > 1:
        return dict.fromkeys(generator.targets, 1)
    source = generator.source
    known = declared.arities.get(source.id) if isinstance(source, Name) else None
    return {generator.targets[0]: known}


def _indices(
    declared: Declarations, root: Node, arities: dict[str, int | None]
) -> Iterator[ExpressionError]:
    """Wrong numbers of indices, and literals that are no members, anywhere below `root`."""
    stack: list[tuple[Node, dict[str, int | None]]] = [(root, arities)]
    while stack:
        node, known = stack.pop()
        if isinstance(node, Comprehension):
            for generator in node.generators:
                stack.append((generator, known))
                known = known | _target_arities(declared, generator)
            stack.append((node.element, known))
            continue
        if isinstance(node, Generator):
            inner = known | _target_arities(declared, node)
            stack.append((node.source, known))
            stack.extend((condition, inner) for condition in node.conditions)
            continue
        if isinstance(node, Subscript) and declared.kind(node.base) not in {"", "set"}:
            yield from _subscript(declared, node, known)
        stack.extend((child, known) for child in node.children())


def _subscript(
    declared: Declarations, node: Subscript, known: dict[str, int | None]
) -> Iterator[ExpressionError]:
    index = [part.name for part in declared.index_of(node.base)]
    if not index or any(declared.kind(name) != "set" for name in index):
        return
    needed = [declared.arities.get(name) for name in index]
    given = [_positions(item, known) for item in node.indices]
    wanted, count = sum(n or 0 for n in needed), sum(n or 0 for n in given)
    if None in needed or None in given:
        return
    if wanted != count:
        plural = "index" if wanted == 1 else "indices"
        yield ExpressionError(
            f"'{node.base}' takes {wanted} {plural} ({', '.join(index)}), {count} "
            f"{'is' if count == 1 else 'are'} given",
            span=node.span,
            fix=f"name one member of each, in this order: {node.base}[{', '.join(index)}]",
        )
        return
    if len(index) != len(node.indices):
        return
    for name, item in zip(index, node.indices, strict=True):
        member = _literal(item)
        members = declared.members.get(name)
        if member is None or members is None:
            continue
        inside = (
            member in members
            if not isinstance(members, range)
            else re.fullmatch(r"-?\d{1,18}", member) is not None and int(member) in members
        )
        if not inside:
            shown = (
                f"{members[0]} … {members[-1]}" if isinstance(members, range) and members else ""
            )
            yield ExpressionError(
                f"'{member}' is not a member of '{name}'",
                span=item.span,
                fix=f"its members are {shown}"
                if shown
                else near(member, sorted(members) if isinstance(members, frozenset) else [])
                or f"use a member of '{name}', or add it there",
            )


def _positions(item: Node, known: dict[str, int | None]) -> int | None:
    """How many index positions an index expression fills."""
    match item:
        case Name(id=name):
            return known.get(name, 1)
        case Display(items=items):
            return len(items)
        case Number() | Text() | Unary():
            return 1
        case Call(function=function):
            return None if function in {"first", "last", "pred", "succ"} else 1
        case Subscript():
            return None
    children = item.children()
    parts = [_positions(child, known) for child in children]
    return None if None in parts or not parts else max(part or 0 for part in parts)


def _literal(item: Node) -> str | None:
    match item:
        case Text(value=member):
            return member
        case Number(value=int(number)):
            return str(number)
        case Unary(op="-", operand=Number(value=int(number))):
            return str(-number)
    return None
