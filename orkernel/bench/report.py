"""The report of a bench: one object for `--json`, tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orkernel.bench.labels import LabelSet
from orkernel.bench.results import Result
from orkernel.bench.scoring import Rules, Score
from orkernel.bench.summary import (
    Spread,
    Work,
    calibrations,
    reasons,
    rules_used,
    scores_of,
    summaries,
    work_of,
)


@dataclass(frozen=True)
class Report:
    """All that a bench has found.

    Attributes:
        settings: Names of the settings.
        results: Results, in the order of the file, setting by setting.
        labels: Label sets; the first one's verdicts are those of the outcomes.
        rules: How figures were compared.
        wanted: Number of items of each setting, answered or still to be asked.
    """

    settings: Sequence[str]
    results: Sequence[Result]
    labels: Sequence[LabelSet]
    rules: Rules
    wanted: int

    @cached_property
    def scored(self) -> Mapping[tuple[str, str], Sequence[tuple[Result, Score]]]:
        """Results with their scores, by setting and label set."""
        return {
            (setting, labels.name): scores_of(self.of(setting), labels, self.rules)
            for setting in self.settings
            for labels in self.labels
        }

    def of(self, setting: str) -> list[Result]:
        """The results of one setting."""
        return [result for result in self.results if result.setting == setting]

    @property
    def complete(self) -> bool:
        """True if no item is still to be asked."""
        return len(self.results) == self.wanted * len(self.settings)

    def outcome(self, result: Result) -> dict[str, Any]:
        """One line of `outcomes.jsonl`: the result with its scores."""
        by_labels = {
            labels.name: scores_of([result], labels, self.rules)[0][1] for labels in self.labels
        }
        first = by_labels[self.labels[0].name]
        scores = {name: s.to_json() for name, s in by_labels.items()}
        return {
            **result.to_json(),
            **first.to_json(),
            **({"scores": scores} if len(scores) > 1 else {}),
        }

    def outcomes(self) -> list[dict[str, Any]]:
        """Every outcome."""
        return [self.outcome(result) for result in self.results]

    def summary(self) -> dict[str, Any]:
        """What `summary.json` holds. With one setting, its own object; else one a setting."""
        head = {
            "complete": self.complete,
            "items": self.wanted,
            "tolerance": str(self.rules.tolerance),
            "whole": self.rules.whole,
            "remarks": [remark for labels in self.labels for remark in labels.remarks],
        }
        if len(self.settings) == 1:
            return {**head, **self._setting(self.settings[0])}
        return {**head, "settings": {name: self._setting(name) for name in self.settings}}

    def _setting(self, setting: str) -> dict[str, Any]:
        results = self.of(setting)
        work = work_of(results)
        return {
            "summaries": {
                name: summary.to_json()
                for labels in self.labels
                for name, summary in summaries(
                    self.scored[setting, labels.name], labels.name
                ).items()
            },
            "scored_by": {
                labels.name: [
                    {"rule": rule, "figure": figure, "items": items}
                    for rule, figure, items in rules_used(self.scored[setting, labels.name])
                ]
                for labels in self.labels
            },
            "calibration": {
                labels.name: {
                    name: calibration.to_json()
                    for name, calibration in calibrations(self.scored[setting, labels.name]).items()
                }
                for labels in self.labels
            },
            "work": work.to_json() if work is not None else None,
            "reasons": [{"why": why, "items": items} for why, items in reasons(results)],
        }

    # ------------------------------------------------------------------ tables

    def tables(self) -> list[Table]:
        """The tables, those without rows left out."""
        found = [
            self._answers(),
            self._rules(),
            *(self._calibration(setting) for setting in self.settings),
            self._separation(),
            self._work(),
            self._seconds(),
            *(self._reasons(setting) for setting in self.settings),
        ]
        return [table for table in found if table.rows]

    def _named(self, title: str, setting: str) -> str:
        return f"{title}: {setting}" if len(self.settings) > 1 else title

    def _answers(self) -> Table:
        rows = []
        for setting in self.settings:
            for labels in self.labels:
                scored = self.scored[setting, labels.name]
                for name, s in summaries(scored, labels.name).items():
                    accuracy = f"{s.accuracy:.1%}" if s.accuracy is not None else ""
                    answered = f"{s.answered} ({s.answered / max(1, s.items):.0%})"
                    counts = (s.right, s.wrong, s.unscored, s.refused, s.failed)
                    first = (setting, name) if len(self.settings) > 1 else (name,)
                    rows.append(
                        (*first, str(s.items), answered, *map(str, counts), accuracy,
                         f"{s.seconds:.1f}")
                    )  # fmt: skip
        first = ("setting", "labels") if len(self.settings) > 1 else ("labels",)
        return Table(
            "Answers",
            (*first, "items", "answered", "right", "wrong", "unscored", "refused", "failed",
             "right of scored", "seconds"),
            tuple(rows),
        )  # fmt: skip

    def _rules(self) -> Table:
        rows: dict[tuple[str, str], int] = {}
        for setting in self.settings[:1]:
            for rule, figure, items in rules_used(self.scored[setting, self.labels[0].name]):
                rows[rule, figure] = items
        table = tuple((rule, figure, str(items)) for (rule, figure), items in rows.items())
        return Table("Scored by", ("rule", "figure", "items"), table)

    def _calibration(self, setting: str) -> Table:
        found = calibrations(self.scored[setting, self.labels[0].name])
        names = list(found)
        rows = []
        for position in range(len(found[names[0]].bins) if names else 0):
            bins = [found[name].bins[position] for name in names]
            cells = [
                f"{b.right} of {b.items} ({b.accuracy:.0%})" if b.accuracy is not None else ""
                for b in bins
            ]
            if any(cells):
                rows.append((bins[0].name, *cells))
        return Table(
            self._named("Right answers by confidence", setting), ("confidence", *names), tuple(rows)
        )

    def _separation(self) -> Table:
        rows = []
        for setting in self.settings:
            found = calibrations(self.scored[setting, self.labels[0].name])
            for name, c in found.items():
                first = (setting, name) if len(self.settings) > 1 else (name,)
                rows.append((*first, str(c.items), _decimal(c.brier), _decimal(c.auroc)))
        first = ("setting", "scorer") if len(self.settings) > 1 else ("scorer",)
        return Table(
            "How well confidence tells right from wrong",
            (*first, "answers", "Brier score", "AUROC"),
            tuple(rows),
        )

    def _works(self) -> list[tuple[str, Work]]:
        works = [(setting, work_of(self.of(setting))) for setting in self.settings]
        return [(setting, work) for setting, work in works if work is not None]

    def _work(self) -> Table:
        def spread(value: Spread | None, form: str) -> tuple[str, ...]:
            if value is None:
                return ("unknown", "", "")
            return tuple(format(v, form) for v in (value.mean, value.max, value.sum))

        rows = []
        for setting, work in self._works():
            if not work.calls.sum:
                continue
            for what, value, form in (
                ("calls", work.calls, ",.4g"),
                ("prompt tokens", work.prompt_tokens, ",.0f"),
                ("completion tokens", work.completion_tokens, ",.0f"),
                ("cost, USD", work.cost, ".4f"),
                ("seconds waiting for the model", work.model_seconds, ".2f"),
            ):
                first = (setting, what) if len(self.settings) > 1 else (what,)
                rows.append((*first, *spread(value, form)))
        first = ("setting", "") if len(self.settings) > 1 else ("",)
        return Table("Language model, per item", (*first, "mean", "max", "sum"), tuple(rows))

    def _seconds(self) -> Table:
        works = self._works()
        stages = list(dict.fromkeys(stage for _, work in works for stage in work.stages))
        rows = tuple(
            (
                setting,
                *(f"{work.stages.get(stage, 0.0):.3f}" for stage in stages),
                f"{work.seconds.mean:.3f}",
                f"{work.solve_seconds.mean:.3f}",
                f"{work.overhead.mean:.3f}",
                f"{work.overhead.max:.3f}",
            )
            for setting, work in works
        )
        return Table(
            "Mean seconds per item",
            ("setting", *stages, "all", "solvers", "neither model nor solvers", "its largest"),
            rows,
        )

    def _reasons(self, setting: str) -> Table:
        rows = tuple((why, str(items)) for why, items in reasons(self.of(setting)))
        return Table(self._named("Why not answered", setting), ("reason", "items"), rows)


def _decimal(value: float | None) -> str:
    return f"{value:.3f}" if value is not None else ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: What it shows.
        columns: Heads.
        rows: As many cells each.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def markdown(report: Report, title: str) -> str:
    """The report as a Markdown page."""
    parts = [f"# {title}\n"]
    if not report.complete:
        total = report.wanted * len(report.settings)
        parts.append(f"Not finished: {len(report.results)} of {total} outcomes are known.\n")
    for table in report.tables():
        parts.append(f"## {table.title}\n")
        lines = [table.columns, tuple("---" for _ in table.columns), *table.rows]
        parts.append("".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines))
    remarks = [remark for labels in report.labels for remark in labels.remarks]
    if remarks:
        parts.append("## Remarks\n")
        parts.append("".join(f"- {_cell(remark)}\n" for remark in remarks))
    return "\n".join(parts)


def _cell(text: str) -> str:
    plain = " ".join(text.split())
    for special in ("\\", "|", "`", "*", "_", "<", "[", "#"):
        plain = plain.replace(special, "\\" + special)
    return plain
