"""Alternative readings, domains, descriptions and names."""

from __future__ import annotations

from typing import Any

import pytest

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import readings
from orkernel_offline.written.recognise import looks_written


def first(statement: str) -> dict[str, Any]:
    return readings(statement)[0].formulation


def variables(formulation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {v["name"]: v for v in formulation["variables"]}


def test_only_strict_signs_read_as_non_strict_first_and_strict_second() -> None:
    found = readings("max x + y s.t. x + 2y < 8, 3x + y < 9, x, y integer and x, y > 0")
    expressions = [[c["expression"] for c in r.formulation["constraints"]] for r in found]
    assert expressions == [["x + 2*y <= 8", "3*x + y <= 9"], ["x + 2*y < 8", "3*x + y < 9"]]
    assert any("'<'" in a["text"] for a in found[0].formulation["assumptions"])


def test_strict_sign_next_to_a_non_strict_one_is_kept_first() -> None:
    found = readings("max x + y s.t. x + 2y < 8, 3x + y <= 9, x, y >= 0 and integer")
    assert found[0].formulation["constraints"][0]["expression"] == "x + 2*y < 8"
    assert found[1].formulation["constraints"][0]["expression"] == "x + 2*y <= 8"


def test_counted_variables_with_no_domain_have_a_whole_reading() -> None:
    found = readings(
        "Let x be the number of chairs and y the number of tables. "
        "Maximize 3x + 5y s.t. x + 2y <= 8, x, y >= 0."
    )
    domains = [{v["domain"] for v in r.formulation["variables"]} for r in found]
    assert domains == [{"continuous"}, {"integer"}]


def test_no_sign_is_free_first_and_non_negative_second() -> None:
    found = readings("minimize x - y s.t. x + y >= 2, x - y >= 1, y <= 4")
    lowers = [{v["lower"] for v in r.formulation["variables"]} for r in found]
    assert lowers == [{None}, {0}]


def test_no_sign_of_a_described_quantity_is_non_negative_first() -> None:
    found = readings(
        "Let x be the tonnes of ore and y be the tonnes of coal. min 2x + y s.t. x + y >= 3, x <= 2"
    )
    assert [{v["lower"] for v in r.formulation["variables"]} for r in found] == [{0}, {None}]


def test_a_clear_statement_has_one_reading() -> None:
    assert len(readings("max 3x + 2y s.t. x + y <= 4, x, y >= 0")) == 1


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        (r"x \in \mathbb{Z}", ("integer", None, None)),
        (r"x \in \mathbb{Z}_{\ge 0}", ("integer", 0, None)),
        (r"x \in \mathbb{Z}_+", ("integer", 0, None)),
        (r"x \in \mathbb{N}", ("integer", 0, None)),
        (r"x \in \mathbb{R}", ("continuous", None, None)),
        (r"x \in \mathbb{R}_+", ("continuous", 0, None)),
        (r"x \in \mathbb{R}_{\geq 0}", ("continuous", 0, None)),
        (r"x \in [2, 5.5]", ("continuous", 2, 5.5)),
        (r"x \in \{0, 1, \dots, 7\}", ("integer", 0, 7)),
        (r"x \in \{2, 3, 4\}", ("integer", 2, 4)),
        (r"-1 \le x \le 3", ("continuous", -1, 3)),
        (r"x \geq 0 \text{ and integer}", ("integer", 0, None)),
        (r"x \ge 0,\ x \text{ integer}", ("integer", 0, None)),
        (r"0 \le x", ("continuous", 0, None)),
        (r"x \text{ free}", ("continuous", None, None)),
        (r"x > 0 \text{ integer}", ("integer", 1, None)),
        (r"x \in [2, \infty)", ("continuous", 2, None)),
        ("x ∈ ℤ≥0", ("integer", 0, None)),
    ],
)
def test_domain_gives_kind_and_bounds(
    domain: str, expected: tuple[str, float | None, float | None]
) -> None:
    found = variables(first(rf"$$\max 2x \text{{ s.t. }} 3x \le 20,\quad {domain}$$"))["x"]
    assert (found["domain"], found["lower"], found.get("upper")) == expected


@pytest.mark.parametrize(
    "domain",
    [
        r"$x \in \{0, 1\}$",
        "x binary",
        r"$x \in \mathbb{B}$",
        "$x$ is binary",
        "x is a binary variable",
    ],
)
def test_binary_in_many_words(domain: str) -> None:
    assert variables(first(f"max 2x s.t. 3x <= 20, {domain}"))["x"]["domain"] == "binary"


def test_indicator_in_words_is_binary() -> None:
    statement = (
        r"Let $y_i$ be 1 if site $i$ is open and 0 otherwise, $i \in I = \{1,2\}$. "
        r"$\min \sum_{i \in I} f_i y_i$ s.t. $\sum_{i \in I} y_i \ge 1$, $f = (3,4)$"
    )
    assert variables(first(statement))["y"]["domain"] == "binary"


def test_descriptions_and_labels_are_kept() -> None:
    found = first(
        "Let x1 = number of chairs, x2 = number of tables. Maximize 5x1 + 8x2 subject to\n"
        "wood: x1 + 2x2 <= 10\n3x1 + x2 <= 15   (paint hours)\nx1, x2 >= 0"
    )
    assert [v["description"] for v in found["variables"]] == [
        "number of chairs",
        "number of tables",
    ]
    assert [c["name"] for c in found["constraints"]] == ["wood", "paint_hours"]


def test_symbols_that_python_reserves_get_a_trailing_underscore() -> None:
    found = first(r"$\max \lambda + 2\mu$ s.t. $\lambda + \mu \le 4$, $\lambda, \mu \ge 0$")
    assert found["objectives"][0]["expression"] == "lambda_ + 2*mu"


def test_horizon_and_its_range_do_not_share_a_name() -> None:
    found = first(
        r"$T = 3$. $\min \sum_{t=1}^T t x_t$ s.t. $\sum_{t=1}^T x_t \ge T$, "
        r"$x_t \ge 0,\ t=1,\dots,T$"
    )
    names = [e["name"] for kind in ("sets", "parameters", "variables") for e in found[kind]]
    assert len(names) == len(set(names)) == 3


def test_several_objectives_are_kept_in_order() -> None:
    found = first("min f1 = x + y\nmax f2 = x - y\ns.t. 1 <= x <= 5, 1 <= y <= 4")
    assert [(o["name"], o["sense"], o["expression"]) for o in found["objectives"]] == [
        ("f_1", "minimize", "x + y"),
        ("f_2", "maximize", "x - y"),
    ]


def test_goal_may_name_a_quantity_that_another_line_defines() -> None:
    found = first("profit = 3x + 5y. x + y <= 4, x, y >= 0. Maximize profit.")
    assert found["objectives"][0]["expression"] == "profit"
    assert variables(found)["profit"]["lower"] is None


def test_missing_quantifier_is_an_assumption() -> None:
    found = first(r"$\max \sum_{i=1}^3 x_i$ s.t. $x_i \le 5$, $x_i \ge 0$")
    assert found["constraints"][0]["for_each"] == "i in I"
    assert any("for all" in a["text"] for a in found["assumptions"])


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("max 3x s.t. x <= 10, x >= 0. Also x must be at least 3.", "Also x must be at least 3"),
        ("max 3x s.t. x <= 10, x >= 0. No more than 7 pieces fit.", "No more than 7 pieces fit"),
        ("Total cost: 3x + y = c, x + y <= 4. We minimize the cost.", "minimize"),
        ("max 3x s.t. x <= 10, x >= 0; only integer amounts are useful", "integer"),
    ],
)
def test_limits_goals_and_domains_in_words_only_are_refused(statement: str, quote: str) -> None:
    with pytest.raises(Unreadable) as refused:
        readings(statement)
    start, end = refused.value.spans[0]
    assert statement[start:end] == quote


def test_narrative_that_repeats_the_numbers_of_the_algebra_is_no_limit() -> None:
    found = first(
        "At most 40 hours are available. max 3x + 2y s.t. 2x + y <= 40, x, y >= 0, x <= 9"
    )
    assert len(found["constraints"]) == 2


def test_raised_digit_in_a_set_is_a_label_and_no_number() -> None:
    found = first(
        "P = {1², 2}\nmax sum(x[p] for p in P) s.t. x[p] <= 1 for p in P, x[p] >= 0 for p in P"
    )
    assert found["sets"][0]["members"] == ["1²", 2]


def test_negative_entries_of_a_matrix_are_not_subtracted_from_their_neighbours() -> None:
    found = first(
        r"$a = \begin{pmatrix} 1 & -1 \\ 2 & +3 \end{pmatrix}$, $I = \{1,2\}$. "
        r"$\max \sum_{i \in I} x_i$ s.t. $\sum_{i \in I} a_{ji} x_i \le 4\ \forall j \in I$, "
        r"$0 \le x_i \le 9\ \forall i \in I$"
    )
    assert found["parameters"][0]["value"] == [[1, -1], [2, 3]]


def test_indicator_of_the_next_item_does_not_make_this_one_binary() -> None:
    found = first(
        "Variables:\n- s: pallets in stock\n- y: 1 if the plant runs, 0 otherwise\n\n"
        "min s + 3y\ns + 9y >= 5\ns >= 0"
    )
    assert {v["name"]: v["domain"] for v in found["variables"]} == {
        "s": "continuous",
        "y": "binary",
    }


@pytest.mark.parametrize(
    "domain",
    [
        "where x ≥ 0 and y ≥ 0 are integers",
        "x >= 0, y >= 0, integer",
        "x >= 0, y >= 0, and integer",
        "x, y >= 0 and integer",
        "x >= 0, y >= 0; all variables are integer",
        "x >= 0, y >= 0; both variables are integer",
    ],
)
def test_a_domain_said_of_a_list_holds_for_all_of_it(domain: str) -> None:
    found = first(f"min 2x + 3y subject to 2x + 2y >= 5, {domain}")
    assert [v["domain"] for v in found["variables"]] == ["integer", "integer"]


def test_a_domain_that_may_hold_for_the_last_symbol_only_is_refused() -> None:
    with pytest.raises(Unreadable, match="only the last symbol is integer"):
        readings("min 2x + 3y subject to 2x + 2y >= 5, x >= 0, y >= 0 integer")


def test_two_described_symbols_keep_their_own_descriptions() -> None:
    found = first(
        r"Let $x_1$ be the number of acres of wheat, $x_2$ the number of acres of corn. "
        r"Maximize $2x_1 + 3x_2$ subject to $x_1 + x_2 \le 50$ with $x_1,x_2 \ge 0$."
    )
    assert [v["description"] for v in found["variables"]] == [
        "number of acres of wheat",
        "number of acres of corn",
    ]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (r"\max_{x \in [2, 5]}", ("continuous", 2, 5)),
        (r"\max_{x \in \mathbb{Z}}", ("integer", None, None)),
        (r"\max_{x \in \{0, 1\}}", ("binary", None, None)),
        (r"\max_{x \ge 0}", ("continuous", 0, None)),
        (r"\underset{x \ge 0}{\max}", ("continuous", 0, None)),
        (r"\underset{x \ge 0}{\text{maximize}}", ("continuous", 0, None)),
    ],
)
def test_what_stands_under_the_goal_word_holds(
    goal: str, expected: tuple[str, float | None, float | None]
) -> None:
    found = variables(first(rf"$${goal}\; 2x \quad \text{{s.t.}}\quad 3x \le 20$$"))["x"]
    assert found["domain"] == expected[0]
    if found["domain"] != "binary":
        assert (found["lower"], found.get("upper")) == expected[1:]


def test_comma_without_a_space_parts_relations() -> None:
    found = first("max 3x + 2y s.t. x<=3,2y<=8,3x+y<=9,x,y>=0")
    assert [c["expression"] for c in found["constraints"]] == ["x <= 3", "2*y <= 8", "3*x + y <= 9"]


def test_general_section_declares_whole_numbers() -> None:
    found = first(
        "Maximize\n obj: x1 + 2 x2\nSubject To\n c1: x1 + 3 x2 <= 25\n"
        "Bounds\n 0 <= x1 <= 4\n 0 <= x2\nGeneral\n x2\nEnd\n"
    )
    assert {v["name"]: v["domain"] for v in found["variables"]} == {
        "x1": "continuous",
        "x2": "integer",
    }


def test_remark_that_repeats_its_relation_in_words_is_its_name() -> None:
    found = first("max x s.t. 2x <= 40 (no more than 40 hours)\nx >= 0")
    assert found["constraints"][0]["expression"] == "2*x <= 40"


@pytest.mark.parametrize(
    ("statement", "goal"),
    [
        (r"$\max \frac12 x$ s.t. $x \le 3$, $x \ge 0$", "1/2*x"),
        ("maximize xy subject to x + y = 10, x, y >= 0", "x*y"),
    ],
)
def test_short_spellings_of_products_and_fractions(statement: str, goal: str) -> None:
    assert first(statement)["objectives"][0]["expression"] == goal


def test_preamble_of_a_latex_document_is_no_algebra() -> None:
    found = first(
        "\\documentclass[11pt]{article}\n\\usepackage{amsmath}\n\\begin{document}\n\\maketitle\n"
        "\\[ \\max\\ 3x + 4y \\]\nsubject to $x + y \\le 4$, $x, y \\ge 0$.\n\\end{document}\n"
    )
    assert found["objectives"][0]["expression"] == "3*x + 4*y"


@pytest.mark.parametrize(
    "statement",
    [
        "minimize 2x^2 + 3y^2 - 4x subject to x + y >= 3",
        "min max(2x+3, 5-x) s.t. 0 <= x <= 10",
        "min (x-1)^2 + y s.t. x + y >= 3",
        "maximize xy subject to x + y = 10, x, y >= 0",
    ],
)
def test_goal_with_powers_calls_or_products_is_algebra(statement: str) -> None:
    assert looks_written(statement)
