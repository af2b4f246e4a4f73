"""`doctor` and `plugins show` on a plugin in every state of health."""

from __future__ import annotations

from typing import Any

import pytest

from orkernel.errors import Cancelled
from orkernel.health import State, examine

HOOKS = """
    from orkernel import Option, SelectionSpec, hookimpl

    @hookimpl
    def orkernel_selection_rules():
        for name in ("healthy", "sick", "exiting", "noisy", "gone"):
            yield SelectionSpec(name=name, target="patient_work:Rule",
                                check=f"patient_work:{name}", summary=f"Is {name}.")
        yield SelectionSpec(name="bare", target="patient_work:Rule", requires=("no_such_lib",),
                            install_hint="pip install no-such-lib",
                            options=(Option("depth", int, default=3, help="How deep."),
                                     Option("mode", choices=("a", "b"), default="a")))
"""
WORK = """
    import sys

    class Rule:
        def select(self, candidates, ctx): ...

    def healthy():
        return "Solver 1.2"

    def sick():
        raise RuntimeError("no licence\\nsecond line")

    def exiting():
        sys.exit(7)

    def noisy():
        print("noise")
        return "quiet"
"""


@pytest.fixture(scope="module")
def ward(make_scratch: Any) -> Any:
    scratch = make_scratch("ward")
    scratch.add(
        "orkernel-patient",
        modules={"patient_plugin.py": HOOKS, "patient_work.py": WORK},
        entry_points={"patient": "patient_plugin"},
        requires=["orkernel>=0.1,<0.2", "click>=1"],
    )
    scratch.add(
        "orkernel-sleepy",
        modules={"sleepy_plugin.py": "import time; time.sleep(0.1)"},
        entry_points={"sleepy": "sleepy_plugin"},
    )
    scratch.add(
        "orkernel-hungry",
        modules={"hungry_plugin.py": ""},
        entry_points={"hungry": "hungry_plugin"},
        requires=["no-such-dist>=3"],
    )
    scratch.add("orkernel-off", modules={"off.py": "1/0"}, entry_points={"off": "off"})
    scratch.write_config('[plugins]\ndisable = ["off"]\n')
    return scratch


@pytest.fixture(scope="module")
def findings(ward: Any) -> dict[str, dict[str, Any]]:
    outcome = ward("doctor", "--json")
    assert outcome.code == 5
    assert "noise" in outcome.err
    return {finding["check"]: finding for finding in outcome.json}


@pytest.mark.parametrize(
    ("check", "state", "detail"),
    [
        ("versions", "ok", "orkernel 0.1.0, Python 3"),
        ("requirements", "warning", "orkernel runs from a folder"),
        ("run folder runs", "ok", "writable"),
        ("optional module pint", "warning", "pip install 'orkernel[units]'"),
        ("plugin patient", "ok", "orkernel-patient 1.0"),
        ("plugin sleepy", "warning", "slow to import"),
        ("plugin hungry", "failed", "needs no-such-dist>=3, which is not installed"),
        ("plugin off", "skipped", "disabled by "),
        ("selection rules healthy", "ok", "Solver 1.2"),
        ("selection rules sick", "failed", "RuntimeError: no licence second line"),
        ("selection rules exiting", "failed", "SystemExit: 7"),
        ("selection rules noisy", "ok", "quiet"),
        ("selection rules gone", "failed", "has no attribute 'gone'"),
        ("selection rules bare", "skipped", "missing no_such_lib; pip install no-such-lib"),
    ],
)
def test_doctor_finds(
    findings: dict[str, dict[str, Any]], check: str, state: str, detail: str
) -> None:
    assert findings[check]["state"] == state
    assert detail in findings[check]["detail"]
    assert "\n" not in findings[check]["detail"]


def test_every_check_is_timed(findings: dict[str, dict[str, Any]]) -> None:
    assert findings["plugin sleepy"]["seconds"] >= 0.1
    assert all(finding["seconds"] >= 0 for finding in findings.values())


def test_doctor_prints_a_table(ward: Any) -> None:
    outcome = ward("doctor")
    assert outcome.code == 5
    lines = [line for line in outcome.out.splitlines() if "selection rules sick" in line]
    assert len(lines) == 1
    assert lines[0].startswith("failed")


def test_doctor_with_nothing_wrong_exits_with_0(scratch: Any) -> None:
    assert scratch("doctor", "--json").code == 0


def test_doctor_reports_broken_configuration_and_an_unwritable_run_folder(scratch: Any) -> None:
    scratch.write_config("[plugins]\nx\n")
    (scratch.work / "file").write_text("")
    outcome = scratch("doctor", "--runs", "file/runs", "--json")
    assert outcome.code == 5
    states = {finding["check"]: finding for finding in outcome.json}
    assert states["run folder file/runs"]["state"] == "failed"
    broken = states[f"configuration {scratch.config_file}"]
    assert broken["state"] == "failed"
    assert "line 2" in broken["detail"]


def test_show_lists_hooks_records_options_and_what_is_missing(ward: Any) -> None:
    outcome = ward("plugins", "show", "patient")
    assert outcome.code == 0
    assert "patient: orkernel-patient 1.0, wants orkernel >=0.1,<0.2; loaded in " in outcome.out
    assert "  orkernel_selection_rules\n" in outcome.out
    assert "    healthy: Is healthy.\n" in outcome.out
    assert "missing no_such_lib; pip install no-such-lib)" in outcome.out
    assert "      -o bare.depth=int  How deep. [default: 3]" in outcome.out
    assert "      -o bare.mode=a|b  [default: a]" in outcome.out


def test_show_of_a_disabled_plugin_does_not_load_it(ward: Any) -> None:
    (shown,) = ward("plugins", "show", "off", "--json").json
    assert shown["state"] == "disabled"
    assert shown["problems"] == []


def test_list_prints_one_line_per_plugin_also_where_output_is_no_terminal(ward: Any) -> None:
    lines = ward("plugins").out.splitlines()
    assert [line.split()[0] for line in lines] == ["plugin", "hungry", "off", "patient", "sleepy"]


def test_markup_and_control_characters_in_metadata_are_shown_as_text(scratch: Any) -> None:
    scratch.add(
        "orkernel-odd",
        modules={"odd.py": ""},
        entry_points={"odd": "odd"},
        summary="[red]not red[/red] \x1b[31m",
    )
    outcome = scratch("plugins")
    assert outcome.code == 0
    assert "[red]not red[/red]" in outcome.out
    assert "\x1b" not in outcome.out


def test_target_that_exits_while_it_is_imported_does_not_end_the_process(scratch: Any) -> None:
    scratch.add(
        "orkernel-leaver",
        modules={
            "leaver.py": """
                from orkernel import SelectionSpec, hookimpl

                @hookimpl
                def orkernel_selection_rules():
                    yield SelectionSpec(name="leaver", target="leaver_work:Rule")
            """,
            "leaver_work.py": "print('on stdout'); raise SystemExit(0)",
        },
        entry_points={"leaver": "leaver"},
    )
    code = """if True:
        from orkernel import PluginError, Registry
        registry = Registry.load()
        try:
            registry.resolve(registry.get("selection_rules", "leaver"))
        except PluginError as error:
            print(error.message)
    """
    outcome = scratch.execute("-c", code)
    assert outcome.out == (
        "selection rule 'leaver' (orkernel-leaver 1.0, leaver_work:Rule) cannot be loaded: "
        "SystemExit: 0\n"
    )


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Cancelled])
def test_an_interruption_ends_the_examination_instead_of_failing_a_check(
    stop: type[BaseException],
) -> None:
    def check() -> tuple[State, str]:
        raise stop

    with pytest.raises(stop):
        examine("a check", check)
