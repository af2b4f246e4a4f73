"""A scratch environment: a real virtual environment with the kernel and chosen plugins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import venv
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
KERNEL_RANGE = "orkernel>=0.1,<0.2"


def build_wheel(
    folder: Path,
    distribution: str,
    *,
    modules: Mapping[str, str],
    entry_points: Mapping[str, str],
    version: str = "1.0",
    requires: Sequence[str] = (KERNEL_RANGE,),
    summary: str = "A plugin made for a test.",
) -> Path:
    """Write a wheel by the rules of its format: modules, METADATA, WHEEL, RECORD."""
    stem = f"{distribution.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    points = "".join(f"{name} = {value}\n" for name, value in entry_points.items())
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {distribution}",
        f"Version: {version}",
        f"Summary: {summary}",
        *(f"Requires-Dist: {requirement}" for requirement in requires),
    ]
    files = {name: textwrap.dedent(text) for name, text in modules.items()}
    files[f"{info}/METADATA"] = "\n".join(lines) + "\n\nA long description: with a colon\n"
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = f"[orkernel]\n{points}"
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


@dataclass
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def line_about(self, *words: str) -> str:
        """The one line on stderr that holds all the words."""
        lines = [line for line in self.err.splitlines() if all(word in line for word in words)]
        assert len(lines) == 1, f"{len(lines)} lines hold {words} in:\n{self.err}"
        return lines[0]


class ScratchEnvironment:
    """A virtual environment that holds the kernel, what it requires, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        self.python = folder / "venv" / "bin" / "python"
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self.site_packages = folder / "venv" / "lib" / version / "site-packages"
        self.work = folder / "work"
        self.home = folder / "home"
        self.wheels = folder / "wheels"
        for path in (self.work, self.home, self.wheels):
            path.mkdir()
        (self.site_packages / "orkernel").symlink_to(ROOT / "orkernel")
        for distribution in _kernel_requirements():
            _link(distribution, self.site_packages)

    @property
    def config_file(self) -> Path:
        return self.home / "config" / "orkernel" / "config.toml"

    def write_config(self, text: str) -> None:
        self.config_file.parent.mkdir(parents=True, exist_ok=True)
        self.config_file.write_text(text, encoding="utf-8")

    def add(self, distribution: str, **parts: Any) -> None:
        """Install one wheel by unpacking it, which is all that installing a pure one takes."""
        wheel = build_wheel(self.wheels, distribution, **parts)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.site_packages)

    def pip_install(self, *wheels: Path) -> None:
        """Install wheels with pip, offline."""
        command = [sys.executable, "-m", "pip", "--python", str(self.python), "install"]
        flags = ["--no-index", "--no-deps", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, *flags, *map(str, wheels)], check=True, timeout=120)

    def environment(self, **extra: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
        xdg = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return {**kept, **xdg, **extra}

    def __call__(self, *arguments: str, **environment: str) -> Outcome:
        """Run `python -m orkernel …` in an empty working folder."""
        return self.execute("-m", "orkernel", *arguments, **environment)

    def execute(self, *arguments: str, **environment: str) -> Outcome:
        """Run the environment's interpreter."""
        done = subprocess.run(
            [str(self.python), *arguments],
            capture_output=True,
            text=True,
            cwd=self.work,
            env=self.environment(**environment),
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)


def _kernel_requirements() -> set[str]:
    """Distributions that the kernel requires, and what those require."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted, found = [Requirement(line) for line in project["dependencies"]], set()
    while wanted:
        requirement = wanted.pop()
        if requirement.name in found or (requirement.marker and not requirement.marker.evaluate()):
            continue
        found.add(requirement.name)
        for line in metadata.requires(requirement.name) or ():
            nested = Requirement(line)
            if nested.marker is None or nested.marker.evaluate({"extra": ""}):
                wanted.append(nested)
    return found


def _link(distribution: str, site_packages: Path) -> None:
    """Link the top-level entries of an installed distribution into another environment."""
    tops = {file.parts[0] for file in metadata.files(distribution) or () if file.parts[0] != ".."}
    for top in tops - {"__pycache__"}:
        source = Path(str(metadata.distribution(distribution).locate_file(top)))
        if source.exists() and not (site_packages / top).exists():
            (site_packages / top).symlink_to(source)


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchEnvironment:
    return ScratchEnvironment(tmp_path)


@pytest.fixture(scope="session")
def make_scratch(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], ScratchEnvironment]:
    return lambda name: ScratchEnvironment(tmp_path_factory.mktemp(name))


@pytest.fixture(scope="session")
def wheel() -> Callable[..., Path]:
    return build_wheel
