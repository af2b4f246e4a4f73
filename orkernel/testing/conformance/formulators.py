"""The conformance kit of formulators.

A formulator may have an attribute `examples`, statements that it reads; the kit tries them. One
that asks a language model is tried on the kit's own statement. Without either only what it has to
refuse can be tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from orkernel.candidates import examine
from orkernel.context import RunContext
from orkernel.errors import Cancelled, NoMoreReadings, Refused
from orkernel.formulation.check import Severity
from orkernel.formulation.load import dump_formulation, load_formulation
from orkernel.formulation.schema import Formulation
from orkernel.records import Candidate, Problem
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import cancelled, error_of, unchanged, within
from orkernel.testing.conformance.samples import ODD_TEXTS, STATEMENT

MOST_READINGS = 50
"""A formulator has to come to an end after at most so many readings."""


def _examples(subject: Subject) -> Sequence[str]:
    own = (STATEMENT,) if subject.record.needs_language_model else ()
    found = getattr(subject.target, "examples", own)
    wanted = isinstance(found, Sequence) and not isinstance(found, str)
    require(
        wanted and all(isinstance(text, str) for text in found),
        "`examples` is no sequence of statements",
    )
    return tuple(found)


def _read(
    formulator: object, statement: str, history: Sequence[Candidate], ctx: RunContext
) -> Formulation:
    found = formulator.formulate(Problem(statement, "example"), history, ctx)  # type: ignore[attr-defined]
    require(isinstance(found, Formulation), f"it returns {type(found).__name__}, no Formulation")
    formulation: Formulation = found
    return formulation


def _readings(subject: Subject, formulator: object, statement: str) -> list[Formulation]:
    """All readings of a statement, each with those before it as its history."""
    history: list[Candidate] = []
    ctx = subject.context(seed=3)
    while len(history) <= MOST_READINGS:
        try:
            found = _read(formulator, statement, tuple(history), ctx)
        except NoMoreReadings:
            return [c.formulation for c in history if c.formulation is not None]
        history.append(Candidate(len(history), found))
    raise AssertionError(f"it does not raise NoMoreReadings after {MOST_READINGS} readings")


@conformance_test(added_in="0.1", cases=ODD_TEXTS)
def test_a_text_without_a_problem_is_refused(subject: Subject, case: str) -> None:
    """Nonsense, nothing, and hostile, huge or binary text raise Refused, with spans inside it."""
    ctx = subject.context()
    call = lambda: error_of(lambda: subject.target.formulate(Problem(case, "odd"), (), ctx))  # noqa: E731
    error = within(20.0, "it", call)
    require(
        isinstance(error, Refused),
        f"it {'reads it' if error is None else f'raises {type(error).__name__}'}; "
        f"it has to raise Refused",
    )
    assert isinstance(error, Refused)
    require(error.reason.strip(), "the refusal has no reason")
    for span in error.spans:
        start, end = span
        require(0 <= start <= end <= len(case), f"span {span} is outside 0…{len(case)}")


@conformance_test(added_in="0.1")
def test_examples_are_read(subject: Subject) -> None:
    """Every example gives a formulation that fits the schema and passes the checks."""
    for statement in _examples(subject):
        found = _read(subject.target, statement, (), subject.context())
        require(
            load_formulation(dump_formulation(found)) == found,
            f"{statement[:40]!r}: written as JSON and read again it is another",
        )
        errors = [d for d in examine(found, Problem(statement))[1] if d.severity is Severity.ERROR]
        require(not errors, f"{statement[:40]!r}: {errors[0].message if errors else ''}")


@conformance_test(added_in="0.1")
def test_elements_quote_the_statement(subject: Subject) -> None:
    """Every quote stands in the statement; every objective and constraint has one."""
    for statement in _examples(subject):
        for reading in _readings(subject, subject.target, statement):
            located, _ = examine(reading, Problem(statement))
            for element in (*located.parameters, *located.variables, *located.sets):
                for source in element.sources:
                    require(source.start is not None, f"'{source.quote[:40]}' is not in the text")
            for element in (*located.objectives, *located.constraints):
                quoted = any(source.start is not None for source in element.sources)
                require(quoted, f"{element.name} quotes nothing that stands in the statement")


@conformance_test(added_in="0.1")
def test_readings_end_and_differ(subject: Subject) -> None:
    """Each further reading is a different one, until NoMoreReadings."""
    for statement in _examples(subject):
        readings = _readings(subject, subject.target, statement)
        require(readings, f"{statement[:40]!r}: there is no reading")
        for number, reading in enumerate(readings):
            require(reading not in readings[:number], f"reading {number + 1} was there already")


@conformance_test(added_in="0.1")
def test_equal_statement_and_seed_give_equal_readings(subject: Subject) -> None:
    """Asked twice, and asked as a new object, the formulator reads the same."""
    for statement in _examples(subject):
        first = _readings(subject, subject.target, statement)
        require(first == _readings(subject, subject.target, statement), "asked again it differs")
        require(first == _readings(subject, subject.fresh(), statement), "a new object differs")


@conformance_test(added_in="0.1")
def test_a_statement_between_two_others_is_read_the_same(subject: Subject) -> None:
    """What was read, or refused, before has no influence."""
    for statement in _examples(subject):
        formulator = subject.fresh()
        first = _read(formulator, statement, (), subject.context())
        error_of(lambda f=formulator: _read(f, "xyzzy", (), subject.context()))  # type: ignore[misc]
        again = _read(formulator, statement, (), subject.context())
        require(first == again, f"{statement[:40]!r} is read otherwise after another statement")


@conformance_test(added_in="0.1")
def test_the_problem_and_the_history_are_not_changed(subject: Subject) -> None:
    """What is given is the same afterwards."""
    for statement in (*_examples(subject), "xyzzy"):
        history: list[Candidate] = []
        problem = Problem(statement, "example")
        for _ in range(3):
            with unchanged(problem=problem, history=history):
                try:
                    found = subject.target.formulate(problem, history, subject.context())
                except (Refused, NoMoreReadings):
                    continue
            history.append(Candidate(len(history), found))


@conformance_test(added_in="0.1")
def test_an_interrupted_run_is_not_held_up(subject: Subject) -> None:
    """After an interruption it raises Cancelled or answers at once."""
    for statement in (*_examples(subject), "xyzzy"):
        ctx = subject.context(cancel=cancelled())
        error = within(
            5.0,
            "it",
            lambda s=statement, c=ctx: error_of(lambda: _read(subject.target, s, (), c)),  # type: ignore[misc]
        )
        expected = error is None or isinstance(error, Cancelled | Refused)
        require(expected, f"it raises {type(error).__name__}")


@conformance_test(added_in="0.1")
def test_without_a_usable_answer_of_its_language_model_there_is_no_formulation(
    subject: Subject,
) -> None:
    """If its model fails, or answers with nothing that fits the schema, it raises.

    A formulator that asks no language model passes.
    """
    for name, hampered in subject.with_useless_models():
        for statement in (*_examples(hampered), "xyzzy"):
            error = error_of(
                lambda s=hampered, t=statement: _read(s.target, t, (), s.context())  # type: ignore[misc]
            )
            require(error is not None, f"{name}: it makes up a formulation")
            require(str(error).strip(), f"{name}: its {type(error).__name__} says nothing")


class FormulatorConformance(Conformance, kind="formulators", modules=(__name__,)):
    """What a formulator must do."""
