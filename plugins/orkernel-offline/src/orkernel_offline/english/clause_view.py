"""One clause seen from its quantities: subject, attachments, verbs, kinds of money, senses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from . import lexicon as lex
from .clauses import Clause
from .facts import Amount, ComparisonWords, LimitWords, Mention, ShareWords, Span
from .limits import LIMIT_VERBS, Sense
from .phrases import Mark, Noun, Per, Phrase, Quantity, Verb
from .words import words

_STOP = words(
    "total hand fact average general case result effort way least most sure "
    "other stock inventory different various distinct separate"
)
FILLER = words("total different various distinct separate average additional")
MEASURE_PREPOSITIONS = words("of in on at with to from through by into onto")
_NEED_VERBS = words(
    "need require demand want order must expect ask have deliver produce meet satisfy cut "
    "transport receive supply"
)
_HAVE_VERBS = words("have own possess stock store hold be access operate budget keep")
REASON_LINKS = frozenset({"because", "since"})


@dataclass(slots=True)
class Observations:
    amounts: list[Amount] = field(default_factory=list)
    limits: list[LimitWords] = field(default_factory=list)
    comparisons: list[ComparisonWords] = field(default_factory=list)
    shares: list[ShareWords] = field(default_factory=list)
    unread: list[tuple[str, Span]] = field(default_factory=list)


def mention_of(noun: Noun, role: str) -> Mention:
    span = (noun.start, noun.end)
    return Mention(noun.lemmas - _STOP, noun.words, span, role, noun.determiner, noun.tail)


def per_mention(per: Per, role: str = "per") -> Mention:
    span = (per.start, per.end)
    return Mention(frozenset(per.lemmas), per.words, span, role, "", per.tail)


def money_kind(lemmas: Sequence[str] | frozenset[str]) -> str:
    """The kind of money that the words name: profit, cost, revenue, … or ""."""
    kinds = [lex.MONEY_KINDS[word] for word in lemmas if word in lex.MONEY_KINDS]
    for kind in ("profit", "tip", "payout", "revenue", "cost", "earn"):
        if kind in kinds:
            return kind
    return ""


def _obliges(phrase: Phrase) -> bool:
    """ "… where they must cut grass": what is had is work to be done, not a supply."""
    relative = isinstance(phrase, Verb) and phrase.kind == "rel"
    return (
        relative
        and isinstance(phrase, Verb)
        and (
            phrase.modal in {"must", "should"}
            or (phrase.lemma != "need" and "need" in phrase.chain)
        )
    )


class ClauseView:
    """Questions about one clause that the readers of quantities ask.

    Attributes:
        places: adjuncts in front of the verb.
        subject: mentions of the subject, possibly taken over from the clause before.
        out: where observations are collected.
    """

    def __init__(
        self,
        clause: Clause,
        number: int,
        previous: Clause | None,
        out: Observations,
    ) -> None:
        self.clause = clause
        self.number = number
        self.out = out
        self.span = (clause.start, clause.end)
        self.verb = clause.verb.lemma if clause.verb else ""
        if clause.verb is None and previous is not None and previous.verb is not None:
            self.verb = previous.verb.lemma
        self.places, self.subject_nouns = self.split_subject()
        self.subject = tuple(mention_of(noun, "subject") for noun in self.subject_nouns)
        self.phrases = list(clause.phrases)
        self.inherited = False

    def inherit(self, subject: tuple[Mention, ...], places: tuple[Mention, ...]) -> None:
        """Take over subject and adjuncts of the clause before where this one has none."""
        self.inherited = not self.subject
        self.subject = self.subject or subject
        self.places = self.places or places

    def split_subject(self) -> tuple[tuple[Mention, ...], list[Noun]]:
        """Split what stands before the verb into adjuncts and subject."""
        places: list[Mention] = []
        nouns: list[tuple[int, Noun]] = []
        before = self.clause.before
        for index, phrase in enumerate(before):
            earlier = before[index - 1] if index else None
            if isinstance(phrase, Per):
                places.append(per_mention(phrase))
            if not isinstance(phrase, Noun):
                continue
            if isinstance(earlier, Mark) and earlier.kind == "prep":
                role = "for" if earlier.text in {"for", "per"} else "place"
                mention = mention_of(phrase, role)
                if earlier.text == "without":
                    mention = replace(mention, lemmas=mention.lemmas | {"without"})
                places.append(mention)
            elif isinstance(earlier, Verb):
                places.append(mention_of(phrase, "make"))
            else:
                nouns.append((index, phrase))
        return tuple(places), self.main_nouns(nouns)

    def main_nouns(self, nouns: list[tuple[int, Noun]]) -> list[Noun]:
        """Nouns of the subject: those before a comma are adjuncts unless a list goes on."""
        before = self.clause.before
        joined = any(isinstance(p, Mark) and p.kind == "conj" for p in before)
        commas = [i for i, p in enumerate(before) if isinstance(p, Mark) and p.kind == "comma"]
        if joined or not commas:
            return [noun for _, noun in nouns]
        behind = [noun for index, noun in nouns if index > commas[-1]]
        return behind or [noun for _, noun in nouns]

    def quantity(self, index: int) -> Quantity:
        phrase = self.phrases[index]
        assert isinstance(phrase, Quantity)
        return phrase

    def sense(self, index: int) -> Sense | None:
        quantity = self.quantity(index)
        verb = self.clause.verb
        sense = quantity.limit
        if sense is not None:
            negative = verb is not None and verb.negative and index >= len(self.clause.before)
            return sense.negated() if negative else sense
        if verb is not None and verb.lemma in LIMIT_VERBS and index > len(self.clause.before):
            sense = LIMIT_VERBS[verb.lemma]
            return sense.negated() if verb.negative else sense
        for position in range(index - 1, -1, -1):
            phrase = self.phrases[position]
            if isinstance(phrase, Mark) and phrase.kind == "limit":
                return phrase.sense
            if not (
                isinstance(phrase, Verb) or (isinstance(phrase, Mark) and phrase.kind == "adv")
            ):
                break
        return None

    def attachments(self, index: int) -> tuple[list[tuple[str, Noun]], list[Per], list[Phrase]]:
        """(preposition, noun) pairs, per phrases and other phrases that follow a quantity."""
        nouns: list[tuple[str, Noun]] = []
        pers: list[Per] = []
        rest: list[Phrase] = []
        position = index + 1
        while position < len(self.phrases):
            phrase = self.phrases[position]
            if isinstance(phrase, Quantity | Verb):
                break
            if isinstance(phrase, Mark) and phrase.kind in {"comma", "conj", "rel", "sub"}:
                break
            if isinstance(phrase, Per):
                pers.append(phrase)
            elif isinstance(phrase, Noun):
                earlier = self.phrases[position - 1]
                text = earlier.text if isinstance(earlier, Mark) else ""
                nouns.append((text, phrase))
            else:
                rest.append(phrase)
            position += 1
        return nouns, pers, rest

    def lead_noun(self, index: int) -> Noun | None:
        """ "a profit of $3": the noun in front of the quantity."""
        if index < 2:
            return None
        of, noun = self.phrases[index - 1], self.phrases[index - 2]
        if isinstance(of, Mark) and of.kind == "prep" and of.text in {"of", "at"}:
            return noun if isinstance(noun, Noun) else None
        return None

    def content(self, index: int) -> frozenset[str]:
        """ "contains 30% copper", "the copper content of X is 30%": what it is a share of."""
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        if isinstance(following, Quantity) and self.quantity(index).opens_range:
            return self.content(index + 1)
        if isinstance(following, Noun):
            return following.lemmas
        for noun in self.subject_nouns:
            if "content" in noun.head:
                return frozenset(noun.head) - {"content"}
        return frozenset()

    def joined(self, position: int) -> list[Mention]:
        """Nouns that "and" or a comma joins to the one at ``position``."""
        found: list[Mention] = []
        while position + 2 < len(self.phrases):
            joint, noun = self.phrases[position + 1], self.phrases[position + 2]
            if not (isinstance(joint, Mark) and joint.kind in {"conj", "comma"}):
                break
            if not isinstance(noun, Noun):
                break
            found.append(mention_of(noun, "make"))
            position += 2
        return found

    def sum_money(self, index: int) -> str:
        """The kind of a sum of money, from the nearest word that tells."""
        quantity = self.quantity(index)
        if quantity.role not in {"money", "percent"}:
            return ""
        attached, _, _ = self.attachments(index)
        lead = self.lead_noun(index)
        near: list[frozenset[str]] = [frozenset(quantity.nouns)]
        near += [noun.lemmas for preposition, noun in attached if preposition in {"in", "of", "on"}]
        near += [lead.lemmas] if lead else []
        near += [noun.lemmas for noun in self.subject_nouns]
        for lemmas in near:
            if kind := money_kind(lemmas):
                return kind
        for phrase in self.phrases:
            if isinstance(phrase, Noun) and (kind := money_kind(phrase.lemmas)):
                return kind
        return lex.MONEY_VERBS.get(self.verb_before(index), "")

    def verb_before(self, index: int) -> str:
        for position in range(index - 1, -1, -1):
            phrase = self.phrases[position]
            if not isinstance(phrase, Verb):
                continue
            following = self.phrases[position + 1]
            if phrase.kind == "inf" and not isinstance(following, Quantity):
                continue
            return phrase.lemma
        return self.verb

    def gapped(self, index: int) -> Mention | None:
        """ "… is $150, of a medium bus $230", "… and the furnace for 72 hours"."""
        if not any(isinstance(phrase, Quantity) for phrase in self.phrases[:index]):
            return None
        place = index - 1
        between = self.phrases[place]
        skipped = isinstance(between, Mark) and between.text in {"for", "at", ","}
        place -= 1 if skipped else 0
        if place < 1:
            return None
        noun, joint = self.phrases[place], self.phrases[place - 1]
        if not (isinstance(noun, Noun) and isinstance(joint, Mark)):
            return None
        opens = joint.kind == "conj" or (
            not skipped and (joint.kind == "comma" or joint.text in {"of", "for"})
        )
        return mention_of(noun, "holder") if opens else None

    def plain_sense(self, index: int) -> str:
        """What a number without limit phrase says.

        ``<=`` (available) and ``>=`` (needed) are sure; ``have`` and ``need`` say the same
        unless the subject is an activity ("a bouquet has 5 flowers").
        """
        phrases = self.phrases
        if any(isinstance(p, Mark) and p.kind == "avail" for p in phrases):
            return "<="
        nouns = {word for p in phrases if isinstance(p, Noun) for word in p.lemmas}
        verb = self.clause.verb
        nearest = [p for p in phrases[:index] if isinstance(p, Verb)][-1:]
        if any(p.kind == "part" and p.lemma in {"need", "require", "demand"} for p in nearest):
            return "need"
        if verb is not None and verb.lemma in {"need", "require", "demand"} and not verb.modal:
            return "need"
        counted = index < len(self.clause.before) and self.places and verb is not None
        if counted and verb is not None and (verb.passive or {"require", "need"} & set(verb.chain)):
            return "need" if not verb.modal else ""
        if nouns & {"budget", "availability", "capacity", "limit", "stock", "access"}:
            return "<="
        if verb is None:
            return ""
        if verb.lemma == "limit":
            return "<="
        if nouns & {"demand", "requirement"}:
            return ">="
        if verb.modal in {"must", "should", "shall"} or verb.chain[:2] == ("have", "to"):
            return ">="
        if "want" in verb.chain or ("require" in verb.chain and verb.lemma != "require"):
            return ">="
        if "need" in verb.chain and verb.lemma != "need":
            return ">="
        if verb.lemma in {"need", "require", "demand"}:
            return "need"
        if any(isinstance(p, Mark) and p.text == "only" for p in phrases):
            return "<="
        if any(_obliges(phrase) for phrase in phrases[index + 1 :]):
            return ""
        there = any(isinstance(p, Mark) and p.text == "there" for p in self.clause.before)
        if verb.lemma == "be" and not (there or "hand" in nouns):
            return ""
        if verb.lemma in _HAVE_VERBS and verb.modal == "" and index >= len(self.clause.before):
            return "have"
        return ""

    def _after_adjunct(self) -> int:
        """Index behind a leading "because of …," or "due to …,"."""
        before = self.clause.before
        opening = self.clause.link == "because" or (
            bool(before) and isinstance(before[0], Mark) and before[0].kind in {"prep", "adv"}
        )
        commas = [i for i, p in enumerate(before) if isinstance(p, Mark) and p.kind == "comma"]
        return commas[-1] + 1 if opening and commas else 0

    def mentions(self, skip: int = -1) -> tuple[Mention, ...]:
        """All nouns of the clause in their order."""
        found: list[Mention] = []
        begin = self._after_adjunct()
        for index, phrase in enumerate(self.phrases):
            if index == skip or index < begin:
                continue
            if isinstance(phrase, Noun):
                found.append(mention_of(phrase, "noun"))
            elif isinstance(phrase, Quantity) and phrase.nouns:
                found.append(
                    Mention(
                        frozenset(phrase.nouns), phrase.words, (phrase.start, phrase.end), "counted"
                    )
                )
        return tuple(found)
