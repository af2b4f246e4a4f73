"""Judges what a program hands over: the kernel's check, told so that it can be corrected."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.errors import OrkernelError, PluginError
from orkernel.verify import ROW_TOLERANCE, check_point
from orkernel_llm.failures import excerpt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model

AGREEMENT = 1e-4
"""Relative difference up to which a figure of the program agrees with the kernel's own."""
EXPRESSIONS = 3
"""Most violated constraints whose expressions are quoted."""
DEEPEST = 12
"""Levels of objects that an answer may have."""
SHAPE = 'call final_answer({"variables": {...}}) with a number for every entry of every variable'


class GaveUp(PluginError):
    """The program says that there is no point that meets the constraints."""


@dataclass(frozen=True, slots=True, eq=False)
class Accepted:
    """A point that holds.

    Attributes:
        values: Value per column, shape `(n,)`.
        objective: As the kernel computes it; None without, or with several, objectives.
        remarks: Figures in which the program differs from the kernel, one line each.
    """

    values: NDArray[np.float64]
    objective: float | None
    remarks: tuple[str, ...] = ()


class Judge:
    """Checks the answers for one model.

    Attributes:
        accepted: The answer that holds, once there is one.
        refused: What was wrong with the last answer that did not hold.
    """

    def __init__(self, model: Model) -> None:
        self.accepted: Accepted | None = None
        self.refused = ""
        self._model = model

    def examine(self, answer: Any) -> str:
        """Judge one answer.

        Returns:
            What is wrong with it, in words for whoever wrote the program; empty if it holds,
            which is then `accepted`.

        Raises:
            GaveUp: The program claims that the model is infeasible.
        """
        try:
            self.refused = self._examined(answer)
        except OrkernelError as error:
            if isinstance(error, GaveUp):
                raise
            self.refused = str(error)
        return self.refused

    def _examined(self, answer: Any) -> str:
        whole = _object(answer)
        if isinstance(whole, str):
            return whole
        _heed_surrender(whole)
        known = {block.name for block in self._model.columns.blocks}
        variables = whole.get("variables")
        if variables is None and known & set(whole):
            variables = {k: v for k, v in whole.items() if k not in ("results", "objective")}
        if not isinstance(variables, Mapping):
            return f"the answer has no object 'variables'; {SHAPE}"
        x = self._model.point({name: _numbers(value) for name, value in variables.items()})
        found = check_point(self._model, x)
        if not found.verified or found.values is None:
            return self._told(found.problems, x)
        objectives = list(found.objectives.values())
        self.accepted = Accepted(
            found.values,
            objectives[0] if len(objectives) == 1 else None,
            tuple(self._remarks(whole, found.values, found.objectives)),
        )
        return ""

    def _told(self, problems: tuple[str, ...], x: NDArray[np.float64]) -> str:
        """The problems, with the expressions of the constraints that are violated."""
        lines = [f"- {problem}" for problem in problems]
        computed = self._model.evaluate(x)
        violations = computed.violations[0]
        scaled = np.where(np.isnan(violations), np.inf, violations) / computed.scales[0]
        failing = np.flatnonzero(scaled > ROW_TOLERANCE)
        names = {
            block.constraint
            for block in self._model.rows.blocks
            if np.any((failing >= block.offset) & (failing < block.offset + block.size))
        }
        broken = [c for c in self._model.formulation.constraints if c.name in names]
        for constraint in broken[:EXPRESSIONS]:
            each = f" for {constraint.for_each}" if constraint.for_each else ""
            lines.append(f"  {constraint.name} reads: {constraint.expression}{each}")
        return "the values do not hold:\n" + "\n".join(lines)

    def _remarks(
        self, whole: Mapping[str, Any], x: NDArray[np.float64], objectives: Mapping[str, float]
    ) -> list[str]:
        """Where the program's own figures differ from what the kernel computes."""
        remarks = []
        claimed = whole.get("results")
        if isinstance(claimed, Mapping):
            computed = self._model.results(x)
            for name, value in claimed.items():
                if name not in computed:
                    remarks.append(
                        f"the program gives a result '{excerpt(str(name), 40)}', which the "
                        "formulation lacks"
                    )
                elif not _agree(value, computed[name]):
                    remarks.append(
                        f"the program says that '{name}' is {_shown(value)}; "
                        f"recomputed it is {_shown(computed[name])}"
                    )
        if "objective" in whole and len(objectives) == 1:
            ((name, value),) = objectives.items()
            if not _agree(whole["objective"], value):
                remarks.append(
                    f"the program says that the objective '{name}' is "
                    f"{_shown(whole['objective'])}; recomputed it is {_shown(value)}"
                )
        return remarks


def _object(answer: Any) -> Mapping[str, Any] | str:
    """The answer as an object, or what is wrong with it."""
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            return f"the answer is the text {excerpt(answer, 80)!r}, not an object; {SHAPE}"
    if not isinstance(answer, Mapping):
        kind = "empty" if answer is None else f"a {type(answer).__name__}"
        return f"the answer is {kind}, not an object; {SHAPE}"
    return answer


def _heed_surrender(whole: Mapping[str, Any]) -> None:
    claim = whole.get("infeasible")
    if claim and not whole.get("variables"):
        why = f": {excerpt(claim)}" if isinstance(claim, str) else ""
        raise GaveUp(
            f"the program claims that no point meets the constraints{why}; that is no proof",
            fix="check the formulation, or take a solver that can prove it",
        )


def _numbers(value: Any, level: int = 0) -> Any:
    """The same value with numbers in place of true and false, which programs give for binaries."""
    if isinstance(value, bool):
        return int(value)
    if level >= DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {key: _numbers(part, level + 1) for key, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part, level + 1) for part in value]
    return value


def _agree(claimed: Any, computed: Any) -> bool:
    """True if two figures, or two objects of figures, say the same."""
    if isinstance(computed, Mapping):
        if not isinstance(claimed, Mapping):
            return False
        return all(_agree(claimed.get(key), value) for key, value in computed.items())
    if computed is None or claimed is None:
        return claimed is computed
    try:
        return math.isclose(float(claimed), float(computed), rel_tol=AGREEMENT, abs_tol=AGREEMENT)
    except (TypeError, ValueError, OverflowError):
        return False


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else excerpt(str(value), 60)
