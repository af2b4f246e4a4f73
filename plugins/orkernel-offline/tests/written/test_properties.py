"""Random models printed in three notations read back as the same arrays; no input crashes."""

from __future__ import annotations

import random
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel_offline.reading import Unreadable
from orkernel_offline.written import looks_written, readings

TEXTS = [
    s["text"]
    for s in tomllib.loads((Path(__file__).parent / "statements.toml").read_text(encoding="utf-8"))[
        "statement"
    ]
]


@dataclass(frozen=True)
class Program:
    maximize: bool
    cost: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    relations: tuple[str, ...]
    right: tuple[int, ...]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    columns = draw(st.integers(2, 4))
    rows = draw(st.integers(1, 4))
    number = st.integers(-9, 9)
    positive = st.integers(1, 9)
    return Program(
        draw(st.booleans()),
        tuple(draw(positive) for _ in range(columns)),
        tuple((draw(positive), *(draw(number) for _ in range(columns - 1))) for _ in range(rows)),
        tuple(draw(st.sampled_from(["<=", ">=", "="])) for _ in range(rows)),
        tuple(draw(st.integers(-50, 5000)) for _ in range(rows)),
    )


def term(coefficient: int, name: str, glue: str) -> str:
    sign = "-" if coefficient < 0 else "+"
    size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}{glue}"
    return f"{sign} {size}{name}"


def linear(coefficients: tuple[int, ...], name: str, glue: str) -> str:
    terms = [term(c, name.format(k), glue) for k, c in enumerate(coefficients, start=1) if c]
    return " ".join(terms).removeprefix("+ ")


def plain(p: Program) -> str:
    lines = [
        f"{'maximize' if p.maximize else 'minimize'} {linear(p.cost, 'x{}', '*')}",
        "subject to",
    ]
    lines += [
        f"{linear(row, 'x{}', '*')} {relation} {right}"
        for row, relation, right in zip(p.rows, p.relations, p.right, strict=True)
    ]
    names = ", ".join(f"x{k + 1}" for k in range(len(p.cost)))
    return "\n".join([*lines, f"{names} >= 0"])


def unicode_text(p: Program) -> str:
    digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    text = plain(p).replace("<=", "≤").replace(">=", "≥").replace("*", "·").replace("-", "−")
    for k in range(len(p.cost), 0, -1):
        text = text.replace(f"x{k}", f"x{str(k).translate(digits)}")
    return text


def latex(p: Program) -> str:
    relation = {"<=": r"\le", ">=": r"\geq", "=": "="}
    rows = [
        rf"& {linear(row, 'x_{{{}}}', '')} {relation[rel]} {right} \\"
        for row, rel, right in zip(p.rows, p.relations, p.right, strict=True)
    ]
    goal = rf"\{'max' if p.maximize else 'min'}\quad & {linear(p.cost, 'x_{{{}}}', '')} \\"
    names = ", ".join(f"x_{{{k + 1}}}" for k in range(len(p.cost)))
    body = "\n".join([goal, r"\text{s.t.}\quad", *rows, rf"& {names} \ge 0"])
    return "\\begin{align}\n" + body + "\n\\end{align}"


def indexed(p: Program) -> str:
    """Data in vectors and a matrix, model with sums; one kind of relation."""
    matrix = r" \\ ".join(" & ".join(map(str, row)) for row in p.rows)
    right = ", ".join(map(str, p.right))
    rows, columns = len(p.rows), len(p.cost)
    if rows == 1:
        matrix += r" \\ " + matrix
        right += f", {right}"
        rows = 2
    return (
        rf"$I = \{{1,\dots,{rows}\}}$, $J = \{{1, \dots, {columns}\}}$, $c = {p.cost}$,"
        rf" $b = ({right})$,"
        "\n"
        rf"$$a = \begin{{pmatrix}} {matrix} \end{{pmatrix}}$$"
        "\n"
        rf"$$\{'max' if p.maximize else 'min'} \sum_{{j \in J}} c_j x_j$$ subject to "
        rf"$$\sum_{{j \in J}} a_{{ij}} x_j \le b_i \quad \forall i \in I, \qquad x_j \ge 0 \quad "
        rf"\forall j \in J.$$"
    )


def check(statement: str, p: Program, relations: tuple[str, ...]) -> None:
    formulation = readings(statement)[0].formulation
    form = Model.bind(Formulation.model_validate(formulation)).linear()
    rows = np.array(p.rows, float)
    right = np.array(p.right, float)
    (goal,) = form.objectives
    assert goal.maximize == p.maximize
    np.testing.assert_array_equal(goal.cost, p.cost)
    np.testing.assert_array_equal(form.matrix.toarray(), rows)
    above = [r if rel in ("<=", "=") else np.inf for r, rel in zip(right, relations, strict=True)]
    below = [r if rel in (">=", "=") else -np.inf for r, rel in zip(right, relations, strict=True)]
    np.testing.assert_array_equal(form.row_upper, above)
    np.testing.assert_array_equal(form.row_lower, below)
    np.testing.assert_array_equal(form.columns.lower, np.zeros(len(p.cost)))


def has_several_terms(p: Program) -> bool:
    """Rows such as `x >= 0` are signs, not rows; give every row two terms."""
    return all(sum(c != 0 for c in row) > 1 for row in p.rows)


@pytest.mark.parametrize("notation", [plain, unicode_text, latex])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_random_program_reads_back_as_the_same_arrays(notation, data) -> None:  # type: ignore[no-untyped-def]
    p = data.draw(programs().filter(has_several_terms))
    check(notation(p), p, p.relations)


@settings(max_examples=40, deadline=None)
@given(p=programs().filter(lambda p: has_several_terms(p) and len(p.rows) > 1))
def test_random_indexed_program_reads_back_as_the_same_arrays(p: Program) -> None:
    check(indexed(p), p, ("<=",) * len(p.rows))


PIECES = [
    r"\sum_{",
    r"\frac{",
    "}",
    "{",
    "$",
    "$$",
    r"\begin{align}",
    r"\end{align}",
    r"\\",
    "&",
    "_",
    "^",
    r"\in",
    "<=",
    ">=",
    "=",
    "(",
    ")",
    "[",
    "]",
    "|",
    ",",
    ":",
    "x",
    "i",
    "I",
    "1",
    "..",
    r"\dots",
    " for all ",
    "max ",
    "min ",
    "s.t.",
    "\n",
    "\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    r"\text{",
    r"\{",
    r"\}",
    "∑",
    "∈",
    "₁",
    "ᵢ",
    "²",
    "%",
    "!",
    "'",
    "*",
    "/",
    "-",
    "+",
    "0",
    "3.5",
    r"\forall ",
    r"\mathbb{Z}_",
    "binary",
    "integer",
    "where",
    "data.csv (columns a, b)",
    r"\begin{pmatrix}",
    r"\end{pmatrix}",
    "`",
    "```\n",
    "\x00",
    "é",
    "𝔹",
    r"\left",
    r"\right.",
    r"\substack{",
    r"\item",
]


def reads_or_refuses(statement: str) -> None:
    looks_written(statement)
    refused = Unreadable("read")
    try:
        readings(statement)
    except Unreadable as error:
        refused = error
    assert refused.reason
    for start, end in refused.spans:
        assert 0 <= start <= end <= len(statement)


@settings(max_examples=250, deadline=2000)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=50))
def test_no_pieces_of_algebra_crash_the_reader(pieces: list[str]) -> None:
    reads_or_refuses("".join(pieces))


@settings(max_examples=250, deadline=2000)
@given(text=st.text(max_size=120))
def test_no_text_crashes_the_reader(text: str) -> None:
    reads_or_refuses(text)


@settings(max_examples=250, deadline=2000)
@given(seed=st.integers(0, 10**9))
def test_no_damaged_statement_crashes_the_reader(seed: int) -> None:
    dice = random.Random(seed)
    text = dice.choice(TEXTS)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(text) + 1)
        cut = dice.choice([0, 0, 1, 3, 30])
        text = text[:at] + dice.choice([*PIECES, ""]) + text[at + cut :]
    reads_or_refuses(text)


DEEP = {
    "parentheses": "max x s.t. " + "(" * 10_000 + "x" + ")" * 10_000 + " <= 3",
    "braces": "$\\max x$ s.t. $" + "{" * 10_000 + "x" + "}" * 10_000 + " \\le 3$",
    "signs": "max x s.t. " + "-" * 10_000 + "x <= 3",
    "fractions": "$\\max x$ s.t. $" + "\\frac{1}{" * 5_000 + "x" + "}" * 5_000 + " \\le 3$",
    "powers": "max x s.t. x" + "^x" * 5_000 + " <= 3",
    "subscripts": "max x s.t. " + "x_" * 5_000 + "x <= 3",
    "sums": "$\\max x$ s.t. $" + "\\sum_{i=1}^2 " * 2_000 + "x_i \\le 3$",
    "commas": "max x s.t. " + "x, " * 8_000 + "x >= 0",
    "dollars": "max x s.t. x <= 3 " + "$a " * 15_000,
    "environments": "max x s.t. x<=3 " + "\\begin{align}" * 5_000,
    "pipes": "max x s.t. x<=3\n" + "|" * 30_000,
    "digits": "max x s.t. x <= " + "1" * 50_000,
    "words": "maximize " + "word " * 30_000 + "x <= 3",
    "definitions": "max x s.t. x <= n0\n" + "\n".join(f"n{k} = n{k + 1} + 1" for k in range(900)),
}


@pytest.mark.parametrize("name", DEEP)
def test_large_or_deep_input_is_answered_within_seconds(name: str) -> None:
    start = time.monotonic()
    reads_or_refuses(DEEP[name])
    assert time.monotonic() - start < 20


def test_long_program_is_read_in_seconds() -> None:
    rows = "\n".join(f"{k} x1 + {k + 1} x2 >= {k}" for k in range(1, 800))
    start = time.monotonic()
    found = readings(f"min x1 + x2\ns.t.\n{rows}\nx1, x2 >= 0")
    assert len(found[0].formulation["constraints"]) == 799
    assert time.monotonic() - start < 20
