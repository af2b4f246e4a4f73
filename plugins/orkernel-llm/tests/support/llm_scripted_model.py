"""A language model in this process that answers as a test says, for `--model MODULE:Class`.

    name, model = scripted(['{"a": 1}', RuntimeError("gone"), lambda text: text.upper()])
    LanguageModel(name)              # "llm_scripted_model:Scripted7"
    model.seen[0].messages[-1].text  # what was asked
    model.seen[0].settings           # temperature, seed, response_format and so on

Answers are used in order; the last one is used for all further calls. An exception is raised, a
function is given the text of the last message. For a command in another process:

    LLM_SCRIPTED_ANSWERS=answers.json orkernel run … --model llm_scripted_model:FromFile

where the file holds a JSON list of texts.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Answer = str | BaseException | Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    messages: tuple[Turn, ...]
    settings: Mapping[str, Any]


class ScriptedModel:
    """Gives the answers of its class in order; threads may ask at once."""

    answers: Sequence[Answer] = ()
    seen: list[Asked]
    _lock: threading.Lock

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.seen = []
        cls._lock = threading.Lock()

    def generate(self, messages: Sequence[Any], **settings: Any) -> str:
        """The next answer."""
        turns = tuple(Turn(m.role.value, _text(m.content)) for m in messages)
        with self._lock:
            place = len(self.seen)
            self.seen.append(Asked(turns, settings))
        answer = self.answers[min(place, len(self.answers) - 1)]
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, str) else answer(turns[-1].text)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


_numbers = itertools.count(1)


def scripted(answers: Sequence[Answer]) -> tuple[str, type[ScriptedModel]]:
    """A new model class with these answers: its name for `--model`, and the class."""
    name = f"Scripted{next(_numbers)}"
    made = type(name, (ScriptedModel,), {"answers": tuple(answers), "__module__": __name__})
    setattr(sys.modules[__name__], name, made)
    return f"{__name__}:{name}", made


class FromFile(ScriptedModel):
    """Answers from the JSON file that `LLM_SCRIPTED_ANSWERS` names."""

    def __init__(self) -> None:
        self.answers = json.loads(Path(os.environ["LLM_SCRIPTED_ANSWERS"]).read_text("utf-8"))
