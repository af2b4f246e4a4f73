"""Goal phrases and questions: what to maximize or minimize, and which figures are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from . import lexicon as lex
from .clause_view import mention_of, per_mention
from .clauses import Clause
from .facts import GoalWords, Mention
from .phrases import Mark, Noun, Per, Phrase, Quantity, Verb
from .words import words

_SENSE_VERBS = {
    **dict.fromkeys(("maximize", "maximise", "increase", "improve"), "maximize"),
    **dict.fromkeys(("minimize", "minimise", "reduce", "decrease", "lower"), "minimize"),
}
_STRONG_VERBS = words("maximize maximise minimize minimise")
_SENSE_NOUNS = {
    **dict.fromkeys(("maximum", "highest", "largest", "greatest", "maximal"), "maximize"),
    **dict.fromkeys(
        ("minimum", "lowest", "least", "smallest", "cheapest", "minimal", "fewest"), "minimize"
    ),
}
_REQUESTS = words("determine find formulate calculate compute help minimize maximize")
_QUESTION_LINKS = frozenset({"how", "what", "which"})


@dataclass(slots=True)
class Goals:
    """Goal phrases, the nouns of questions, and clauses that hold a goal or question."""

    goals: list[GoalWords] = field(default_factory=list)
    weak: list[GoalWords] = field(default_factory=list)
    question_nouns: set[str] = field(default_factory=set)
    asked: list[GoalWords] = field(default_factory=list)
    clauses: set[int] = field(default_factory=set)
    questions: set[int] = field(default_factory=set)


def find_goals(clauses: Sequence[Clause]) -> Goals:
    """Find goal phrases and questions in the clauses."""
    result = Goals()
    for number, clause in enumerate(clauses):
        phrases = clause.phrases
        found = _by_verb(phrases, number, result) or _by_noun(phrases, number, result)
        if clause.link in _QUESTION_LINKS:
            result.clauses.add(number)
            result.questions.add(number)
            _question(clause, number, result, bool(found))
        elif found:
            result.clauses.add(number)
            if clause.verb is not None and clause.verb.lemma in _REQUESTS:
                result.questions.add(number)
    return result


def _tail(phrases: Sequence[Phrase], start: int) -> list[Phrase]:
    """Phrases of the goal's object: up to a comma, an infinitive or another clause."""
    tail: list[Phrase] = []
    for phrase in phrases[start:]:
        if isinstance(phrase, Mark) and phrase.kind in {"comma", "sub", "wh", "colon"}:
            break
        if isinstance(phrase, Quantity) or (
            tail and isinstance(phrase, Mark) and phrase.kind == "as"
        ):
            break
        if isinstance(phrase, Verb) and phrase.kind == "inf" and tail:
            break
        tail.append(phrase)
    return tail


def _goal(tail: Sequence[Phrase], sense: str, number: int) -> GoalWords | None:
    mentions: list[Mention] = []
    total = False
    for phrase in tail:
        if isinstance(phrase, Noun):
            mentions.append(mention_of(phrase, "goal"))
            total = total or phrase.total or phrase.counted
        elif isinstance(phrase, Per):
            mentions.append(per_mention(phrase))
    if not mentions:
        return None
    nouns = frozenset().union(*(mention.lemmas for mention in mentions))
    actions = {phrase.lemma for phrase in tail if isinstance(phrase, Verb)}
    actions |= {
        phrase.text for phrase in tail if isinstance(phrase, Mark) and phrase.kind == "part"
    }
    span = (tail[0].start, tail[-1].end)
    return GoalWords(sense, nouns, frozenset(actions), tuple(mentions), number, span, total)


def _by_verb(phrases: Sequence[Phrase], number: int, result: Goals) -> bool:
    for index, phrase in enumerate(phrases):
        if not isinstance(phrase, Verb) or phrase.lemma not in _SENSE_VERBS:
            continue
        sense = _SENSE_VERBS[phrase.lemma]
        tail: list[Phrase] = _tail(phrases, index + 1)
        if phrase.passive:
            subjects: list[Phrase] = [p for p in phrases[:index] if isinstance(p, Noun)]
            tail = subjects[-1:]
        goal = _goal(tail, sense, number)
        if goal is None:
            continue
        strong = phrase.lemma in _STRONG_VERBS
        (result.goals if strong else result.weak).append(
            replace(goal, span=(min(phrase.start, goal.span[0]), max(phrase.end, goal.span[1])))
        )
        return True
    return False


def _by_noun(phrases: Sequence[Phrase], number: int, result: Goals) -> bool:
    """ "find the minimum number of planes", "at the lowest cost", "as many guests as possible"."""
    for index, phrase in enumerate(phrases):
        if not isinstance(phrase, Noun):
            continue
        sense = _noun_sense(phrases, index)
        goal = _goal(_tail(phrases, index), sense, number) if sense else None
        if goal is None:
            continue
        result.weak.append(goal)
        return True
    return False


def _noun_sense(phrases: Sequence[Phrase], index: int) -> str:
    noun = phrases[index]
    assert isinstance(noun, Noun)
    raw = {*(word.lower() for word in noun.words), *noun.head, *noun.prefix}
    for word, sense in _SENSE_NOUNS.items():
        if word in raw:
            return sense
    if "most" in raw and noun.determiner == "the":
        return "maximize"
    if _possible(phrases, index + 1):
        before = [p for p in phrases[max(index - 2, 0) : index] if isinstance(p, Mark)]
        words = {mark.text for mark in before} | set(noun.head)
        if {"many", "much"} & words:
            return "maximize"
        if {"few", "little"} & words:
            return "minimize"
    return _as_possible(phrases, index)


def _possible(phrases: Sequence[Phrase], index: int) -> bool:
    """ "as possible" follows, up to a participle and an agent in between."""
    for position in range(index, min(index + 4, len(phrases) - 1)):
        mark, noun = phrases[position], phrases[position + 1]
        if isinstance(mark, Mark) and mark.kind == "as" and isinstance(noun, Noun):
            return noun.head == ("possible",)
    return False


def _as_possible(phrases: Sequence[Phrase], index: int) -> str:
    """ "make the profit as large as possible", "keep the cost as low as possible"."""
    if index + 4 >= len(phrases):
        return ""
    first, size = phrases[index + 1], phrases[index + 2]
    if not (isinstance(first, Mark) and first.kind == "as" and isinstance(size, Noun)):
        return ""
    if not _possible(phrases, index + 3):
        return ""
    if set(size.head) & {"large", "high", "great", "big"}:
        return "maximize"
    return "minimize" if set(size.head) & {"low", "small", "little"} else ""


def _question(clause: Clause, number: int, result: Goals, has_goal: bool) -> None:
    if clause.link == "how":
        head = [p for p in clause.before if isinstance(p, Noun)]
        for noun in head:
            result.question_nouns |= noun.lemmas
        return
    if has_goal:
        return
    nouns = [phrase for phrase in clause.after if isinstance(phrase, Noun)]
    if clause.link == "what" and clause.verb is not None and clause.verb.lemma == "be" and nouns:
        goal = _goal(_tail(clause.after, 0), "", number)
        if goal is not None:
            result.asked.append(goal)


def clean(lemmas: frozenset[str]) -> frozenset[str]:
    """The words of a goal without "maximum", "total", "number" and the like."""
    drop = set(_SENSE_NOUNS) | lex.COUNT_NOUNS | {"overall", "net", "daily", "weekly", "monthly"}
    drop |= {"average", "possible", "least", "most", "company", "combined", "few"}
    return frozenset(lemmas - drop)
