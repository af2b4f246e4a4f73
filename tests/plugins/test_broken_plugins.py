"""Real distributions with one fault each, installed side by side: every one is named.

The environment also holds a sound plugin, and everything else keeps working.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SOUND = """
    from orkernel import CommandSpec, SelectionSpec, hookimpl

    @hookimpl
    def orkernel_selection_rules():
        return [SelectionSpec(name="sound", target="sound_plugin.rule:Rule", summary="Sound.")]

    @hookimpl
    def orkernel_commands():
        yield CommandSpec(name="greet", target="sound_plugin.greet:greet", summary="Say hello.")
"""
SOUND_GREET = """
    import click

    @click.command()
    def greet():
        click.echo("hello")
"""


def rule(name: str, target: str = "x.y:Z", more: str = "") -> str:
    return f"""
    from orkernel import SelectionSpec, hookimpl

    @hookimpl
    def orkernel_selection_rules():
        yield SelectionSpec(name={name!r}, target={target!r}{more})
    """


KERNEL = "orkernel>=0.1,<0.2"

FAULTS: dict[str, dict[str, Any]] = {
    "raises": {
        "module": "raise RuntimeError('boom\\nsecond line')",
        "cause": "import-failed",
        "says": "RuntimeError: boom second line at __init__.py:1",
    },
    "absentlib": {
        "module": "import no_such_library",
        "requires": [KERNEL, "no-such-library>=2"],
        "cause": "dependency-conflict",
        "says": "needs no-such-library>=2, which is not installed",
        "fix": "`pip install 'no-such-library>=2'`",
    },
    "oldlib": {
        "module": "from click import something_new",
        "requires": [KERNEL, "click>=9999"],
        "cause": "dependency-conflict",
        "says": "needs click>=9999, but",
        "fix": "`pip install 'click>=9999'`",
    },
    "undeclared": {
        "module": "import no_such_module",
        "cause": "missing-module",
        "says": "module 'no_such_module' is missing at __init__.py:1",
        "fix": "install what provides the module 'no_such_module'",
    },
    "wronglevel": {
        "module": rule("wronglevel", more=", api=2"),
        "cause": "api-level",
        "says": "written for level 2 of the plugin contract, not 1",
        "fix": "`pip install --upgrade orkernel-wronglevel orkernel`",
    },
    "misspelled": {
        "module": rule("misspelled").replace("orkernel_selection_rules", "orkernel_selectin_rules"),
        "cause": "unknown-hook",
        "says": "there is no hook 'orkernel_selectin_rules'",
        "fix": "did you mean 'orkernel_selection_rules'",
    },
    "unmarked": {
        "module": rule("unmarked").replace("@hookimpl\n", "\n"),
        "cause": "unknown-hook",
        "says": "function 'orkernel_selection_rules' lacks @hookimpl",
        "fix": "add @orkernel.hookimpl",
    },
    "halfway": {
        "module": rule("halfway") + "    raise ValueError('out of breath')\n",
        "cause": "hook-failed",
        "says": "orkernel_selection_rules raised ValueError: out of breath",
    },
    "exits": {
        "module": "import sys; sys.exit('goodbye')",
        "cause": "import-failed",
        "says": "it called sys.exit('goodbye')",
    },
    "hookexits": {
        "module": rule("hookexits") + "    raise SystemExit(3)\n",
        "cause": "hook-failed",
        "says": "orkernel_selection_rules raised SystemExit: 3",
    },
    "wrongtype": {
        "module": rule("wrongtype").replace("SelectionSpec(", "dict("),
        "cause": "bad-record",
        "says": "gave a dict where a SelectionSpec belongs",
    },
    "wrongrecord": {
        "module": rule("wrongrecord").replace("SelectionSpec", "ScorerSpec"),
        "cause": "bad-record",
        "says": "gave a ScorerSpec where a SelectionSpec belongs",
    },
    "wrongfield": {
        "module": rule("wrongfield", target="no colon"),
        "cause": "bad-record",
        "says": "target must be an import string 'package.module:attribute', not 'no colon'",
    },
    "unpacked": {
        "module": rule("unpacked").replace("yield", "return"),
        "cause": "hook-failed",
        "says": "returned one SelectionSpec; return a list of them",
    },
    "endless": {
        "module": rule("endless").replace("yield", "while True: yield"),
        "cause": "hook-failed",
        "says": "gave more than 1000 records",
    },
    "arguments": {
        "module": rule("arguments").replace("rules()", "rules(config)"),
        "cause": "bad-hook",
        "says": "PluginValidationError",
    },
    "wrapper": {
        "module": rule("wrapper").replace("@hookimpl", "@hookimpl(wrapper=True)"),
        "cause": "bad-hook",
        "says": "orkernel_selection_rules is a hook wrapper",
    },
    "future": {
        "module": "raise AssertionError('must not be imported')",
        "requires": ["orkernel>=7,<8"],
        "cause": "kernel-range",
        "says": "it is made for orkernel >=7,<8, not for 0.1.0",
        "wants": "wants orkernel >=7,<8",
        "fix": "`pip install --upgrade orkernel-future`",
    },
    "noattribute": {
        "module": "",
        "value": "noattribute_plugin:plugin",
        "cause": "import-failed",
        "says": "module 'noattribute_plugin' has no attribute 'plugin'",
    },
    "nomodule": {
        "module": "",
        "value": "nomodule_plugin.gone",
        "cause": "missing-module",
        "says": "module 'nomodule_plugin.gone' is missing",
        "fix": "`pip install --force-reinstall orkernel-nomodule`",
    },
    "syntax": {
        "module": "def broken(:\n",
        "cause": "import-failed",
        "says": "SyntaxError",
    },
}
"""Entry point → its module's text and what the report must say."""


@pytest.fixture(scope="session")
def crowd(make_scratch: Callable[[str], Any], wheel: Callable[..., Any]) -> Any:
    """All faulty plugins, two namesakes, and a sound plugin, installed by pip."""
    scratch = make_scratch("crowd")
    wheels = [
        wheel(
            scratch.wheels,
            f"orkernel-{name}",
            modules={f"{name}_plugin/__init__.py": fault["module"]},
            entry_points={name: fault.get("value", f"{name}_plugin")},
            requires=fault.get("requires", [KERNEL]),
            version="3.2.1",
        )
        for name, fault in FAULTS.items()
    ]
    for number in ("first", "second"):
        wheels.append(
            wheel(
                scratch.wheels,
                f"orkernel-{number}",
                modules={f"{number}_plugin.py": rule(number)},
                entry_points={"namesake": f"{number}_plugin"},
            )
        )
        wheels.append(
            wheel(
                scratch.wheels,
                f"orkernel-rule-{number}",
                modules={f"rule_{number}_plugin.py": rule("claimed")},
                entry_points={f"rule-{number}": f"rule_{number}_plugin"},
            )
        )
    wheels.append(
        wheel(
            scratch.wheels,
            "orkernel-sound",
            modules={
                "sound_plugin/__init__.py": SOUND,
                "sound_plugin/greet.py": SOUND_GREET,
                "sound_plugin/rule.py": "class Rule:\n    def select(self, c, ctx): ...\n",
            },
            entry_points={"sound": "sound_plugin"},
        )
    )
    scratch.pip_install(*wheels)
    return scratch


@pytest.fixture(scope="session")
def help_of_crowd(crowd: Any) -> Any:
    return crowd("--help")


@pytest.mark.parametrize("name", FAULTS)
def test_faulty_plugin_is_reported_in_one_line_with_cause_and_remedy(
    help_of_crowd: Any, name: str
) -> None:
    fault = FAULTS[name]
    line = help_of_crowd.line_about(f"plugin '{name}'")
    assert f"orkernel-{name} 3.2.1" in line
    assert fault.get("wants", "wants orkernel ") in line
    assert "this is 0.1.0" in line
    assert fault["says"] in line
    assert f"[{fault['cause']}]" in line
    assert fault.get("fix", "") in line
    assert f"`orkernel plugins disable {name}`" in line


def test_help_lists_builtin_and_plugin_commands_despite_broken_plugins(
    help_of_crowd: Any,
) -> None:
    outcome = help_of_crowd
    assert outcome.code == 0
    assert "Traceback" not in outcome.err
    assert "run " in outcome.out
    assert "greet  Say hello." in outcome.out


def test_command_of_sound_plugin_works_beside_broken_ones(crowd: Any) -> None:
    outcome = crowd("greet")
    assert (outcome.code, outcome.out) == (0, "hello\n")


def test_two_distributions_with_one_plugin_name_are_both_named_and_neither_loads(
    crowd: Any,
) -> None:
    err = crowd("--help")
    for one, other in (("first", "second"), ("second", "first")):
        line = err.line_about("plugin 'namesake'", f"(orkernel-{one} 1.0;")
        assert f"orkernel-{other} 1.0 has a plugin of that name too" in line
        assert f"`orkernel plugins disable orkernel-{one}`" in line
    shown = crowd("plugins", "show", "namesake", "--json")
    assert [entry["state"] for entry in shown.json] == ["broken", "broken"]
    assert shown.code == 5


def test_two_plugins_with_one_record_name_are_both_named_and_neither_wins(crowd: Any) -> None:
    err = crowd("--help")
    for one, other in (("first", "second"), ("second", "first")):
        line = err.line_about(f"plugin 'rule-{one}'")
        assert "its selection rule 'claimed'" in line
        assert f"orkernel-rule-{other} 1.0 has one of that name too" in line
    code = (
        "from orkernel.registry import Registry\n"
        "registry = Registry.load()\n"
        "assert 'claimed' not in registry.records('selection_rules')\n"
        "registry.get('selection_rules', 'claimed')\n"
    )
    outcome = crowd.execute("-c", code)
    assert "'claimed' is provided by both orkernel-rule-first 1.0 and orkernel-rule-second 1.0" in (
        outcome.err
    )


def test_registry_holds_exactly_the_sound_records(crowd: Any) -> None:
    code = (
        "from orkernel.registry import Registry\n"
        "print(sorted(Registry.load().records('selection_rules')))\n"
    )
    assert crowd.execute("-c", code).out == "['sound']\n"


def test_failed_plugin_leaves_no_half_imported_module_behind(crowd: Any) -> None:
    code = (
        "import sys\n"
        "from orkernel.registry import Registry\n"
        "Registry.load()\n"
        "print(sorted(m for m in sys.modules if m.startswith(('raises_', 'nomodule_', 'exits_'))))"
    )
    assert crowd.execute("-c", code).out == "[]\n"


def test_list_names_every_plugin_without_importing_any(crowd: Any) -> None:
    code = (
        "import sys\n"
        "from orkernel.cli import main\n"
        "try:\n    main(['plugins', 'list', '--json'])\n"
        "finally:\n    print([m for m in sys.modules if m.endswith('_plugin')], file=sys.stderr)\n"
    )
    outcome = crowd.execute("-c", code)
    assert outcome.err == "[]\n"
    states = {entry["distribution"]: entry["state"] for entry in outcome.json}
    assert states["orkernel-sound"] == "enabled"
    assert states["orkernel-future"] == "incompatible"
    assert states["orkernel-first"] == states["orkernel-second"] == "name-taken"
    assert {f"orkernel-{name}" for name in FAULTS} < set(states)


def test_show_of_a_broken_plugin_gives_its_problem_and_exit_code_5(crowd: Any) -> None:
    outcome = crowd("plugins", "show", "raises", "--json")
    assert outcome.code == 5
    (shown,) = outcome.json
    assert shown["state"] == "broken"
    assert shown["problems"][0]["cause"] == "import-failed"


def test_doctor_lists_every_problem_and_still_finishes(crowd: Any) -> None:
    outcome = crowd("doctor", "--json")
    assert outcome.code == 5
    failed = {f["check"] for f in outcome.json if f["state"] == "failed"}
    assert {f"plugin {name}" for name in FAULTS} <= failed
    assert {"state": "ok"}.items() <= next(
        f for f in outcome.json if f["check"] == "plugin sound"
    ).items()


def test_asking_for_a_broken_plugin_by_name_is_fatal(crowd: Any) -> None:
    outcome = crowd("--plugins", "raises", "greet")
    assert outcome.code == 5
    assert outcome.err.startswith(
        "error: asked for by name: plugin 'raises' (orkernel-raises 3.2.1"
    )
    assert "Traceback" not in outcome.err


def test_strict_mode_turns_skips_into_an_error_but_spares_help(crowd: Any) -> None:
    outcome = crowd("greet", ORKERNEL_STRICT="1")
    assert outcome.code == 5
    assert "strict mode (ORKERNEL_STRICT): " in outcome.err
    assert crowd("--help", ORKERNEL_STRICT="1").code == 0


def test_allow_list_silences_the_others(crowd: Any) -> None:
    outcome = crowd("--plugins", "sound", "greet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "hello\n", "")


def test_no_plugins_loads_none(crowd: Any) -> None:
    outcome = crowd("--no-plugins", "--help")
    assert outcome.code == 0
    assert outcome.err == ""
    assert "greet" not in outcome.out


def test_environment_chooses_plugins_and_a_flag_overrides_it(crowd: Any) -> None:
    assert "greet" in crowd("--help", ORKERNEL_PLUGINS="sound").out
    outcome = crowd("--plugins", "sound,-raises", "greet", ORKERNEL_PLUGINS="-sound")
    assert outcome.out == "hello\n"


def test_disabling_all_broken_plugins_silences_the_reports(crowd: Any) -> None:
    try:
        namesakes = ["orkernel-first", "orkernel-second", "rule-first"]
        outcome = crowd("plugins", "disable", *FAULTS, *namesakes)
        assert outcome.code == 0
        assert outcome.err == ""
        after = crowd("--help")
        assert (after.code, after.err) == (0, "")
        code = (
            "from orkernel.registry import Registry\n"
            "print(sorted(Registry.load().records('selection_rules')))\n"
        )
        assert crowd.execute("-c", code).out == "['claimed', 'sound']\n"
    finally:
        crowd.config_file.unlink(missing_ok=True)


def test_stdout_of_a_plugin_being_imported_does_not_reach_stdout(scratch: Any) -> None:
    scratch.add(
        "orkernel-chatty",
        modules={"chatty_plugin.py": "print('noise')"},
        entry_points={"chatty": "chatty_plugin"},
    )
    outcome = scratch("plugins", "show", "--json")
    assert outcome.json
    assert "noise" in outcome.err


def test_keyboard_interrupt_during_a_plugin_import_ends_with_130(scratch: Any) -> None:
    scratch.add(
        "orkernel-slow",
        modules={"slow_plugin.py": "raise KeyboardInterrupt"},
        entry_points={"slow": "slow_plugin"},
    )
    outcome = scratch("--help")
    assert outcome.code == 130
    assert outcome.err.splitlines()[-1] == "interrupted"


def test_scratch_environment_is_cut_off(scratch: Any) -> None:
    assert scratch.execute("-c", "import pytest").code == 1
    assert scratch("plugins", "list", "--json").json == []
