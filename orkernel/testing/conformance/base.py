"""The base of every conformance kit: tests that a plugin inherits and cannot weaken.

A kit is a class made from modules with functions marked by `conformance_test`:

```python
class ObserverConformance(Conformance, kind="observers", modules=(__name__,)):
    "What an observer must do."
```

A plugin's test is a subclass that names its record; pytest finds its methods, one per
conformance test:

```python
class TestConformance(ObserverConformance):
    name = "trace"
```
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from orkernel.errors import UsageError
from orkernel.language_model import LanguageModel
from orkernel.plugins.problems import near
from orkernel.testing.conformance.declaring import (
    ConformanceTest,
    Item,
    collect,
    conformance_test,
    require,
)
from orkernel.testing.conformance.runner import Result, Verdict, check_expected, judge
from orkernel.testing.conformance.subject import Subject

__all__ = [
    "Conformance",
    "ConformanceTest",
    "Item",
    "Result",
    "Subject",
    "Verdict",
    "conformance_test",
    "require",
]

SETTINGS = ("name", "expected_failures", "options", "language_model", "base_url")
"""What a plugin's subclass may set."""
FIXTURES = ("setup", "teardown", "pytest")
"""Starts of names by which a subclass could get its hands on the kit's tests."""
CONTROLS = ("subject", "must_refuse", "pytest_generate_tests", "kind", "__test__")
"""What decides which tests run, on what, and how they are judged."""
SPECIAL = {
    *("__module__", "__qualname__", "__doc__", "__annotations__", "__annotate_func__"),
    *("__annotations_cache__", "__conditional_annotations__", "__orig_bases__", "__parameters__"),
    *("__dict__", "__weakref__", "__firstlineno__", "__static_attributes__", "__classcell__"),
    *("__classdictcell__", "__type_params__"),
}
"""Special names that Python itself puts into a class."""


class Sealed(type):
    """Class of the kits: their tests cannot be replaced or deleted afterwards either."""

    def __setattr__(cls, name: str, value: object) -> None:
        if name in getattr(cls, "conformance_tests", {}):
            raise TypeError(f"{cls.__name__}.{name} is a conformance test; it cannot be replaced")
        made = bool(cls.__dict__.get("_sealed"))
        if made and (name in (*SETTINGS, *CONTROLS) or _special(name)):
            raise TypeError(f"{cls.__name__}.{name} cannot be changed once the class is there")
        super().__setattr__(name, value)

    def __delattr__(cls, name: str) -> None:
        if name in getattr(cls, "conformance_tests", {}):
            raise TypeError(f"{cls.__name__}.{name} is a conformance test; it cannot be deleted")
        super().__delattr__(name)


class Conformance(metaclass=Sealed):
    """Base of the kits.

    Attributes:
        name: Name of the record under test.
        expected_failures: Test (or `test[case]`) to the reason why it fails. Strict: one that
            passes though listed fails, as does an unknown name or an empty reason.
        options: Values of the record's options, as the command line takes them.
        language_model: What a record that asks a language model is tested with, as after
            `--model`; one that answers by rules makes the tests repeatable.
        base_url: Address of its server, as after `--base-url`; empty where it needs none.
        kind: Kind of the records that the kit tests.
        conformance_tests: The kit's tests by name.
    """

    name: ClassVar[str] = ""
    expected_failures: ClassVar[Mapping[str, str]] = {}
    options: ClassVar[Mapping[str, str]] = {}
    language_model: ClassVar[str] = ""
    base_url: ClassVar[str] = ""
    kind: ClassVar[str] = ""
    conformance_tests: ClassVar[Mapping[str, ConformanceTest]] = {}
    _sealed: ClassVar[bool] = False

    def __init_subclass__(cls, *, kind: str = "", modules: tuple[str, ...] = ()) -> None:
        """Make a kit out of modules, or check a plugin's subclass of one.

        Raises:
            TypeError: The subclass replaces, deletes or hides a test, or has an unknown setting.
            UsageError: An expected failure is unknown or has no reason.
        """
        super().__init_subclass__()
        if kind:
            _make_kit(cls, kind, modules)
        else:
            _check_subclass(cls)
            cls._sealed = True

    @classmethod
    def must_refuse(cls, subject: Subject, item: Item) -> None:
        """Check that a subject refuses an item for which it lacks a capability.

        Kits whose tests have `needs` override this.

        Raises:
            AssertionError: It does not refuse.
        """
        raise NotImplementedError(f"{cls.__name__} cannot tell a refusal of {item.id}")

    @classmethod
    def subject(cls) -> Subject:
        """The record under test, found among the installed plugins once per class."""
        return _subject(cls)

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Give every case of a test its own id, and refuse marks that would hide tests."""
        test = type(self).conformance_tests.get(metafunc.function.__name__)
        if test is None:
            return
        for mark in ("skip", "skipif", "xfail"):
            if next(metafunc.definition.iter_markers(mark), None) is not None:
                raise TypeError(
                    f"{test.name} is marked '{mark}', which a conformance test cannot be; list "
                    f"a test that fails in `expected_failures`, with the reason"
                )
        if test.cases:
            metafunc.parametrize("case", list(test.cases))


@cache
def _subject(kit: type[Conformance]) -> Subject:
    model = LanguageModel(kit.language_model, kit.base_url or None) if kit.language_model else None
    return Subject.find(kit.name, kit.kind, kit.options, language_model=model)


def _make_kit(kit: type[Conformance], kind: str, modules: tuple[str, ...]) -> None:
    tests = collect(tuple(sys.modules.get(name) or import_module(name) for name in modules))
    for test in tests.values():
        setattr(kit, test.name, _method(test))
    kit.kind = kind
    kit.conformance_tests = tests


def _method(test: ConformanceTest) -> Callable[..., None]:
    """The method by which pytest runs a test."""

    def alone(self: Conformance) -> None:
        _report(judge(type(self), _ready(self), Item(test), self.expected_failures))

    def with_case(self: Conformance, case: str) -> None:
        _report(judge(type(self), _ready(self), Item(test, case), self.expected_failures))

    method: Callable[..., None] = with_case if test.cases else alone
    method.__name__ = test.name
    method.__qualname__ = test.name
    method.__doc__ = inspect.getdoc(test.function)
    return method


def _ready(test: Conformance) -> Subject:
    """The subject of a test; without all it needs the test fails in one line."""
    subject = test.subject()
    try:
        subject.check_ready()
    except UsageError as error:
        import pytest

        pytest.fail(str(error), pytrace=False)
    return subject


def _report(result: Result) -> None:
    """Tell pytest how an item ended."""
    if result.verdict is Verdict.EXPECTED_FAILURE:
        import pytest

        pytest.xfail(result.message)
    if not result.good:
        raise AssertionError(result.message) from result.error


def _check_subclass(cls: type[Conformance]) -> None:
    kits = [c for c in cls.__mro__[1:] if "conformance_tests" in vars(c)]
    kit: type[Conformance] = kits[0]
    if kit is Conformance or "conformance_tests" in vars(cls):
        raise TypeError(f"{cls.__name__} is no subclass of a kit; give `kind` to make a kit")
    if inspect.getattr_static(cls, "subject") is not inspect.getattr_static(Conformance, "subject"):
        raise TypeError(f"{cls.__name__}.subject cannot be replaced; set `name` and `options`")
    for name in (*kit.conformance_tests, "must_refuse", "pytest_generate_tests", "kind"):
        if inspect.getattr_static(cls, name) is not inspect.getattr_static(kit, name):
            raise TypeError(
                f"{cls.__name__}.{name} belongs to the kit and cannot be replaced or deleted; "
                f"list a test that fails in `expected_failures`, with the reason"
            )
    for owner in cls.__mro__[: cls.__mro__.index(kit)]:
        for name, value in vars(owner).items():
            _check_attribute(cls, name, value)
    if not isinstance(cls.options, Mapping):
        raise TypeError(f"{cls.__name__}: `options` is a mapping of texts")
    for name in ("name", "language_model", "base_url"):
        if not isinstance(getattr(cls, name), str):
            raise TypeError(f"{cls.__name__}: `{name}` is a text")
    check_expected(kit.conformance_tests, cls.expected_failures)


def _special(name: str) -> bool:
    """True for names by which a class changes how Python makes or asks its objects."""
    return name.startswith("__") and name.endswith("__") and name not in SPECIAL


def _check_attribute(cls: type, name: str, value: object) -> None:
    if name in SETTINGS or name in SPECIAL or name == "_sealed":
        return
    if _special(name) and name != "__test__":
        raise TypeError(f"{cls.__name__}.{name}: a conformance class has no special methods")
    if name.startswith(FIXTURES) or name == "__test__":
        raise TypeError(f"{cls.__name__}.{name}: a conformance class has no fixtures or marks")
    if not callable(value):
        raise TypeError(f"{cls.__name__} has no setting '{name}': {near(name, SETTINGS)}")
