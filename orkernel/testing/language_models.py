"""Language models that are of no use, for testing what a plugin makes of them.

Each is named `orkernel.testing.language_models:NAME`, as after `--model`. They have the one method
that a model class of a third party has to have.
"""

from __future__ import annotations

from typing import Any


class Failing:
    """Raises whenever it is asked."""

    def generate(self, messages: Any, **settings: Any) -> str:
        """Always raises."""
        raise RuntimeError("this model is out of order")


class Silent:
    """Answers with nothing."""

    answer = ""

    def generate(self, messages: Any, **settings: Any) -> str:
        """Its one answer."""
        return self.answer


class Rambling(Silent):
    """Answers with words where JSON was asked for."""

    answer = "That is a fine question, and there is a lot to be said about it."


class Empty(Silent):
    """Answers with JSON that holds nothing."""

    answer = "{}"


class Null(Silent):
    """Answers with JSON that is no object."""

    answer = "null"


class Cut(Silent):
    """Answers with JSON that ends in the middle."""

    answer = '{"findings": [], "parameters": {"explanation": "every numb'


class NotANumber(Silent):
    """Answers with numbers that are none."""

    answer = (
        '{"findings": [], "parameters": NaN, "variables": Infinity, "objective": "high", '
        '"constraints": 1e999, "agents": [NaN], "score": NaN}'
    )


class Inventing(Silent):
    """Names solver agents and elements that do not exist, and scores beyond 100."""

    answer = (
        '{"kind": "magic", "agents": [{"name": "oracle", "reason": "it knows"}, "crystal ball"], '
        '"findings": [{"dimension": "luck", "text": "?"}], "parameters": 1000, "variables": -3, '
        '"objective": {"score": 100.5, "explanation": "?"}, "constraints": true}'
    )


USELESS = (Failing, Silent, Rambling, Empty, Null, Cut, NotANumber, Inventing)
"""All of them."""


def name_of(model: type) -> str:
    """What to write after `--model` for one of them."""
    return f"{model.__module__}:{model.__qualname__}"
