"""`plugins disable` and `plugins enable`: metadata only, comments kept, broken files survived."""

from __future__ import annotations

import stat
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.config import read_file
from orkernel.errors import UnknownName
from orkernel.plugins.installed import InstalledPlugin
from orkernel.plugins.switch import disable, enable

INSTALLED = tuple(InstalledPlugin(name, name) for name in ("alpha", "beta", "gamma"))

WRITTEN_BY_HAND = """\
# my settings

[options.highs]   # a solver
threads = 4       # all I have

[plugins]
# do not load these
disable = [
    "alpha",  # slow
]

[defaults.run]
seed = 7
"""


def denied(path: Path) -> set[str]:
    layer = read_file(path)
    assert layer is not None
    return set(layer.deny)


def test_disabling_writes_a_new_file_in_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    assert disable(path, ["beta"], INSTALLED).changed == ("beta",)
    assert denied(path) == {"beta"}


def test_comments_order_and_other_settings_survive_disable_and_enable(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(WRITTEN_BY_HAND)
    disable(path, ["beta"], INSTALLED)
    text = path.read_text()
    assert denied(path) == {"alpha", "beta"}
    for line in WRITTEN_BY_HAND.splitlines():
        assert line in text
    enable(path, ["beta"], INSTALLED)
    assert denied(path) == {"alpha"}
    enable(path, ["alpha"], INSTALLED)
    assert denied(path) == set()
    for comment in ("# my settings", "# a solver", "# all I have", "# do not load these"):
        assert comment in path.read_text()


def test_keys_that_this_version_does_not_know_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[future]\nthing = 1\n[plugins]\nlater = "x"\n')
    result = disable(path, ["alpha"], INSTALLED)
    assert result.moved is None
    assert "thing = 1\n" in path.read_text()
    assert 'later = "x"' in path.read_text()


def test_disabling_twice_changes_nothing_the_second_time(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    disable(path, ["alpha"], INSTALLED)
    before = path.stat().st_mtime_ns
    assert disable(path, ["alpha"], INSTALLED).changed == ()
    assert path.stat().st_mtime_ns == before


def test_unknown_name_is_refused_with_near_matches_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    for switch in (disable, enable):
        with pytest.raises(UnknownName, match="did you mean 'alpha'"):
            switch(path, ["alhpa"], INSTALLED)
    assert not path.exists()


def test_a_name_that_is_listed_but_no_longer_installed_can_be_enabled(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[plugins]\ndisable = ["gone"]\n')
    assert enable(path, ["gone"], INSTALLED).changed == ("gone",)
    assert denied(path) == set()


def test_enabling_adds_to_an_allow_list(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[plugins]\nallow = ["alpha"]\n')
    enable(path, ["beta"], INSTALLED)
    layer = read_file(path)
    assert layer is not None
    assert layer.allow == frozenset({"alpha", "beta"})


@pytest.mark.parametrize(
    "text",
    ["[plugins\n", "plugins = 3\n", "[plugins]\ndisable = 'x'\n", "[plugins]\nallow = [1]\n"],
)
def test_broken_file_is_moved_aside_whole_and_replaced(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    (tmp_path / "config.toml.broken").write_text("an earlier one")
    path.write_text(text)
    result = disable(path, ["alpha"], INSTALLED)
    assert result.moved == tmp_path / "config.toml.broken1"
    assert result.moved.read_text() == text
    assert denied(path) == {"alpha"}
    assert (tmp_path / "config.toml.broken").read_text() == "an earlier one"


def test_file_that_is_not_utf8_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"# \xe9\n")
    assert disable(path, ["alpha"], INSTALLED).moved is not None
    assert denied(path) == {"alpha"}


def test_permissions_and_a_symbolic_link_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("# mine\n")
    real.chmod(0o600)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    disable(link, ["alpha"], INSTALLED)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert denied(real) == {"alpha"}


def test_a_reader_never_sees_a_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(WRITTEN_BY_HAND)
    done = threading.Event()
    torn: list[BaseException] = []

    def read() -> None:
        while not done.is_set():
            try:
                read_file(path)
            except BaseException as error:
                torn.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(30):
        disable(path, ["beta"], INSTALLED)
        enable(path, ["beta"], INSTALLED)
    done.set()
    reader.join()
    assert torn == []


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["alpha", "beta", "gamma"])), max_size=8))
def test_the_last_switch_of_each_name_counts(switches: list[tuple[bool, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.toml"
        expected: set[str] = set()
        for off, name in switches:
            (disable if off else enable)(path, [name], INSTALLED)
            (expected.add if off else expected.discard)(name)
        assert (denied(path) if path.exists() else set()) == expected


# ------------------------------------------------------------------ the commands

PLUGIN = "raise RuntimeError('imported')"


def add(scratch: Any, name: str = "trap") -> None:
    scratch.add(
        f"orkernel-{name}",
        modules={f"{name}_plugin.py": PLUGIN},
        entry_points={name: f"{name}_plugin"},
    )


def test_disable_and_enable_import_no_plugin(scratch: Any) -> None:
    add(scratch)
    outcome = scratch("plugins", "disable", "trap")
    assert (outcome.code, outcome.out, outcome.err) == (0, "trap: disabled\n", "")
    assert scratch("--help").err == ""
    outcome = scratch("plugins", "enable", "trap")
    assert (outcome.code, outcome.out, outcome.err) == (0, "trap: enabled\n", "")
    assert "RuntimeError: imported" in scratch("--help").err


def test_a_plugin_can_be_disabled_by_the_name_of_its_distribution(scratch: Any) -> None:
    add(scratch)
    assert scratch("plugins", "disable", "orkernel_trap").code == 0
    assert scratch("plugins", "list", "--json").json[0]["state"] == "disabled"
    assert scratch("plugins", "enable", "trap").code == 0
    assert scratch("plugins", "list", "--json").json[0]["state"] == "enabled"


def test_corrupt_file_is_named_with_its_line_and_kills_neither_help_nor_disable(
    scratch: Any,
) -> None:
    add(scratch)
    scratch.write_config("[plugins]\ndisable = [\n  'x'\n  oops\n")
    place = f"{scratch.config_file}, line 4: not valid TOML"
    outcome = scratch("--help")
    assert outcome.code == 0
    assert "Commands:" in outcome.out
    assert place in outcome.err
    outcome = scratch("plugins", "list")
    assert outcome.code == 0
    assert place in outcome.err
    outcome = scratch("no-such-command")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {place}")
    outcome = scratch("plugins", "disable", "trap")
    assert outcome.code == 0
    assert f"it is now {scratch.config_file}.broken" in outcome.err
    assert scratch("--help").err == ""
    assert "oops" in scratch.config_file.with_name("config.toml.broken").read_text()


def test_corrupt_file_stops_commands_that_use_it_but_not_their_help(scratch: Any) -> None:
    scratch.write_config("[defaults.runs]\noops\n")
    place = f"{scratch.config_file}, line 2: not valid TOML"
    outcome = scratch("runs")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {place}")
    outcome = scratch("runs", "--help")
    assert outcome.code == 0
    assert outcome.out.startswith("Usage: orkernel runs")
    assert outcome.err.count(place) == 1


@pytest.mark.parametrize("command", [["plugins"], ["plugins", "show"], ["doctor"]])
def test_inspecting_commands_report_a_corrupt_file_once(scratch: Any, command: list[str]) -> None:
    scratch.write_config("oops\n")
    outcome = scratch(*command)
    assert outcome.err.count("line 1: not valid TOML") == 1


def test_switch_that_another_layer_overrides_says_so(scratch: Any) -> None:
    add(scratch)
    (scratch.work / "orkernel.toml").write_text('[plugins]\ndisable = ["trap"]\n')
    outcome = scratch("plugins", "enable", "trap")
    assert outcome.code == 0
    assert "'trap' is still disabled: disabled by" in outcome.err
    assert "orkernel.toml" in outcome.err


def test_unknown_plugin_ends_with_2_and_near_matches(scratch: Any) -> None:
    add(scratch)
    for word in ("disable", "enable", "show"):
        outcome = scratch("plugins", word, "tarp")
        assert outcome.code == 2
        assert outcome.err == (
            "error: no plugin named 'tarp' is installed\nfix: did you mean 'trap'?\n"
        )


def test_configuration_folder_that_cannot_be_written_is_an_error_that_names_it(
    scratch: Any,
) -> None:
    add(scratch)
    scratch.config_file.parent.parent.write_text("a file where a folder belongs")
    outcome = scratch("plugins", "disable", "trap")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {scratch.home / 'config'}")
    assert "Traceback" not in outcome.err


def test_asking_for_something_of_a_disabled_plugin_says_how_to_enable_it(scratch: Any) -> None:
    scratch.add("orkernel-highs", modules={"h.py": ""}, entry_points={"highs": "h"})
    scratch("plugins", "disable", "highs")
    code = (
        "from orkernel import Registry, UnknownName\n"
        "try: Registry.load().get('solver_agents', 'highs')\n"
        "except UnknownName as error: print(error.fix)\n"
    )
    outcome = scratch.execute("-c", code)
    assert outcome.out == (f"disabled by {scratch.config_file}: `orkernel plugins enable highs`\n")
