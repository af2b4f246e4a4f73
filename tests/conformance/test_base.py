"""A plugin cannot weaken a kit: no test is replaced, deleted, hidden or skipped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orkernel.errors import UnknownName, UsageError
from orkernel.records import Capability
from orkernel.testing import SolverAgentConformance
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.declaring import collect
from orkernel.testing.conformance.runner import Verdict, judge, run

A_TEST = "test_linear_programs"


def subclass(**namespace: Any) -> type:
    return type("TestX", (SolverAgentConformance,), {"name": "highs", **namespace})


@pytest.mark.parametrize("value", [None, lambda self: None, property(lambda self: None)])
def test_a_conformance_test_cannot_be_overridden(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be replaced or deleted"):
        subclass(**{A_TEST: value})


def test_a_conformance_test_cannot_be_overridden_by_a_mixin() -> None:
    mixin = type("Mixin", (), {A_TEST: None})
    with pytest.raises(TypeError, match="cannot be replaced or deleted"):
        type("TestX", (mixin, SolverAgentConformance), {"name": "highs"})


def test_a_conformance_test_cannot_be_overridden_below_a_subclass() -> None:
    with pytest.raises(TypeError, match="cannot be replaced or deleted"):
        type("TestY", (subclass(),), {A_TEST: None})


@pytest.mark.parametrize("name", [A_TEST, "test_ctrl_c_gets_through"])
def test_a_conformance_test_cannot_be_replaced_or_deleted_later(name: str) -> None:
    made = subclass()
    with pytest.raises(TypeError, match="cannot be replaced"):
        setattr(made, name, None)
    with pytest.raises(TypeError, match="cannot be deleted"):
        delattr(SolverAgentConformance, name)


@pytest.mark.parametrize("name", ["must_refuse", "pytest_generate_tests", "subject", "kind"])
def test_the_kit_itself_cannot_be_replaced(name: str) -> None:
    with pytest.raises(TypeError, match="cannot be replaced"):
        subclass(**{name: classmethod(lambda cls, *_: None)})


@pytest.mark.parametrize(
    "name", ["setup_method", "setup_class", "teardown_method", "pytestmark", "__test__"]
)
def test_fixtures_and_marks_cannot_hide_tests(name: str) -> None:
    with pytest.raises(TypeError, match="no fixtures or marks"):
        subclass(**{name: None})


def test_a_misspelled_setting_is_refused_with_the_right_name() -> None:
    with pytest.raises(TypeError, match="expected_failures"):
        subclass(expected_failure={A_TEST: "why"})


def test_own_tests_are_welcome_beside_the_kit() -> None:
    assert callable(subclass(test_of_our_own=lambda self: None).test_of_our_own)  # type: ignore[attr-defined]


def test_an_expected_failure_of_an_unknown_test_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean"):
        subclass(expected_failures={"test_linear_program": "why"})


@pytest.mark.parametrize("reason", ["", "  ", None])
def test_an_expected_failure_without_a_reason_is_refused(reason: object) -> None:
    with pytest.raises(UsageError, match="no reason"):
        subclass(expected_failures={A_TEST: reason})


def test_a_class_without_a_kit_is_refused() -> None:
    with pytest.raises(TypeError, match="no subclass of a kit"):
        type("TestX", (Conformance,), {"name": "highs"})


# --------------------------------------------------------------------------- a small kit

KIT = "a_small_kit"


@conformance_test(added_in="0.1")
def test_fine(subject: Subject) -> None:
    """It passes."""


@conformance_test(added_in="0.2", cases={"one": 1, "two": 2})
def test_small(subject: Subject, case: int) -> None:
    """It fails for two."""
    require(case < 2, "too large")


@conformance_test(added_in="0.1", needs=(Capability.INTEGER,))
def test_skips(subject: Subject) -> None:
    """It skips."""
    pytest.skip("not today")


@conformance_test(added_in="0.1", needs=(Capability.RANDOM,))
def test_random(subject: Subject) -> None:
    """It needs what the subject does not declare."""
    raise AssertionError("it must not run")


for _function in (test_fine, test_small, test_skips, test_random):
    _function.__test__ = False  # type: ignore[attr-defined]


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> type[Conformance]:
    module = ModuleType(KIT)
    for function in (test_fine, test_small, test_skips, test_random):
        setattr(module, function.__name__, function)
    monkeypatch.setitem(sys.modules, KIT, module)

    class SmallConformance(Conformance, kind="solver_agents", modules=(KIT,)):
        refused: list[str] = []  # noqa: RUF012

        @classmethod
        def must_refuse(cls, subject: Subject, item: Any) -> None:
            cls.refused.append(item.id)

    return SmallConformance


@pytest.fixture
def highs() -> Subject:
    return Subject.find("highs", "solver_agents")


def verdicts(kit: type[Conformance], subject: Subject, **expected: str) -> dict[str, Verdict]:
    items = [item for test in kit.conformance_tests.values() for item in test.items()]
    found = {k.replace("__two", "[two]"): v for k, v in expected.items()}
    return {item.id: judge(kit, subject, item, found).verdict for item in items}


def test_every_case_has_a_result_of_its_own_and_a_skip_is_a_failure(
    kit: type[Conformance], highs: Subject
) -> None:
    assert verdicts(kit, highs) == {
        "test_fine": Verdict.PASSED,
        "test_small[one]": Verdict.PASSED,
        "test_small[two]": Verdict.FAILED,
        "test_skips": Verdict.FAILED,
        "test_random": Verdict.PASSED,
    }
    assert kit.refused == ["test_random"]  # type: ignore[attr-defined]


def test_expected_failures_are_strict(kit: type[Conformance], highs: Subject) -> None:
    found = verdicts(kit, highs, test_small__two="known", test_fine="wrongly listed")
    assert found["test_small[two]"] is Verdict.EXPECTED_FAILURE
    assert found["test_fine"] is Verdict.UNEXPECTED_PASS
    found = verdicts(kit, highs, test_small="all cases")
    assert found["test_small[one]"] is Verdict.UNEXPECTED_PASS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def check(subject): 'doc'", "must be called test_"),
        ("def test_check(subject): pass", "has no docstring"),
    ],
)
def test_a_test_without_name_or_docstring_is_refused(text: str, message: str) -> None:
    def check(subject: Subject) -> None:
        pass

    check.__name__ = text.split("(")[0].removeprefix("def ")
    check.__doc__ = "doc" if "doc" in text else None
    with pytest.raises(TypeError, match=message):
        conformance_test(added_in="0.1")(check)


def test_two_tests_of_one_name_are_refused() -> None:
    one, other = ModuleType("one"), ModuleType("other")
    for module in (one, other):

        def test_same(subject: Subject) -> None:
            """Same name."""

        module.test_same = conformance_test(added_in="0.1")(test_same)  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="two conformance tests"):
        collect((one, other))


# --------------------------------------------------------------------------- under pytest


def under_pytest(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = folder / "test_it.py"
    path.write_text(f"import pytest\nfrom orkernel.testing import SolverAgentConformance\n{text}")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    command += ["-k", "test_unknown_option or test_options", "-c", "/dev/null"]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


CLASS = "class TestConformance(SolverAgentConformance):\n    name = 'highs'\n"


def test_five_lines_run_the_kit_under_pytest(tmp_path: Path) -> None:
    done = under_pytest(tmp_path, CLASS)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


@pytest.mark.parametrize("mark", ["skip('no')", "xfail(reason='no')"])
def test_a_mark_that_hides_tests_ends_the_collection(tmp_path: Path, mark: str) -> None:
    done = under_pytest(tmp_path, f"@pytest.mark.{mark}\n{CLASS}")
    assert done.returncode == 2, done.stdout
    assert "expected_failures" in done.stdout


def test_a_module_mark_that_hides_tests_ends_the_collection(tmp_path: Path) -> None:
    done = under_pytest(tmp_path, f"pytestmark = pytest.mark.skip('no')\n{CLASS}")
    assert done.returncode == 2, done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "    def __getattribute__(self, name): return lambda *a, **k: None\n",
        "    def __init__(self): pass\n",
        "    def __init_subclass__(cls): pass\n",
        "TestConformance.__test__ = False\n",
        "TestConformance.expected_failures = {'test_options_have_valid_defaults': 'why'}\n",
        "TestConformance.subject = None\n",
    ],
)
def test_a_class_that_would_not_run_its_tests_ends_the_collection(
    tmp_path: Path, text: str
) -> None:
    done = under_pytest(tmp_path, CLASS + text)
    assert done.returncode == 2, done.stdout
    assert "TypeError: TestConformance" in done.stdout


def test_an_unexpected_pass_fails_under_pytest(tmp_path: Path) -> None:
    text = CLASS + "    expected_failures = {'test_options_have_valid_defaults': 'why'}\n"
    done = under_pytest(tmp_path, text)
    assert done.returncode == 1, done.stdout
    assert "it passes, though expected to fail: why" in done.stdout


def test_an_unknown_record_fails_with_near_matches(tmp_path: Path) -> None:
    done = under_pytest(tmp_path, CLASS.replace("highs", "hihgs"))
    assert done.returncode == 1, done.stdout
    assert "did you mean 'highs'" in done.stdout


def test_testing_needs_neither_pytest_nor_numpy() -> None:
    code = (
        "import sys, orkernel.testing, orkernel.testing.conformance.base; "
        "print([m for m in ('pytest', 'numpy', 'scipy', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_runner_needs_no_pytest() -> None:
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from orkernel.testing.conformance.runner import run\n"
        "from orkernel.testing.conformance.subject import Subject\n"
        "subject = Subject.find('highs', 'solver_agents')\n"
        "print({str(r.verdict) for r in run(subject, only='test_linear_programs')})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'passed'}"


def test_an_unknown_test_is_refused_with_near_matches(highs: Subject) -> None:
    with pytest.raises(UnknownName, match="test_linear_programs"):
        run(highs, only="test_linear_program")
