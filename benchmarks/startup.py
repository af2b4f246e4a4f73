"""Time `orkernel --help` with many small plugins, next to `llm --help` with as many.

Each program gets its own scratch virtual environment, the same number of plugins that
register one command each, and is padded to the same number of installed distributions.
Runs alternate, so that a busy machine hits both alike.

    python benchmarks/startup.py [--rival llm|datasette] [--plugins 20] [--distributions 350]

Needs a package index for the rival; `--rival none` measures orkernel alone.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET_MS = 150.0

PLUGINS = {
    "orkernel": """
from orkernel import CommandSpec, hookimpl

@hookimpl
def orkernel_commands():
    yield CommandSpec(name="command{n}", target="{module}:command", summary="Number {n}.")
""",
    "llm": """
import llm

@llm.hookimpl
def register_commands(cli):
    @cli.command(name="command{n}")
    def command():
        "Number {n}."
""",
    "datasette": """
from datasette import hookimpl

@hookimpl
def register_commands(cli):
    @cli.command(name="command{n}")
    def command():
        "Number {n}."
""",
}


@dataclass
class Contestant:
    """A program in its environment, and what was measured.

    Attributes:
        seconds: Wall-clock seconds per run.
        cpu_seconds: Processor seconds per run; what the wall clock shows on an idle machine.
        peak_mib: Largest resident set of a run, in MiB.
    """

    name: str
    command: list[str]
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    peak_mib: float = 0.0

    def run(self) -> None:
        """One timed run.

        Raises:
            SystemExit: The command failed.
        """
        begin = time.perf_counter()
        child = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"
        )
        _, status, usage = os.wait4(child.pid, 0)
        self.seconds.append(time.perf_counter() - begin)
        self.cpu_seconds.append(usage.ru_utime + usage.ru_stime)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(self.command)} failed with {child.returncode}")
        self.peak_mib = max(self.peak_mib, usage.ru_maxrss / 1024)

    @property
    def wall_ms(self) -> float:
        """Median wall-clock time of a run, in milliseconds."""
        return statistics.median(self.seconds) * 1000

    @property
    def cpu_ms(self) -> float:
        """Median processor time of a run, in milliseconds."""
        return statistics.median(self.cpu_seconds) * 1000


def prepare(name: str, requirement: str, folder: Path, plugins: int, total: int) -> Contestant:
    """Make an environment with the program and its plugins, and check that it sees them."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, requirement], check=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    for number in range(plugins):
        _add_plugin(site_packages, name, number)
    for number in range(total - len(list(site_packages.glob("*.dist-info")))):
        _add_distribution(site_packages, f"padding-{number}", "[console_scripts]\npad = pad:main\n")
    subprocess.run([str(python), "-m", "compileall", "-q", str(site_packages)], check=False)
    command = [str(folder / "bin" / name), "--help"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    missing = [n for n in range(plugins) if f"command{n} " not in shown]
    if missing:
        raise SystemExit(f"{name} --help does not list the commands of plugins {missing}")
    return Contestant(name, command)


def _add_plugin(site_packages: Path, program: str, number: int) -> None:
    module = f"bench_plugin_{number}"
    text = PLUGINS[program].format(n=number, module=module)
    (site_packages / f"{module}.py").write_text(text, encoding="utf-8")
    points = f"[{program}]\nplugin{number} = {module}\n"
    _add_distribution(site_packages, f"bench-plugin-{number}", points)


def _add_distribution(site_packages: Path, name: str, entry_points: str) -> None:
    info = site_packages / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    requires = "Requires-Dist: orkernel>=0.1,<0.2\n" if "[orkernel]" in entry_points else ""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}\n{'text ' * 500}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def contestants(arguments: argparse.Namespace, folder: Path) -> Iterator[Contestant]:
    """The bare interpreter, orkernel, and the rival."""
    total, plugins = arguments.distributions, arguments.plugins
    ours = prepare("orkernel", arguments.source, folder / "orkernel", plugins, total)
    yield Contestant("python -c pass", [str(folder / "orkernel/bin/python"), "-c", "pass"])
    yield ours
    if arguments.rival != "none":
        yield prepare(arguments.rival, arguments.rival, folder / "rival", plugins, total)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rival", choices=("llm", "datasette", "none"), default="llm")
    parser.add_argument("--plugins", type=int, default=20)
    parser.add_argument("--distributions", type=int, default=350)
    parser.add_argument("--repeat", type=int, default=21)
    parser.add_argument("--source", default=str(ROOT), help="what pip installs as orkernel")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = list(contestants(arguments, Path(folder)))
        for contestant in measured:
            contestant.run()
            contestant.seconds.clear()
            contestant.cpu_seconds.clear()
        for _ in range(arguments.repeat):
            for contestant in measured:
                contestant.run()
    ours = next(c for c in measured if c.name == "orkernel")
    print(
        f"{arguments.plugins} plugins, {arguments.distributions} distributions, "
        f"{arguments.repeat} runs each, Python {sys.version.split()[0]}, "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    print(f"{'program':<20}{'wall ms':>10}{'cpu ms':>10}{'peak MiB':>10}{'cpu ratio':>11}")
    for contestant in measured:
        print(
            f"{contestant.name:<20}{contestant.wall_ms:>10.1f}{contestant.cpu_ms:>10.1f}"
            f"{contestant.peak_mib:>10.1f}{contestant.cpu_ms / ours.cpu_ms:>11.2f}"
        )
    verdict = "within" if ours.cpu_ms <= BUDGET_MS else "over"
    print(
        f"orkernel --help: {ours.cpu_ms:.0f} ms of processor time, "
        f"{verdict} the budget of {BUDGET_MS:.0f} ms"
    )


if __name__ == "__main__":
    main()
