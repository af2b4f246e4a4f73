"""From clauses to observations: every number, comparison and goal phrase, still in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from . import lexicon as lex
from .clauses import Clause
from .facts import Amount, ComparisonWords, LimitWords, Mention, ShareWords, Span
from .limits import AT_LEAST, EXACTLY, LESS, LIMIT_VERBS, MORE, Sense
from .phrases import Mark, Noun, Per, Phrase, Quantity, Verb
from .words import words

_STOP = words(
    "total hand fact average general case result effort way least most sure "
    "other stock inventory different various distinct separate"
)
_FILLER = words("total different various distinct separate average additional")
_MEASURE_PREPOSITIONS = words("of in on at with to from through by into onto")
_NEED_VERBS = words(
    "need require demand want order must expect ask have deliver produce meet satisfy cut "
    "transport receive supply"
)
_HAVE_VERBS = words("have own possess stock store hold be access operate budget keep")
_REASON_LINKS = frozenset({"because", "since"})


@dataclass(slots=True)
class Observations:
    amounts: list[Amount] = field(default_factory=list)
    limits: list[LimitWords] = field(default_factory=list)
    comparisons: list[ComparisonWords] = field(default_factory=list)
    shares: list[ShareWords] = field(default_factory=list)
    unread: list[tuple[str, Span]] = field(default_factory=list)


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


def mention_of(noun: Noun, role: str) -> Mention:
    return Mention(noun.lemmas - _STOP, noun.words, (noun.start, noun.end), role, noun.determiner)


def money_kind(lemmas: Sequence[str] | frozenset[str]) -> str:
    """The kind of money that the words name: profit, cost, revenue, … or ""."""
    kinds = [lex.MONEY_KINDS[word] for word in lemmas if word in lex.MONEY_KINDS]
    for kind in ("profit", "tip", "payout", "revenue", "cost"):
        if kind in kinds:
            return kind
    return ""


class _ClauseReader:
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
        self.places, self.subject_nouns = self._subject()
        self.subject = tuple(mention_of(noun, "subject") for noun in self.subject_nouns)
        self.phrases = list(clause.phrases)

    def inherit(self, subject: tuple[Mention, ...], places: tuple[Mention, ...]) -> None:
        """Take over subject and adjuncts of the clause before where this one has none."""
        self.subject = self.subject or subject
        self.places = self.places or places

    # -- subject and places -------------------------------------------------------------

    def _subject(self) -> tuple[tuple[Mention, ...], list[Noun]]:
        """Split what stands before the verb into adjuncts and subject."""
        places: list[Mention] = []
        nouns: list[tuple[int, Noun]] = []
        before = self.clause.before
        for index, phrase in enumerate(before):
            earlier = before[index - 1] if index else None
            if isinstance(phrase, Per):
                places.append(
                    Mention(
                        frozenset(phrase.lemmas), phrase.words, (phrase.start, phrase.end), "per"
                    )
                )
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
        return tuple(places), self._main_nouns(nouns)

    def _main_nouns(self, nouns: list[tuple[int, Noun]]) -> list[Noun]:
        """Nouns of the subject: those before a comma are adjuncts unless a list goes on."""
        before = self.clause.before
        joined = any(isinstance(p, Mark) and p.kind == "conj" for p in before)
        commas = [i for i, p in enumerate(before) if isinstance(p, Mark) and p.kind == "comma"]
        if joined or not commas:
            return [noun for _, noun in nouns]
        behind = [noun for index, noun in nouns if index > commas[-1]]
        return behind or [noun for _, noun in nouns]

    # -- quantities ---------------------------------------------------------------------

    def read(self) -> None:
        quantities = [
            index for index, phrase in enumerate(self.phrases) if isinstance(phrase, Quantity)
        ]
        carried: Sense | None = None
        plain: list[int] = []
        for order, index in enumerate(quantities):
            quantity = self._quantity(index)
            gap = self.phrases[quantities[order - 1] + 1 : index] if order else []
            if any(isinstance(phrase, Verb) and phrase.kind != "finite" for phrase in gap):
                carried = None
            sense = self._sense(index) or carried
            if quantity.role in {"times", "fraction", "percent"} and self._relative(index, sense):
                continue
            if sense is not None:
                carried = sense
                self._limit(index, sense)
            else:
                plain.append(index)
        self._amounts(plain)
        if not any(self._quantity(index).role in {"times", "fraction"} for index in quantities):
            self._comparison()

    def _quantity(self, index: int) -> Quantity:
        phrase = self.phrases[index]
        assert isinstance(phrase, Quantity)
        return phrase

    def _sense(self, index: int) -> Sense | None:
        quantity = self._quantity(index)
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

    def _attachments(self, index: int) -> tuple[list[tuple[str, Noun]], list[Per], list[Phrase]]:
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

    def _lead_noun(self, index: int) -> Noun | None:
        """ "a profit of $3": the noun in front of the quantity."""
        if index < 2:
            return None
        of, noun = self.phrases[index - 1], self.phrases[index - 2]
        if isinstance(of, Mark) and of.kind == "prep" and of.text in {"of", "at"}:
            return noun if isinstance(noun, Noun) else None
        return None

    def _infinitive_objects(self, index: int) -> tuple[list[Mention], frozenset[str]]:
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
                objects += self._joined(position + 1)
                break
            if not isinstance(following, Quantity) and position == index + 1:
                verbs.add(phrase.lemma)
        return objects, frozenset(verbs)

    def _joined(self, position: int) -> list[Mention]:
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

    def _sum_money(self, index: int) -> str:
        """The kind of a sum of money, from the nearest word that tells."""
        quantity = self._quantity(index)
        if quantity.role not in {"money", "percent"}:
            return ""
        attached, _, _ = self._attachments(index)
        lead = self._lead_noun(index)
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
        return lex.MONEY_VERBS.get(self._verb_before(index), "")

    def _verb_before(self, index: int) -> str:
        for position in range(index - 1, -1, -1):
            phrase = self.phrases[position]
            if not isinstance(phrase, Verb):
                continue
            following = self.phrases[position + 1]
            if phrase.kind == "inf" and not isinstance(following, Quantity):
                continue
            return phrase.lemma
        return self.verb

    # -- amounts ------------------------------------------------------------------------

    def _amounts(self, plain: list[int]) -> None:
        together = any(
            isinstance(phrase, Mark) and phrase.text == "respectively" for phrase in self.phrases
        )
        listed = self._listed(len(plain)) if together else ()
        for order, index in enumerate(plain):
            quantity = self._quantity(index)
            attached, pers, _ = self._attachments(index)
            objects, soft = self._infinitive_objects(index)
            money = self._sum_money(index)
            nouns = set(quantity.nouns)
            mentions: list[Mention] = []
            for preposition, noun in attached:
                if preposition in {"for", "per"} or (preposition == "on" and money):
                    mentions.append(mention_of(noun, "for"))
                elif preposition in _MEASURE_PREPOSITIONS and quantity.role == "plain":
                    nouns |= noun.lemmas
            for per in pers:
                mentions.append(
                    Mention(frozenset(per.lemmas), per.words, (per.start, per.end), "per")
                )
            if not (quantity.based or quantity.unit or quantity.nouns):
                lead = self._lead_noun(index)
                if lead is not None and quantity.role == "plain":
                    nouns |= lead.lemmas
            holder = [listed[order]] if listed else self._holder(index)
            mentions += [*holder, *objects, *self.subject, *self.places]
            mentions += self._antecedents(index)
            if listed:
                mentions = [listed[order]]
            self.out.amounts.append(
                Amount(
                    quantity,
                    frozenset(nouns) - _FILLER,
                    soft,
                    money,
                    self._verb_before(index),
                    tuple(mentions),
                    self.number,
                    (min(self.clause.start, quantity.start), max(self.clause.end, quantity.end)),
                    self._plain_sense(index),
                    order if together and len(plain) > 1 and not listed else None,
                )
            )

    def _listed(self, count: int) -> tuple[Mention, ...]:
        """The ``count`` things that the subject lists for "respectively"."""
        names: list[Mention] = []
        for phrase in self.clause.before:
            if isinstance(phrase, Noun) and not money_kind(phrase.head):
                names.append(mention_of(phrase, "holder"))
            elif isinstance(phrase, Per):
                span = (phrase.start, phrase.end)
                names.append(Mention(frozenset(phrase.lemmas), phrase.words, span, "holder"))
        return tuple(names) if len(names) == count > 1 else ()

    def _antecedents(self, index: int) -> list[Mention]:
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

    def _gapped(self, index: int) -> Mention | None:
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

    def _holder(self, index: int) -> list[Mention]:
        """ "a package with 6 apples": the noun in front of "with"; objects in front."""
        if gapped := self._gapped(index):
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

    def _plain_sense(self, index: int) -> str:
        """What a number without limit phrase says.

        ``<=`` (available) and ``>=`` (needed) are sure; ``have`` and ``need`` say the same
        unless the subject is an activity ("a bouquet has 5 flowers").
        """
        phrases = self.phrases
        if any(isinstance(p, Mark) and p.kind == "avail" for p in phrases):
            return "<="
        nouns = {word for p in phrases if isinstance(p, Noun) for word in p.lemmas}
        verb = self.clause.verb
        if verb is not None and verb.lemma in {"need", "require", "demand"} and not verb.modal:
            return "need"
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
        if verb.lemma in _HAVE_VERBS and verb.modal == "" and index >= len(self.clause.before):
            return "have"
        return ""

    # -- limits -------------------------------------------------------------------------

    def _mentions(self, skip: int = -1) -> tuple[Mention, ...]:
        """All nouns of the clause in their order."""
        found: list[Mention] = []
        for index, phrase in enumerate(self.phrases):
            if index == skip:
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

    def _limit(self, index: int, sense: Sense) -> None:
        quantity = self._quantity(index)
        attached, pers, rest = self._attachments(index)
        nouns = set(quantity.nouns)
        others = [mention_of(noun, "near") for _, noun in attached]
        first_after = index + 1
        others += [
            mention_of(phrase, "far")
            for phrase in self.phrases[first_after:]
            if isinstance(phrase, Noun)
            and all(phrase.start != mention.span[0] for mention in others)
            and not self._quantity_between(index, phrase)
        ]
        others += [
            Mention(frozenset(per.lemmas), per.words, (per.start, per.end), "per")
            for per in pers
            if not per.is_horizon
        ]
        each = quantity.each or any(
            isinstance(phrase, Mark) and phrase.text == "each" for phrase in rest
        )
        lead = self._lead_noun(index)
        gapped = self._gapped(index)
        subject = [gapped] if gapped else list(self.subject)
        if lead is not None:
            others.append(mention_of(lead, "lead"))
        self.out.limits.append(
            LimitWords(
                quantity,
                sense,
                frozenset(nouns),
                self._sum_money(index),
                self._verb_before(index),
                tuple(subject),
                tuple(others + list(self.places)),
                each,
                self._says_total(),
                self.number,
                self.span,
            )
        )

    def _says_total(self) -> bool:
        """ "a total of", "in total", "altogether", "of either type"."""
        for phrase in self.phrases:
            if isinstance(phrase, Mark) and phrase.text in {"altogether", "together", "overall"}:
                return True
            if isinstance(phrase, Noun) and (phrase.total or phrase.determiner == "either"):
                return True
            if isinstance(phrase, Quantity) and "total" in phrase.nouns:
                return True
        return False

    def _quantity_between(self, index: int, noun: Noun) -> bool:
        return any(
            isinstance(phrase, Quantity) and phrase.start < noun.start
            for phrase in self.phrases[index + 1 :]
        )

    def _relative(self, index: int, sense: Sense | None) -> bool:
        """Read "twice as many …" and "60% of the …"; False where it is a plain amount."""
        quantity = self._quantity(index)
        verb = self.clause.verb
        limited = verb is not None and verb.lemma == "limit"
        if sense is None and quantity.role == "percent" and not (quantity.based or limited):
            return False
        if sense is None:
            plain = self._plain_sense(index)
            required = verb is not None and (verb.modal or "have" in verb.chain)
            if verb is not None and verb.lemma == "limit":
                sense = Sense("<=")
            elif required and quantity.role == "times":
                sense = EXACTLY
            elif required and plain in {"<=", ">="}:
                sense = Sense(plain)
            else:
                return False
        if quantity.role in {"percent", "fraction"} and self._is_share(index, quantity):
            self.out.shares.append(
                ShareWords(
                    sense,
                    quantity,
                    frozenset(quantity.nouns),
                    self._mentions(index) + self.subject_if_shared(),
                    self.number,
                    self.span,
                )
            )
            return True
        self.out.comparisons.append(
            ComparisonWords(
                sense, quantity.value, quantity, self._mentions(), self.number, self.span
            )
        )
        return True

    def subject_if_shared(self) -> tuple[Mention, ...]:
        return self.subject if self.clause.shared else ()

    def _is_share(self, index: int, quantity: Quantity) -> bool:
        if quantity.role == "percent":
            return True
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        return not (isinstance(following, Mark) and following.kind == "as")

    def _comparison(self) -> None:
        """Comparisons without a number: "must exceed the number of vans", "more A than B"."""
        verb = self.clause.verb
        before = len(self.clause.before)
        for index, phrase in enumerate(self.phrases):
            sense: Sense | None = None
            if any(isinstance(later, Quantity) for later in self.phrases[index + 1 :]):
                continue
            if isinstance(phrase, Mark) and phrase.kind == "limit" and phrase.sense is not None:
                sense = phrase.sense
            elif isinstance(phrase, Verb) and phrase.lemma in LIMIT_VERBS:
                sense = LIMIT_VERBS[phrase.lemma]
            elif isinstance(phrase, Mark) and phrase.kind == "more":
                tail = self.phrases[index + 1 :]
                if any(isinstance(p, Mark) and p.kind == "than" for p in tail):
                    sense = LESS if phrase.text in {"less", "fewer", "smaller"} else MORE
            elif isinstance(phrase, Mark) and phrase.kind == "as":
                sense = self._equal_sense(index)
            if sense is None:
                continue
            if verb is not None and verb.negative and index >= before:
                sense = sense.negated()
            self.out.comparisons.append(
                ComparisonWords(
                    sense,
                    1.0,
                    None,
                    self._mentions(),
                    self.number,
                    self.span,
                    self._is_preference(),
                )
            )
            return

    def _equal_sense(self, index: int) -> Sense | None:
        """ "at least as many A as B"."""
        before = self.phrases[index - 1] if index else None
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        if not (isinstance(following, Mark) and following.kind == "much"):
            return None
        if isinstance(before, Mark) and before.kind == "limit":
            return before.sense
        return AT_LEAST if isinstance(before, Mark) and before.kind == "times" else None

    def _is_preference(self) -> bool:
        verb = self.clause.verb
        if self.clause.link in _REASON_LINKS:
            return True
        if verb is None:
            return True
        soft = {"prefer", "like", "hope", "love", "enjoy"} & {verb.lemma, *verb.chain}
        return bool(soft)


__all__ = ["Observations", "mention_of", "money_kind", "observe"]
