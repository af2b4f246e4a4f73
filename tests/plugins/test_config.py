"""Configuration layers: precedence, errors with file and line, tolerance."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.config import Config, Layer, parse_choice, parse_options, read_file
from orkernel.errors import UsageError
from orkernel.plugins.choice import decide
from orkernel.plugins.installed import InstalledPlugin


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORKERNEL_CONFIG", str(tmp_path / "user.toml"))
    for name in ("ORKERNEL_PLUGINS", "ORKERNEL_OPTIONS", "ORKERNEL_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def enabled(config: Config, name: str) -> bool:
    return decide(InstalledPlugin(name, name), config).enabled


def test_without_files_everything_is_enabled(folder: Path) -> None:
    config = Config.load()
    assert config.layers == ()
    assert enabled(config, "any")


def test_layers_go_from_user_file_over_folder_file_and_environment_to_flags(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "user.toml").write_text("[options.a]\nk = 1\nuser = 1\n[defaults.run]\nseed = 1\n")
    (folder / "orkernel.toml").write_text("[options.a]\nk = 2\nfolder = 2\n[defaults.run]\nseed=2")
    monkeypatch.setenv("ORKERNEL_OPTIONS", "a.k=3 a.env='two words'")
    config = Config.load(options=["a.k=4", "a.flag=x=y"])
    values = {key: value for key, (value, _) in config.option_values("a").items()}
    assert values == {"k": "4", "user": 1, "folder": 2, "env": "two words", "flag": "x=y"}
    assert config.option_values("a")["env"][1].origin == "ORKERNEL_OPTIONS"
    assert config.defaults("run") == {"seed": 2}


@pytest.mark.parametrize(
    ("user", "environment", "flag", "loaded"),
    [
        ("", "", "", "abc"),
        ('disable = ["a"]', "", "", "bc"),
        ('allow = ["a", "b"]', "", "", "ab"),
        ('allow = ["a", "b"]\ndisable = ["b"]', "", "", "a"),
        ('disable = ["a"]', "", "a", "a"),
        ('allow = ["a"]', "b", "", "b"),
        ('allow = ["a", "b"]', "-a", "", "b"),
        ("", "-a", "-b", "c"),
        ("", "a,b", "-b", "a"),
        ("", "-a", "a,c", "ac"),
    ],
)
def test_choice_of_plugins(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    user: str,
    environment: str,
    flag: str,
    loaded: str,
) -> None:
    (folder / "user.toml").write_text(f"[plugins]\n{user}\n")
    monkeypatch.setenv("ORKERNEL_PLUGINS", environment)
    config = Config.load(plugins=flag)
    assert "".join(name for name in "abc" if enabled(config, name)) == loaded


def test_no_plugins_wins_over_files_and_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "user.toml").write_text('[plugins]\nallow = ["a"]\n')
    monkeypatch.setenv("ORKERNEL_PLUGINS", "a")
    assert not enabled(Config.load(no_plugins=True), "a")


def test_no_plugins_and_plugins_exclude_each_other(folder: Path) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        Config.load(no_plugins=True, plugins="a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plugins]\ndisable = [\n\n'a'\nx = 1", "line 5: not valid TOML"),
        ("[plugins]\ndisable = ['a'\n", "line 3: not valid TOML"),
        ("[plugins]\nallow = []\nallow = []\n", "line 3: not valid TOML"),
        ("# head\n[plugins]\n\ndisable = 'a'\n", "line 4: 'disable' in [plugins] must be a list"),
        ("[plugins]\ndisable = [1]\n", "line 2: 'disable' in [plugins] must be a list of names"),
        ("[plugins]\n\nenable = ['a']\n", "line 3: unknown key 'enable' in [plugins]"),
        ("\n[option.highs]\nthreads = 1\n", "line 2: unknown table 'option'"),
        ("options = 3\n", "line 1: 'options' must be a table"),
        ("[options]\nhighs = 3\n", "line 2: 'highs' in [options] must be a table"),
        ("[options.highs]\n# x\nthreads = [1]\n", "line 3: 'threads' in [options.highs] must be"),
        ("[defaults.run]\nseed = 2026-01-01\n", "line 2: 'seed' in [defaults.run] must be"),
    ],
)
def test_broken_file_is_named_with_its_line(folder: Path, text: str, message: str) -> None:
    path = folder / "user.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        Config.load()
    assert caught.value.message.startswith(f"{path}, {message}")
    assert caught.value.fix


def test_file_that_is_not_utf8_is_named_with_its_line(folder: Path) -> None:
    (folder / "user.toml").write_bytes(b"# fine\n# \xe9\n")
    with pytest.raises(UsageError, match=r"user\.toml, line 2: not UTF-8"):
        Config.load()


def test_huge_file_is_refused(folder: Path) -> None:
    (folder / "user.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(UsageError, match="larger than"):
        Config.load()


def test_folder_in_place_of_the_file_is_an_error_that_names_it(folder: Path) -> None:
    (folder / "user.toml").mkdir()
    with pytest.raises(UsageError, match=r"user\.toml: cannot be read: Is a directory"):
        Config.load()


def test_tolerant_loading_leaves_a_broken_file_out_and_keeps_the_others(folder: Path) -> None:
    (folder / "user.toml").write_text("x = = 1")
    (folder / "orkernel.toml").write_text("[options.a]\nk = 2\n")
    config = Config.load(tolerant=True)
    assert len(config.problems) == 1
    assert config.option_values("a")["k"][0] == 2


@given(st.binary(max_size=200))
def test_any_bytes_are_a_layer_or_a_usage_error(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "config.toml"
        path.write_bytes(data)
        with contextlib.suppress(UsageError):
            assert isinstance(read_file(path), Layer)


@pytest.mark.parametrize("text", ["a,,b", "-", "a,-", ","])
def test_empty_plugin_names_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="empty plugin name"):
        parse_choice(text, "--plugins")


@pytest.mark.parametrize("text", ["a", "a=1", ".k=1", "a.=1", "=", "a.k"])
def test_malformed_options_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match=r"NAME\.key=value"):
        parse_options([text], "-o")


def test_unbalanced_quotes_in_the_environment_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORKERNEL_OPTIONS", "a.k='x")
    with pytest.raises(UsageError, match="ORKERNEL_OPTIONS"):
        Config.load()


@pytest.mark.parametrize(
    ("value", "strict"), [("1", True), ("yes", True), ("0", False), ("", False), ("false", False)]
)
def test_strict_mode_comes_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch, value: str, strict: bool
) -> None:
    monkeypatch.setenv("ORKERNEL_STRICT", value)
    assert Config.load().strict is strict
