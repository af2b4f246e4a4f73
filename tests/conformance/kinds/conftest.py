"""The kits on what `orkernel new-plugin` generates, and on mutants of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from orkernel.hookspecs import hookimpl
from orkernel.language_model import LanguageModel
from orkernel.plugins.loading import import_object
from orkernel.records import Record
from orkernel.scaffold.kinds import PLUGIN_KINDS
from orkernel.scaffold.naming import plugin_name
from orkernel.scaffold.package import write_package
from orkernel.testing.conformance.runner import Result, run
from orkernel.testing.conformance.subject import Subject
from orkernel.testing.language_models import Silent, name_of

MUTANT = "orkernel_mutant_of_a_kind"
Mutate = Callable[[Any], Any]
Change = Callable[[Record], Record]


def subject_of(records: str, record: Record) -> Subject:
    """The subject for a record that no installed plugin has."""
    plugin = ModuleType(MUTANT)

    def hook() -> Iterator[Record]:
        yield record

    hook.__name__ = f"orkernel_{records}"
    setattr(plugin, hook.__name__, hookimpl(hook))
    model = LanguageModel(name_of(Silent)) if record.needs_language_model else None
    return Subject.find(record.name, records, language_model=model, extra=(plugin,))


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Record]]:
    """The record of the generated plugin of a kind, importable in this process."""
    folder = tmp_path_factory.mktemp("generated")
    with pytest.MonkeyPatch.context() as patch:
        made: dict[str, Record] = {}

        def record_of(word: str) -> Record:
            if word not in made:
                kind, name = PLUGIN_KINDS[word], plugin_name(f"reference-{word}")
                package, _ = write_package(kind, name, folder)
                patch.syspath_prepend(str(package / "src"))
                hook = getattr(import_module(name.module), f"orkernel_{kind.records}")
                (made[word],) = hook()
            return made[word]

        yield record_of


@pytest.fixture
def caught(
    generated: Callable[[str], Record], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Checks that a test fails on a mutant of the generated plugin, and passes on the plugin."""

    def tried(word: str, record: Record, test: str) -> list[Result]:
        return run(subject_of(PLUGIN_KINDS[word].records, record), only=test)

    def check(
        word: str, test: str, mutate: Mutate = lambda it: it, change: Change = lambda r: r
    ) -> None:
        record = generated(word)
        for result in tried(word, record, test):
            assert result.good, f"{result.test} fails on the unmutated plugin: {result.message}"
        module = ModuleType(MUTANT)
        module.Mutant = mutate(import_object(record.target))  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, MUTANT, module)
        mutant = change(replace(record, target=f"{MUTANT}:Mutant"))
        assert not all(r.good for r in tried(word, mutant, test)), f"{test} does not notice"

    return check
