"""`orkernel new-plugin`: names, folders, what it prints; it never leaves half a package."""

from __future__ import annotations

import json
import keyword
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from orkernel.cli.group import cli
from orkernel.errors import OrkernelError, UsageError
from orkernel.scaffold.kinds import PLUGIN_KINDS
from orkernel.scaffold.naming import LONGEST, plugin_name
from orkernel.scaffold.package import package_files, write_package


def new_plugin(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["new-plugin", *arguments])


def refused(*arguments: str) -> OrkernelError:
    error = new_plugin(*arguments).exception
    assert isinstance(error, UsageError), error
    assert error.fix
    return error


@pytest.mark.parametrize(
    ("text", "why", "fix"),
    [
        ("MySolver", "capital letters", "mysolver"),
        ("my_solver", "underscore", "my-solver"),
        ("3d", "starts with a digit", "`d`"),
        ("löser", "'ö' is not an ASCII letter", "loser"),
        ("求解", "is not an ASCII letter", "my-solver"),
        ("", "it is empty", "my-solver"),
        (" ", "it is empty", "my-solver"),
        ("a b", "lower-case letters, digits", "a-b"),
        ("a--b", "lower-case letters, digits", "a-b"),
        ("-a", "lower-case letters, digits", "`a`"),
        ("a/../b", "lower-case letters, digits", "a-b"),
        ("a\n", "lower-case letters, digits", "`a`"),
        ("a" * (LONGEST + 1), f"more than {LONGEST}", "a" * LONGEST),
        ("orkernel-fast", "the prefix `orkernel-` is added", "`fast`"),
        ("orkernel", "the prefix `orkernel-` is added", "my-solver"),
    ],
)
def test_a_bad_name_is_refused_with_one_that_would_do(text: str, why: str, fix: str) -> None:
    with pytest.raises(UsageError) as error:
        plugin_name(text)
    assert why in error.value.message
    assert fix in error.value.fix


@given(st.text(max_size=60))
def test_every_name_is_accepted_or_the_fix_is_acceptable(text: str) -> None:
    try:
        name = plugin_name(text)
    except UsageError as error:
        proposed = re.search(r"`([^`]+)`", error.fix)
        assert proposed is not None
        name = plugin_name(proposed[1])
    assert name.module.isidentifier()
    assert not keyword.iskeyword(name.module)
    assert name.test_class.isidentifier()
    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name.distribution)


@pytest.mark.parametrize(
    ("kind", "name", "owner"),
    [
        ("solver", "highs", "orkernel-highs"),
        ("scorer", "max-min", "orkernel-maxmin"),
        ("solver", "offline", "orkernel-offline"),
        ("scorer", "evidence", "orkernel-offline"),
        ("command", "run", "the kernel's command"),
        ("command", "new-plugin", "the kernel's command"),
    ],
)
def test_a_taken_name_is_refused_and_its_owner_named(
    kind: str, name: str, owner: str, tmp_path: Path
) -> None:
    error = refused(kind, name, "--out", str(tmp_path))
    assert "is taken by" in error.message
    assert owner in error.message
    assert not list(tmp_path.iterdir())


def test_a_name_of_a_command_is_free_for_other_kinds(tmp_path: Path) -> None:
    assert new_plugin("observer", "run", "--out", str(tmp_path)).exit_code == 0


@pytest.mark.parametrize("make", ["folder", "file", "dangling link"])
def test_what_exists_is_never_overwritten(make: str, tmp_path: Path) -> None:
    target = tmp_path / "orkernel-mine"
    if make == "folder":
        target.mkdir()
    elif make == "file":
        target.write_text("mine")
    else:
        target.symlink_to(tmp_path / "nowhere")
    error = refused("solver", "mine", "--out", str(tmp_path))
    assert "exists already" in error.message
    assert [path.name for path in tmp_path.iterdir()] == ["orkernel-mine"]
    assert make != "file" or target.read_text() == "mine"


def test_a_missing_folder_is_refused_with_what_to_type(tmp_path: Path) -> None:
    error = refused("solver", "mine", "--out", str(tmp_path / "a" / "b"))
    assert "not a folder" in error.message
    assert "mkdir -p" in error.fix


def test_a_disk_that_fills_up_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def full(source: Any, target: Any) -> None:
        if Path(target).name == "orkernel-mine":
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", full)
    error = refused("solver", "mine", "--out", str(tmp_path))
    assert "No space left on device" in error.message
    assert not list(tmp_path.iterdir())


def test_an_unknown_kind_is_a_usage_error_that_lists_the_kinds() -> None:
    result = new_plugin("solvr", "mine")
    assert result.exit_code == 2
    assert all(word in result.output for word in PLUGIN_KINDS)


def test_json_lists_every_file(tmp_path: Path) -> None:
    result = new_plugin("credit-rule", "mine", "--out", str(tmp_path), "--json")
    made = json.loads(result.stdout)
    folder = Path(made["folder"])
    assert folder == tmp_path / "orkernel-mine"
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert set(made["files"]) == files
    assert files >= {
        "pyproject.toml",
        "README.md",
        ".gitignore",
        ".github/workflows/ci.yml",
        "src/orkernel_mine/__init__.py",
        "src/orkernel_mine/py.typed",
        "tests/test_conformance.py",
    }
    assert (made["module"], made["kind"]) == ("orkernel_mine", "credit-rule")


def test_help_has_an_example_and_says_what_comes_next(tmp_path: Path) -> None:
    result = new_plugin("--help")
    assert result.exit_code == 0
    assert "orkernel new-plugin solver my-solver" in result.output
    made = new_plugin("solver", "mine", "--out", str(tmp_path))
    for command in ("pip install -e '.[test]'", "pytest", "orkernel conformance mine"):
        assert command in made.stdout


@pytest.mark.parametrize("word", PLUGIN_KINDS)
def test_every_placeholder_is_filled(word: str) -> None:
    files = package_files(PLUGIN_KINDS[word], plugin_name("mine"))
    for path, text in files.items():
        assert "%%" not in path + text
        assert "MODULE" not in path + text
        assert not path.endswith(".template")
    assert len(files["tests/test_conformance.py"].splitlines()) == 5


def test_the_folder_can_be_read_by_others_as_the_umask_says(tmp_path: Path) -> None:
    previous = os.umask(0o022)
    try:
        folder, _ = write_package(PLUGIN_KINDS["solver"], plugin_name("mine"), tmp_path)
    finally:
        os.umask(previous)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert (folder / "pyproject.toml").stat().st_mode & 0o777 == 0o644
