"""Find what a statement says in algebra: objectives, relations, domains and described symbols."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Clause, Mention, Node
from orkernel_offline.written.relations import Relations
from orkernel_offline.written.tokens import RELATIONS, Token
from orkernel_offline.written.vocabulary import (
    DOMAIN_NAMES,
    DOMAIN_WORDS,
    KINDS_OF_MODEL,
    MAX_SECTION_WORDS,
    section_of,
)


@dataclass(frozen=True, slots=True)
class Document:
    """What was found in a statement.

    Attributes:
        clauses: Objectives, relations and domains, in order.
        mentions: Symbols that prose describes.
        everywhere: Domain words said of all variables, with their place.
    """

    clauses: tuple[Clause, ...]
    mentions: tuple[Mention, ...]
    everywhere: tuple[tuple[str, int, int], ...]


class ClauseReader(Relations):
    """Walks the tokens once and collects clauses and mentions."""

    def run(self) -> Document:
        """Read the whole statement.

        Raises:
            Unreadable: Something that looks like algebra is not understood.
        """
        while self.at < len(self.tokens):
            self._step()
        return Document(tuple(self.clauses), tuple(self.mentions), tuple(self.everywhere))

    def _step(self) -> None:
        token = self.peek()
        if token.kind == "break":
            self._end_of_line(token)
        elif token.kind == "heading":
            self.take()
            self._section = section_of(token.value) or self._section
        elif token.kind == "prose":
            self.take()
            self._words.append(token)
        elif token.kind == "kw":
            self._keyword(token)
        elif (token.kind == "func" and token.value in ("min", "max") and self._is_goal()) or (
            token.kind == "func"
            and token.value in ("min", "max")
            and self.peek(1).kind in ("name", "num")
            and self._relation_follows()
        ):
            self._objective(self.take())
        elif token.is_op(":"):
            self.take()
            self._lead()
        elif token.kind == "begin" and token.value in ("cases", "dcases"):
            self.take()
        elif token.kind == "func" and not token.math and not self._is_call_or_script():
            self.take()
            self._words.append(token)
        elif self.starts_factor() or token.kind == "numset" or token.is_op("{", "\\{"):
            self._algebra()
        elif token.kind == "op" and token.value in RELATIONS:
            if token.math or self.peek(1).kind == "num":
                raise self.error("this relation has no left-hand side")
            self.take()
        else:
            self.take()

    def _is_call_or_script(self) -> bool:
        follow = self.peek(1)
        return follow.is_op("(", "_", "{", "[", "\\{") or (
            follow.kind == "prose" and follow.value.lower() == "over"
        )

    def _end_of_line(self, token: Token) -> None:
        self.take()
        words = [w.value.lower() for w in self._words]
        if token.value == "soft":
            if 0 < len(words) <= 2 and section_of(" ".join(words)):
                self._lead()
            return
        if 0 < len(words) <= MAX_SECTION_WORDS - 2 and not self._used_sentence():
            self._lead()
        self._words = []
        self._leading = []
        self._sentence_start = self.at

    def _used_sentence(self) -> bool:
        return any(
            t.kind in ("name", "num", "op") for t in self.tokens[self._sentence_start : self.at]
        )

    def _lead(self) -> None:
        """A colon or the end of a short line: the words before it may name a section."""
        words = " ".join(w.value.lower() for w in self._words)
        if self._words and len(self._words) <= MAX_SECTION_WORDS:
            section = section_of(words)
            if section:
                self._section = section
        if self._words and any(w.value.lower() == "where" for w in self._words):
            self._section = "where"

    def _keyword(self, token: Token) -> None:
        if token.value in ("min", "max"):
            self._objective(self.take())
        elif token.value == "st":
            self.take()
            self._section = "constraints"
            self._sense = ""
            self._words = []
        elif token.value == "forall":
            self._free_quantifier()
        elif token.value in DOMAIN_WORDS:
            self._free_domain_word()
        else:
            self.take()

    def _free_quantifier(self) -> None:
        token = self.take()
        while self.peek().is_kw("forall"):
            self.take()
        self._skip_index_noun()
        if self.peek().kind not in ("name",) and not self.peek().is_op("("):
            self._words.append(token)
            return
        mark = self.at
        try:
            found = self.quantifiers(())
        except Unreadable:
            if any(t.math for t in self.tokens[mark : self.at + 1]):
                raise
            return
        if self._relation_follows():
            self._leading = found
        elif self.clauses and not self.clauses[-1].quants and not self._words:
            self.clauses[-1] = replace(self.clauses[-1], quants=tuple(found))
            self._share_quantifiers(found)
        else:
            self._leading = found

    def _free_domain_word(self) -> None:
        """`All variables are integer`, or a domain word that prose puts after a symbol."""
        position = self.at
        token = self.take()
        if position in self._described:
            return
        words = {w.value.lower() for w in self._words}
        follows = self.peek()
        if not words and follows.kind == "break" and self._heads_a_list(token):
            return
        if follows.kind == "prose" and follows.value.lower().rstrip("s") in KINDS_OF_MODEL:
            return
        negated = words & {"not", "no", "need", "never"}
        everything = words & {"variables", "variable", "values", "quantities", "they"}
        total = words & {"all", "both"}
        plural = follows.kind == "prose" and follows.value.lower() in ("variables", "values")
        if not negated and ((total and everything) or (plural and not words)):
            self.everywhere.append((token.value, (self._words or [token])[0].start, token.end))
            return
        if token.value in ("integer", "binary", "free", "nonneg"):
            raise Unreadable(
                f"it is not said which symbols are {DOMAIN_NAMES[token.value]}; "
                "write for example x integer, or all variables are integer",
                ((token.start, token.end),),
            )

    def _heads_a_list(self, word: Token) -> bool:
        """`Integer` alone in a line, and nothing but symbols in the next one."""
        mark = self.at
        self.take()
        heads: list[Node] = []
        try:
            while self.peek().kind == "name":
                heads.append(self.symbol())
                self.accept(",")
        except Unreadable:
            heads = []
        if not heads or self.peek().kind != "break":
            self.at = mark
            return False
        body = n.Compare(heads[0].start, heads[-1].end, tuple(heads), (), ())
        self.clauses.append(
            Clause(word.start, body.end, "domain", body, words=(word.value,), section=self._section)
        )
        return True
