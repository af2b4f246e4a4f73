"""Clauses: subject, verb and what follows, from the phrases of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .phrases import Mark, Noun, Per, Phrase, Quantity, Verb, chunk
from .tagging import tag
from .tokens import Sentence, Token


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a sentence.

    Attributes:
        link: the word that opens it ("while", "because", "if", "and", "how") or "".
        before: phrases in front of the verb: adjuncts and the subject.
        verb: the finite verb group; None in a fragment.
        after: phrases behind the verb.
        shared: the subject is that of the clause before ("… and requires 3 units").
        sentence: index of the sentence.
    """

    start: int
    end: int
    link: str
    before: tuple[Phrase, ...]
    verb: Verb | None
    after: tuple[Phrase, ...]
    shared: bool = False
    sentence: int = 0

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        middle: tuple[Phrase, ...] = (self.verb,) if self.verb else ()
        return self.before + middle + self.after


def _is_mark(phrase: Phrase, *kinds: str) -> bool:
    return isinstance(phrase, Mark) and phrase.kind in kinds


def _is_finite(phrase: Phrase) -> bool:
    return isinstance(phrase, Verb) and phrase.kind == "finite"


def split_asides(tokens: Sequence[Token]) -> tuple[list[Token], list[list[Token]]]:
    """Take parenthesised passages out of a sentence; (main tokens, asides)."""
    main: list[Token] = []
    asides: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if token.text == "(":
            if depth == 0:
                asides.append([])
            depth += 1
        elif token.text == ")" and depth:
            depth -= 1
        elif depth:
            asides[-1].append(token)
        else:
            main.append(token)
    return main, [aside for aside in asides if aside]


def clauses_of(
    sentence: Sentence, number: int, labels: frozenset[str]
) -> tuple[list[Clause], list[list[Phrase]]]:
    """Clauses of a sentence, and the phrases of its parenthesised asides."""
    main, asides = split_asides(sentence.tokens)
    phrases = chunk(tag(main, labels))
    groups = _split(phrases)
    clauses = [_build(link, group, shared, number) for link, group, shared in groups if group]
    return clauses, [list(chunk(tag(aside, labels))) for aside in asides]


def _split(phrases: Sequence[Phrase]) -> list[tuple[str, list[Phrase], bool]]:
    groups: list[tuple[str, list[Phrase], bool]] = []
    current: list[Phrase] = []
    link, shared = "", False
    index = 0
    while index < len(phrases):
        phrase = phrases[index]
        opens = _is_mark(phrase, "sub", "wh") and not _gap_verb(phrases, index)
        opens = opens or _opposes(phrases, index, current)
        if opens and isinstance(phrase, Mark):
            if _has_content(current):
                groups.append((link, current, shared))
                current = []
            link, shared = phrase.text, False
            index += 1
            continue
        if _is_mark(phrase, "comma", "conj", "colon") and any(map(_is_finite, current)):
            skip = _skip_joints(phrases, index)
            kind = _clause_ahead(phrases, skip)
            if kind:
                groups.append((link, current, shared))
                current, shared = [], kind == "verb"
                link = "and"
                index = skip
                continue
        current.append(phrase)
        index += 1
    if current:
        groups.append((link, current, shared))
    return groups


def _opposes(phrases: Sequence[Phrase], index: int, current: Sequence[Phrase]) -> bool:
    """ "… but the weather allows …"; "at least 5 but at most 9" stays one clause."""
    phrase = phrases[index]
    if not (isinstance(phrase, Mark) and phrase.text == "but" and _has_content(current)):
        return False
    following = phrases[index + 1] if index + 1 < len(phrases) else None
    if following is None or isinstance(following, Quantity) or _is_finite(following):
        return False
    return any(map(_is_finite, current))


def _has_content(group: Sequence[Phrase]) -> bool:
    return any(not isinstance(phrase, Mark) for phrase in group)


def _gap_verb(phrases: Sequence[Phrase], index: int) -> bool:
    """ "given" and "provided" after a form of "be" are verbs, not openers of a clause."""
    phrase = phrases[index]
    given = isinstance(phrase, Mark) and phrase.text in {"given", "provided"}
    return given and index > 0 and isinstance(phrases[index - 1], Verb)


def _skip_joints(phrases: Sequence[Phrase], index: int) -> int:
    while index < len(phrases) and _is_mark(phrases[index], "comma", "conj", "adv", "colon"):
        index += 1
    return index


def _clause_ahead(phrases: Sequence[Phrase], index: int) -> str:
    """What starts at ``index``: "clause" (subject and verb), "verb" (verb only), or ""."""
    if index >= len(phrases):
        return ""
    if _is_finite(phrases[index]):
        return "verb"
    noun_seen = 0
    position = index
    while position < len(phrases):
        phrase = phrases[position]
        if _is_finite(phrase):
            return "clause"
        if isinstance(phrase, Noun):
            noun_seen += 1
        elif _is_mark(phrase, "conj"):
            following = phrases[position + 1] if position + 1 < len(phrases) else None
            if not (noun_seen and isinstance(following, Noun)) or _has_quantity(
                phrases[index:position]
            ):
                return ""
        elif _is_mark(phrase, "comma"):
            gapped = position + 1 < len(phrases) and isinstance(phrases[position + 1], Quantity)
            return "clause" if gapped and noun_seen == 1 and position == index + 1 else ""
        elif _is_mark(phrase, "sub", "wh", "colon"):
            return ""
        position += 1
    return ""


def _has_quantity(phrases: Sequence[Phrase]) -> bool:
    return any(isinstance(phrase, Quantity) for phrase in phrases)


def _build(link: str, group: Sequence[Phrase], shared: bool, number: int) -> Clause:
    at = next((index for index, phrase in enumerate(group) if _is_finite(phrase)), None)
    start, end = group[0].start, group[-1].end
    if at is None:
        infinitive = next(
            (i for i, phrase in enumerate(group) if isinstance(phrase, Verb) and i > 0), None
        )
        cut = len(group) if infinitive is None else infinitive
        return Clause(
            start, end, link, tuple(group[:cut]), None, tuple(group[cut:]), shared, number
        )
    verb = group[at]
    assert isinstance(verb, Verb)
    rest = list(group[at + 1 :])
    if rest and _is_mark(rest[0], "sub") and verb.lemma == "be" and verb.chain[-1:] == ("be",):
        verb = replace(verb, lemma="give", chain=(*verb.chain, "give"), passive=True)
        rest = rest[1:]
    return Clause(start, end, link, tuple(group[:at]), verb, tuple(rest), shared, number)


__all__ = ["Clause", "Noun", "Per", "Quantity", "clauses_of", "split_asides"]
