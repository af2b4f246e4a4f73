"""Every generated plugin passes its kit, and every test of a kit has a mutant that it catches."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from orkernel.records import Record
from orkernel.scaffold.kinds import PLUGIN_KINDS
from orkernel.testing.conformance.kits import KITS, kit_for

HERE = Path(__file__).parent
WITHOUT_MUTANT = {"test_an_interrupted_run_is_not_held_up", "test_the_target_is_a_click_command"}
KINDS = [word for word in PLUGIN_KINDS if word != "solver"]


@pytest.mark.parametrize("word", PLUGIN_KINDS)
def test_the_generated_test_uses_the_kit_of_the_kind(word: str) -> None:
    kind = PLUGIN_KINDS[word]
    assert kit_for(kind.records).__name__ == kind.kit
    assert set(KITS) == {k.records for k in PLUGIN_KINDS.values()}


@pytest.mark.parametrize("word", KINDS)
def test_every_test_of_a_kit_has_a_mutant(word: str) -> None:
    file = HERE / f"test_mutants_of_{PLUGIN_KINDS[word].records}.py"
    named = set(re.findall(r'"(test_\w+)"', file.read_text(encoding="utf-8")))
    tests = set(kit_for(PLUGIN_KINDS[word].records).conformance_tests)
    assert tests - named <= WITHOUT_MUTANT
    assert named <= tests


@pytest.mark.parametrize("word", KINDS)
def test_the_generated_plugin_has_only_the_options_it_declares(
    word: str, generated: Callable[[str], Record]
) -> None:
    assert all(option.help for option in generated(word).options)
