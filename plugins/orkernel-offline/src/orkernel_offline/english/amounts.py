"""Numbers without a limit phrase: amounts per unit, counts and unmarked limits."""

from __future__ import annotations

from dataclasses import replace

from .clause_view import (
    FILLER,
    MEASURE_PREPOSITIONS,
    ClauseView,
    mention_of,
    money_kind,
    per_mention,
)
from .facts import Amount, Mention
from .phrases import Mark, Noun, Per, Quantity, Verb


class AmountReader(ClauseView):
    """Collects the amounts of one clause."""

    def infinitive_objects(self, index: int) -> tuple[list[Mention], frozenset[str]]:
        """ "… to make one pane": (objects, verbs without an object) behind the quantity."""
        objects: list[Mention] = []
        verbs: set[str] = set()
        for position in range(index + 1, len(self.phrases)):
            phrase = self.phrases[position]
            if not (isinstance(phrase, Verb) and phrase.kind in {"inf", "ger"}):
                continue
            following = self.phrases[position + 1] if position + 1 < len(self.phrases) else None
            if isinstance(following, Noun):
                objects.append(mention_of(following, "make"))
                objects += self.joined(position + 1)
                break
            if not isinstance(following, Quantity) and position == index + 1:
                verbs.add(phrase.lemma)
        return objects, frozenset(verbs)

    def amounts(self, plain: list[int]) -> None:
        together = any(
            isinstance(phrase, Mark) and phrase.text == "respectively" for phrase in self.phrases
        )
        listed = self.listed(len(plain)) if together else ()
        for order, index in enumerate(plain):
            quantity = self.quantity(index)
            attached, pers, _ = self.attachments(index)
            objects, soft = self.infinitive_objects(index)
            money = self.sum_money(index)
            nouns = set(quantity.nouns)
            if quantity.role == "percent" and not money:
                nouns |= self.content(index)
            mentions: list[Mention] = []
            for preposition, noun in attached:
                if preposition in {"for", "per"} or (preposition == "on" and money):
                    mentions.append(mention_of(noun, "for"))
                elif preposition in MEASURE_PREPOSITIONS and quantity.role == "plain":
                    nouns |= noun.lemmas
            for per in pers:
                mentions.append(per_mention(per))
            if not (quantity.based or quantity.unit or quantity.nouns):
                lead = self.lead_noun(index)
                if lead is not None and quantity.role == "plain":
                    nouns |= lead.lemmas
            holder = [listed[order]] if listed else self.holder(index)
            mentions += [*holder, *objects, *self.subject, *self.places]
            mentions += self.antecedents(index)
            if listed:
                mentions = [listed[order]]
            self.out.amounts.append(
                Amount(
                    quantity,
                    frozenset(nouns) - FILLER,
                    soft,
                    money,
                    self.verb_before(index),
                    tuple(mentions),
                    self.number,
                    (min(self.clause.start, quantity.start), max(self.clause.end, quantity.end)),
                    self.plain_sense(index),
                    order if together and len(plain) > 1 and not listed else None,
                )
            )

    def listed(self, count: int) -> tuple[Mention, ...]:
        """The ``count`` things that the subject lists for "respectively"."""
        names: list[Mention] = []
        for phrase in self.clause.before:
            if isinstance(phrase, Noun) and not money_kind(phrase.head):
                names.append(mention_of(phrase, "holder"))
            elif isinstance(phrase, Per):
                names.append(per_mention(phrase, "holder"))
        return tuple(names) if len(names) == count > 1 else ()

    def antecedents(self, index: int) -> list[Mention]:
        """ "this package", ", yielding a profit of $7": what the amount before was about."""
        this = any(mention.determiner in {"this", "these"} for mention in self.subject)
        trailing = any(
            isinstance(phrase, Verb)
            and phrase.kind == "part"
            and not isinstance(self.phrases[position - 1], Noun)
            for position, phrase in enumerate(self.phrases[:index])
            if position
        )
        last = self.out.amounts[-1] if self.out.amounts else None
        if last is None or not (this or trailing):
            return []
        return [replace(mention, role="before") for mention in last.mentions]

    def holder(self, index: int) -> list[Mention]:
        """ "a package with 6 apples": the noun in front of "with"; objects in front."""
        if gapped := self.gapped(index):
            return [gapped]
        for position in range(index - 1, 0, -1):
            phrase = self.phrases[position]
            if isinstance(phrase, Mark) and phrase.text in {"with", "containing", "at", "for"}:
                noun = self.phrases[position - 1]
                return [mention_of(noun, "holder")] if isinstance(noun, Noun) else []
            if isinstance(phrase, Verb):
                noun = self.phrases[position - 1]
                if phrase.kind == "part" and isinstance(noun, Noun):
                    return [mention_of(noun, "holder")]
                return []
        return []
