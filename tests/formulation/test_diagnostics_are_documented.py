"""Every diagnostic code in the source is documented and proved by a test, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orkernel.formulation import names

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "orkernel").rglob("*.py"))
MAKERS = {"Diagnostic", "_error", "_warning", "placed"}


def literals(node: ast.AST | None) -> Iterator[str]:
    """The texts that an expression may be: a literal, or the branches of a conditional."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.Tuple) and node.elts:
        yield from literals(node.elts[0])


def emitted() -> set[str]:
    """Codes given to a maker of diagnostics, directly or through a variable called `code`."""
    found = {code for _, code in names._CODES}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if "Diagnostic" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MAKERS:
                keyword = next((k.value for k in node.keywords if k.arg == "code"), None)
                found.update(literals(keyword or (node.args[0] if node.args else None)))
            elif isinstance(node, ast.Assign):
                target = node.targets[0]
                first = target.elts[0] if isinstance(target, ast.Tuple) else target
                if getattr(first, "id", "") == "code":
                    found.update(literals(node.value))
            elif isinstance(node, ast.FunctionDef) and node.name == "code_of":
                found.update(
                    re.findall(r'"([a-z]+(?:-[a-z]+)+)"', ast.unparse(node).replace("'", '"'))
                )
    return found


def documented() -> dict[str, str]:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|", page, re.MULTILINE))


def test_every_code_is_documented_and_every_documented_code_exists() -> None:
    assert emitted() == set(documented())
    assert len(emitted()) > 30


@pytest.mark.parametrize("code", sorted(documented()))
def test_every_code_is_proved_by_a_test(code: str) -> None:
    tests = [p for p in sorted((ROOT / "tests").rglob("test_*.py")) if p != Path(__file__)]
    assert any(f'"{code}"' in path.read_text(encoding="utf-8") for path in tests)


def test_severities_are_those_of_the_page() -> None:
    allowed = {"error", "warning", "error where both units are physical, else warning"}
    assert set(documented().values()) == allowed
