"""Exit codes, error texts, laziness and help of the command line."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import click
import pytest

from orkernel.cli.group import cli
from orkernel.commands import COMMANDS
from orkernel.version import __version__

HOOKS = """
    from orkernel import CommandSpec, hookimpl

    @hookimpl
    def orkernel_commands():
        for name in ("crash", "refuse", "nothing", "code", "file", "full", "sleep", "flood",
                     "speak", "expression", "no-command"):
            target = "faulty_commands:" + name.replace("-", "_")
            yield CommandSpec(name=name, target=target, summary=f"Does {name}.")
        yield CommandSpec(name="gone", target="faulty_commands:gone", summary="Is not there.")
"""
COMMANDS_MODULE = """
    import errno, os, sys, time
    import click
    from orkernel.errors import ExitCode, ExpressionError, RefusedError
    from orkernel.cli.invocation import pass_invocation, plugin_options

    @click.command()
    def crash():
        raise ZeroDivisionError("unexpected\\nsecond line")

    @click.command()
    def refuse():
        raise RefusedError("constraint 'supply' has no data", fix="give 'capacity'")

    @click.command()
    def expression():
        raise ExpressionError("no name 'y'", text="x + y", span=(4, 5), element="objective 'z'")

    @click.command()
    def nothing():
        pass

    @click.command()
    def code():
        return ExitCode.INFEASIBLE_OR_UNBOUNDED

    @click.command()
    def file():
        open("absent.md")

    @click.command()
    def full():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "runs/x")

    @click.command()
    def sleep():
        print("ready", flush=True)
        time.sleep(30)

    @click.command()
    def flood():
        while True:
            click.echo("x" * 1000)

    @click.command()
    @click.option("--word", default="hello")
    @click.option("--times", type=int, default=1)
    @plugin_options
    @pass_invocation
    def speak(invocation, word, times):
        click.echo(" ".join([word] * times))
        click.echo(f"{invocation.verbosity} {invocation.options} {invocation.plugins}")

    no_command = 3
"""


@pytest.fixture(scope="session")
def faulty(make_scratch: Any) -> Any:
    scratch = make_scratch("faulty")
    scratch.add(
        "orkernel-faulty",
        modules={"faulty_plugin.py": HOOKS, "faulty_commands.py": COMMANDS_MODULE},
        entry_points={"faulty": "faulty_plugin"},
    )
    return scratch


def test_deliberate_error_prints_error_and_fix_and_its_exit_code(faulty: Any) -> None:
    outcome = faulty("refuse")
    assert outcome.code == 4
    assert outcome.err == "error: constraint 'supply' has no data\nfix: give 'capacity'\n"


def test_expression_error_names_element_and_column(faulty: Any) -> None:
    outcome = faulty("expression")
    assert (outcome.code, outcome.err) == (4, "error: objective 'z': no name 'y' at column 5\n")


def test_unexpected_exception_leaves_a_log_and_shows_no_traceback(faulty: Any) -> None:
    outcome = faulty("crash")
    assert outcome.code == 5
    first, second = outcome.err.splitlines()
    assert first == "internal error: ZeroDivisionError: unexpected second line"
    log = Path(second.removeprefix("fix: please report this with the file "))
    assert "Traceback" in log.read_text()
    assert f"orkernel {__version__}" in log.read_text()
    assert log.is_relative_to(faulty.home)


def test_unexpected_exception_shows_its_traceback_in_debug_mode(faulty: Any) -> None:
    assert "Traceback" in faulty("crash", ORKERNEL_DEBUG="1").err


def test_unwritable_log_folder_does_not_hide_the_error(faulty: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = faulty("crash", XDG_STATE_HOME=str(tmp_path / "file"))
    assert outcome.code == 5
    assert "internal error: ZeroDivisionError" in outcome.err
    assert "ORKERNEL_DEBUG=1" in outcome.err


@pytest.mark.parametrize(
    ("command", "code", "err"),
    [
        ("nothing", 0, ""),
        ("code", 3, ""),
        ("file", 2, "error: absent.md: No such file or directory\n"),
        ("full", 5, "error: runs/x: No space left on device\n"),
    ],
)
def test_exit_code_of(faulty: Any, command: str, code: int, err: str) -> None:
    outcome = faulty(command)
    assert (outcome.code, outcome.err) == (code, err)


def test_command_that_is_not_a_click_command_names_its_distribution(faulty: Any) -> None:
    outcome = faulty("no-command")
    assert outcome.code == 5
    assert "command 'no-command' (orkernel-faulty 1.0) is no click command" in outcome.err


def test_command_whose_target_is_gone_names_its_distribution_and_is_still_listed(
    faulty: Any,
) -> None:
    outcome = faulty("gone")
    assert outcome.code == 5
    assert "command 'gone' (orkernel-faulty 1.0, faulty_commands:gone)" in outcome.err
    assert "Is not there." in faulty("--help").out


def test_plugin_cannot_replace_a_builtin_command(scratch: Any) -> None:
    hooks = """
    from orkernel import CommandSpec, hookimpl

    @hookimpl
    def orkernel_commands():
        yield CommandSpec(name="run", target="x:y", summary="Takes over.")
        yield CommandSpec(name="walk", target="x:y", summary="Goes along.")
    """
    scratch.add(
        "orkernel-rival",
        modules={"rival_plugin.py": hooks},
        entry_points={"rival": "rival_plugin"},
    )
    outcome = scratch("--help")
    assert "Takes over." not in outcome.out
    assert "Goes along." in outcome.out
    assert "'run' is a command of the kernel" in outcome.line_about("plugin 'rival'")


def test_interrupt_ends_with_130_and_one_line(faulty: Any) -> None:
    process = subprocess.Popen(
        [str(faulty.python), "-m", "orkernel", "sleep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=faulty.work,
        env=faulty.environment(),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err


def test_closed_pipe_is_quiet(faulty: Any) -> None:
    process = subprocess.Popen(
        [str(faulty.python), "-m", "orkernel", "flood"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=faulty.work,
        env=faulty.environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(100)
    process.stdout.close()
    process.wait(timeout=20)
    lines = process.stderr.read().decode().splitlines()
    process.stderr.close()
    assert lines == []


def test_unknown_command_gives_near_matches(faulty: Any) -> None:
    outcome = faulty("--plugins", "faulty", "refuze")
    assert outcome.code == 2
    assert "error: there is no command 'refuze'" in outcome.err
    assert "fix: did you mean 'refuse'?" in outcome.err


def test_unknown_flag_is_a_usage_error_that_points_to_help(faulty: Any) -> None:
    outcome = faulty("refuse", "--no-such-flag")
    assert outcome.code == 2
    assert "error: No such option" in outcome.err
    assert "fix: see `orkernel refuse --help`" in outcome.err


def test_shared_flags_may_stand_before_and_after_the_command(faulty: Any) -> None:
    outcome = faulty("-v", "speak", "-v", "--plugins", "faulty")
    assert outcome.out == "hello\n2 [] faulty\n"


def test_defaults_of_flags_come_from_files_and_yield_to_flags(faulty: Any) -> None:
    (faulty.work / "orkernel.toml").write_text('[defaults.speak]\nword = "bye"\ntimes = 2\n')
    try:
        assert faulty("speak").out.startswith("bye bye\n")
        assert faulty("speak", ORKERNEL_SPEAK_WORD="env").out.startswith("env env\n")
        assert faulty("speak", "--word", "so", ORKERNEL_SPEAK_WORD="env").out.startswith("so so\n")
        (faulty.work / "orkernel.toml").write_text("[defaults.speak]\nwrod = 'bye'\n")
        outcome = faulty("speak")
        assert outcome.code == 2
        assert "orkernel.toml: [defaults.speak] sets 'wrod', which is no flag of" in outcome.err
        assert "did you mean 'word'?" in outcome.err
        (faulty.work / "orkernel.toml").write_text("[defaults.speak]\ntimes = 'many'\n")
        outcome = faulty("speak")
        assert outcome.code == 2
        assert "'many' is not a valid integer" in outcome.err
    finally:
        (faulty.work / "orkernel.toml").unlink()


def test_version_is_that_of_the_project() -> None:
    import tomllib

    root = Path(__file__).resolve().parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__


def test_variables_named_like_shared_flags_do_nothing_unexpected(scratch: Any) -> None:
    outcome = scratch("plugins", ORKERNEL_VERSION="1", ORKERNEL_NO_PLUGINS="0")
    assert outcome.code == 0
    assert "No plugin is installed" in outcome.out


def test_help_works_in_a_working_folder_that_is_gone(scratch: Any) -> None:
    code = (
        "import os, shutil; shutil.rmtree(os.getcwd())\n"
        "from orkernel.cli import main; main(['--help'])"
    )
    outcome = scratch.execute("-c", code)
    assert (outcome.code, outcome.err) == (0, "")


def test_control_characters_of_a_plugins_name_do_not_reach_the_terminal(scratch: Any) -> None:
    scratch.add("orkernel-odd", modules={"odd.py": "1/0"}, entry_points={"o\x1b[31mdd": "odd"})
    outcome = scratch("--help")
    assert outcome.code == 0
    assert "\x1b" not in outcome.err
    assert "ZeroDivisionError" in outcome.err


def test_version_flag(scratch: Any) -> None:
    outcome = scratch("--version")
    assert (outcome.code, outcome.out) == (0, f"orkernel {__version__}\n")


def test_shell_completion_names_commands_and_reports_nothing(faulty: Any) -> None:
    outcome = faulty(COMP_WORDS="orkernel pl", COMP_CWORD="1", _ORKERNEL_COMPLETE="bash_complete")
    assert outcome.out == "plain,plugins\n"
    assert outcome.err == ""


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_builtin_command_exists_and_shows_an_example(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    commands = [command]
    if isinstance(command, click.Group):
        commands += command.commands.values()
    for one in commands:
        shown = one.get_help(click.Context(one, info_name=name))
        assert re.search(r"Examples?:\n +orkernel ", shown), f"no example in the help of {one.name}"
        assert one.get_short_help_str()


# ------------------------------------------------------------------ laziness

HEAVY = {
    "asyncio",
    "email",
    "highspy",
    "importlib.metadata",
    "numpy",
    "pint",
    "pydantic",
    "pyomo",
    "rich",
    "scipy",
    "tomlkit",
}


def modules_after(scratch: Any, code: str) -> set[str]:
    report = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)\n"
    outcome = scratch.execute("-c", report)
    assert outcome.code == 0, outcome.err
    return set(outcome.err.splitlines())


@pytest.mark.parametrize(
    "code",
    [
        "import orkernel; orkernel.SolverAgentSpec; orkernel.hookimpl; orkernel.Refused",
        "from orkernel.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "from orkernel.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass",
        "from orkernel.registry import Registry; Registry.load()",
    ],
)
def test_nothing_heavy_is_imported_by(scratch: Any, code: str) -> None:
    scratch.add(
        "orkernel-light",
        modules={
            "light_plugin/__init__.py": HOOKS,
            "light_plugin/work.py": "import numpy",
        },
        entry_points={"light": "light_plugin"},
    )
    loaded = modules_after(scratch, code)
    assert HEAVY & loaded == set()
    assert "light_plugin.work" not in loaded


def test_import_of_the_package_alone_imports_nothing_else_of_it(scratch: Any) -> None:
    loaded = modules_after(scratch, "import orkernel")
    ours = {name for name in loaded if name.partition(".")[0] == "orkernel"}
    assert ours == {"orkernel", "orkernel.version"}
    assert "click" not in loaded
    assert "pluggy" not in loaded


def test_builtin_command_loads_no_plugin_before_it_asks_for_one(scratch: Any) -> None:
    scratch.add(
        "orkernel-trap",
        modules={"trap_plugin.py": "raise RuntimeError"},
        entry_points={"trap": "trap_plugin"},
    )
    assert scratch("plugins", "list").err == ""


def test_help_with_twenty_plugins_is_not_much_slower_than_the_libraries_it_needs(
    scratch: Any,
) -> None:
    for number in range(20):
        scratch.add(
            f"orkernel-light{number}",
            modules={f"light{number}_plugin.py": HOOKS.replace('"crash"', f'"c{number}"')},
            entry_points={f"light{number}": f"light{number}_plugin"},
        )
    for folder in (scratch.site_packages, scratch.site_packages / "orkernel"):
        scratch.execute("-m", "compileall", "-q", str(folder))
    bare = "import click, pluggy, platformdirs, packaging.specifiers, dataclasses"

    def fastest(*arguments: str) -> float:
        times = []
        for _ in range(7):
            begin = time.perf_counter()
            scratch.execute(*arguments)
            times.append(time.perf_counter() - begin)
        return min(times)

    fastest("-c", bare)
    assert fastest("-m", "orkernel", "--help") < 2.5 * fastest("-c", bare)
