"""The record of a solver agent, its options and its exports."""

from __future__ import annotations

from orkernel.config import Config, Layer
from orkernel.errors import OrkernelError, UnknownName, Unsupported
from orkernel.plugins.loading import import_object
from orkernel.plugins.values import convert
from orkernel.records import Capability
from orkernel.registry import Registry
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import answer, require_verified, spec
from orkernel.testing.conformance.solver_agents.problems import (
    conditions,
    linear,
    several,
    smooth,
    structures,
    uncertain,
    whole,
)
from orkernel.testing.conformance.solver_agents.problems.known import KnownProblem

PER_CAPABILITY = {
    Capability.CONTINUOUS: linear.TRANSPORT,
    Capability.LINEAR: linear.PRODUCTION,
    Capability.INTEGER: whole.ROUNDING,
    Capability.QUADRATIC_OBJECTIVE: smooth.NEAREST_POINT,
    Capability.QUADRATIC_CONSTRAINT: smooth.DISC,
    Capability.NONCONVEX: smooth.HILL,
    Capability.NONLINEAR: smooth.EXPONENTIAL,
    Capability.LOGICAL: conditions.TWO_RANGES,
    Capability.PIECEWISE: conditions.DISTANCES,
    Capability.RANDOM: uncertain.NEWSVENDOR,
    Capability.MULTI_OBJECTIVE: several.PROJECTS,
    Capability.ALL_DIFFERENT: structures.ALL_DIFFERENT,
    Capability.CIRCUIT: structures.CIRCUIT,
    Capability.MULTI_CIRCUIT: structures.MULTI_CIRCUIT,
    Capability.CUMULATIVE: structures.CUMULATIVE,
    Capability.NO_OVERLAP: structures.NO_OVERLAP,
    Capability.ELEMENT: structures.ELEMENT,
    Capability.TABLE: structures.TABLE,
    Capability.INVERSE: structures.INVERSE,
}
"""For every capability a problem that needs it."""
FURTHER_MIXES = {
    "whole_square": smooth.WHOLE_SQUARE,
    "whole_disc": smooth.WHOLE_DISC,
    "whole_exponential": smooth.WHOLE_EXPONENTIAL,
    "hock_schittkowski_71": smooth.HOCK_SCHITTKOWSKI_71,
    "bilinear": smooth.BILINEAR,
    "two_decimal_ranges": conditions.TWO_DECIMAL_RANGES,
    "discount": conditions.DISCOUNT,
    "whole_peak": conditions.WHOLE_PEAK,
    "fixed_charge": whole.FIXED_CHARGE,
    "service": uncertain.SERVICE,
    "trade": several.TRADE,
}
"""Capabilities in combination: what each set of `supports` lacks must be refused too."""


@conformance_test(added_in="0.1")
def test_record_is_complete(subject: Subject) -> None:
    """The record declares sets of capabilities, a summary, and an `export` for its formats."""
    record = spec(subject)
    require(record.supports, "it supports nothing")
    require(all(record.supports), "one of its sets of capabilities is empty")
    require(record.summary, "it has no summary")
    exports = callable(getattr(subject.target, "export", None))
    require(exports or not record.exports, "it declares formats, but has no method `export`")


@conformance_test(
    added_in="0.1", cases={**{str(c): p for c, p in PER_CAPABILITY.items()}, **FURTHER_MIXES}
)
def test_takes_what_it_declares_and_refuses_the_rest(subject: Subject, case: KnownProblem) -> None:
    """A model within a declared set is answered; one outside all of them raises Unsupported."""
    require_verified(*answer(subject, case))


@conformance_test(added_in="0.1")
def test_options_have_valid_defaults(subject: Subject) -> None:
    """The default of every option has its type and is one of its choices."""
    for option in subject.record.options:
        if option.default is not None:
            convert(option, option.default, f"{subject.record.name}.{option.name}")


@conformance_test(added_in="0.1")
def test_unknown_option_is_refused(subject: Subject) -> None:
    """A misspelled option ends with an error that names it, before anything is solved."""
    name = subject.record.name
    layer = Layer("-o", options={name: {"no_such_option": "1"}}, asked=True)
    registry = Registry(Config((layer,)), subject.registry.installed, subject.registry.plugins, ())
    try:
        registry.options(registry.get("solver_agents", name))
    except UnknownName as error:
        require("no_such_option" in str(error), f"the message does not name it: {error}")
    else:
        raise AssertionError("an unknown option was taken")


@conformance_test(added_in="0.1")
def test_exports_what_it_declares(subject: Subject) -> None:
    """Every declared format is written for a model that it takes; another is refused."""
    record = spec(subject)
    known = next((p for n, p in PER_CAPABILITY.items() if subject.declares(p.needs)), None)
    if not record.exports or known is None:
        return
    for name in sorted(record.exports):
        text = subject.target.export(known.model(), name)
        require(isinstance(text, str) and text.strip(), f"format '{name}' is empty")
    try:
        subject.target.export(known.model(), "no-such-format")
    except Unsupported:
        return
    raise AssertionError("it exported to a format that does not exist")


@conformance_test(added_in="0.1")
def test_health_check_answers_in_one_line(subject: Subject) -> None:
    """The health check, if there is one, returns one line or raises an error of the kernel."""
    if not subject.record.check:
        return
    try:
        line = import_object(subject.record.check)()  # type: ignore[operator]
    except OrkernelError as error:
        line = str(error)
    require(isinstance(line, str) and line.strip(), "the health check says nothing")
    require("\n" not in line.strip(), "the health check says more than one line")
