"""What the reader refuses, with the exact place."""

from __future__ import annotations

import pytest

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import readings

REFUSALS = [
    ("minimize 3x + 2y s.t. x + y >= b, x, y >= 0", "has no value", "b"),
    (
        r"$\max \sum_{i=1}^3 c_i x_i$ s.t. $\sum_{i=1}^3 x_i \le 2$, "
        r"$0 \le x_i \le 1$ for $i=1,2,3$",
        "stands in no constraint and has no value",
        "c_i",
    ),
    (r"$\max x$ s.t. $\wibble{x} \le 3$", r"macro \wibble is not understood", r"\wibble"),
    (r"$\max x$ s.t. $\frac{x}{2 \le 3$, $x \ge 0$", "or an operator is expected", r"\le"),
    (r"$$\max x \text{ s.t. } x \le 3", "never closed by $$", "$$"),
    (r"\begin{align} \max x \\ x \le 3", r"has no \end{align}", r"\begin{align}"),
    ("max x s.t. (x + 1 <= 3", "or an operator is expected", "<="),
    ("max x + y s.t. if x = 1 then y <= 5, x <= 3", "'if' changes what", "x = 1"),
    ("max x s.t. x <= 5 thousand", "'thousand' changes what", "x <= 5"),
    ("max x s.t. either x <= 3 or x >= 8", "'either' changes what", "x <= 3"),
    ("max x s.t. x <= 30% of the budget", "a percentage of something", "x <= 30%"),
    ("max 3x + 2y <= 5", "an objective has no relation", "<="),
    ("max x s.t. 3 <= x >= 1", "must point one way", "3 <= x >= 1"),
    (r"$\max x$ s.t. $x \in \{2, 5, 9\}$", "this domain is not understood", r"\{2, 5, 9\}"),
    (
        r"$\max \sum_{i \in I} x_i$ s.t. $x_i \le 4\ \forall i \in I$",
        "the members of the set I are not given",
        "I",
    ),
    (
        r"$I=\{1,2\}$, $c = (1, 2, 3)$, "
        r"$\max \sum_{i \in I} c_i x_i$ s.t. $x_i \le 1\ \forall i\in I$",
        "c has 3 entries but its index sets have 2 members",
        "c = (1, 2, 3)",
    ),
    (
        r"$I=\{1,2,3\}$, $c_1 = 4, c_2 = 5$, "
        r"min $\sum_{i \in I} c_i x_i$ s.t. $x_i \ge 1\ \forall i\in I$",
        "c[3] has no value",
        "c_1 = 4",
    ),
    (
        r"$T = \{1,2\}$. $\min \sum_{t \in T} s_t$ s.t. $s_t = s_{t-1} + 1\ \forall t \in T$, "
        r"$s_t \ge 0\ \forall t \in T$",
        "s is used for 0 (from 1)",
        "s_{t-1}",
    ),
    (r"$\max x_12$ s.t. $x_12 \le 3$", "LaTeX takes only the first character", "_12"),
    (
        r"$\min \sum_{i=1}^{2} x_ij$ s.t. $\sum_{j=1}^2 x_{ij} \ge 1\ \forall i=1,2$",
        "LaTeX takes only the first character",
        "_ij",
    ),
    ("c = (1,200, 350)\nmax c_1 x + c_2 y s.t. x + y <= 1", "one number or two", "1,200"),
    (
        r"$\min \sum_{i \in I} x_i - d_i$ s.t. $x_i \ge 2\ \forall i \in I$ "
        r"with $I = \{1,2\}$, $d=(1,1)$",
        "the index i is not bound",
        "i",
    ),
    ("max x^y^2 s.t. x <= 3, y <= 2", "a power of a power", "^"),
    ("n = 3\nmax x s.t. x <= 3\nn = 4\nx >= 0", "n is given twice, differently", "n = 4"),
    ("maximize x + y s.t. x + y <= 5 + , x >= 0", "is expected here", ","),
    (r"$\max 3x$ s.t. $2x + 5y$, $x \le 3$", "neither an objective nor a", "2x + 5y"),
    (r"$\max x!$ s.t. $x \le 3$", "factorial", "!"),
    (
        r"$A = \begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}$ max $x$ s.t. $x \le 3$",
        "rows of this matrix differ",
        r"\begin{pmatrix} 1 & 2 \\ 3 \end{pmatrix}",
    ),
    ("min 0,5 x + 2 y s.t. x + y >= 3, x, y >= 0", "may be one number or two", "0,5"),
    ("min z = 0,5 x + 1,25 y s.t. x + y >= 3, x, y >= 0", "may be one number or two", "0,5"),
    ("min 2x + y s.t. x + y >= 10,5; x, y >= 0", "may be one number or two", "10,5"),
    ("min 2x + y s.t. x + 1,5 y >= 10; x, y >= 0", "may be one number or two", "1,5"),
    ("min 2x + y s.t. 0,5x + y >= 10, x, y >= 0", "may be one number or two", "0,5"),
    ("min 2x + y s.t. x + y >= 10, x:y = 1:2, x, y >= 0", "a ratio is not understood", ":"),
    ("max 2x + y\nx + y <= 10\nx, y >= 0\n3x + y", "neither an objective nor a", "3x + y"),
    ("max x s.t. x <= 5 (if the shop is open), x >= 0", "'if' changes what", "if the shop is open"),
    ("max x s.t. x <= 5 (in thousands), x >= 0", "'thousands' changes what", "in thousands"),
    ("max x s.t. x <= 5, x >= 0. Sorry, it should be x <= 6", "'sorry' changes what", "x <= 6"),
    ("max x s.t. x <= 5, x >= 0. Drop the first constraint.", "changes the model",
     "Drop the first constraint"),
    ("max 2x s.t. 2x <= 5, x >= 0. Only whole units sell.", "no symbol is declared integer",
     "Only whole units sell"),
    ("Solve this integer program: max 2x s.t. 2x <= 5, x >= 0", "no symbol is declared integer",
     "Solve this integer program:"),
    ("max 2x + y s.t. x + y <= 5, x, y >= 0. y is at least twice x.", "a limit in words",
     "y is at least twice x"),
    ("max 2x + y s.t. x + y <= 5, x, y >= 0. x may not be larger than y.", "a limit in words",
     "x may not be larger than y"),
    ("max 2x + y s.t. x + y <= 5, x, y >= 0. Both must be equal.", "a limit in words",
     "Both must be equal"),
    ("max 2x + y s.t. x + y <= 5, x, y >= 0. x is odd.", "a limit in words", "x is odd"),
    ("max 3x + 2y s.t. x + y <= 5, x, y >= 0. The minimum for y is 2.", "a limit in words",
     "The minimum for y is 2"),
    (r"$\max x$ s.t. $x \in [2, 5)$", "write an interval as [a, b]", ")"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "reason", "quote"), REFUSALS, ids=lambda v: v[:40])
def test_refusal_gives_reason_and_exact_place(statement: str, reason: str, quote: str) -> None:
    with pytest.raises(Unreadable) as refused:
        readings(statement)
    assert reason in refused.value.reason
    start, end = refused.value.spans[0]
    assert statement[start:end] == quote
