"""From clauses to observations: every number, comparison and goal phrase, still in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .amounts import AmountReader
from .clause_view import Observations
from .clauses import Clause
from .facts import Amount, Mention
from .limit_words import LimitReader
from .limits import Sense
from .phrases import Mark, Quantity, Verb


def observe(clauses: Sequence[Clause]) -> Observations:
    """Collect what every clause says."""
    result = Observations()
    subject: tuple[Mention, ...] = ()
    places: tuple[Mention, ...] = ()
    previous: Clause | None = None
    for number, clause in enumerate(clauses):
        reader = _ClauseReader(clause, number, previous, result)
        same = previous is not None and previous.sentence == clause.sentence
        if clause.shared or (same and not reader.subject and _has_pronoun(clause)):
            reader.inherit(subject, places if clause.shared else ())
        reader.read()
        subject, places = reader.subject, reader.places
        previous = clause
    result.amounts = _fill_elided(result.amounts, clauses)
    return result


def _has_pronoun(clause: Clause) -> bool:
    """The subject is "it" or "they"."""
    return any(
        isinstance(phrase, Mark) and phrase.kind == "pron" and phrase.text in {"it", "they"}
        for phrase in clause.before
    )


def _fill_elided(amounts: list[Amount], clauses: Sequence[Clause]) -> list[Amount]:
    """ "A small crate holds 20 eggs while a large crate holds 50": 50 eggs."""
    filled: list[Amount] = []
    for amount in amounts:
        quantity = amount.quantity
        bare = not (amount.nouns or amount.money) and quantity.role == "plain"
        model = filled[-1] if filled else None
        if bare and model is not None and model.verb == amount.verb and not model.money:
            same = clauses[model.clause].sentence == clauses[amount.clause].sentence
            same = same and amount.unit in {None, model.unit}
            if same and (model.nouns or model.unit):
                quantity = replace(quantity, unit=model.unit, words=model.quantity.words)
                amount = replace(amount, quantity=quantity, nouns=model.nouns)
        filled.append(amount)
    return _fill_backwards(filled, clauses)


def _fill_backwards(amounts: list[Amount], clauses: Sequence[Clause]) -> list[Amount]:
    """ "A shelf takes 2 hours and a desk takes 5 hours of labor": 2 hours of labor."""
    filled = list(amounts)
    for index in range(len(filled) - 2, -1, -1):
        amount, model = filled[index], filled[index + 1]
        same = clauses[model.clause].sentence == clauses[amount.clause].sentence
        bare = not (amount.nouns or amount.money or amount.soft) and amount.unit is not None
        if same and bare and amount.unit == model.unit and amount.verb == model.verb:
            filled[index] = replace(amount, nouns=model.nouns)
    return filled


class _ClauseReader(AmountReader, LimitReader):
    """Reads all quantities of one clause."""

    def read(self) -> None:
        quantities = [
            index for index, phrase in enumerate(self.phrases) if isinstance(phrase, Quantity)
        ]
        carried: Sense | None = None
        plain: list[int] = []
        for order, index in enumerate(quantities):
            quantity = self.quantity(index)
            gap = self.phrases[quantities[order - 1] + 1 : index] if order else []
            if any(isinstance(phrase, Verb) and phrase.kind != "finite" for phrase in gap):
                carried = None
            sense = self.sense(index) or carried
            if quantity.role in {"times", "fraction", "percent"} and self.relative(index, sense):
                continue
            if self.offset_kind(index):
                self.offset(index, self.sense(index))
                if len(quantities) > 1:
                    reason = "say how many more or fewer in a sentence of its own"
                    self.out.unread.append((reason, self.span))
                return
            if sense is not None:
                carried = sense
                self.limit(index, sense)
            else:
                plain.append(index)
        self.amounts(plain)
        if not any(self.quantity(index).role in {"times", "fraction"} for index in quantities):
            self.comparison()


__all__ = ["Observations", "observe"]
