"""A model class of somebody else, named `module:Class` or `module:Class/NAME`."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from orkernel.errors import UsageError
from orkernel.language_model import without_credentials
from orkernel_llm.failures import MissingPackage, excerpt
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.secrets import secrets_of_url


def open_third_party(name: str, where: str, model_id: str, base_url: str | None) -> OpenedModel:
    """An object of the class, made with `model_id` and `base_url` if it takes them.

    Args:
        name: As the user wrote it.
        where: `module:Class`.
        model_id: What follows it after a slash; empty if nothing does.
        base_url: Address of a server, or None.

    Raises:
        MissingPackage: The module cannot be imported.
        UsageError: There is no such class, it cannot be made, or it has no `generate`.
    """
    module, _, attribute = where.partition(":")
    try:
        made = getattr(import_module(module), attribute)
    except ImportError as error:
        raise MissingPackage(
            f"{name}: the module cannot be imported: {excerpt(str(error))}",
            fix="install its package, or put its folder on PYTHONPATH",
        ) from error
    except AttributeError as error:
        raise UsageError(
            f"{name}: {module} has no '{attribute}'", fix="write module:Class"
        ) from error
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{name}: importing the module fails: {type(error).__name__}: {excerpt(str(error))}",
            fix="write module:Class, with a module that Python can import",
        ) from error
    model = _instance(name, made, model_id or name, base_url) if isinstance(made, type) else made
    if not callable(getattr(model, "generate", None)):
        raise UsageError(
            f"{name}: its objects have no method `generate`",
            fix="subclass smolagents.Model, or define generate(messages, **settings)",
        )
    return OpenedModel(
        model=model,
        name=name,
        kind="third party",
        address=without_credentials(base_url) or "",
        secrets=secrets_of_url(base_url),
        at_once=getattr(model, "at_once", None),
    )


def _instance(name: str, made: type[Any], model_id: str, base_url: str | None) -> Any:
    taken = inspect.signature(made).parameters
    offered = {"model_id": model_id, "base_url": base_url}
    given = {k: v for k, v in offered.items() if k in taken and v is not None}
    try:
        return made(**given)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{name}: making an object of the class fails: "
            f"{type(error).__name__}: {excerpt(str(error))}",
            fix="its constructor has to work with no more than model_id and base_url",
        ) from error
