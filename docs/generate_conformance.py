"""Write the conformance scoreboard of the project's plugins from a run of their kits.

python docs/generate_conformance.py             runs all, writes the snapshot and the page
python docs/generate_conformance.py highs       runs only the records named, keeps the others
python docs/generate_conformance.py --check     runs all, exits with 1 where the snapshot differs

Every plugin's `tests/test_conformance.py` says what is tested, and which failures are expected.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from orkernel.plugins.kinds import KINDS
from orkernel.testing.conformance.base import Conformance, Result, Verdict
from orkernel.testing.conformance.runner import judge

DOCS = Path(__file__).parent
SNAPSHOT = DOCS / "conformance_scoreboard.json"
PAGE = DOCS / "conformance_scoreboard.md"
PASSES, REFUSES, FAILS, UNEXPECTED = "passes", "refuses", "fails", "passes unexpectedly"
Scores = dict[str, dict[str, str]]
HEAD = """# Conformance scoreboard

Written by `python docs/generate_conformance.py` from a run of the conformance kits on every
plugin of the project. *Refuses* means that the agent does not declare what the test needs, and
that it was shown to refuse it. An *expected failure* is listed with its reason in the plugin's
`tests/test_conformance.py`; it is strict. No test is skipped.
"""


def classes() -> Iterator[type[Conformance]]:
    """The conformance classes of all plugins, in the order of folders."""
    for path in sorted(DOCS.parent.glob("plugins/*/tests/test_conformance*.py")):
        for value in runpy.run_path(str(path)).values():
            if isinstance(value, type) and issubclass(value, Conformance) and value.name:
                yield value


def title(cls: type[Conformance]) -> str:
    """Name of the record and its kind."""
    return f"{cls.name} ({KINDS[cls.kind].title})"


def promised(cls: type[Conformance]) -> dict[str, str]:
    """What each test gives if the plugin's own tests pass: without running any."""
    found = {}
    for test in cls.conformance_tests.values():
        for item in test.items():
            reason = cls.expected_failures.get(item.id, cls.expected_failures.get(test.name))
            declared = cls.subject().declares(item.needs)
            found[item.id] = (
                f"expected failure: {reason}" if reason else PASSES if declared else REFUSES
            )
    return found


def measured(cls: type[Conformance]) -> dict[str, str]:
    """What each test gives when run."""
    return {
        item.id: _word(judge(cls, cls.subject(), item, cls.expected_failures))
        for test in cls.conformance_tests.values()
        for item in test.items()
    }


def _word(result: Result) -> str:
    if result.verdict is Verdict.EXPECTED_FAILURE:
        return f"expected failure: {result.message}"
    if not result.good:
        print(f"  {result.test}: {result.message}", file=sys.stderr)
        return FAILS if result.verdict is Verdict.FAILED else UNEXPECTED
    return REFUSES if result.refusal else PASSES


def page(scores: Scores) -> str:
    """The scoreboard for people."""
    lines = [HEAD, "| record | passes | refuses | expected failures |", "| --- | --- | --- | --- |"]
    for name, tests in scores.items():
        count = Counter(word.partition(":")[0] for word in tests.values())
        lines.append(
            f"| {name} | {count[PASSES]} | {count[REFUSES]} | {count['expected failure']} |"
        )
    for kind in sorted({_kind(name) for name in scores}):
        of_kind = {name: tests for name, tests in scores.items() if _kind(name) == kind}
        names = [name.partition(" (")[0] for name in of_kind]
        lines += ["", f"## {kind.capitalize()}s", ""]
        lines += [f"| test | {' | '.join(names)} |", "| --- |" + " --- |" * len(names)]
        functions = dict.fromkeys(t.partition("[")[0] for s in of_kind.values() for t in s)
        for function in functions:
            cells = [_cell(function, tests) for tests in of_kind.values()]
            lines.append(f"| `{function}` | {' | '.join(cells)} |")
    failures = [
        f"- {name}, `{test}`: {word.partition(': ')[2]}"
        for name, tests in scores.items()
        for test, word in tests.items()
        if word.startswith("expected failure")
    ]
    if failures:
        lines += ["", "## Expected failures", "", *failures]
    return "\n".join(lines) + "\n"


def _kind(name: str) -> str:
    return name.partition(" (")[2].rstrip(")")


def _cell(function: str, tests: dict[str, str]) -> str:
    words = Counter(
        word.partition(":")[0] for test, word in tests.items() if test.partition("[")[0] == function
    )
    if not words:
        return "—"
    if len(words) == 1:
        return next(iter(words))
    return ", ".join(f"{count} {word}" for word, count in sorted(words.items()))


def main(arguments: list[str]) -> int:
    """Run, then write or compare."""
    chosen = [argument for argument in arguments if not argument.startswith("--")]
    before: Scores = json.loads(SNAPSHOT.read_text("utf-8")) if SNAPSHOT.exists() else {}
    scores: Scores = {}
    for cls in classes():
        name = title(cls)
        if chosen and cls.name not in chosen:
            scores |= {name: before[name]} if name in before else {}
            continue
        print(name, file=sys.stderr)
        scores[name] = measured(cls)
    bad = [n for n, tests in scores.items() if {FAILS, UNEXPECTED} & set(tests.values())]
    if "--check" in arguments:
        return int(bool(bad) or scores != before)
    for name in bad:
        print(f"{name} is left out: it has failures without a reason", file=sys.stderr)
    kept = {name: tests for name, tests in scores.items() if name not in bad}
    SNAPSHOT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept), encoding="utf-8")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
