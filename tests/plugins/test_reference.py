"""The contract is documented completely, and what the documentation shows works."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import orkernel
from orkernel import hookspecs, protocols, records
from orkernel.config import Config
from orkernel.plugins.kinds import HOOKS, KINDS, Kind
from orkernel.registry import Registry

ROOT = Path(__file__).resolve().parents[2]

WYNDOR = """{
 "variables": [{"name": "doors"}, {"name": "windows"}],
 "objectives": [{"name": "profit", "sense": "maximize", "expression": "3*doors + 5*windows"}],
 "constraints": [
  {"name": "plant 1", "expression": "doors <= 4"},
  {"name": "plant 2", "expression": "2*windows <= 12"},
  {"name": "plant 3", "expression": "3*doors + 2*windows <= 18"}]}"""


def load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return load_file(ROOT / "docs" / "generate_reference.py")


def test_hook_reference_is_up_to_date(generator: Any) -> None:
    written = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")
    assert written == generator.render(), "run: python docs/generate_reference.py"


def test_every_hook_of_the_contract_has_a_kind_and_every_kind_a_hook() -> None:
    declared = {name for name, _ in inspect.getmembers(hookspecs, inspect.isfunction)}
    assert declared == set(HOOKS)
    classes = {
        name
        for name, thing in inspect.getmembers(records, inspect.isclass)
        if issubclass(thing, records.Record) and thing is not records.Record
    }
    assert classes == {kind.record.__name__ for kind in KINDS.values()}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_hook_has_signature_version_and_record_type(kind: Kind) -> None:
    hook = getattr(hookspecs, kind.hook)
    text = inspect.getdoc(hook) or ""
    assert re.search(r"^Versionadded: \d+\.\d+$", text, re.MULTILINE)
    annotation = inspect.signature(hook).return_annotation
    assert annotation == f"Iterable[{kind.record.__name__}]"
    assert not inspect.signature(hook).parameters
    assert kind.method in text


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_field_of_the_record_is_described(generator: Any, kind: Kind) -> None:
    for name, _, _, description in generator.fields_of(kind.record):
        assert description, f"{kind.record.__name__}.{name} has no description"


def test_every_field_of_an_option_is_described(generator: Any) -> None:
    assert all(row[3] for row in generator.fields_of(records.Option))


@pytest.mark.parametrize("name", list(KINDS))
def test_every_argument_of_the_protocol_is_described(generator: Any, name: str) -> None:
    if name == "commands":
        return
    protocol = generator.PROTOCOLS[name]
    methods = dict(generator.methods_of(protocol))
    assert KINDS[name].method in methods
    for method in methods.values():
        text = inspect.getdoc(method) or ""
        for argument in list(inspect.signature(method).parameters)[1:]:
            assert re.search(rf"\b{argument}\b", text), f"{protocol.__name__}: {argument}"


def test_every_protocol_is_in_the_reference(generator: Any) -> None:
    public = {
        name
        for name, thing in vars(protocols).items()
        if inspect.isclass(thing) and thing.__module__ == protocols.__name__
    }
    shown = {p.__name__ for p in generator.PROTOCOLS.values()} | {"Exporter"}
    assert public == shown


def examples(kind: Kind) -> dict[str, str]:
    """Files that a hook's docstring shows, by their path below `src`."""
    text = inspect.getdoc(getattr(hookspecs, kind.hook)) or ""
    blocks = re.findall(r"```python\n# src/(\S+)\n(.*?)```", text, re.DOTALL)
    return {path: textwrap.dedent(code) for path, code in blocks}


@pytest.fixture
def shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[tuple[Registry, Kind]]:
    """The example of one hook, written to files and loaded as a plugin."""
    kind: Kind = KINDS[request.param]
    files = examples(kind)
    for path, code in files.items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    (package,) = {path.partition("/")[0] for path in files}
    module = importlib.import_module(package)
    yield Registry.load(Config.load(no_plugins=True), extra=[module]), kind
    for name in [m for m in sys.modules if m.partition(".")[0] == package]:
        del sys.modules[name]


def only(registry: Registry, kind: Kind) -> Any:
    """The object behind the one record of a kind, with its options as a context."""
    (record,) = registry.records(kind.name).values()
    return registry.resolve(record), orkernel.RunContext(options=registry.options(record))


@pytest.mark.parametrize("shown", list(KINDS), indirect=True)
def test_example_in_the_docstring_loads_and_resolves(shown: tuple[Registry, Kind]) -> None:
    registry, kind = shown
    assert registry.problems == ()
    target, _ = only(registry, kind)
    assert target is not None


@pytest.mark.parametrize("shown", ["solver_agents"], indirect=True)
def test_agent_of_the_docstring_finds_the_known_optimum(shown: tuple[Registry, Kind]) -> None:
    agent, ctx = only(*shown)
    model = orkernel.Model.bind(orkernel.load_formulation(WYNDOR))
    solution = agent.solve(orkernel.Problem(""), model, ctx)
    assert solution.status is orkernel.Status.OPTIMAL
    assert solution.objective == pytest.approx(36)
    assert model.values(solution.values) == pytest.approx({"doors": 2, "windows": 6})


@pytest.mark.parametrize("shown", ["formulators"], indirect=True)
def test_formulator_of_the_docstring_reads_refuses_and_ends(shown: tuple[Registry, Kind]) -> None:
    formulator, ctx = only(*shown)
    formulation = formulator.formulate(orkernel.Problem(WYNDOR), (), ctx)
    assert [v.name for v in formulation.variables] == ["doors", "windows"]
    with pytest.raises(orkernel.Refused):
        formulator.formulate(orkernel.Problem("A farmer has two fields."), (), ctx)
    with pytest.raises(orkernel.NoMoreReadings):
        formulator.formulate(orkernel.Problem(WYNDOR), (orkernel.Candidate(0),), ctx)


@pytest.mark.parametrize("shown", ["credit_rules"], indirect=True)
def test_credit_rule_of_the_docstring_is_centred_and_zero_past_the_end(
    shown: tuple[Registry, Kind],
) -> None:
    from orkernel.proof.verdict import Reason, Verdict

    rule, ctx = only(*shown)
    group = [Verdict(outcome, True, (), None, Reason.OK) for outcome in (True, False)]
    spans = [[(0, 1), (1, 2)], [(0, 1)]]
    np.testing.assert_allclose(rule.advantages(group, spans, ctx=ctx), [[0.5, 0.5], [-0.5, 0]])


@pytest.mark.parametrize("shown", ["selection_rules"], indirect=True)
def test_rule_of_the_docstring_skips_refused_candidates(shown: tuple[Registry, Kind]) -> None:
    rule, ctx = only(*shown)
    candidates = [orkernel.Candidate(0), orkernel.Candidate(1), orkernel.Candidate(2, refused="x")]
    assert rule.select(candidates, ctx).index == 1


@pytest.mark.parametrize("shown", ["confidence_scorers"], indirect=True)
def test_scorer_of_the_docstring_scores_every_dimension(shown: tuple[Registry, Kind]) -> None:
    scorer, ctx = only(*shown)
    evaluation = scorer.score(orkernel.Problem(""), orkernel.Candidate(0), (), ctx)
    assert set(evaluation.scores) == set(orkernel.DIMENSIONS)
    assert evaluation.minimum == 50


# ------------------------------------------------------------------ the Python API


def test_every_public_name_can_be_imported_and_is_documented() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in orkernel.__all__:
        assert getattr(orkernel, name) is not None
        assert f"`{name}`" in text, f"docs/api.md does not mention {name}"


def test_type_checkers_see_the_same_public_names() -> None:
    tree = ast.parse(Path(orkernel.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        (alias.asname, node.module)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(orkernel._HOMES.items())
    assert set(orkernel.__all__) <= set(dir(orkernel))


def test_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'orkernel' has no attribute 'rnu'"):
        orkernel.rnu  # type: ignore[attr-defined]  # noqa: B018


def test_configuration_page_shows_files_that_are_valid(tmp_path: Path) -> None:
    from orkernel.config import read_file

    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        tomllib.loads(block)
        path = tmp_path / "config.toml"
        path.write_text(block, encoding="utf-8")
        assert read_file(path) is not None
