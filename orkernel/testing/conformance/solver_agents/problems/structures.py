"""Global constraints, one problem for each."""

from __future__ import annotations

from orkernel.testing.conformance.solver_agents.problems.known import (
    binary,
    each,
    integer,
    maximize,
    minimize,
    problem,
    rows,
)

ALL_DIFFERENT = problem(
    [integer("seat", 4, 1, index=["GUEST"])],
    rows("all_different(seat[g] for g in GUEST)", "seat[1] >= 2"),
    maximize("3*seat[1] + 2*seat[2] - seat[3]"),
    12.0 + 6 - 1,
    sets={"GUEST": 3},
    slack=1.0,
)

CIRCUIT = problem(
    [binary("arc", index=["ARC"])],
    rows("circuit(arc[i,j] for (i,j) in ARC)"),
    minimize("sum(length[i,j]*arc[i,j] for (i,j) in ARC)"),
    11.0,
    sets={"ARC": [[i, j] for i in "abcd" for j in "abcd" if i != j]},
    parameters=[
        {"name": "length", "index": ["ARC"], "value": [1, 9, 4, 1, 8, 9, 9, 5, 1, 2, 9, 1]}
    ],
    slack=1.0,
)
"""Without the tour two loops a-b and c-d would cost 4; the tour a-d-c-b costs 4 + 1 + 5 + 1."""

MULTI_CIRCUIT = problem(
    [binary("arc", index=["ARC"])],
    rows(
        'multi_circuit([arc[i,j] for (i,j) in ARC], "depot")',
        'sum(arc[i,j] for (i,j) in ARC if i == "depot") == 2',
    ),
    minimize("sum(length[i,j]*arc[i,j] for (i,j) in ARC)"),
    15.0,
    sets={
        "ARC": [
            [i, j] for i in ("depot", "p", "q", "r") for j in ("depot", "p", "q", "r") if i != j
        ]
    },
    parameters=[
        {"name": "length", "index": ["ARC"], "value": [3, 4, 5, 3, 1, 9, 4, 1, 9, 2, 9, 9]}
    ],
    slack=1.0,
)
"""Two routes: depot-q-p-depot or depot-p-q-depot with 8, and depot-r-depot with 7."""

NO_OVERLAP = problem(
    [integer("start", 7, index=["JOB"]), integer("end", 12)],
    [
        *rows("no_overlap(interval(start[j], length[j]) for j in JOB)", "start[2] >= 3"),
        each("last", "j in JOB", "start[j] + length[j] <= end"),
    ],
    minimize("end"),
    9.0,
    sets={"JOB": 3},
    parameters=[{"name": "length", "index": ["JOB"], "value": [4, 2, 3]}],
    slack=1.0,
)

CUMULATIVE = problem(
    [integer("start", 6, index=["TASK"]), integer("end", 12)],
    [
        *rows(
            "cumulative([interval(start[t], length[t]) for t in TASK], [crew[t] for t in TASK], 3)"
        ),
        each("last", "t in TASK", "start[t] + length[t] <= end"),
    ],
    minimize("end"),
    5.0,
    sets={"TASK": 3},
    parameters=[
        {"name": "length", "index": ["TASK"], "value": [3, 2, 4]},
        {"name": "crew", "index": ["TASK"], "value": [2, 2, 1]},
    ],
    slack=1.0,
)

ELEMENT = problem(
    [integer("pick", 4, 1), integer("more", 3)],
    rows("element(price, pick) + more >= 9"),
    minimize("2*element(price, pick) + 3*more + pick"),
    23.0,
    sets={"OFFER": 4},
    parameters=[{"name": "price", "index": ["OFFER"], "value": [3, 12, 7, 10]}],
    slack=1.0,
)

TABLE = problem(
    [integer("x", 5), integer("y", 5)],
    rows("table([x, y], [[0, 3], [1, 1], [3, 2], [5, 0]])", "x + y <= 5"),
    maximize("2*x + 3*y"),
    12.0,
    slack=1.0,
)

INVERSE = problem(
    [integer("room", 3, 1, index=["CLASS"]), integer("holder", 3, 1, index=["ROOM"])],
    rows("inverse(room, holder)", "room[1] >= 2"),
    maximize("5*room[1] + 2*holder[1] - holder[3]"),
    15.0 + 6 - 1,
    sets={"CLASS": 3, "ROOM": 3},
    slack=1.0,
)

SOLVED = {
    "all_different": ALL_DIFFERENT,
    "circuit": CIRCUIT,
    "multi_circuit": MULTI_CIRCUIT,
    "no_overlap": NO_OVERLAP,
    "cumulative": CUMULATIVE,
    "element": ELEMENT,
    "table": TABLE,
    "inverse": INVERSE,
}
