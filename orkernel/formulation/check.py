"""Checks of a formulation: everything that is wrong with it, not only the first thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orkernel.errors import DataError, ExpressionError, OrkernelError, Unsupported
from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.elements import GROUPS, stated_numbers
from orkernel.formulation.schema import Formulation

if TYPE_CHECKING:
    from orkernel.formulation.declarations import Declarations, Element
    from orkernel.model import Model

MAX_ROUNDS = 50
"""How many elements with bad data are found in one check."""

__all__ = ["Diagnostic", "Severity", "check"]


def check(formulation: Formulation, *, data: Path | None = None) -> list[Diagnostic]:
    """Find out what is wrong with a formulation, without solving it.

    Names, indices, kinds of expressions, cycles, units, data, and objectives that nothing
    holds back. Never raises for a bad formulation.

    Args:
        formulation: The formulation.
        data: Folder with the tables that it names.

    Returns:
        All findings, errors before warnings; no error means that `Model.bind` succeeds.
    """
    try:
        findings = list(_findings(formulation, data))
    except Exception as error:
        findings = [
            Diagnostic(
                "internal-error",
                Severity.ERROR,
                "formulation",
                f"the check itself failed: {type(error).__name__}: {error}",
                "please report this with the formulation",
            )
        ]
    return sorted(dict.fromkeys(findings), key=lambda d: d.severity is Severity.WARNING)


def _findings(formulation: Formulation, data: Path | None) -> Iterator[Diagnostic]:
    from orkernel.formulation.declarations import Declarations
    from orkernel.formulation.dimensions import unit_findings
    from orkernel.formulation.names import static_findings

    declared = Declarations(formulation)
    found = [*static_findings(declared), *_not_finite(declared)]
    yield from found
    yield from unit_findings(declared)
    broken = {d.element for d in found if d.severity is Severity.ERROR}
    yield from _bound(declared, broken, data)


def _not_finite(declared: Declarations) -> Iterator[Diagnostic]:
    for element in declared.elements:
        for number in stated_numbers(element.definition, finite=False):
            if number - number != 0:
                yield Diagnostic(
                    "non-finite-number",
                    Severity.ERROR,
                    element.label,
                    f"{number} is not a finite number",
                    "give a finite number; leave a bound out, or write null, where there is none",
                    field="value",
                )
                break


# --------------------------------------------------------------------------- with data


def _bound(declared: Declarations, broken: set[str], data: Path | None) -> Iterator[Diagnostic]:
    """Bind what is not broken; drop what fails and go on with the rest."""
    from orkernel.model import Model

    dropped = set(broken)
    for _ in range(MAX_ROUNDS):
        _drop_dependents(declared, dropped)
        part = _without(declared, dropped)
        try:
            model = Model.bind(part, data)
            _exercise(model)
        except (DataError, ExpressionError) as error:
            element = _element_of(declared, error)
            yield _diagnosed(declared, element, error)
            if element is None or element.label in dropped:
                return
            dropped.add(element.label)
            continue
        if not dropped:
            yield from _sizes(model)
            yield from _unbounded(model)
        return


def _exercise(model: Model) -> None:
    """Make every expression meet its data."""
    import numpy as np

    columns = model.columns
    start = np.clip(np.zeros(len(columns)), columns.lower, columns.upper)
    with np.errstate(all="ignore"):
        _ = model.structure
        model.evaluate(start)
        model.results(start)


def _drop_dependents(declared: Declarations, dropped: set[str]) -> None:
    """Add the elements that refer to a dropped set, parameter or variable."""
    while True:
        gone = {
            element.definition.name
            for element in declared.elements
            if element.label in dropped and element.definition.name in declared.declared
        }
        more = {
            element.label
            for element in declared.elements
            if element.label not in dropped and element.names() & gone
        }
        if not more:
            return
        dropped |= more


def _without(declared: Declarations, dropped: set[str]) -> Formulation:
    kept = {id(e.definition) for e in declared.elements if e.label not in dropped}
    return declared.formulation.model_copy(
        update={
            group: tuple(d for d in getattr(declared.formulation, group) if id(d) in kept)
            for group in GROUPS
        }
    )


def _element_of(declared: Declarations, error: OrkernelError) -> Element | None:
    """The element that an error is about: the longest label its message starts with."""
    text = getattr(error, "element", "") or error.message
    matching = [e for e in declared.elements if text.startswith(e.label)]
    return max(matching, key=lambda e: len(e.label), default=None)


def _diagnosed(
    declared: Declarations, element: Element | None, error: DataError | ExpressionError
) -> Diagnostic:
    from orkernel.formulation.names import code_of, placed

    label = element.label if element is not None else "formulation"
    if isinstance(error, ExpressionError):
        field = next(
            (t.field for t in (element.texts if element else ()) if t.text == error.text),
            "expression",
        )
        return placed(code_of(error), label, error, field)
    message = error.message.removeprefix(label).lstrip(":, ") or error.message
    if "no value" in message:
        code = "missing-data"
    else:
        code = "bad-table" if "table '" in message else "bad-data"
    field = "table" if code == "bad-table" else "value"
    return Diagnostic(code, Severity.ERROR, label, message, error.fix, field=field)


def _sizes(model: Model) -> Iterator[Diagnostic]:
    if model.formulation.variables and not len(model.columns):
        yield Diagnostic(
            "no-variables",
            Severity.ERROR,
            "formulation",
            "all its variables are indexed by empty sets, so there is nothing to decide",
            "give the sets members",
            field="value",
        )


def _unbounded(model: Model) -> Iterator[Diagnostic]:
    """Objectives that a variable improves forever: no bound, no row in its way."""
    import numpy as np

    try:
        form = model.quadratic()
    except Unsupported:
        return
    linear, columns = form.linear, model.columns
    matrix = linear.matrix.tocoo()
    curved = np.zeros(len(columns), np.bool_)
    for square in form.row_quadratic.values():
        curved[square.nonzero()[0]] = True
    for objective in linear.objectives:
        direction = np.sign(objective.cost) * (1.0 if objective.maximize else -1.0)
        free = np.where(direction > 0, np.isposinf(columns.upper), np.isneginf(columns.lower))
        free &= (direction != 0) & ~curved
        if objective.quadratic is not None:
            free[objective.quadratic.nonzero()[0]] = False
        push = matrix.data * direction[matrix.col]
        held = ((push > 0) & np.isfinite(linear.row_upper[matrix.row])) | (
            (push < 0) & np.isfinite(linear.row_lower[matrix.row])
        )
        free[matrix.col[held]] = False
        found = np.flatnonzero(free)
        if found.size:
            more = f" and {found.size - 1} more" if found.size > 1 else ""
            side = "upper" if direction[found[0]] > 0 else "lower"
            yield Diagnostic(
                "unbounded-objective",
                Severity.WARNING,
                f"objective '{objective.name}'",
                f"it improves without end through {columns.label(int(found[0]))}{more}: no "
                f"{side} bound and no constraint is in the way",
                "add the limit that the statement gives, or a bound",
            )
