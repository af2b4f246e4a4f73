"""Statements with their algebra, written for these tests, each with its optimal value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A statement and the optimal value of its first reading."""

    name: str
    text: str
    optimum: float


CASES = [
    Case(
        "one line of plain text",
        "maximize 3x + 5y subject to 2x + y <= 10, x + 3y <= 15, x, y >= 0",
        29.0,
    ),
    Case(
        "numbered constraints with remarks",
        """Max Z = 3x1 + 5x2
s.t.
(1) x1 <= 4
(2) 2*x2 <= 12   (hours of line two)
(3) 3x1 + 2x2 <= 18
x1, x2 >= 0""",
        36.0,
    ),
    Case(
        "integers declared after the sign",
        """Maximise Z = 5 x_1 + 4 x_2
subject to
6 x_1 + 4 x_2 <= 24
x_1 + 2 x_2 <= 6
x_1, x_2 >= 0 and integer""",
        20.0,
    ),
    Case(
        "unicode relations and subscripts",
        """minimise 2x₁ + 3x₂
subject to x₁ + x₂ ≥ 4
x₁ + 3x₂ ≥ 6
x₁ ≥ 0
x₂ ≥ 0""",
        9.0,
    ),
    Case(
        "unicode sums over a set",
        """minimize ∑_{i∈I} c_i·x_i
subject to
  ∑ᵢ aᵢ xᵢ ≥ 10
  xᵢ ∈ {0,1} ∀ i ∈ I
I = {1..3}, c = (3, 5, 2), a = (4, 5, 6)""",
        5.0,
    ),
    Case(
        "latex transport with a matrix",
        r"""Let $x_{ij}$ be the tonnes shipped from $i$ to $j$.
$$\min \sum_{i \in I}\sum_{j \in J} c_{ij} x_{ij}$$
subject to
\begin{align}
\sum_{j \in J} x_{ij} &\le a_i && \forall i \in I \\
\sum_{i \in I} x_{ij} &\ge d_j && \forall j \in J \\
x_{ij} &\ge 0 && \forall i \in I, j \in J
\end{align}
where $I = \{1,2\}$, $J = \{A, B, C\}$, $a = (10, 20)$, $d_A = 5, d_B=6, d_C=7$ and
$$c = \begin{pmatrix} 1 & 2 & 3 \\ 4 & 5 & 6\end{pmatrix}$$""",
        62.0,
    ),
    Case(
        "markdown table with supply column and demand row",
        r"""A firm ships from plants $i \in I$ to markets $j \in J$. The unit costs $c_{ij}$, the
supplies and the demands are

| plant | North | South | West | supply $a_i$ |
|---|---:|---:|---:|---:|
| Oslo | 4 | 6 | 8 | 100 |
| Bergen | 5 | 3 | 7 | 1,200 |
| demand $d_j$ | 50 | 60 | 70 | |

Let $x_{ij} \ge 0$ be the tonnes shipped. Minimise $\sum_{i \in I, j \in J} c_{ij} x_{ij}$
subject to $\sum_{j \in J} x_{ij} \le a_i$ for all $i \in I$ and
$\sum_{i\in I} x_{ij} \ge d_j$ for all $j \in J$.
""",
        870.0,
    ),
    Case(
        "latex tabular with symbols in its header",
        r"""
\begin{table}
\caption{Data of the products}
\begin{tabular}{lrr}
\hline
Product $p$ & profit $c_p$ & hours $h_p$ \\ \hline
chair & 30 & 2 \\
table & 50 & 4 \\ \hline
\end{tabular}
\end{table}
\[ \max \sum_{p \in P} c_p x_p \quad \text{s.t.} \quad \sum_{p \in P} h_p x_p \le 41,\quad
   x_p \le 15\ \forall p \in P,\quad x_p \in \mathbb{Z}_{\ge 0}\ \forall p\in P \]
""",
        570.0,
    ),
    Case(
        "inventory with an initial stock and a shifted index",
        r"""Inventory: $T=4$ periods, demand $d = (10, 20, 30, 15)$. Production costs $c = 3$ a unit,
holding costs $h=1$. Let $x_t$ be production and $s_t$ the stock at the end of period $t$; $s_0 = 5$.
$$\min \sum_{t=1}^{T} (c x_t + h s_t)$$
$$s_{t-1} + x_t = d_t + s_t, \qquad t = 1, \dots, T$$
$$0 \le x_t \le 25, \; s_t \ge 0 \qquad t=1,\dots,T.$$""",
        215.0,
    ),
    Case(
        "facility location with binaries and a big constant",
        r"""Let $F = \{1,2,3\}$ be the sites and $C = \{a, b\}$ the customers.
\begin{align*}
\min\quad & \sum_{i \in F} f_i y_i + \sum_{i \in F} \sum_{j \in C} c_{ij} x_{ij} \\
\text{s.t.}\quad & \sum_{i \in F} x_{ij} = 1 && \forall j \in C \\
& x_{ij} \le y_i && \forall i \in F,\; j \in C \\
& x_{ij} \ge 0,\; y_i \in \{0,1\} && \forall i \in F, j \in C
\end{align*}
with $f = (10, 8, 12)$ and
\[ c = \begin{bmatrix} 4 & 6 \\ 7 & 3 \\ 2 & 2 \end{bmatrix}. \]""",
        16.0,
    ),
    Case(
        "knapsack with named items in prose",
        r"""Let $I = \{\text{tent}, \text{stove}, \text{lamp}\}$ be the items with values
$v_{\text{tent}} = 60, v_{\text{stove}} = 100, v_{\text{lamp}} = 120$ and weights
$w_{\text{tent}} = 10, w_{\text{stove}} = 20, w_{\text{lamp}} = 30$.
Maximize $\sum_{i\in I} v_i x_i$ subject to $\sum_{i \in I} w_i x_i \leq 50$,
where $x_i$ is binary for each $i \in I$.""",
        220.0,
    ),
    Case(
        "chain of relations",
        r"""$$\max\; 2x + 3y \quad \text{s.t.}\quad 1 \le x + y \le 4,\quad 0 \le x \le 3,\quad
        0 \le y \le 2$$""",
        10.0,
    ),
    Case(
        "decision variables listed under a heading",
        """## Decision variables

- x: tonnes of steel
- y: tonnes of copper

## Objective

Maximize profit = 40x + 30y

## Constraints

- Labor: 2x + y <= 100
- Furnace: x + y <= 80
- x, y >= 0
""",
        2600.0,
    ),
    Case(
        "words as names",
        """maximize 5*chairs + 8*tables
subject to
wood: 2*chairs + 4*tables <= 40
labor: chairs + tables <= 15
chairs, tables >= 0""",
        90.0,
    ),
    Case(
        "code block with one constraint per line",
        """Solve this:

```
min: 2a + 3b + 4c
a + b >= 3
b + c >= 4
a + c >= 5
a, b, c >= 0
```
""",
        19.0,
    ),
    Case(
        "quadratic objective",
        r"""Minimize $(x - 1)^2 + (y - 2)^2$ subject to $x + y = 2$ with $x, y \geq 0$.""",
        0.5,
    ),
    Case(
        "nonlinear functions and a fraction",
        r"""\begin{equation}
\min_{x,y}\; e^{x} + \frac{1}{y} \quad \text{subject to} \quad x + y \le 3,\; x \ge 0,\; 0.5 \le y \le 2
\end{equation}""",
        1.5,
    ),
    Case(
        "logarithms and roots",
        r"""\[ \max\ \ln x + \sqrt{y} \quad \text{s.t. } x + y \le 5,\ x \ge 1,\ y \ge 0 \]""",
        2.5138485163,
    ),
    Case(
        "absolute values as data",
        r"""Points $p = (0, 3, 7)$, $I = \{1,2,3\}$. Let $d_{ij} = |p_i - p_j|$ for all $i, j \in I$.
Minimize $\sum_{i \in I} \sum_{j \in I} d_{ij} x_{ij}$ subject to
$\sum_{j \in I: j \neq i} x_{ij} = 1$ for all $i \in I$, $x_{ij} \ge 0$ for all $i,j \in I$.""",
        10.0,
    ),
    Case(
        "travelling between neighbours with conditions",
        r"""$N = \{1,2,3,4\}$ and
$$c = \begin{pmatrix} 0&2&9&10\\ 1&0&6&4\\ 15&7&0&8\\ 6&3&12&0 \end{pmatrix}.$$
$$\begin{aligned}
\min & \sum_{i \in N} \sum_{\substack{j \in N \\ j \ne i}} c_{ij} x_{ij} \\
\text{s.t. } & \sum_{j \in N, j \ne i} x_{ij} = 1 & \forall i \in N \\
& \sum_{i \in N, i \ne j} x_{ij} = 1 & \forall j \in N \\
& u_i - u_j + 4 x_{ij} \le 3 & \forall i, j \in N: i \ne j,\ i \ge 2,\ j \ge 2 \\
& x_{ij} \in \{0,1\} \quad \forall i, j \in N \\
& 1 \le u_i \le 4 \quad \forall i \in N
\end{aligned}$$""",
        21.0,
    ),
    Case(
        "network flow on a set of arcs",
        r"""Nodes $N = \{1,2,3,4\}$, arcs $A = \{(1,2), (1,3), (2,3), (2,4), (3,4)\}$.
Capacities: $u_{12} = 4, u_{13} = 3, u_{23} = 2, u_{24} = 3, u_{34} = 5$.
Maximize $\sum_{j: (1,j) \in A} f_{1j}$ subject to
$$\sum_{j:(i,j) \in A} f_{ij} - \sum_{j:(j,i) \in A} f_{ji} = 0 \quad \forall i \in N \setminus \{1, 4\}$$
$$0 \le f_{ij} \le u_{ij} \quad \forall (i,j) \in A$$""",
        7.0,
    ),
    Case(
        "goal programming with deviations",
        r"""Minimize $3 d_1^- + 2 d_2^+$ subject to
$$\begin{cases}
x + y + d_1^- - d_1^+ = 10 \\
2x + y + d_2^- - d_2^+ = 12 \\
x \le 4 \\
y \le 5 \\
x, y, d_1^-, d_1^+, d_2^-, d_2^+ \ge 0
\end{cases}$$""",
        4.5,
    ),
    Case(
        "python style sums",
        """I = {1, 2, 3}
J = {1, 2}
cost = [[4, 6], [5, 3], [9, 2]]
supply = (10, 15, 20)
demand = (12, 18)
minimize sum(cost[i,j]*ship[i,j] for i in I for j in J)
subject to
sum(ship[i,j] for j in J) <= supply[i] for i in I
sum(ship[i,j] for i in I) >= demand[j] for j in J
ship[i,j] >= 0 for i in I, j in J""",
        86.0,
    ),
    Case(
        "text names with subscripts",
        r"""Given $\text{cost} = (2, 3)$ and $\text{need} = (5, 7)$, choose $\text{buy}_k \ge 0$ for
$k = 1, 2$ to minimize $\sum_{k=1}^{2} \text{cost}_k \, \text{buy}_k$ subject to
$\text{buy}_k \ge \text{need}_k$ for all $k = 1, 2$.""",
        31.0,
    ),
    Case(
        "greek multipliers",
        r"""Let $\alpha = 0.5$ and $\beta = 2$. $$\max\ \alpha x + \beta y$$ s.t. $$x + y \le 10, \quad
y \le \alpha x, \quad x, y \ge 0.$$""",
        10.0,
    ),
    Case(
        "minimax with a maximum in the objective",
        r"""$$\min\ z$$ subject to $$z \ge \sum_{j \in J} p_j x_{jk} \quad \forall k \in K,$$
$$\sum_{k \in K} x_{jk} = 1 \quad \forall j \in J,$$ $$x_{jk} \in \{0,1\} \quad \forall j \in J, k \in K,
\qquad z \ge 0$$
with $J = \{1,\dots,4\}$, $K = \{1, 2\}$ and $p = (7, 5, 4, 2)$.""",
        9.0,
    ),
    Case(
        "matrix notation",
        r"""$$\max\; c^\top x \quad \text{s.t.} \quad A x \le b,\; x \ge 0$$
with $c = (3, 5)$, $b = (4, 12, 18)$ and
$$A = \begin{pmatrix} 1 & 0 \\ 0 & 2 \\ 3 & 2 \end{pmatrix}$$""",
        36.0,
    ),
    Case(
        "equality, negative numbers and a free variable",
        """minimize x - y
subject to x + 2y = -4
-3 <= y <= 5
x free""",
        -19.0,
    ),
    Case(
        "thousands separators and percentages",
        r"""Maximize $0.08 b + 12\% s$ subject to $b + s \le 100{,}000$, $s \le 40\,000$,
$b, s \ge 0$.""",
        9600.0,
    ),
    Case(
        "index range whose end is a parameter",
        r"""There are $n = 4$ jobs with weights $w = (4, 3, 2, 1)$.
$$\max \sum_{i=1}^n w_i x_i \qquad \text{s.t.} \qquad \sum_{i=1}^n i\, x_i \le 5, \qquad
x_i \in \{0, 1\},\ i = 1, \ldots, n$$""",
        7.0,
    ),
    Case(
        "cumulative sums that end at another index",
        r"""Let $T = \{1,2,3\}$ with demand $d_1 = 4, d_2 = 2, d_3 = 6$ and cost $c_1 = 1, c_2 = 3, c_3 = 2$.
$$\min \sum_{t \in T} c_t x_t \quad \text{s.t.} \quad \sum_{\tau=1}^{t} x_\tau \ge \sum_{\tau=1}^{t} d_\tau
\quad \forall t \in T, \qquad 0 \le x_t \le 7 \quad \forall t \in T$$""",
        17.0,
    ),
    Case(
        "a range of whole numbers as domain",
        r"""$\max\ 3x + 4y$ subject to $2x + 3y \le 11$, $x \in \{0, 1, \dots, 3\}$,
$y \in \mathbb{N}$.""",
        15.0,
    ),
    Case(
        "several parameters in one markdown table without formulas",
        """Products and their data:

| product | profit | hours |
|---|---|---|
| A | 12 | 3 |
| B | 9 | 2 |
| C | 4 | 1 |

P = {A, B, C}
maximize sum(profit[p]*make[p] for p in P)
subject to sum(hours[p]*make[p] for p in P) <= 20
make[p] <= 4 for p in P
make[p] >= 0 for p in P""",
        84.0,
    ),
    Case(
        "long form table of arcs",
        r"""Find a cheapest path from 1 to 4: the arcs $A$ and their lengths $\ell_{ij}$ are

| $i$ | $j$ | $\ell_{ij}$ |
|---|---|---|
| 1 | 2 | 3 |
| 1 | 3 | 2 |
| 2 | 4 | 4 |
| 3 | 4 | 6 |

$A = \{(1,2),(1,3),(2,4),(3,4)\}$, $N = \{1,2,3,4\}$, $b = (1, 0, 0, -1)$.
Minimize $\sum_{(i,j) \in A} \ell_{ij} x_{ij}$ s.t.
$\sum_{j : (i,j) \in A} x_{ij} - \sum_{j : (j,i) \in A} x_{ji} = b_i$ for all $i \in N$,
$x_{ij} \ge 0$ for all $(i,j) \in A$.""",
        7.0,
    ),
    Case(
        "diet with a nutrient matrix in the corner cell",
        r"""Foods $F$ and nutrients $N$; the content is

| $a_{fn}$ | iron | calcium | price $p_f$ |
|---|---|---|---|
| oats | 4 | 2 | 3 |
| milk | 1 | 6 | 2 |
| requirement $r_n$ | 8 | 12 | |

$$\min \sum_{f \in F} p_f x_f$$
$$\sum_{f \in F} a_{fn} x_f \ge r_n, \quad n \in N$$
$$x_f \ge 0, \quad f \in F$$""",
        7.818181818181818,
    ),
    Case(
        "mapping literals",
        """P = {A, B}
price = {A: 10, B: 15}
limit = {A: 6, B: 3}
maximize sum_{p in P} price[p]*q[p]
subject to q[p] <= limit[p] for all p in P
sum_{p in P} q[p] <= 8
q[p] >= 0 for all p in P""",
        95.0,
    ),
    Case(
        "aggregate words after the model",
        """Maximize 7a + 6b subject to 3a + 2b <= 12, a + 2b <= 8. All variables are non-negative
and integer.""",
        32.0,
    ),
    Case(
        "superscript as an index",
        r"""$K = \{1, 2\}$, $I = \{1, 2\}$. $$\min \sum_{k \in K} \sum_{i \in I} x_i^k \quad\text{s.t.}\quad
x_i^1 + 2 x_i^2 \ge 4 \ \forall i \in I, \qquad x_i^k \ge 0 \ \forall i \in I, k \in K$$""",
        4.0,
    ),
    Case(
        "discount factors to a power",
        r"""With $r = 0.5$ and $v = (4, 9, 27)$:
$$\max \sum_{t=1}^{3} \frac{v_t}{(1+r)^t} x_t \quad \text{s.t.} \quad \sum_{t=1}^3 x_t \le 2, \quad
0 \le x_t \le 1,\ t = 1,2,3$$""",
        12.0,
    ),
    Case(
        "objective after its constraints, in prose",
        """A mill makes x tonnes of flour. We need x >= 10, y >= 5 and x + y <= 40, where x and y are
tonnes. We want to maximize the profit: 20x + 30y.""",
        1100.0,
    ),
    Case(
        "aligned objective over several rows",
        r"""\begin{align}
\max\quad z ={} & 2x_1 + 3x_2 \\
 & {} + 4x_3 \\
\text{subject to}\quad & x_1 + x_2 + x_3 \le 10 \\
& x_3 \le 4 \\
& x_1, x_2, x_3 \geqslant 0
\end{align}""",
        34.0,
    ),
    Case(
        "set builder and set difference",
        r"""$T = \{1,\dots,5\}$, $L = \{t \in T : t > 3\}$, $c = (1,2,3,4,5)$.
$$\max \sum_{t \in T} c_t x_t \quad \text{s.t.} \quad \sum_{t \in L} x_t \le 1, \quad
\sum_{t \in T \setminus L} x_t \le 2, \quad 0 \le x_t \le 1 \ \forall t \in T$$""",
        10.0,
    ),
    Case(
        "calligraphic sets next to a horizon of the same letter",
        r"""Let $T = 3$, $\mathcal{T} = \{1, \dots, T\}$, $p = (5, 4, 6)$.
Minimise $\sum_{t \in \mathcal{T}} p_t g_t$ subject to $\sum_{t \in \mathcal{T}} g_t \ge 7$,
$0 \le g_t \le 4$ for all $t \in \mathcal{T}$.""",
        31.0,
    ),
    Case(
        "product of variables",
        r"""Maximise $x y$ subject to $2x + 2y \le 20$ and $x, y \ge 0$.""",
        25.0,
    ),
    Case(
        "auxiliary quantity defined by an equation",
        """maximize P
P = 6x + 4y - 10
x + y <= 8
x <= 5
x, y >= 0""",
        32.0,
    ),
]
