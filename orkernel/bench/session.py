"""A bench from start to end: new or gone on with, its outcomes kept as they become known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.bench.folder import BenchFolder, checksum
from orkernel.bench.items import Item, read_items
from orkernel.bench.labels import LabelSet, read_label_sets
from orkernel.bench.pool import Pool
from orkernel.bench.report import Report, markdown
from orkernel.bench.results import FAILED, Result
from orkernel.bench.scoring import Rules
from orkernel.bench.settings import Setting, settings_of
from orkernel.bench.worker import Task
from orkernel.errors import UsageError

if TYPE_CHECKING:
    from orkernel.config import Config
    from orkernel.registry import Registry

RUN_ARGUMENTS = (
    "k", "formulator", "scorers", "selector", "classifier", "solver", "time_limit", "gap", "seed",
    "second_opinion", "model", "base_url", "replay_model", "preset",
)  # fmt: skip
"""What `orkernel.run` is given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for.

    Attributes:
        data: The benchmark file.
        limit: Only the first so many items.
        arguments: Of `orkernel.run`, for all settings.
        options: Plugin options, `NAME.key=value`.
        ablations: Texts of `--ablate`.
        labels: Overlay files.
        rules: How figures are compared.
        plugins: Value of `--plugins`.
        no_plugins: Value of `--no-plugins`.
        keep_runs: Whether every item's run folder is kept; those with a language model are.
    """

    data: Path
    limit: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    ablations: tuple[str, ...] = ()
    labels: tuple[Path, ...] = ()
    rules: Rules = field(default_factory=Rules)
    plugins: str = ""
    no_plugins: bool = False
    keep_runs: bool = False


class Session:
    """One bench.

    Args:
        asked: What to do.
        out: Folder of a new bench; None keeps nothing.
        resume: Folder of a bench to go on with.
        retry_failed: Whether items that have failed are asked again.

    Attributes:
        settings: The settings.
        items: The items.
        labels: The label sets.
        results: Results so far, by setting and item.
        taken_over: How many of them an earlier call has found.
        failure: Why the folder could not be completed, or empty.
        problems: Plugins that were left out, one line each.

    Raises:
        UsageError: Something is wrong that no item can be blamed for; or the bench to go on
            with had other data, settings or versions: says which.
    """

    def __init__(
        self,
        asked: Asked,
        *,
        out: Path | None = None,
        resume: Path | None = None,
        retry_failed: bool = False,
    ) -> None:
        self.asked = asked
        self.items = read_items(asked.data, asked.limit)
        self.labels: list[LabelSet] = read_label_sets(asked.data, asked.labels, self.items)
        self.settings = settings_of(asked.arguments, asked.options, asked.ablations)
        self.results: dict[tuple[str, str], Result] = {}
        self.failure = ""
        self.problems: list[str] = []
        self._configs = [
            setting.config(plugins=asked.plugins, no_plugins=asked.no_plugins)
            for setting in self.settings
        ]
        self._empty_report = self.report()
        plan = self._plan([self._checked(*pair) for pair in self._pairs()])
        self._folder: BenchFolder | None = None
        if resume is not None:
            self._folder = BenchFolder.open(resume)
            self._compare(self._folder.plan(), plan)
            self._take_over(self._folder.results(), retry_failed)
        elif out is not None:
            self._folder = BenchFolder.create(out, plan)
        self.taken_over = len(self.results)

    def pool(self, jobs: int) -> Pool:
        """Processes for the items that are still to be asked."""
        return Pool(self._pairs(), min(jobs, max(1, len(self.tasks()))))

    def tasks(self) -> list[Task]:
        """What is still to be asked, item by item, so that settings stay side by side."""
        found = []
        for position, item in enumerate(self.items):
            for number, setting in enumerate(self.settings):
                if (setting.name, item.id) not in self.results:
                    task = len(self.settings) * position + number
                    found.append(Task(task, item, number, self._run_folder(position, item, number)))
        return found

    def run(self, pool: Pool) -> Iterator[Result]:
        """Results as they become known; each is kept at once.

        Raises:
            UsageError: The arguments are wrong for every item.
        """
        for _, result in pool.run(self.tasks(), proven=bool(self.results)):
            self.results[result.setting, result.id] = result
            if self._folder is not None and not self.failure:
                try:
                    self._folder.append(self._empty_report.outcome(result))
                except OSError as error:
                    self.failure = error.strerror or str(error)
            yield result

    def report(self) -> Report:
        """All that is known."""
        ordered = [
            self.results[setting.name, item.id]
            for setting in self.settings
            for item in self.items
            if (setting.name, item.id) in self.results
        ]
        names = [setting.name for setting in self.settings]
        return Report(names, ordered, self.labels, self.asked.rules, len(self.items))

    def markdown(self) -> str:
        """The report as a Markdown page."""
        return markdown(self.report(), f"Bench of {self.asked.data.name}")

    def finish(self) -> None:
        """Write outcomes and summary."""
        if self._folder is None or self.failure:
            return
        report = self.report()
        try:
            self._folder.finish(report.outcomes(), report.summary(), self.markdown())
        except OSError as error:
            self.failure = error.strerror or str(error)

    # ------------------------------------------------------------------ inside

    def _pairs(self) -> list[tuple[Setting, Config]]:
        return list(zip(self.settings, self._configs, strict=True))

    def _checked(self, setting: Setting, config: Config) -> Registry:
        from orkernel.registry import Registry

        registry = Registry.load(config)
        setting.check(registry)
        new = [str(p) for p in registry.problems if str(p) not in self.problems]
        self.problems.extend(new)
        return registry

    def _run_folder(self, position: int, item: Item, setting: int) -> Path | None:
        chosen = self.settings[setting]
        if self._folder is None or not (self.asked.keep_runs or chosen.asks_model):
            return None
        return self._folder.run_folder(setting, chosen.name, position, item.id)

    def _plan(self, registries: Sequence[Registry]) -> dict[str, Any]:
        from orkernel.version import __version__

        asked = self.asked
        return {
            "data": {"sha256": checksum(asked.data), "limit": asked.limit},
            "settings": [
                {**setting.to_json(), "configured": _configured(config)}
                for setting, config in self._pairs()
            ],
            "versions": {
                "orkernel": __version__,
                "plugins": sorted({p.plugin.label for r in registries for p in r.plugins}),
            },
            "asked": {
                "data": str(asked.data.resolve()),
                "arguments": self.settings[0].to_json()["arguments"]
                if not asked.ablations
                else Setting("", dict(asked.arguments)).to_json()["arguments"],
                "options": list(asked.options),
                "ablations": list(asked.ablations),
                "labels": [str(path.resolve()) for path in asked.labels],
                "tolerance": str(asked.rules.tolerance),
                "whole": asked.rules.whole,
                "plugins": asked.plugins,
                "no_plugins": asked.no_plugins,
                "keep_runs": asked.keep_runs,
            },
        }

    def _compare(self, stored: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        differences = [
            name
            for key, name in (
                ("data", "data"), ("settings", "settings"), ("versions", "versions"),
            )
            for name in _differences(stored[key], now[key], name)
        ]  # fmt: skip
        if differences:
            raise UsageError(
                f"the bench in {self._folder.path if self._folder else ''} was begun with "
                f"something else: {'; '.join(differences)}",
                fix="begin a new one with --out DIR; only labels, tolerance and jobs may change",
            )

    def _take_over(self, results: Sequence[Result], retry_failed: bool) -> None:
        known = {item.id for item in self.items}
        names = {setting.name for setting in self.settings}
        for result in results:
            if result.id in known and result.setting in names:
                if retry_failed and result.state == FAILED:
                    continue
                self.results[result.setting, result.id] = result


def _configured(config: Config) -> dict[str, dict[str, str]]:
    """Plugin options of all layers, the stronger layer's where both set one."""
    names = sorted({name for layer in config.layers for name in layer.options})
    return {
        name: {key: str(value) for key, (value, _) in sorted(config.option_values(name).items())}
        for name in names
    }


def _differences(stored: Any, now: Any, name: str) -> list[str]:
    """Where two JSON values differ, as `place (then, now)`."""
    if isinstance(stored, dict) and isinstance(now, dict):
        return [
            difference
            for key in sorted({*stored, *now})
            for difference in _differences(stored.get(key), now.get(key), f"{name}: {key}")
        ]
    if (
        isinstance(stored, list)
        and isinstance(now, list)
        and len(stored) == len(now)
        and all(isinstance(entry, dict) for entry in (*stored, *now))
    ):
        return [
            difference
            for then, entry in zip(stored, now, strict=True)
            for difference in _differences(then, entry, f"{name}: {entry.get('name', '')}")
        ]
    return [] if stored == now else [f"{name} ({_short(stored)}, now {_short(now)})"]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def asked_before(folder: BenchFolder) -> Asked:
    """What a bench folder was asked for.

    Raises:
        UsageError: The folder is damaged.
    """
    from orkernel.bench.tolerance import Tolerance

    plan = folder.plan()
    kept = plan["asked"]
    try:
        arguments = {name: kept["arguments"][name] for name in kept["arguments"]}
        if arguments.get("scorers") is not None:
            arguments["scorers"] = tuple(arguments["scorers"])
        if arguments.get("replay_model") is not None:
            arguments["replay_model"] = Path(arguments["replay_model"])
        return Asked(
            data=Path(kept["data"]),
            limit=plan["data"]["limit"],
            arguments=arguments,
            options=tuple(kept["options"]),
            ablations=tuple(kept["ablations"]),
            labels=tuple(map(Path, kept["labels"])),
            rules=Rules(Tolerance.parse(kept["tolerance"]), bool(kept["whole"])),
            plugins=kept["plugins"],
            no_plugins=kept["no_plugins"],
            keep_runs=kept["keep_runs"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{folder.path} is damaged: bench.json lacks its shape ({error})",
            fix="begin again with another --out DIR",
        ) from error
