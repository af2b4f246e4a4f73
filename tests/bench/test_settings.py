"""Settings of an ablation."""

from __future__ import annotations

from typing import Any

import pytest

from orkernel.bench.settings import Setting, settings_of
from orkernel.bench.worker import as_many_calls
from orkernel.config import Config, Layer
from orkernel.errors import UsageError
from orkernel.language_model import model_options
from orkernel.registry import Registry

BASE: dict[str, Any] = {"k": 3, "scorers": None, "selector": None, "base_url": None}


def test_without_ablations_there_is_the_default() -> None:
    (only,) = settings_of(BASE, ["highs.threads=1"], [])
    assert only == Setting("default", BASE, ("highs.threads=1",))


def test_an_ablation_changes_arguments_and_options_of_the_default() -> None:
    default, changed = settings_of(
        BASE,
        ["highs.threads=1"],
        ["default", " k=1   scorer=a,b second-opinion=no highs.threads=2"],
    )
    assert default.arguments == BASE
    assert changed.name == "k=1 scorer=a,b second-opinion=no highs.threads=2"
    assert changed.arguments == {
        **BASE, "k": 1, "scorers": ("a", "b"), "second_opinion": False,
    }  # fmt: skip
    assert changed.options == ("highs.threads=1", "highs.threads=2")
    assert changed.run_arguments()["options"] == {"highs.threads": "2"}


def test_options_of_a_preset_are_weaker_than_the_users() -> None:
    (setting,) = settings_of({**BASE, "preset": "coopa"}, ["llm.stop_early=true"], [])
    value, _ = setting.config(plugins="", no_plugins=False).option_values("llm")["stop_early"]
    assert value == "true"
    (plain,) = settings_of({**BASE, "preset": "coopa"}, [], [])
    value, _ = plain.config(plugins="", no_plugins=False).option_values("llm")["stop_early"]
    assert value == "false"


def test_what_is_kept_of_a_setting_holds_no_credentials() -> None:
    given = {**BASE, "base_url": "https://me:secret@example.org/v1?key=hidden"}
    kept = str(settings_of(given, [], [])[0].to_json())
    assert "example.org" in kept
    assert "secret" not in kept
    assert "hidden" not in kept


@pytest.mark.parametrize(
    ("ablation", "message"),
    [
        ("k", "'k' is not KEY=VALUE"),
        ("", "'' is not KEY=VALUE"),
        ("k=", "'k=' is not KEY=VALUE"),
        ("k=many", "k cannot be 'many'"),
        ("second-opinion=perhaps", "second-opinion cannot be 'perhaps'"),
        ("selectr=first", "there is no setting 'selectr'"),
    ],
)
def test_a_malformed_ablation_says_what_is_wrong(ablation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings_of(BASE, [], ["default", ablation])


def test_an_ablation_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="--ablate 'k=1' is given twice"):
        settings_of(BASE, [], ["k=1", " k=1 "])


@pytest.mark.parametrize(
    ("ablation", "message"),
    [
        ("selector=frist", "no selection rule is named 'frist'"),
        ("highs.thread=1", "'highs' has no option 'thread'"),
        ("k=0", "k is 0"),
        ("preset=copa", "no preset is named 'copa'"),
        ("base-url=http://localhost", "needs a model"),
    ],
)
def test_a_setting_that_cannot_run_is_refused(ablation: str, message: str) -> None:
    (setting,) = settings_of({"k": None}, [], [ablation])
    with pytest.raises(UsageError, match=message):
        setting.check(Registry.load(setting.config(plugins="", no_plugins=False)))


def test_every_thread_may_have_a_call_under_way_unless_the_user_says_otherwise() -> None:
    few = Config((Layer("a file"),))
    assert as_many_calls(few, 8) == few
    assert model_options(as_many_calls(few, 32))["concurrency"] == 32
    set_by_user = Config((Layer("a file", options={"model": {"concurrency": 4}}),))
    assert model_options(as_many_calls(set_by_user, 32))["concurrency"] == 4
