"""Fails if the test log reports a skipped test that `tests/expected_skips.txt` does not list."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def main() -> int:
    """Compare the `SKIPPED` lines of a pytest log with the expected reasons."""
    log = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
    expected = {
        line.strip()
        for line in Path("tests/expected_skips.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    }
    found = re.findall(r"^SKIPPED \[\d+\] (.+)$", log, flags=re.MULTILINE)
    surprising = [line for line in found if not any(reason in line for reason in expected)]
    for line in surprising:
        print(f"unexpected skip: {line}")
    return 1 if surprising else 0


if __name__ == "__main__":
    sys.exit(main())
