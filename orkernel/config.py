"""Layered configuration: the user's file, the working folder's, `ORKERNEL_*`, flags.

A later layer wins. Files look like this:

```toml
[plugins]
disable = ["noisy"]          # or: allow = ["offline", "highs"]

[options.highs]              # as -o highs.threads=4
threads = 4

[defaults.run]               # as orkernel run --solver highs
solver = "highs"
```
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orkernel.errors import UsageError

USER_FILE = "config.toml"
FOLDER_FILE = "orkernel.toml"
MAX_BYTES = 1_000_000
"""Largest configuration file that is read."""
TABLES = {"plugins": ("allow", "disable"), "options": None, "defaults": None}


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of configuration.

    Attributes:
        origin: Where it comes from, as a user would recognise it.
        allow: Only these plugins; None means any.
        deny: Plugins not to load.
        options: Per record name its option values; texts when they come from a text.
        defaults: Per command the defaults of its flags.
        asked: True if the user named things for this very call, so that an unknown name
            is an error rather than a leftover.
    """

    origin: str
    allow: frozenset[str] | None = None
    deny: frozenset[str] = frozenset()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    asked: bool = False

    def defaults_of(self, command: str) -> Mapping[str, Any]:
        """Defaults of one command's flags."""
        return self.defaults.get(command, {})


@dataclass(frozen=True, slots=True)
class Config:
    """All layers, weakest first.

    Attributes:
        layers: User's file, working folder's file, environment, flags; absent ones left out.
        strict: A plugin that would be skipped is an error instead (`ORKERNEL_STRICT=1`).
        problems: Why a file was left out; only after `load(tolerant=True)`.
    """

    layers: tuple[Layer, ...] = ()
    strict: bool = False
    problems: tuple[UsageError, ...] = ()

    @classmethod
    def load(
        cls,
        *,
        plugins: str = "",
        no_plugins: bool = False,
        options: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
        tolerant: bool = False,
    ) -> Config:
        """Read every layer.

        Args:
            plugins: `a,b` to allow only those, `-a` to leave one out.
            no_plugins: Load none.
            options: `NAME.key=value` texts.
            environ: Environment; the process's own by default.
            folder: Working folder; the current one by default.
            tolerant: Leave a broken file out and note it in `problems`.

        Raises:
            UsageError: A file is broken (naming file and line) or a text is malformed.
        """
        environ = os.environ if environ is None else environ
        layers: list[Layer] = []
        problems: list[UsageError] = []
        for path in (user_file(environ), folder_file(folder)):
            try:
                layer = read_file(path)
            except UsageError as error:
                if not tolerant:
                    raise
                problems.append(error)
                continue
            if layer is not None:
                layers.append(layer)
        layers.extend(_environment_layers(environ))
        if no_plugins and plugins:
            raise UsageError(
                "--no-plugins and --plugins exclude each other", fix="give one of them"
            )
        if no_plugins:
            layers.append(Layer("--no-plugins", allow=frozenset(), asked=True))
        if plugins:
            allow, deny = parse_choice(plugins, "--plugins")
            layers.append(Layer("--plugins", allow=allow, deny=deny, asked=True))
        if options:
            layers.append(Layer("-o", options=parse_options(options, "-o"), asked=True))
        strict = environ.get("ORKERNEL_STRICT", "").strip().lower() not in ("", "0", "false", "no")
        return cls(tuple(layers), strict, tuple(problems))

    def option_values(self, record: str) -> dict[str, tuple[Any, Layer]]:
        """Values set for a record, by option name, each with the layer that set it last."""
        values: dict[str, tuple[Any, Layer]] = {}
        for layer in self.layers:
            for key, value in layer.options.get(record, {}).items():
                values[key] = (value, layer)
        return values

    def defaults(self, command: str) -> dict[str, Any]:
        """Defaults of a command's flags, as the files write them."""
        merged: dict[str, Any] = {}
        for layer in self.layers:
            merged.update(layer.defaults_of(command))
        return merged


def user_file(environ: Mapping[str, str] | None = None) -> Path:
    """The user's `config.toml`; `ORKERNEL_CONFIG` names another file."""
    chosen = (os.environ if environ is None else environ).get("ORKERNEL_CONFIG", "")
    if chosen:
        return Path(chosen)
    from platformdirs import user_config_path

    return user_config_path("orkernel", appauthor=False) / USER_FILE


def folder_file(folder: Path | None = None) -> Path:
    """`orkernel.toml` of a folder; of the working folder by default, even if that is gone."""
    try:
        return (folder or Path.cwd()) / FOLDER_FILE
    except FileNotFoundError:
        return Path(FOLDER_FILE)


def read_file(path: Path) -> Layer | None:
    """The layer in a file; None if there is no such file.

    Raises:
        UsageError: It cannot be read, is not TOML, or says something unknown; the message
            names file and line.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read: {error.strerror}", fix="correct its permissions"
        ) from None
    if len(raw) > MAX_BYTES:
        raise UsageError(f"{path}: larger than {MAX_BYTES:,} bytes", fix="it is no configuration")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}, line {line}: not UTF-8", fix="save it as UTF-8") from None
    return _Document(path, text).layer()


class _Document:
    """One file while it is checked; errors name the line."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text

    def layer(self) -> Layer:
        import tomllib

        try:
            content = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise self._not_toml(str(error)) from None
        except RecursionError:
            raise UsageError(f"{self.path}: nested too deeply", fix="simplify it") from None
        for name, value in content.items():
            if name not in TABLES:
                raise self._error(name, f"unknown table '{name}'", f"known: {', '.join(TABLES)}")
            if not isinstance(value, dict):
                raise self._error(name, f"'{name}' must be a table", f"write [{name}]")
        chosen = content.get("plugins", {})
        for key in chosen:
            if key not in ("allow", "disable"):
                raise self._error(key, f"unknown key '{key}' in [plugins]", "known: allow, disable")
        return Layer(
            origin=str(self.path),
            allow=self._names("allow", chosen) if "allow" in chosen else None,
            deny=self._names("disable", chosen),
            options=self._tables("options", content.get("options", {})),
            defaults=self._tables("defaults", content.get("defaults", {})),
        )

    def _names(self, key: str, table: Mapping[str, Any]) -> frozenset[str]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise self._error(
                key, f"'{key}' in [plugins] must be a list of names", f'write {key} = ["name"]'
            )
        return frozenset(value)

    def _tables(self, section: str, table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        for name, values in table.items():
            if not isinstance(values, dict):
                raise self._error(
                    name, f"'{name}' in [{section}] must be a table", f"write [{section}.{name}]"
                )
            for key, value in values.items():
                if not isinstance(value, str | int | float | bool):
                    raise self._error(
                        key,
                        f"'{key}' in [{section}.{name}] must be a text, number, true or false",
                        f"write {key} = …",
                    )
        return {name: dict(values) for name, values in table.items()}

    def _not_toml(self, message: str) -> UsageError:
        """`Expected '=' … (at line 3, column 5)` becomes `FILE, line 3: expected '=' …`."""
        reason, _, place = message.partition(" (at ")
        line = place.partition(",")[0].strip(") ").removeprefix("line ")
        if not line.isdigit():
            line = str(self.text.count("\n") + 1)
        return UsageError(
            f"{self.path}, line {line}: not valid TOML: {reason}", fix="correct that line"
        )

    def _error(self, word: str, message: str, fix: str) -> UsageError:
        """An error at the first line that mentions `word` outside a comment."""
        numbered = enumerate(self.text.splitlines(), start=1)
        line = next((n for n, text in numbered if word in text.partition("#")[0]), 1)
        return UsageError(f"{self.path}, line {line}: {message}", fix=fix)


def parse_choice(text: str, origin: str) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Split `a,b,-c` into the allowed names (None: any) and the denied ones.

    Raises:
        UsageError: A name is empty.
    """
    names = [name.strip() for name in text.split(",")]
    if any(name in ("", "-") for name in names):
        raise UsageError(
            f"{origin}: empty plugin name in {text!r}", fix="write a,b to allow or -a to leave out"
        )
    allow = frozenset(name for name in names if not name.startswith("-"))
    deny = frozenset(name[1:] for name in names if name.startswith("-"))
    return (allow or None), deny


def parse_options(texts: Iterable[str], origin: str) -> dict[str, dict[str, str]]:
    """Split `NAME.key=value` texts.

    Raises:
        UsageError: A text has another form.
    """
    options: dict[str, dict[str, str]] = {}
    for text in texts:
        place, equals, value = text.partition("=")
        name, dot, key = place.strip().rpartition(".")
        if not (equals and dot and name and key):
            raise UsageError(
                f"{origin}: {text!r} is not of the form NAME.key=value",
                fix="for example -o highs.threads=4",
            )
        options.setdefault(name, {})[key] = value.strip()
    return options


def _environment_layers(environ: Mapping[str, str]) -> list[Layer]:
    layers = []
    if choice := environ.get("ORKERNEL_PLUGINS", "").strip():
        allow, deny = parse_choice(choice, "ORKERNEL_PLUGINS")
        layers.append(Layer("ORKERNEL_PLUGINS", allow=allow, deny=deny, asked=True))
    if texts := environ.get("ORKERNEL_OPTIONS", "").strip():
        from shlex import split

        try:
            words = split(texts)
        except ValueError as error:
            raise UsageError(
                f"ORKERNEL_OPTIONS: {error}", fix="write NAME.key=value NAME.key='two words'"
            ) from None
        options = parse_options(words, "ORKERNEL_OPTIONS")
        layers.append(Layer("ORKERNEL_OPTIONS", options=options, asked=True))
    return layers
