"""Whether the values of a parameter go with the members that their quote names beside them.

"A red kite takes 2 m, a blue kite 3 m" names its members in the order of their numbers. A list of
values that follows another order of the set is the commonest way to swap two figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.numbers import find_numbers
from orkernel.formulation.schema import Formulation, ParameterDefinition

LEAST = 2
"""Members that must be named for their order to say something."""


def pairing_diagnostics(formulation: Formulation) -> Iterator[Diagnostic]:
    """A warning for each parameter over one set whose quote pairs its values otherwise.

    Only quotes that name each member and each of the values, all different, exactly once are
    compared: anything else is no evidence.
    """
    members = {
        s.name: [m for m in s.members if isinstance(m, str)]
        for s in formulation.sets
        if s.members is not None and all(isinstance(m, str) for m in s.members)
    }
    for parameter in formulation.parameters:
        if len(parameter.index) != 1 or parameter.index[0] not in members:
            continue
        given = _values(parameter, members[parameter.index[0]])
        for source in parameter.sources:
            told = _told(source.quote, given)
            if told is not None and told != given:
                yield _warning(parameter, given, told)
                break


def _values(parameter: ParameterDefinition, members: list[str]) -> dict[str, float]:
    """The values by member; empty where they are not plain numbers, one each."""
    value = parameter.value
    if isinstance(value, list) and len(value) == len(members):
        value = dict(zip(members, value, strict=True))
    if not isinstance(value, Mapping) or len(value) < LEAST:
        return {}
    if not all(isinstance(v, int | float) for v in value.values()):
        return {}
    return {str(k): float(v) for k, v in value.items()}


def _told(quote: str, given: Mapping[str, float]) -> dict[str, float] | None:
    """The values by member as a quote pairs them; None if it does not name each exactly once."""
    if len(given) < LEAST or len(set(given.values())) < len(given):
        return None
    places: list[tuple[int, str]] = []
    for member in given:
        found = list(re.finditer(rf"(?<!\w){re.escape(member)}(?!\w)", quote, re.IGNORECASE))
        if len(found) != 1:
            return None
        places.append((found[0].start(), member))
    numbers: list[tuple[int, float]] = []
    mentions = find_numbers(quote)
    for value in given.values():
        stated = [m for m in mentions if abs(value) in m.values]
        if len(stated) != 1:
            return None
        numbers.append((stated[0].start, value))
    if len({start for start, _ in numbers}) < len(numbers) or len(mentions) != len(numbers):
        return None
    if any(value < 0 for _, value in numbers):
        return None
    ordered = zip(sorted(places), sorted(numbers), strict=True)
    return {member: value for (_, member), (_, value) in ordered}


def _warning(
    parameter: ParameterDefinition, given: Mapping[str, float], told: Mapping[str, float]
) -> Diagnostic:
    member = next(m for m in given if given[m] != told[m])
    return Diagnostic(
        code="values-in-another-order",
        severity=Severity.WARNING,
        element=f"parameter '{parameter.name}'",
        message=(
            f"it gives {given[member]:g} to '{member}', beside which its quote says "
            f"{told[member]:g}"
        ),
        suggestion="check which value goes with which member, and the order of the set",
        field="value",
    )
