"""How a conformance test is declared, and how a kit collects its tests from modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import getdoc
from types import ModuleType
from typing import Any, TypeVar

from orkernel.records import Capability

Function = TypeVar("Function", bound=Callable[..., None])
_MARK = "__conformance_test__"


@dataclass(frozen=True, slots=True)
class ConformanceTest:
    """One test of a kit.

    Attributes:
        name: Name of the function, `test_…`.
        function: Takes the subject, and the case if there are cases; raises when it fails.
        added_in: Version of the kernel that brought it.
        needs: Capabilities without which the subject must refuse instead.
        cases: Cases by id; empty for a test without. A case may have `needs` of its own.
    """

    name: str
    function: Callable[..., None]
    added_in: str
    needs: frozenset[Capability] = frozenset()
    cases: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """First line of what it proves."""
        return (getdoc(self.function) or "").partition("\n")[0]

    def items(self) -> Iterator[Item]:
        """What is run: one item per case, or one in all."""
        if not self.cases:
            yield Item(self)
        for case_id in self.cases:
            yield Item(self, case_id)


@dataclass(frozen=True, slots=True)
class Item:
    """A test with one of its cases."""

    test: ConformanceTest
    case_id: str = ""

    @property
    def id(self) -> str:
        """`test_name` or `test_name[case]`, as pytest writes it."""
        return f"{self.test.name}[{self.case_id}]" if self.case_id else self.test.name

    @property
    def case(self) -> Any:
        """The case, None for a test without cases."""
        return self.test.cases[self.case_id] if self.case_id else None

    @property
    def needs(self) -> frozenset[Capability]:
        """Capabilities that the test and its case need."""
        return self.test.needs | frozenset(getattr(self.case, "needs", ()))


def conformance_test(
    *,
    added_in: str,
    needs: tuple[Capability, ...] = (),
    cases: Mapping[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Mark a function `(subject)`, or `(subject, case)` with cases, as a conformance test.

    Args:
        added_in: Version of the kernel that brought it.
        needs: Capabilities that the subject must declare for the test to run as written; a
            subject that lacks one must refuse instead.
        cases: Cases by id; each becomes a test of its own.

    Raises:
        TypeError: The function is not called `test_…`, has no docstring, or `cases` is empty.
    """

    def mark(function: Function) -> Function:
        if not function.__name__.startswith("test_"):
            raise TypeError(f"conformance test {function.__name__} must be called test_…")
        if not getdoc(function):
            raise TypeError(f"conformance test {function.__name__} has no docstring")
        if cases is not None and not cases:
            raise TypeError(f"conformance test {function.__name__} has no cases")
        declared = ConformanceTest(
            function.__name__, function, added_in, frozenset(needs), dict(cases or {})
        )
        setattr(function, _MARK, declared)
        return function

    return mark


def collect(modules: tuple[ModuleType, ...]) -> dict[str, ConformanceTest]:
    """The conformance tests of some modules, by name, in order of definition.

    Raises:
        TypeError: Two tests have the same name.
    """
    found: dict[str, ConformanceTest] = {}
    for module in modules:
        for value in vars(module).values():
            test = getattr(value, _MARK, None)
            if not isinstance(test, ConformanceTest):
                continue
            if found.get(test.name, test) is not test:
                raise TypeError(f"two conformance tests are called {test.name}")
            found[test.name] = test
    return found


def require(condition: object, message: str) -> None:
    """Fail the running conformance test unless the condition holds.

    Raises:
        AssertionError: It does not hold; also where Python drops `assert` statements.
    """
    if not condition:
        raise AssertionError(message)
