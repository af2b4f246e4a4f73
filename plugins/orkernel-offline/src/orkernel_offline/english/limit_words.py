"""Limits, ratios, shares and comparisons of one clause, still in words."""

from __future__ import annotations

from . import lexicon as lex
from .clause_view import REASON_LINKS, ClauseView, mention_of, per_mention
from .facts import ComparisonWords, LimitWords, Mention, ShareWords
from .limits import AT_LEAST, EXACTLY, LESS, LIMIT_VERBS, MORE, Sense
from .phrases import Mark, Noun, Per, Quantity, Verb

_SIZES = {
    **dict.fromkeys(("large", "high", "great", "big"), MORE),
    **dict.fromkeys(("small", "low", "few"), LESS),
}


class LimitReader(ClauseView):
    """Collects the limits and comparisons of one clause."""

    def limit(self, index: int, sense: Sense) -> None:
        quantity = self.quantity(index)
        attached, near_pers, rest = self.attachments(index)
        nouns = set(quantity.nouns)
        pers = [
            phrase
            for phrase in self.phrases[index + 1 :]
            if isinstance(phrase, Per)
            and (phrase in near_pers or not self.quantity_between(index, phrase))
        ]
        others = [mention_of(noun, "near") for _, noun in attached]
        first_after = index + 1
        others += [
            mention_of(phrase, "far")
            for phrase in self.phrases[first_after:]
            if isinstance(phrase, Noun)
            and all(phrase.start != mention.span[0] for mention in others)
            and not self.quantity_between(index, phrase)
        ]
        others += [per_mention(per) for per in pers if not per.is_horizon]
        each = quantity.each or any(
            isinstance(phrase, Mark) and phrase.text == "each" for phrase in rest
        )
        lead = self.lead_noun(index)
        gapped = self.gapped(index)
        subject = [gapped] if gapped else list(self.subject)
        if lead is not None:
            others.append(mention_of(lead, "lead"))
        self.out.limits.append(
            LimitWords(
                quantity,
                sense,
                frozenset(nouns),
                self.sum_money(index),
                self.verb_before(index),
                tuple(subject),
                tuple(others + list(self.places)),
                each,
                self.says_total(),
                self.number,
                self.span,
                frozenset(word for per in pers for word in per.lemmas) & lex.PERIODS,
                tuple(self.joined(index)) if quantity.based else (),
            )
        )

    def says_total(self) -> bool:
        """ "a total of", "in total", "altogether", "of either type"."""
        for phrase in self.phrases:
            if isinstance(phrase, Mark) and phrase.text in {"altogether", "together", "overall"}:
                return True
            if isinstance(phrase, Noun) and (phrase.total or phrase.determiner == "either"):
                return True
            if isinstance(phrase, Quantity) and "total" in phrase.nouns:
                return True
        return False

    def quantity_between(self, index: int, noun: Noun | Per) -> bool:
        return any(
            isinstance(phrase, Quantity) and phrase.start < noun.start
            for phrase in self.phrases[index + 1 :]
        )

    def relative(self, index: int, sense: Sense | None) -> bool:
        """Read "twice as many …" and "60% of the …"; False where it is a plain amount."""
        quantity = self.quantity(index)
        verb = self.clause.verb
        limited = verb is not None and verb.lemma == "limit"
        if sense is None and quantity.role == "percent" and not (quantity.based or limited):
            return False
        if sense is None:
            plain = self.plain_sense(index)
            required = verb is not None and (verb.modal or "have" in verb.chain)
            if verb is not None and verb.lemma == "limit":
                sense = Sense("<=")
            elif required and quantity.role == "times":
                sense = EXACTLY
            elif required and plain in {"<=", ">="}:
                sense = Sense(plain)
            else:
                return False
        if quantity.role in {"percent", "fraction"} and self.is_share(index, quantity):
            self.out.shares.append(
                ShareWords(
                    sense,
                    quantity,
                    frozenset(quantity.nouns),
                    self.mentions(index) + self.subject_if_shared(),
                    self.number,
                    self.span,
                    self.content(index),
                )
            )
            return True
        self.out.comparisons.append(
            ComparisonWords(
                sense, quantity.value, quantity, self.mentions(), self.number, self.span
            )
        )
        return True

    def offset_kind(self, index: int) -> int:
        """1 for "5 more … than", -1 for "5 fewer … than", 0 for any other number."""
        quantity = self.quantity(index)
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        if self._exceeds_by(index):
            return 1
        if quantity.role != "plain" or quantity.unit or quantity.nouns:
            return 0
        if not isinstance(following, Mark):
            return 0
        if following.kind == "limit" and following.sense is not None and following.sense.strict:
            return 1 if following.sense.op == ">=" else -1
        than = any(isinstance(p, Mark) and p.kind == "than" for p in self.phrases[index + 2 :])
        if following.kind == "more" and than:
            return -1 if following.text in {"less", "fewer", "smaller"} else 1
        return 0

    def _exceeds_by(self, index: int) -> bool:
        """ "must exceed the number of tables by at least 5"."""
        before = self.phrases[index - 1] if index else None
        by = isinstance(before, Mark) and before.text == "by"
        verb = self.clause.verb
        return by and verb is not None and verb.lemma in {"exceed", "surpass", "outnumber"}

    def offset(self, index: int, sense: Sense | None) -> None:
        """ "at least 5 more chairs than tables", "exactly 3 fewer A than B"."""
        quantity = self.quantity(index)
        kind = self.offset_kind(index)
        verb = self.clause.verb
        exceeds = self._exceeds_by(index)
        if exceeds:
            sense = quantity.limit if verb is not None and not verb.negative else None
        elif sense is None and verb is not None and verb.modal in {"must", "should"}:
            sense = EXACTLY
        if sense is None:
            self.out.unread.append(('say "at least", "at most" or "exactly" so many', self.span))
            return
        if kind < 0:
            sense = Sense({"<=": ">=", ">=": "<=", "==": "=="}[sense.op], sense.strict)
        self.out.comparisons.append(
            ComparisonWords(
                sense,
                1.0,
                quantity,
                self.mentions(index),
                self.number,
                self.span,
                self.is_preference(),
                kind * quantity.value,
            )
        )

    def subject_if_shared(self) -> tuple[Mention, ...]:
        return self.subject if self.inherited else ()

    def is_share(self, index: int, quantity: Quantity) -> bool:
        if quantity.role == "percent":
            return True
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        return not (isinstance(following, Mark) and following.kind == "as")

    def comparison(self) -> None:
        """Comparisons without a number: "must exceed the number of vans", "more A than B"."""
        verb = self.clause.verb
        before = len(self.clause.before)
        for index in range(len(self.phrases)):
            if any(isinstance(later, Quantity) for later in self.phrases[index + 1 :]):
                continue
            sense = self._comparing_sense(index)
            if sense is None:
                continue
            if verb is not None and verb.negative and index >= before:
                sense = sense.negated()
            self.out.comparisons.append(
                ComparisonWords(
                    sense,
                    1.0,
                    None,
                    self.mentions(),
                    self.number,
                    self.span,
                    self.is_preference(),
                )
            )
            return
        if self._compares_unread():
            self.out.unread.append(("a comparison is not understood", self.span))

    def _comparing_sense(self, index: int) -> Sense | None:
        phrase = self.phrases[index]
        if isinstance(phrase, Verb):
            return LIMIT_VERBS.get(phrase.lemma)
        if isinstance(phrase, Noun) and self._than_follows(index):
            return _SIZES.get(phrase.head[-1])
        if not isinstance(phrase, Mark):
            return None
        if phrase.kind == "limit":
            return phrase.sense
        if phrase.kind == "more":
            tail = self.phrases[index + 1 :]
            if any(isinstance(p, Mark) and p.kind == "than" for p in tail):
                sense = LESS if phrase.text in {"less", "fewer", "smaller"} else MORE
                before = self.phrases[index - 1] if index else None
                none = isinstance(before, Mark) and before.text == "no"
                return sense.negated() if none else sense
        return self.equal_sense(index) if phrase.kind == "as" else None

    def _than_follows(self, index: int) -> bool:
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        return isinstance(following, Mark) and following.kind == "than"

    def _compares_unread(self) -> bool:
        """The clause demands something of "than" that no reading accounts for."""
        verb = self.clause.verb
        demands = verb is not None and (
            verb.modal in {"must", "should", "shall", "cannot", "can't"} or "need" in verb.chain
        )
        left = [p.kind for p in self.phrases if isinstance(p, Mark)]
        dangling = "limit" in left and not any(isinstance(p, Quantity) for p in self.phrases)
        return dangling or (demands and "than" in left)

    def equal_sense(self, index: int) -> Sense | None:
        """ "at least as many A as B"."""
        before = self.phrases[index - 1] if index else None
        following = self.phrases[index + 1] if index + 1 < len(self.phrases) else None
        if not (isinstance(following, Mark) and following.kind == "much"):
            return None
        if isinstance(before, Mark) and before.kind == "limit":
            return before.sense
        return AT_LEAST if isinstance(before, Mark) and before.kind == "times" else None

    def is_preference(self) -> bool:
        verb = self.clause.verb
        if self.clause.link in REASON_LINKS:
            return True
        if verb is None:
            return True
        soft = {"prefer", "like", "hope", "love", "enjoy"} & {verb.lemma, *verb.chain}
        return bool(soft)
