"""Faulty formulators, each caught by the test that is meant for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from orkernel import Formulation, Refused

SOMETHING = Formulation.model_validate(
    {
        "variables": [{"name": "x", "upper": 1}],
        "objectives": [{"name": "goal", "sense": "maximize", "expression": "x"}],
    }
)


def always_finds_something(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            try:
                return super().formulate(problem, history, ctx)
            except Refused:
                return SOMETHING

    return Mutant


def crashes_where_it_should_refuse(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            problem.statement.encode("utf-8")
            problem.statement.split()[0]
            return super().formulate(problem, history, ctx)

    return Mutant


def points_outside(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            try:
                return super().formulate(problem, history, ctx)
            except Refused as error:
                raise Refused(error.reason, [(0, len(problem.statement) + 1)]) from error

    return Mutant


def changing(**changes: Any) -> Any:
    """A mutation that changes parts of the formulation."""

    def mutate(formulator: type[Any]) -> type[Any]:
        class Mutant(formulator):
            def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
                found = super().formulate(problem, history, ctx)
                return found.model_copy(
                    update={name: change(getattr(found, name)) for name, change in changes.items()}
                )

        return Mutant

    return mutate


def unquoted(elements: Any) -> Any:
    return tuple(e.model_copy(update={"sources": ()}) for e in elements)


def misquoted(elements: Any) -> Any:
    other = [s.model_copy(update={"quote": "never said zzz"}) for s in elements[0].sources]
    return (elements[0].model_copy(update={"sources": tuple(other)}), *elements[1:])


def doubled(elements: Any) -> Any:
    return (*elements, *elements)


def never_ends(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            found: Formulation = super().formulate(problem, (), ctx)
            return found.model_copy(update={"title": str(len(history))})

    return Mutant


def repeats_itself(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            return super().formulate(problem, history if len(history) > 2 else (), ctx)

    return Mutant


def wavers(formulator: type[Any]) -> type[Any]:
    counter = itertools.count()

    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            found: Formulation = super().formulate(problem, history, ctx)
            return found.model_copy(update={"title": str(next(counter))})

    return Mutant


def remembers(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        last = ""

        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            before, self.last = self.last, problem.statement
            found: Formulation = super().formulate(problem, history, ctx)
            return found.model_copy(update={"title": before})

    return Mutant


def rewrites_history(formulator: type[Any]) -> type[Any]:
    class Mutant(formulator):
        def formulate(self, problem: Any, history: Any, ctx: Any) -> Formulation:
            try:
                return super().formulate(problem, tuple(history), ctx)
            finally:
                if isinstance(history, list):
                    history.clear()

    return Mutant


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_a_text_without_a_problem_is_refused", always_finds_something),
        ("test_a_text_without_a_problem_is_refused", crashes_where_it_should_refuse),
        ("test_a_text_without_a_problem_is_refused", points_outside),
        ("test_examples_are_read", changing(variables=doubled)),
        ("test_elements_quote_the_statement", changing(constraints=unquoted)),
        ("test_elements_quote_the_statement", changing(variables=misquoted)),
        ("test_readings_end_and_differ", never_ends),
        ("test_readings_end_and_differ", repeats_itself),
        ("test_equal_statement_and_seed_give_equal_readings", wavers),
        ("test_a_statement_between_two_others_is_read_the_same", remembers),
        ("test_the_problem_and_the_history_are_not_changed", rewrites_history),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("formulator", test, mutate)


def test_the_kit_catches_a_formulation_that_no_model_gave(caught: Callable[..., None]) -> None:
    test = "test_without_a_usable_answer_of_its_language_model_there_is_no_formulation"
    caught(
        "formulator",
        test,
        always_finds_something,
        lambda r: replace(r, needs_language_model=True),
    )
