"""Named places and persons: "two depots, Norwich and Leeds", found again wherever they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import lexicon as lex
from .facts import Span
from .morphology import plural, verb_form
from .tokens import Sentence, Token
from .words import words

MAX_NAMES = 60
MAX_NAME_WORDS = 4
_JOINTS = words("and &") | {","}
_OPENERS = words("called named in at namely") | {",", ":", "("}
_ENDS_NAME = (
    lex.PREPOSITIONS
    | lex.SUBORDINATORS
    | lex.MODALS
    | lex.BE_FORMS
    | lex.HAVE_FORMS
    | lex.RELATIVES
    | words("to per each every which must then than as")
)


@dataclass(frozen=True, slots=True)
class Name:
    """One member of a group: how it is written, and the lemmas that find it again."""

    text: str
    lemmas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Things of one class, with the passage that lists them.

    Attributes:
        noun: lemma of the class ("depot"), or "" where none is said.
    """

    noun: str
    names: tuple[Name, ...]
    span: Span

    def find(self, lemmas: Sequence[str]) -> int | None:
        """Index of the member that the words name, with or without the class noun."""
        wanted = tuple(word for word in lemmas if word not in {self.noun, "the"})
        for index, name in enumerate(self.names):
            own = tuple(word for word in name.lemmas if word != self.noun)
            if tuple(lemmas) == name.lemmas or (wanted and wanted == own):
                return index
        return None


def key(token: Token) -> str:
    """What two spellings of a word in a name have in common; single letters keep their case."""
    return token.text if len(token.text) == 1 and token.kind == "word" else token.lemma


def groups_of(sentences: Sequence[Sentence]) -> list[Group]:
    """All lists of named things, in their order; a class that is listed twice counts once."""
    found: list[Group] = []
    for sentence in sentences:
        tokens = sentence.tokens
        index = 0
        while index < len(tokens):
            groups, used = _groups_at(tokens, index)
            found += [group for group in groups if not _known(found, group)]
            index += max(used, 1)
    return found


def _known(found: Sequence[Group], group: Group) -> bool:
    """Its names are listed already, or start with such a name ("2 crates, Bay 6")."""
    known = {name.lemmas for other in found for name in other.names}
    return any(
        name.lemmas[:size] in known
        for name in group.names
        for size in range(1, len(name.lemmas) + 1)
    )


def _groups_at(tokens: Sequence[Token], index: int) -> tuple[list[Group], int]:
    """The lists that open at ``index``: one of a class, or "from X and Y to A, B and C"."""
    if tokens[index].low != "from":
        group, used = _group_at(tokens, index)
        return ([group] if group else []), used
    first, middle = _names(tokens, index + 1, None, "")
    if len(first) < 2 or middle >= len(tokens) or tokens[middle].low != "to":
        return [], 0
    second, end = _names(tokens, middle + 1, None, "")
    if len(second) < 2:
        return [], 0
    spans = [
        (tokens[index + 1].start, tokens[middle - 1].end),
        (tokens[middle + 1].start, tokens[end - 1].end),
    ]
    lists = zip((first, second), spans, strict=True)
    return [Group("", tuple(names), span) for names, span in lists], end - index


def _group_at(tokens: Sequence[Token], index: int) -> tuple[Group | None, int]:
    """A list that opens at ``index`` with its number or its class noun; (group, tokens used)."""
    first = tokens[index]
    count: int | None = None
    position = index
    if first.kind == "number" and first.role == "plain":
        count = int(first.value or 0)
        if not 2 <= count <= MAX_NAMES or count != first.value:
            return None, 0
        position += 1
    noun = _class_noun(tokens, position, count is not None)
    if noun is None:
        return None, 0
    position = noun + 1
    while position < len(tokens) and tokens[position].low in _OPENERS:
        if count is None and tokens[position].low not in {"in", "at"}:
            return None, 0
        position += 1
    names, end = _names(tokens, position, count, tokens[noun].lemma)
    if len(names) < 2 or (count is not None and len(names) != count):
        return None, 0
    if len({name.lemmas for name in names}) != len(names):
        return None, 0
    group = Group(tokens[noun].lemma, tuple(names), (first.start, tokens[end - 1].end))
    return group, end - index


def _class_noun(tokens: Sequence[Token], position: int, counted: bool) -> int | None:
    """Index of the plural noun that ends the class phrase at ``position``."""
    reach = MAX_NAME_WORDS if counted else 1
    best: int | None = None
    for index in range(position, min(position + reach, len(tokens))):
        token = tokens[index]
        if token.kind != "word" or token.low in _ENDS_NAME or token.low in _JOINTS:
            break
        if not counted and token.text[0].isupper():
            break
        listed = counted and index + 1 < len(tokens) and tokens[index + 1].text in {",", ":", "("}
        if plural(token.text) or listed:
            best = index
    return best


def _names(
    tokens: Sequence[Token], start: int, count: int | None, noun: str
) -> tuple[list[Name], int]:
    """The listed names and the index behind them."""
    names: list[Name] = []
    position = start
    while position < len(tokens) and len(names) < (count or MAX_NAMES):
        words_ = _name_at(tokens, position, proper=count is None)
        if not words_:
            break
        last = position + len(words_) - 1
        while words_ and words_[0].low in lex.DETERMINERS and words_[0].text != "A":
            words_ = words_[1:]
        if not words_:
            break
        names.append(_name(words_, noun))
        end = last + 1
        position = end
        while position < len(tokens) and tokens[position].low in _JOINTS:
            position += 1
        if position == end:
            return names, end
    if names:
        while position > start and tokens[position - 1].low in _JOINTS:
            position -= 1
    return names, position


def _name_at(tokens: Sequence[Token], position: int, proper: bool) -> list[Token]:
    found: list[Token] = []
    for token in tokens[position : position + MAX_NAME_WORDS]:
        if token.low in _JOINTS or token.low in _ENDS_NAME:
            break
        digit = token.kind == "number" and token.role == "plain" and token.text.isdigit()
        if token.kind == "punct" or (token.kind == "number" and not digit):
            break
        capital = token.text[0].isupper()
        if proper and not (capital or digit):
            break
        if found and found[-1].text[0].isupper() and not (capital or digit):
            break
        if found and not capital and not digit and _finite(token):
            break
        found.append(token)
        if digit:
            break
    return found


def _finite(token: Token) -> bool:
    form = verb_form(token.low)
    return form is not None and form[1] in {"s", "past"} and token.low not in lex.MOSTLY_NOUNS


def _name(tokens: Sequence[Token], noun: str) -> Name:
    text = " ".join(token.text for token in tokens)
    lemmas = tuple(key(token) for token in tokens)
    if len(tokens) == 1 and tokens[0].kind == "number":
        return Name(f"{noun} {text}", (noun, *lemmas))
    return Name(text, lemmas)
