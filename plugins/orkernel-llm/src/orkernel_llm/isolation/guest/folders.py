"""Measuring and removing a folder that somebody filled to do harm."""

from __future__ import annotations

import os
from pathlib import Path

FILES = 2_000
"""Files and folders that a working folder may hold."""

DEPTH = 64
"""Levels of folders that are measured."""


def measured(folder: Path) -> tuple[int, int]:
    """Bytes on the disk and number of files and folders; counting ends above `FILES`.

    Raises:
        OSError: a folder cannot be listed, or lies deeper than `DEPTH`.
    """
    used = 0
    files = 0
    waiting = [(str(folder), 0)]
    while waiting and files <= FILES:
        present, depth = waiting.pop()
        if depth > DEPTH:
            raise OSError(0, "folders nest too deep")
        try:
            entries = os.scandir(present)
        except FileNotFoundError:
            continue
        with entries:
            for entry in entries:
                files += 1
                if files > FILES:
                    break
                try:
                    used += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                except FileNotFoundError:
                    continue
    return used, files


def remove(folder: Path) -> None:
    """Remove a folder that no process uses any more, however deep it nests.

    Folders inside are moved up before they are emptied, so that no path grows long; symbolic
    links are removed, never followed.
    """
    count = 0
    for _ in range(10 * FILES):
        entries = list(os.scandir(folder))
        if not entries:
            break
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner.path, 0o700)
                    count += 1
                    os.rename(inner.path, folder / f"\x7f{count}")
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)
    os.rmdir(folder)
