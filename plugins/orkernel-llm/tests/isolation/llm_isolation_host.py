"""A host with secrets, and a look at what isolated processes leave behind."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from orkernel_llm.isolation import Backend, Limits, Sandbox
from orkernel_llm.isolation.backends.base import Ends, Launched

BACKENDS = ("bubblewrap", "landlock")
SMALL = Limits(
    wall_seconds=30,
    cpu_seconds=1.5,
    memory_mb=512,
    disk_mb=4,
    processes=16,
    open_files=64,
    output_bytes=50_000,
)


class Host:
    """Planted things of the host that nothing inside may see or change."""

    def __init__(self, folder: Path) -> None:
        self.secret = "sk-planted-" + os.urandom(8).hex()
        self.folder = folder
        temporary = Path(tempfile.gettempdir())
        for path in (folder, *folder.parents):
            if temporary in path.parents and path.stat().st_uid == os.geteuid():
                path.chmod(0o755)
        keys = folder / ".ssh"
        keys.mkdir()
        self.key = keys / "id_ed25519"
        self.key.write_text(self.secret)
        self.open_folder = folder / "open"
        self.open_folder.mkdir()
        self.open_folder.chmod(0o777)
        self.open_file = self.open_folder / "notes"
        self.open_file.write_text("as it was")
        self.open_file.chmod(0o666)

    def variables(self) -> dict[str, Any]:
        """What an attacker is told, to make it easy."""
        import orkernel_llm.isolation.guest as guest

        return {
            "key": str(self.key),
            "open_folder": str(self.open_folder),
            "open_file": str(self.open_file),
            "host_pid": os.getpid(),
            "guest": str(Path(guest.__file__).parent),
        }

    def assert_untouched(self) -> None:
        """Nothing planted was changed, nothing was added."""
        assert self.key.read_text() == self.secret
        assert self.open_file.read_text() == "as it was"
        assert self.open_file.stat().st_nlink == 1
        assert self.open_file.stat().st_mode & 0o777 == 0o666
        assert [path.name for path in self.open_folder.iterdir()] == ["notes"]


class Recorded:
    """A backend that remembers how to recognise the processes that it started."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._configs: list[str] = []

    @property
    def name(self) -> str:
        """Name of the backend."""
        return self._backend.name

    def launch(self, limits: Limits, ends: Ends) -> Launched:
        """Start a process and remember its command line."""
        launched = self._backend.launch(limits, ends)
        line: Any = launched.process.args
        self._configs.append(line[-1])
        return launched

    def survivors(self) -> list[int]:
        """Processes that are still there of those started, and of those that they started."""
        users = {json.loads(config)["uid"] for config in self._configs} - {None}
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if not entry.name.isdigit():
                    continue
                line = (entry / "cmdline").read_bytes().decode(errors="replace")
                if entry.stat().st_uid in users or any(c in line for c in self._configs):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


def still_computes(backend: Backend) -> bool:
    """Whether a fresh process computes 1 + 1."""
    with Sandbox(SMALL, backend) as sandbox:
        return bool(sandbox.run("final_answer(1 + 1)", 10).value == 2)
