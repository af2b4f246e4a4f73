"""The subject of a conformance run: a record, the object behind it, and its surroundings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orkernel.config import Config, Layer
from orkernel.context import RunContext
from orkernel.plugins.loading import import_object
from orkernel.records import SolverAgentSpec
from orkernel.registry import Registry

if TYPE_CHECKING:
    from orkernel.records import Capability, Record


@dataclass(frozen=True, eq=False)
class Subject:
    """What is tested.

    Attributes:
        kind: Kind of the record, as in `orkernel.plugins.kinds.KINDS`.
        record: The record.
        registry: The registry that it comes from.
    """

    kind: str
    record: Record
    registry: Registry

    @classmethod
    def find(
        cls,
        name: str,
        kind: str,
        options: Mapping[str, str] | None = None,
        *,
        extra: Sequence[object] = (),
    ) -> Subject:
        """The record of that name among the installed plugins, whatever the user configured.

        Args:
            name: Name of the record.
            kind: Its kind.
            options: Values of its options, as texts.
            extra: Modules or objects with hooks, loaded as plugins of this process.

        Raises:
            UnknownName: Nothing has that name, or an option is not declared.
            UsageError: An option has the wrong type.
            PluginError: It cannot be used.
        """
        layers = (Layer("options", options={name: dict(options)}, asked=True),) if options else ()
        registry = Registry.load(Config(layers), extra=extra)
        return cls(kind, registry.get(kind, name), registry)

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
        return RunContext(options=options, **changes)

    def declares(self, needs: frozenset[Capability]) -> bool:
        """True if a solver agent takes a model with these needs; True for any other record."""
        record = self.record
        return not isinstance(record, SolverAgentSpec) or any(needs <= s for s in record.supports)
