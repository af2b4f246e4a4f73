"""What the tests of the English reader share: solving a reading, and reading one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel.formulation.load import parse_formulation
from orkernel.model import Model
from orkernel_offline.english import readings
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
