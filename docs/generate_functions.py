"""Write the table of functions in `docs/algebra.md` from `orkernel.algebra.functions`.

python docs/generate_functions.py            rewrites the table
"""

from __future__ import annotations

from pathlib import Path

from orkernel.algebra.functions import FUNCTIONS

TARGET = Path(__file__).with_name("algebra.md")
BEGIN, END = "<!-- [[[functions]]] -->\n", "<!-- [[[end]]] -->"


def table() -> str:
    """One row per reserved function."""
    rows = [f"| `{f.signature}` | {f.kind} | {f.help} |" for f in FUNCTIONS.values()]
    return "\n".join(["| function | kind | meaning |", "|---|---|---|", *rows]) + "\n"


def page(text: str) -> str:
    """The page with the table between its marks renewed."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    TARGET.write_text(page(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
