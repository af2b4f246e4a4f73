"""Records that ask a language model: tested with one, and a clear word where none is named."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orkernel.errors import UsageError
from orkernel.hookspecs import hookimpl
from orkernel.language_model import LanguageModel
from orkernel.records import ScorerSpec
from orkernel.testing import ScorerConformance
from orkernel.testing.conformance.runner import run
from orkernel.testing.conformance.subject import Subject
from orkernel.testing.language_models import USELESS, Failing, Silent, name_of

PLUGIN = """
    from orkernel import DIMENSIONS, Evaluation, Score, ScorerSpec, hookimpl
    from orkernel.errors import PluginError
    from orkernel.plugins.loading import import_object

    @hookimpl
    def orkernel_confidence_scorers():
        yield ScorerSpec(
            name="asking", target="asking:Scorer", needs_language_model=True, summary="Asks."
        )

    class Fifty:
        def generate(self, messages, **settings):
            return "50"

    class Scorer:
        def score(self, problem, candidate, peers, ctx):
            try:
                answer = import_object(ctx.language_model.name)().generate([])
            except RuntimeError as error:
                raise PluginError(f"the model failed: {error}") from error
            if not answer.isdigit():
                raise PluginError("the model gave no number")
            scores = {d: Score(float(answer), "it says so") for d in DIMENSIONS}
            return Evaluation("asking", scores)
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder for the module path with a plugin whose scorer asks a language model."""
    (tmp_path / "asking.py").write_text(textwrap.dedent(PLUGIN))
    info = tmp_path / "asking-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: asking\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[orkernel]\nasking = asking\n")
    return tmp_path


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
    own = {"PYTHONPATH": str(folder), "ORKERNEL_CONFIG": str(folder / "none.toml")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**kept, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_model_the_command_says_so_and_ends_with_2(site: Path) -> None:
    done = call(site, "-m", "orkernel", "conformance", "asking")
    assert done.returncode == 2
    assert "'asking' asks a language model" in done.stderr
    assert "--model ID" in done.stderr
    assert "Traceback" not in done.stderr


def test_with_a_model_the_command_runs_every_test(site: Path) -> None:
    done = call(site, "-m", "orkernel", "conformance", "asking", "--model", "asking:Fifty")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 failed" in done.stdout.splitlines()[-1]


def test_a_record_is_listed_without_a_model(site: Path) -> None:
    done = call(site, "-m", "orkernel", "conformance", "asking", "--list")
    assert done.returncode == 0, done.stderr


def test_an_unknown_option_of_the_model_is_a_usage_error(site: Path) -> None:
    arguments = ("conformance", "asking", "--model", "asking:Fifty", "-o", "model.heat=1")
    done = call(site, "-m", "orkernel", *arguments)
    assert done.returncode == 2
    assert "heat" in done.stderr


@pytest.mark.parametrize(("model", "code"), [("", 1), ("asking:Fifty", 0)])
def test_pytest_tells_in_one_line_that_a_model_is_wanted(site: Path, model: str, code: int) -> None:
    (site / "test_asking.py").write_text(
        "from orkernel.testing import ScorerConformance\n\n"
        "class TestAsking(ScorerConformance):\n"
        f"    name = 'asking'\n    language_model = {model!r}\n"
    )
    done = call(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_asking.py")
    assert done.returncode == code, done.stdout
    assert ("'asking' asks a language model" in done.stdout) is (not model)
    assert "Traceback" not in done.stdout
    assert "UsageError" not in done.stdout


# ------------------------------------------------------------------ subjects


def subject(model: LanguageModel | None) -> Subject:
    plugin = ModuleType("orkernel_asking")

    @hookimpl
    def orkernel_confidence_scorers() -> Iterator[ScorerSpec]:
        yield ScorerSpec(name="asking", target="nowhere:Scorer", needs_language_model=True)

    plugin.orkernel_confidence_scorers = orkernel_confidence_scorers  # type: ignore[attr-defined]
    kind = "confidence_scorers"
    return Subject.find("asking", kind, language_model=model, extra=(plugin,))


def test_the_runner_refuses_a_subject_without_its_model() -> None:
    with pytest.raises(UsageError, match="asks a language model"):
        run(subject(None))


def test_every_run_of_a_subject_has_the_model_and_resources_of_its_own() -> None:
    model = LanguageModel(name_of(Silent))
    found = subject(model)
    one, two = found.context(), found.context(seed=3)
    assert one.language_model is two.language_model is model
    assert one.resources is not two.resources


def test_useless_models_are_all_tried() -> None:
    found = dict(subject(LanguageModel(name_of(Silent))).with_useless_models())
    assert set(found) == {model.__name__ for model in USELESS}
    names = {one.context().language_model.name for one in found.values()}  # type: ignore[union-attr]
    assert names == {name_of(model) for model in USELESS}


def test_a_record_that_asks_no_model_is_not_tried_with_any() -> None:
    evidence = Subject.find("max-min", "selection_rules")
    assert not list(evidence.with_useless_models())


@pytest.mark.parametrize("setting", ["language_model", "base_url"])
def test_the_model_of_a_class_is_a_text(setting: str) -> None:
    with pytest.raises(TypeError, match=f"`{setting}` is a text"):
        type("TestWrong", (ScorerConformance,), {"name": "asking", setting: 7})


def test_a_failing_model_raises_and_the_others_answer_with_a_text() -> None:
    with pytest.raises(RuntimeError):
        Failing().generate([])
    answers: list[Any] = [m().generate([]) for m in USELESS if m is not Failing]
    assert all(isinstance(answer, str) for answer in answers)
