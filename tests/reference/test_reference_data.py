"""The reference instances are what their index says: shape, structure, start, solution."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orkernel import Capability, Formulation, Model, load_formulation
from orkernel.algebra.forms import Structure
from orkernel.formulation.check import check
from orkernel.formulation.diagnostics import Severity
from orkernel.formulation.load import dump_formulation
from orkernel.verify import check_point

HERE = Path(__file__).parent
Entry = dict[str, Any]
INSTANCES: list[Entry] = json.loads((HERE / "optima.json").read_text(encoding="utf-8"))["instances"]
FIELDS = {
    *("file", "name", "class", "sense", "optimum", "tolerance", "status", "convex"),
    *("capabilities", "source", "verified_by"),
}
OPTIONAL_FIELDS = {"start", "solution", "duals", "weighted", "iis"}
SCALAR_CAPABILITIES = {
    Capability.CONTINUOUS,
    Capability.INTEGER,
    Capability.LINEAR,
    Capability.QUADRATIC_OBJECTIVE,
    Capability.QUADRATIC_CONSTRAINT,
    Capability.NONCONVEX,
    Capability.NONLINEAR,
    Capability.LOGICAL,
    Capability.PIECEWISE,
    Capability.MULTI_OBJECTIVE,
}

every_instance = pytest.mark.parametrize("entry", INSTANCES, ids=lambda entry: entry["name"])


def having(field: str) -> pytest.MarkDecorator:
    """Parametrise over the instances that carry an optional field."""
    chosen = [entry for entry in INSTANCES if field in entry]
    return pytest.mark.parametrize("entry", chosen, ids=lambda entry: entry["name"])


def formulation_of(entry: Entry) -> Formulation:
    return load_formulation(HERE / entry["file"])


def model_of(entry: Entry) -> Model:
    return Model.bind(formulation_of(entry))


def class_of(structure: Structure) -> str:
    """The class of the index that a structure belongs to."""
    needs = {Capability(name) for name in structure.capabilities}
    if needs - SCALAR_CAPABILITIES:
        return "global-constraint"
    quadratic = needs & {Capability.QUADRATIC_OBJECTIVE, Capability.QUADRATIC_CONSTRAINT}
    nonlinear = Capability.NONLINEAR in needs
    if Capability.INTEGER in needs:
        return "MINLP" if quadratic or nonlinear else "MIP"
    if needs & {Capability.LOGICAL, Capability.PIECEWISE}:
        return "MIP"
    return "NLP" if nonlinear else "QP" if quadratic else "LP"


def test_the_index_lists_every_file_once_and_no_other() -> None:
    listed = sorted(entry["file"] for entry in INSTANCES)
    present = sorted(p.relative_to(HERE).as_posix() for p in HERE.glob("*/*.json"))
    assert listed == present
    assert len({entry["name"] for entry in INSTANCES}) == len(INSTANCES)


def test_the_collection_covers_every_class_and_every_status() -> None:
    assert len(INSTANCES) >= 100
    assert {entry["class"] for entry in INSTANCES} == {
        *("LP", "MIP", "QP", "NLP", "MINLP", "global-constraint")
    }
    assert {entry["status"] for entry in INSTANCES} == {"optimal", "infeasible", "unbounded"}


@every_instance
def test_index_entry_is_complete_and_confirmed_by_two_means(entry: Entry) -> None:
    assert set(entry) >= FIELDS
    assert set(entry) <= FIELDS | OPTIONAL_FIELDS
    assert entry["file"].endswith(f"/{entry['name']}.json")
    assert len(entry["verified_by"]) >= 2
    has_value = entry["status"] == "optimal" and entry["sense"] is not None
    assert (entry["optimum"] is not None) == has_value


@every_instance
def test_instance_passes_the_checks_without_error_or_unused_name(entry: Entry) -> None:
    findings = check(formulation_of(entry))
    serious = [d for d in findings if d.severity is Severity.ERROR or d.code == "unused-name"]
    assert serious == []


@every_instance
def test_every_element_of_a_told_instance_is_tied_to_its_statement(entry: Entry) -> None:
    formulation = formulation_of(entry)
    if formulation.statement:
        assert check(formulation) == []
    else:
        assert not any(part.sources for part in formulation.constraints)


@every_instance
def test_instance_survives_writing_and_reading(entry: Entry) -> None:
    formulation = formulation_of(entry)
    assert load_formulation(dump_formulation(formulation)) == formulation


@every_instance
def test_structure_report_gives_the_named_class(entry: Entry) -> None:
    assert class_of(model_of(entry).structure) == entry["class"]


@every_instance
def test_structure_report_gives_the_named_capabilities(entry: Entry) -> None:
    assert sorted(model_of(entry).structure.capabilities) == entry["capabilities"]


@every_instance
def test_convexity_is_right_wherever_it_is_decided(entry: Entry) -> None:
    decided = model_of(entry).structure.convex
    assert decided in (None, entry["convex"])
    if entry["class"] in ("LP", "QP"):
        assert decided is not None


@every_instance
def test_senses_and_names_of_the_objectives_are_those_of_the_index(entry: Entry) -> None:
    objectives = formulation_of(entry).objectives
    senses = [objective.sense for objective in objectives]
    if len(objectives) > 1:
        assert entry["sense"] == senses
        assert sorted(entry["optimum"]) == sorted(o.name for o in objectives)
    else:
        assert senses == ([] if entry["sense"] is None else [entry["sense"]])


@every_instance
def test_start_of_the_index_is_the_start_of_the_columns(entry: Entry) -> None:
    model = model_of(entry)
    start = model.columns.start
    if "start" not in entry:
        assert np.isnan(start).all()
        return
    for variable in formulation_of(entry).variables:
        assert variable.start == entry["start"].get(variable.name)
    assert np.isfinite(start).any()


@having("solution")
def test_recorded_solution_is_feasible_and_has_the_optimum(entry: Entry) -> None:
    model = model_of(entry)
    checked = check_point(model, model.point(entry["solution"]))
    assert checked.problems == ()
    (value,) = checked.objectives.values()
    optimum = entry["optimum"]
    assert math.isclose(value, optimum, rel_tol=1e-6, abs_tol=1e-6)


@having("weighted")
def test_weighted_optimum_is_the_weighted_sum_of_its_parts(entry: Entry) -> None:
    objectives = formulation_of(entry).objectives
    total = 0.0
    for objective in objectives:
        assert objective.weight is not None
        sign = 1 if objective.sense == objectives[0].sense else -1
        total += sign * objective.weight * entry["optimum"][objective.name]
    assert math.isclose(total, entry["weighted"], rel_tol=1e-12)
