"""The subject of a conformance run: a record, the object behind it, and its surroundings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from orkernel.config import Config, Layer
from orkernel.context import RunContext
from orkernel.errors import UsageError
from orkernel.language_model import MODEL_OPTIONS, LanguageModel
from orkernel.plugins.loading import import_object
from orkernel.records import SolverAgentSpec
from orkernel.registry import Registry
from orkernel.testing.language_models import USELESS, name_of

if TYPE_CHECKING:
    from orkernel.records import Capability, Record


@dataclass(frozen=True, eq=False)
class Subject:
    """What is tested.

    Attributes:
        kind: Kind of the record, as in `orkernel.plugins.kinds.KINDS`.
        record: The record.
        registry: The registry that it comes from.
        language_model: What it asks, if it asks a language model.
    """

    kind: str
    record: Record
    registry: Registry
    language_model: LanguageModel | None = None

    @classmethod
    def find(
        cls,
        name: str,
        kind: str,
        options: Mapping[str, str] | None = None,
        *,
        language_model: LanguageModel | None = None,
        extra: Sequence[object] = (),
    ) -> Subject:
        """The record of that name among the installed plugins, whatever the user configured.

        Args:
            name: Name of the record.
            kind: Its kind.
            options: Values of its options, as texts.
            language_model: What it asks, if it asks a language model.
            extra: Modules or objects with hooks, loaded as plugins of this process.

        Raises:
            UnknownName: Nothing has that name, or an option is not declared.
            UsageError: An option has the wrong type.
            PluginError: It cannot be used.
        """
        layers = (Layer("options", options={name: dict(options)}, asked=True),) if options else ()
        registry = Registry.load(Config(layers), extra=extra)
        return cls(kind, registry.get(kind, name), registry, language_model)

    def check_ready(self) -> None:
        """Check that there is all it needs to be tested.

        Raises:
            UsageError: It asks a language model, and none is named.
        """
        if self.record.needs_language_model and self.language_model is None:
            raise UsageError(
                f"'{self.record.name}' asks a language model, and none is named to test it with",
                fix="set `language_model` in the conformance class, or add "
                "--model ID to `orkernel conformance`",
            )

    @property
    def target(self) -> Any:
        """The object behind the record, made once."""
        return self.registry.resolve(self.record)

    def fresh(self) -> Any:
        """A further object of the same target, where the target is a class."""
        found = import_object(self.record.target)
        return found() if isinstance(found, type) else found

    def context(self, **changes: Any) -> RunContext:
        """A run context with the record's options, and some fields replaced."""
        options = {**self.registry.options(self.record), **changes.pop("options", {})}
        return RunContext(options=options, **{"language_model": self.language_model, **changes})

    def with_useless_models(self) -> Iterator[tuple[str, Subject]]:
        """The same record with every model of `orkernel.testing.language_models`, by name.

        Nothing for a record that asks no language model.
        """
        if not self.record.needs_language_model:
            return
        options = {option.name: option.default for option in MODEL_OPTIONS}
        options |= {"retries": 0, "timeout": 10.0}
        for useless in USELESS:
            model = LanguageModel(name_of(useless), options=options)
            yield useless.__name__, replace(self, language_model=model)

    def declares(self, needs: frozenset[Capability]) -> bool:
        """True if a solver agent takes a model with these needs; True for any other record."""
        record = self.record
        return not isinstance(record, SolverAgentSpec) or any(needs <= s for s in record.supports)
