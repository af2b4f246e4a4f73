"""Discovery reads metadata folders directly and must agree with importlib.metadata."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from orkernel.plugins.installed import InstalledPlugin, installed_plugins, normalized


def add(
    folder: Path, stem: str, points: str, headers: str = "", kind: str = "dist-info"
) -> InstalledPlugin:
    info = folder / f"{stem}.{kind}"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    file = "METADATA" if kind == "dist-info" else "PKG-INFO"
    (info / file).write_text(headers, encoding="utf-8")
    return InstalledPlugin("x", "x", str(info))


def test_same_plugins_as_importlib_metadata_in_this_environment() -> None:
    assert {(p.name, p.value, p.distribution, p.version) for p in installed_plugins()} == {
        (p.name, p.value, p.dist.name, p.dist.version)
        for p in metadata.entry_points(group="orkernel")
        if p.dist is not None
    }


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_entry_points_of_other_groups_comments_and_extras_are_told_apart(
    tmp_path: Path, kind: str
) -> None:
    text = (
        "[console_scripts]\nrun = a:main\n\n[orkernel]\n# a comment\n\n"
        "one=pkg.one\ntwo = pkg:attr.inner [extra]\n[other]\nthree = no\n"
    )
    add(tmp_path, "some_plugin-1.0", text, "Name: Some.Plugin\nVersion: 1.0\n", kind)
    found = installed_plugins([str(tmp_path)])
    expected = metadata.distributions(path=[str(tmp_path)])
    points = [p for d in expected for p in d.entry_points if p.group == "orkernel"]
    assert [(p.name, p.value) for p in found] == [
        (p.name, p.value.partition("[")[0].strip()) for p in points
    ]
    assert {p.label for p in found} == {"Some.Plugin 1.0"}


def test_distribution_found_twice_counts_where_it_comes_first_on_the_path(tmp_path: Path) -> None:
    add(tmp_path / "a", "My_Plugin-2.0", "[orkernel]\nx = new\n", "Name: My-Plugin\nVersion: 2.0\n")
    add(tmp_path / "b", "my.plugin-1.0", "[orkernel]\nx = old\n", "Name: my.plugin\nVersion: 1.0\n")
    (found,) = installed_plugins([str(tmp_path / "a"), str(tmp_path / "b")])
    assert (found.value, found.version) == ("new", "2.0")


def test_unreadable_and_absent_folders_hold_no_plugins(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "x-1.dist-info").mkdir()
    (tmp_path / "y-1.dist-info").write_text("a file where a folder belongs")
    (tmp_path / "z-1.dist-info" / "entry_points.txt").mkdir(parents=True)
    paths = [str(tmp_path), str(tmp_path / "file"), str(tmp_path / "absent"), "/proc/1/cwd"]
    assert installed_plugins(paths) == ()


def test_metadata_that_is_no_text_does_not_stop_discovery(tmp_path: Path) -> None:
    info = tmp_path / "odd-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(b"[orkernel]\nodd = \xff\xfe\n= nothing\nno equals\n")
    (info / "METADATA").write_bytes(b"\x00\xff\n: \n\n")
    found = installed_plugins([str(tmp_path)])
    assert [p.name for p in found] == ["", "odd"]
    assert found[1].label == "odd"


def test_folded_header_lines_are_joined_and_the_description_is_ignored(tmp_path: Path) -> None:
    plugin = add(
        tmp_path,
        "p-1",
        "",
        "Name: p\nRequires-Dist: orkernel>=0.1,\n    <0.2\n\nRequires-Dist: not-this\n",
    )
    assert plugin.requirements == ("orkernel>=0.1, <0.2",)
    assert plugin.kernel_range == ">=0.1, <0.2"


@pytest.mark.parametrize(
    "line",
    [
        "orkernel>=0.1,<0.2",
        "orkernel (>=0.1,<0.2)",
        "orkernel >=0.1 , <0.2",
        "Orkernel>=0.1,<0.2 ; python_version >= '3.8'",
        "orkernel",
        "orkernel ~= 0.1",
        "orkernel!=0.1.3",
        "orkernel ; python_version >= '3.8'",
        "orkernel==0.1.*",
        "orkernel[units]>=0.1,<0.2",
        "orkernel [units] (>=0.1)",
        "orkernel @ https://example.org/orkernel.whl",
    ],
)
def test_kernel_range_agrees_with_packaging(tmp_path: Path, line: str) -> None:
    plugin = add(tmp_path, "p-1", "", f"Name: p\nRequires-Dist: click\nRequires-Dist: {line}\n")
    wanted = Requirement(line).specifier
    assert Requirement(f"orkernel{plugin.kernel_range}").specifier == wanted


@pytest.mark.parametrize("line", ["orkernel-highs>=9", "orkernel_extra>=9", "orkernels>9", "or>9"])
def test_range_of_another_distribution_is_not_taken_for_the_kernels(
    tmp_path: Path, line: str
) -> None:
    plugin = add(tmp_path, "p-1", "", f"Name: p\nRequires-Dist: {line}\n")
    assert plugin.kernel_range == ""


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}[A-Za-z0-9]", fullmatch=True))
def test_names_are_normalized_as_packaging_does(name: str) -> None:
    assert normalized(name) == canonicalize_name(name)
