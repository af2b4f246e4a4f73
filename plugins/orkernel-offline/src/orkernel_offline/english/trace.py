"""The stages of one reading, kept for inspection."""

from __future__ import annotations

from dataclasses import dataclass, field

from .clause_view import Observations
from .clauses import Clause
from .facts import Facts
from .goals import Goals
from .network import Network
from .phrases import Mark, Noun, Per, Phrase, Quantity, Verb
from .tokens import Sentence


def describe(phrase: Phrase) -> str:
    """One phrase in short notation."""
    if isinstance(phrase, Noun):
        words = " ".join((*phrase.head, *(("of", *phrase.of) if phrase.of else ())))
        prefix = f"{' '.join(phrase.prefix)}: " if phrase.prefix else ""
        return f"NOUN({prefix}{words})"
    if isinstance(phrase, Quantity):
        limit = f"{phrase.limit.op}{'!' if phrase.limit.strict else ''} " if phrase.limit else ""
        return f"QUANTITY({limit}{phrase.text} {phrase.unit or ''} {' '.join(phrase.nouns)})"
    if isinstance(phrase, Verb):
        negative = "not " if phrase.negative else ""
        return f"VERB({phrase.kind}: {negative}{phrase.modal} {' '.join(phrase.chain)})"
    if isinstance(phrase, Per):
        return f"PER({' '.join(phrase.lemmas)})"
    assert isinstance(phrase, Mark)
    return f"{phrase.kind}:{phrase.text}"


@dataclass(slots=True)
class Trace:
    """Sentences, clauses, observations and facts of one statement, in the order read."""

    sentences: list[Sentence] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    observations: Observations | None = None
    goals: Goals | None = None
    facts: Facts | Network | None = None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The trace as text, one line per clause and fact."""
        result = [
            f"clause {number} [{clause.link}{' shared subject' if clause.shared else ''}] "
            + " ".join(map(describe, clause.phrases))
            for number, clause in enumerate(self.clauses)
        ]
        if self.observations is not None:
            for name in ("amounts", "limits", "comparisons", "shares"):
                result += [f"{name[:-1]} {item}" for item in getattr(self.observations, name)]
        if isinstance(self.facts, Network):
            result += [f"group {item}" for item in self.facts.groups]
            result += [f"pair {pair}: {cell}" for pair, cell in self.facts.cells.items()]
            result += [f"limit {item}" for item in self.facts.limits]
            result += [f"pair limit {item}" for item in self.facts.pair_limits]
            result.append(f"goal {self.facts.sense} {self.facts.kind}")
        elif self.facts is not None:
            result += [f"activity {item}" for item in self.facts.activities]
            result += [f"measure {item}" for item in self.facts.measures]
            result += [f"limit {item}" for item in self.facts.limits]
            result += [f"relation {item}" for item in self.facts.relations]
            result.append(f"goal {self.facts.goal}")
        return result


__all__ = ["Trace", "describe"]
