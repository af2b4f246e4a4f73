"""What the tests of the English reader share: solving a reading, and reading one sentence."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel.formulation.load import parse_formulation
from orkernel.model import Model
from orkernel_offline.english import Unreadable, readings
from orkernel_offline.english.clauses import Clause, clauses_of
from orkernel_offline.english.tagging import label_nouns
from orkernel_offline.english.tokens import sentences, tokenize


def _optimum(formulation: dict[str, Any]) -> float:
    model = Model.bind(parse_formulation(formulation))
    form = model.linear()
    objective = form.objectives[0]
    sign = -1.0 if objective.maximize else 1.0
    rows = LinearConstraint(form.matrix, form.row_lower, form.row_upper)
    answer = milp(
        sign * objective.cost,
        constraints=rows if form.matrix.shape[0] else None,
        integrality=np.asarray(form.columns.integer, dtype=float),
        bounds=Bounds(form.columns.lower, form.columns.upper),
    )
    assert answer.status == 0, answer.message
    return float(sign * answer.fun + objective.offset)


@pytest.fixture(scope="session")
def optimum() -> Callable[[dict[str, Any]], float]:
    """Optimal value of a formulation, from the kernel's linear form and SciPy."""
    return _optimum


@pytest.fixture(scope="session")
def first() -> Callable[[str], dict[str, Any]]:
    """The formulation of a statement's first reading."""
    return lambda statement: readings(statement)[0].formulation


@pytest.fixture(scope="session")
def clauses() -> Callable[[str], list[Clause]]:
    """The clauses of a text."""

    def split(text: str) -> list[Clause]:
        tokens = tokenize(text)
        labels = label_nouns(tokens)
        found: list[Clause] = []
        for number, sentence in enumerate(sentences(tokens, text)):
            found += clauses_of(sentence, number, labels)[0]
        return found

    return split


OPPOSITES = [
    ("at least", "at most"),
    ("at most", "at least"),
    ("no more than", "no less than"),
    ("no less than", "no more than"),
    ("more than", "fewer than"),
    ("up to", "at least"),
    ("exactly", "at most"),
    ("twice", "half"),
    ("maximize", "minimize"),
    ("minimize", "maximize"),
    ("must not exceed", "must exceed"),
]


def _model(formulation: dict[str, Any]) -> dict[str, Any]:
    """What a formulation computes: no names, texts or quotes."""
    return {
        "data": [parameter["value"] for parameter in formulation["parameters"]],
        "rows": [constraint["expression"] for constraint in formulation["constraints"]],
        "goals": [(goal["sense"], goal["expression"]) for goal in formulation["objectives"]],
    }


def _refused_or_changed(changed: str, base: dict[str, Any]) -> bool:
    try:
        return _model(readings(changed)[0].formulation) != base
    except Unreadable:
        return True


@pytest.fixture(scope="session")
def no_number_is_lost() -> Callable[[str], None]:
    """Change every number of a statement in turn: each changes the model or is refused."""

    def sweep(statement: str) -> None:
        base = _model(readings(statement)[0].formulation)
        labels = label_nouns(tokenize(statement))
        for before, token in itertools.pairwise(tokenize(statement)):
            digits = re.search(r"\d[\d,]*", token.text)
            if token.kind != "number" or digits is None or before.lemma in labels:
                continue
            other = str(int(digits.group().replace(",", "")) + 37)
            start = token.start + digits.start()
            changed = statement[:start] + other + statement[start + len(digits.group()) :]
            assert _refused_or_changed(changed, base), f"{token.text} is lost"

    return sweep


@pytest.fixture(scope="session")
def no_direction_is_lost() -> Callable[[str], None]:
    """Reverse every limit and goal in turn: each changes the model or is refused."""

    def sweep(statement: str) -> None:
        base = _model(readings(statement)[0].formulation)
        for phrase, opposite in OPPOSITES:
            for match in re.finditer(rf"\b{phrase}\b", statement, re.IGNORECASE):
                changed = statement[: match.start()] + opposite + statement[match.end() :]
                assert _refused_or_changed(changed, base), f"{phrase} is lost"

    return sweep
