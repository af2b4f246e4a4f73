"""The registry on plugins of this process: options, resolution, names, order."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel import Capability, Guarantee, Option, SelectionSpec, SolverAgentSpec, hookimpl
from orkernel.config import Config
from orkernel.errors import PluginError, UnknownName, UsageError
from orkernel.plugins.kinds import KINDS
from orkernel.plugins.validate import fault_of
from orkernel.plugins.values import convert
from orkernel.registry import Registry

OPTIONS = (
    Option("threads", int, default=1),
    Option("gap", float, default=0.0),
    Option("log", bool, default=False),
    Option("method", str, default="simplex", choices=("simplex", "barrier")),
    Option("note"),
)


class Rule:
    made = 0

    def __init__(self) -> None:
        Rule.made += 1

    def select(self, candidates: Any, ctx: Any) -> None: ...


class Failing:
    def __init__(self) -> None:
        raise RuntimeError("no licence")


instance = Rule()
methodless = object()


def plugin(name: str, *records: SelectionSpec) -> ModuleType:
    module = ModuleType(name)

    @hookimpl
    def orkernel_selection_rules() -> tuple[SelectionSpec, ...]:
        return records

    module.orkernel_selection_rules = orkernel_selection_rules  # type: ignore[attr-defined]
    return module


def spec(name: str = "rule", target: str = f"{__name__}:Rule", **more: Any) -> SelectionSpec:
    return SelectionSpec(name=name, target=target, **more)


def load(*plugins: object, options: tuple[str, ...] = (), **more: Any) -> Registry:
    return Registry.load(Config.load(no_plugins=True, options=options, **more), extra=plugins)


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ORKERNEL_CONFIG", str(tmp_path / "user.toml"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or _this_module())
    return tmp_path


def _this_module() -> ModuleType:
    module = ModuleType(__name__)
    module.__dict__.update(globals())
    return module


def test_class_target_is_instantiated_once_and_an_object_is_used_as_it_is() -> None:
    registry = load(plugin("p", spec(), spec("ready", f"{__name__}:instance")))
    made = Rule.made
    record = registry.get("selection_rules", "rule")
    assert registry.resolve(record) is registry.resolve(record)
    assert Rule.made == made + 1
    assert registry.resolve(registry.get("selection_rules", "ready")) is instance


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (f"{__name__}:Failing", "cannot be loaded: RuntimeError: no licence"),
        (f"{__name__}:Absent", f"module '{__name__}' has no attribute 'Absent'"),
        ("no_such_package.x:Y", "ModuleNotFoundError: No module named 'no_such_package'"),
        (f"{__name__}:methodless", "has no method 'select'"),
    ],
)
def test_target_that_cannot_be_used_names_record_plugin_and_target(target: str, says: str) -> None:
    registry = load(plugin("p", spec(target=target)))
    with pytest.raises(PluginError) as caught:
        registry.resolve(registry.get("selection_rules", "rule"))
    assert caught.value.message.startswith(f"selection rule 'rule' ((in this process), {target})")
    assert says in caught.value.message
    assert caught.value.fix


def test_unknown_name_gives_near_matches_or_what_there_is() -> None:
    registry = load(plugin("p", spec("max-min"), spec("first")))
    with pytest.raises(UnknownName) as caught:
        registry.get("selection_rules", "maxmin")
    assert str(caught.value) == "no selection rule is named 'maxmin' (did you mean 'max-min'?)"
    with pytest.raises(UnknownName, match="there is: first, max-min"):
        registry.get("selection_rules", "zzzz")


def test_unknown_name_of_a_known_plugin_says_what_to_install() -> None:
    with pytest.raises(UnknownName, match="`pip install orkernel-lean`"):
        load().get("proof_verifiers", "lean")


def test_name_of_another_kind_is_recognised() -> None:
    with pytest.raises(UnknownName, match="'rule' is a selection rule; there is none"):
        load(plugin("p", spec())).get("classifiers", "rule")


def test_unknown_name_mentions_the_plugins_that_were_left_out() -> None:
    module = ModuleType("broken")
    module.orkernel_classifiers = hookimpl(specname="orkernel_classifiers")(  # type: ignore[attr-defined]
        lambda config: ()
    )
    registry = load(module, plugin("p", spec()))
    with pytest.raises(UnknownName, match=r"these plugins were left out: broken"):
        registry.get("classifiers", "zzzz")
    with pytest.raises(UnknownName, match=r"plugin 'broken' .*\[bad-hook\]"):
        registry.get("classifiers", "broken")
    with pytest.raises(UnknownName, match=r"-o: nothing is named 'zzzz'.*left out: broken"):
        load(module, options=("zzzz.k=1",))


def test_record_with_a_missing_module_is_listed_but_not_usable() -> None:
    hint = "pip install gurobipy"
    registry = load(
        plugin("p", spec(requires=("no_such_lib", "click"), install_hint=hint), spec("b"))
    )
    assert list(registry.records("selection_rules")) == ["b"]
    assert [e.missing for e in registry.entries("selection_rules")] == [(), ("no_such_lib",)]
    with pytest.raises(PluginError, match="missing no_such_lib") as caught:
        registry.get("selection_rules", "rule")
    assert caught.value.fix == hint


def test_dotted_requirement_is_looked_for_without_importing_its_parent() -> None:
    sys.modules.pop("xmlrpc.client", None)
    sys.modules.pop("xmlrpc", None)
    registry = load(
        plugin("p", spec(requires=("xmlrpc.client",)), spec("b", requires=("xmlrpc.no",)))
    )
    assert list(registry.records("selection_rules")) == ["rule"]
    assert "xmlrpc" not in sys.modules


def test_records_do_not_depend_on_the_order_of_plugins() -> None:
    plugins = [
        plugin("p", spec("a"), spec("shared")),
        plugin("q", spec("b"), spec("shared")),
        plugin("r", spec("c")),
    ]
    seen = set()
    for order in itertools.permutations(plugins):
        registry = load(*order)
        problems = sorted(map(str, registry.problems))
        seen.add((tuple(registry.records("selection_rules")), tuple(problems)))
    assert len(seen) == 1
    names, told = seen.pop()
    assert names == ("a", "b", "c")
    assert len(told) == 2


def test_one_broken_hook_keeps_the_plugins_other_hooks() -> None:
    module = plugin("p", spec("kept"))

    @hookimpl
    def orkernel_classifiers() -> Iterator[Any]:
        yield SimpleNamespace()
        raise ValueError("bad")

    module.orkernel_classifiers = orkernel_classifiers  # type: ignore[attr-defined]
    registry = load(module)
    assert list(registry.records("selection_rules")) == ["kept"]
    assert [str(p.cause) for p in registry.problems] == ["hook-failed"]


def test_hook_may_return_nothing() -> None:
    module = ModuleType("p")
    module.orkernel_classifiers = hookimpl(lambda: None)  # type: ignore[attr-defined]
    module.orkernel_classifiers.__name__ = "orkernel_classifiers"
    assert load(module).problems == ()


def test_object_with_methods_is_a_plugin_too() -> None:
    class Plugin:
        @hookimpl
        def orkernel_selection_rules(self) -> list[SelectionSpec]:
            return [spec("from-object")]

    assert list(load(Plugin()).records("selection_rules")) == ["from-object"]


def test_property_that_raises_does_not_break_the_plugin() -> None:
    class Plugin:
        @property
        def orkernel_trap(self) -> None:
            raise RuntimeError("do not touch")

        @hookimpl
        def orkernel_selection_rules(self) -> list[SelectionSpec]:
            return [spec("kept")]

    assert list(load(Plugin()).records("selection_rules")) == ["kept"]


def test_name_repeated_within_a_hook_is_a_bad_record() -> None:
    registry = load(plugin("p", spec("twice"), spec("twice")))
    assert [str(p.cause) for p in registry.problems] == ["bad-record"]
    assert registry.records("selection_rules") == {}


# ------------------------------------------------------------------ options


def test_options_take_declared_defaults_then_files_then_flags(no_configuration: Path) -> None:
    (no_configuration / "user.toml").write_text(
        "[options.rule]\nthreads = 2\ngap = 1\nmethod = 'barrier'\n"
    )
    registry = load(plugin("p", spec(options=OPTIONS)), options=("rule.threads=3", "rule.log=on"))
    values = registry.options(registry.get("selection_rules", "rule"))
    assert values == {"threads": 3, "gap": 1.0, "log": True, "method": "barrier", "note": None}
    assert isinstance(values["gap"], float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule.threads=two", "-o: rule.threads: 'two' is not a whole number"),
        ("rule.threads=1.5", "-o: rule.threads: '1.5' is not a whole number"),
        ("rule.gap=nan", "-o: rule.gap: 'nan' is not a finite number"),
        ("rule.gap=inf", "-o: rule.gap: 'inf' is not a finite number"),
        ("rule.log=maybe", "-o: rule.log: 'maybe' is not true or false"),
        ("rule.method=magic", "-o: rule.method: 'magic' is not allowed"),
        ("rule.thread=1", "-o: 'rule' has no option 'thread'"),
        ("ruel.threads=1", "-o: nothing is named 'ruel'"),
    ],
)
def test_bad_option_for_this_call_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(plugin("p", spec(options=OPTIONS)), options=(text,))
    assert caught.value.message == message
    assert caught.value.fix


def test_near_match_of_an_option_and_of_a_record() -> None:
    with pytest.raises(UnknownName, match="did you mean 'threads'"):
        load(plugin("p", spec(options=OPTIONS)), options=("rule.thraeds=1",))
    with pytest.raises(UnknownName, match="did you mean 'rule'"):
        load(plugin("p", spec(options=OPTIONS)), options=("rul.threads=1",))


def test_option_in_a_file_for_a_record_that_is_not_there_is_ignored(
    no_configuration: Path,
) -> None:
    (no_configuration / "user.toml").write_text("[options.gone]\nthreads = 2\n")
    load(plugin("p", spec()))


def test_unknown_option_in_a_file_is_refused_when_the_record_is_used(
    no_configuration: Path,
) -> None:
    (no_configuration / "user.toml").write_text("[options.rule]\nthreds = 2\n")
    registry = load(plugin("p", spec(options=OPTIONS)))
    with pytest.raises(UnknownName, match=r"user\.toml: 'rule' has no option 'threds'"):
        registry.options(registry.get("selection_rules", "rule"))


def test_records_of_one_name_in_two_kinds_share_options_by_what_each_declares() -> None:
    class Plugin:
        @hookimpl
        def orkernel_selection_rules(self) -> list[SelectionSpec]:
            return [spec("both", options=(Option("a", int, default=0),))]

        @hookimpl
        def orkernel_solver_agents(self) -> list[SolverAgentSpec]:
            return [
                SolverAgentSpec(
                    name="both",
                    target="x:Y",
                    supports=(frozenset({Capability.LINEAR}),),
                    guarantee=Guarantee.GLOBAL,
                    options=(Option("b", int, default=0),),
                )
            ]

    registry = load(Plugin(), options=("both.a=1", "both.b=2"))
    assert registry.options(registry.get("selection_rules", "both")) == {"a": 1}
    assert registry.options(registry.get("solver_agents", "both")) == {"b": 2}


@given(st.integers(-(10**30), 10**30))
def test_whole_numbers_survive_the_way_through_a_text(number: int) -> None:
    assert convert(Option("n", int), str(number), "-o") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive_the_way_through_a_text(number: float) -> None:
    assert convert(Option("x", float), repr(number), "-o") == number


@given(st.sampled_from([int, float, bool, str]), st.text(max_size=12))
def test_any_text_is_converted_or_refused(kind: Any, text: str) -> None:
    with contextlib.suppress(UsageError):
        assert type(convert(Option("x", kind), text, "-o")) is kind


@pytest.mark.parametrize(
    ("kind", "value"), [(int, True), (float, True), (str, 1), (bool, 1), (int, 1.5)]
)
def test_toml_value_of_another_type_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(UsageError):
        convert(Option("x", kind), value, "file")


# ------------------------------------------------------------------ records


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": ""}, "name must be letters"),
        ({"name": "a.b"}, "name must be letters"),
        ({"name": 3}, "name must be letters"),
        ({"target": "a.b"}, "target must be an import string"),
        ({"options": [Option("a")]}, "options must be a tuple of Option"),
        ({"check": "here"}, "check must be an import string"),
        ({"requires": "numpy"}, "requires must be a tuple of module names"),
        ({"requires": ("not a module",)}, "requires must be a tuple of module names"),
        ({"summary": "two\nlines"}, "summary must be a text of one line"),
        ({"install_hint": None}, "install_hint must be a text"),
        ({"supports": ()}, "supports must be a non-empty tuple"),
        ({"supports": frozenset({Capability.LINEAR})}, "supports must be a non-empty tuple"),
        ({"supports": (frozenset({"linear"}),)}, "supports must be a non-empty tuple"),
        ({"guarantee": "global"}, "guarantee must be a Guarantee"),
        ({"exports": ("lp",)}, "exports must be a frozenset"),
        ({"options": (Option("a", list),)}, "must have type str, int, float or bool"),  # type: ignore[arg-type]
        ({"options": (Option("a", int, default="1"),)}, "must have a default of type int"),
        ({"options": (Option("a", int, default=True),)}, "must have a default of type int"),
        ({"options": (Option("a", default="x", choices=("y",)),)}, "none of its choices"),
        ({"options": (Option("a", choices=["y"]),)}, "choices as a tuple"),  # type: ignore[arg-type]
        ({"options": (Option("a"), Option("a"))}, "'a' is declared twice"),
        ({"options": (Option("a b"),)}, "must have a name"),
    ],
)
def test_record_with_a_wrong_field_is_refused_with_the_field(change: Any, says: str) -> None:
    fields: dict[str, Any] = {
        "name": "agent",
        "target": "a.b:C",
        "supports": (frozenset({Capability.LINEAR}),),
        "guarantee": Guarantee.GLOBAL,
    }
    assert fault_of(SolverAgentSpec(**fields), KINDS["solver_agents"]) == ""
    assert says in fault_of(SolverAgentSpec(**fields | change), KINDS["solver_agents"])


def test_a_subclass_or_look_alike_of_a_record_is_refused() -> None:
    class Mine(SelectionSpec):
        pass

    kind = KINDS["selection_rules"]
    assert "gave a Mine where" in fault_of(Mine(name="a", target="b:c"), kind)
    assert "gave a SimpleNamespace where" in fault_of(SimpleNamespace(name="a"), kind)
