"""Answers in the published form of a formulation, which larger models know or choose by themselves.

The compact form is asked for; an answer that has what only the published schema has is read by
that schema. The two differ in what they mean: `"lower": null` is no bound there and 0 here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orkernel.errors import UsageError
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.schema import (
    Assumption,
    ConstraintDefinition,
    Formulation,
    ObjectiveDefinition,
    ParameterDefinition,
    Part,
    ResultDefinition,
    SetDefinition,
    Table,
    VariableDefinition,
)
from orkernel_llm.formulating.compact import number_of, numbers_of
from orkernel_llm.formulating.conversion import Unreadable
from orkernel_llm.formulating.notation import algebra, generators

PARTS: Mapping[str, type[Part]] = {
    "sets": SetDefinition,
    "parameters": ParameterDefinition,
    "variables": VariableDefinition,
    "objectives": ObjectiveDefinition,
    "constraints": ConstraintDefinition,
    "results": ResultDefinition,
    "assumptions": Assumption,
}
_SIGNS: Mapping[str, frozenset[str]] = {
    "sets": frozenset({"sources", "expression"}),
    "parameters": frozenset({"sources", "expression", "default", "for_each"}),
    "variables": frozenset({"sources", "for_each", "start"}),
    "objectives": frozenset({"sources", "weight"}),
    "constraints": frozenset({"sources"}),
    "results": frozenset({"sources"}),
}
"""Fields that only the published form has."""


def is_published(value: Any) -> bool:
    """True for an answer that is written in the published form."""
    if not isinstance(value, Mapping):
        return False
    if "schema_version" in value:
        return True
    return any(
        isinstance(element, Mapping)
        and (signs & element.keys() or isinstance(element.get("distribution"), Mapping))
        for group, signs in _SIGNS.items()
        for element in _elements(value, group)
    )


def read_published(value: Mapping[str, Any]) -> Formulation:
    """The formulation in such an answer; fields that the schema does not know are left out.

    Raises:
        Unreadable: It does not fit the schema; the message names the elements.
    """
    data: dict[str, Any] = {
        group: [_element(group, element) for element in _elements(value, group)]
        for group in PARTS
        if value.get(group) is not None
    }
    if isinstance(value.get("title"), str):
        data["title"] = value["title"]
    try:
        return parse_formulation(data, name="the answer")
    except UsageError as error:
        raise Unreadable(str(error)) from error


def _elements(value: Mapping[str, Any], group: str) -> list[Any]:
    found = value.get(group)
    return found if isinstance(found, list) else [] if found is None else [found]


def _element(group: str, element: Any) -> Any:
    if not isinstance(element, Mapping):
        return element
    kept = {key: element[key] for key in PARTS[group].model_fields if key in element}
    if isinstance(kept.get("table"), Mapping):
        kept["table"] = {
            key: kept["table"][key] for key in Table.model_fields if key in kept["table"]
        }
    if group != "assumptions":
        kept["sources"] = _sources(element)
    for key in ("value", "default", "start", "distribution"):
        if key in kept:
            kept[key] = numbers_of(kept[key])
    for key in ("lower", "upper"):
        if isinstance(kept.get(key), str):
            bound = number_of(kept[key])
            kept[key] = algebra(bound) if isinstance(bound, str) else bound
    if isinstance(kept.get("expression"), str):
        kept["expression"] = algebra(kept["expression"], is_relation=group == "constraints")
    if isinstance(kept.get("for_each"), str):
        kept["for_each"] = generators(kept["for_each"])
    return {key: found for key, found in kept.items() if found is not None or key == "lower"}


def _sources(element: Mapping[str, Any]) -> list[dict[str, str]]:
    """The quotes; where they stand is for the kernel to find out."""
    given = element.get("sources") or element.get("quotes") or element.get("quote") or []
    quotes = [
        source.get("quote") if isinstance(source, Mapping) else source
        for source in (given if isinstance(given, list) else [given])
    ]
    texts = [q.strip() for q in quotes if isinstance(q, str) and q.strip()]
    return [{"quote": text} for text in dict.fromkeys(texts)]
