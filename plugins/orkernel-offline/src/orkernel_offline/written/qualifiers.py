"""What stands around a relation: quantifiers, domain words, remarks, prose that changes it."""

from __future__ import annotations

import re
from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.descriptions import Descriptions
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.tokens import Token
from orkernel_offline.written.vocabulary import (
    CHANGES_DATA,
    CHANGES_IN_REMARK,
    CHANGES_MEANING,
    NEW_THOUGHT,
    OPERATIONS,
)

_LIST_GAP = re.compile(r"(?:[\s,$&~]|\\[,;: ]|\\q?quad|\band\b|\\text\{\s*and\s*\})*")
_PLURAL = re.compile(r"\b(?:are|both|all|integers|binaries)\b")


class Qualifiers(Descriptions):
    """Finishes a clause once its relation is read."""

    def _finish(self, clause: Clause, mark: int) -> None:
        words, end = self._domain_words()
        label = self._leading_label()
        remark = self._remark()
        quants = list(self._leading)
        trailing = self._trailing_quantifiers(clause)
        quants += trailing
        later, later_end = self._domain_words()
        words += later
        remark = remark or self._remark()
        end = max([clause.end, end, later_end, *(q.end for q in trailing)])
        start = min([clause.start, *(q.start for q in self._leading)])
        finished = replace(
            clause, start=start, end=end, words=tuple(words), quants=tuple(quants),
            label=label or remark, section=self._section, prose=self._prose_around(mark),
        )  # fmt: skip
        self._refuse_changed(finished)
        if trailing:
            self._share_quantifiers(trailing)
        self._share_words(finished, clause.end)
        self.clauses.append(finished)
        self._words = []
        while self.peek().kind == "prose" and self.peek().value.lower() not in NEW_THOUGHT:
            self.take()

    def _share_words(self, clause: Clause, formula_end: int) -> None:
        """`x >= 0 and y >= 0 are integers`: say it of the earlier signs of the list too.

        Raises:
            Unreadable: It is open whether the word belongs to the last one only.
        """
        shared = tuple(w for w in clause.words if w in ("integer", "binary"))
        earlier: list[int] = []
        start = clause.start
        for position in range(len(self.clauses) - 1, -1, -1):
            before = self.clauses[position]
            gap = self.source[before.end : start]
            if before.words or not _is_sign(before) or not _LIST_GAP.fullmatch(gap):
                break
            earlier.append(position)
            start = before.start
        if not shared or not earlier or not _is_sign(clause):
            return
        between = self.source[formula_end : clause.end].lower()
        if not ("," in between or _PLURAL.search(between)):
            raise Unreadable(
                f"it is open whether only the last symbol is {shared[0]}; "
                f"write for example x, y {shared[0]}",
                ((clause.start, clause.end),),
            )
        for position in earlier:
            self.clauses[position] = replace(self.clauses[position], words=shared)

    def _finish_domain(self, clause: Clause, mark: int) -> None:
        trailing = self._trailing_quantifiers(clause)
        end = max([clause.end, *(q.end for q in trailing)])
        quants = (*self._leading, *trailing)
        prose = self._prose_around(mark)
        finished = replace(clause, end=end, quants=quants, section=self._section, prose=prose)
        self._refuse_changed(finished)
        self.clauses.append(finished)
        self._words = []

    def _leading_label(self) -> str:
        """Words before the relation in its line, as in `Labor: 2x + y <= 10`."""
        return self._text_of(self._words)

    def _remark(self) -> str:
        """`(labor hours)` or wide space and words after a relation."""
        mark = self.at
        wide = self.peek().kind == "quad"
        self.skip_quads()
        bracket = self.accept("(")
        words: list[Token] = []
        while self.peek().kind in ("prose", "num", "name") and (
            bracket or self.peek().kind == "prose"
        ):
            words.append(self.take())
        if bracket and words and self.accept(")"):
            changing = [w for w in words if w.value.lower() in CHANGES_IN_REMARK]
            if changing:
                raise Unreadable(
                    f"the word '{changing[0].value}' changes what the relation before it says; "
                    "write the condition itself in algebra",
                    ((words[0].start, words[-1].end),),
                )
            if all(w.kind in ("num", "name") and len(w.value) <= 2 for w in words):
                return ""
            return self._text_of(words)
        if wide and words and not bracket:
            self._trailing_words = words
            return self._text_of(words)
        self.at = mark
        return ""

    def _trailing_quantifiers(self, clause: Clause) -> list[Node]:
        mark = self.at
        while self.peek().kind == "quad" or self.peek().is_op(",", ":") or self.peek().is_kw("and"):
            self.take()
        bracket = self.peek().is_op("(") and self.peek(1).is_kw("forall")
        if bracket:
            self.take()
        if self.peek().kind == "prose" and self.peek().value.lower() in (
            "for",
            "where",
            "with",
            "over",
        ):
            word = self.take()
            if not (self._implicit_quantifier(clause) and self.peek().kind in ("name", "op")):
                self.at = mark
                return []
            del word
            return self.quantifiers(())
        if self.peek().is_kw("forall"):
            while self.peek().is_kw("forall"):
                self.take()
            self._skip_index_noun()
            if not self.starts_factor():
                raise self.error("an index and its set are expected after 'for all'")
            found = self.quantifiers(())
            if bracket:
                self.accept(")")
            return found
        if self.peek().is_op("(") and self.peek(1).kind == "name":
            self.take()
            if self._implicit_quantifier(clause):
                found = self.quantifiers((")",))
                self.expect(")", "this bracket is never closed")
                return found
            self.at -= 1
        if self._implicit_quantifier(clause):
            return self.quantifiers(())
        self.at = mark
        return []

    def _implicit_quantifier(self, clause: Clause) -> bool:
        """Whether `i \\in I` or `i = 1, …, n` follows for a subscript `i` of the clause."""
        letters = {
            letter
            for node in n.walk(clause)
            if isinstance(node, n.Sym)
            for sub in node.subs
            for inner in n.walk(sub)
            if isinstance(inner, n.Sym)
            for letter in (inner.name, *inner.name)
        }
        position = self.at
        names: list[str] = []
        tokens = self.tokens
        while position < len(tokens) and (
            tokens[position].kind in ("name", "quad") or tokens[position].is_op(",", "(", ")")
        ):
            if tokens[position].kind == "name":
                names.append(tokens[position].value)
            position += 1
        if position >= len(tokens) or not names or not set(names) <= letters:
            relation = tokens[position] if position < len(tokens) else None
            chained = relation is not None and relation.is_op("<=", "<") and not names
            return bool(chained)
        return tokens[position].is_op("in", "=", "!=", ">", ">=", "<", "<=")

    def _share_quantifiers(self, trailing: list[Node]) -> None:
        """`x >= 0, y binary for all i`: give the quantifier to the earlier ones of the row too."""
        for position in range(len(self.clauses) - 1, -1, -1):
            earlier = self.clauses[position]
            first = self.tokens[self._sentence_start].start if self.tokens else 0
            if earlier.quants or earlier.role != "relation" or earlier.start < first:
                return
            self.clauses[position] = replace(earlier, quants=tuple(trailing))

    def _prose_around(self, mark: int) -> tuple[str, ...]:
        before = [w.value.lower() for w in self._words]
        after: list[str] = []
        position = self.at
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and token.value != "soft":
                break
            if token.kind == "prose":
                after.append(token.value.lower())
            elif not (token.kind == "break" or token.is_op(",", "(", ")", "%")):
                break
            position += 1
        remark = [w.value.lower() for w in self._trailing_words]
        self._trailing_words = []
        return (*before, *remark, *after)

    def _refuse_changed(self, clause: Clause) -> None:
        changing = [w for w in clause.prose if w in CHANGES_MEANING]
        if _is_index_range(clause):
            changing = []
        elif _gives_value(clause):
            changing = [w for w in changing if w in CHANGES_DATA]
        elif self._words and not self._colon_before(clause):
            changing += [w.value for w in self._words if w.value.lower() in OPERATIONS]
        if changing:
            raise Unreadable(
                f"the word '{changing[0]}' changes what this relation says; "
                "write the condition itself in algebra",
                ((clause.start, clause.end),),
            )
        last = self.tokens[self.at - 1] if self.at else None
        if last is not None and last.is_op("%") and clause.prose[:1] == ("of",):
            raise Unreadable(
                "a percentage of something: write the product in algebra, such as 0.3*(x + y)",
                ((clause.start, clause.end),),
            )
        self._refuse_joined(clause)

    def _colon_before(self, clause: Clause) -> bool:
        last = self._words[-1]
        return ":" in self.source[last.end : clause.start]


def _is_sign(clause: Clause) -> bool:
    """Whether the clause bounds single symbols by a number, as in `x >= 0`."""
    body = clause.body
    return (
        isinstance(body, n.Compare)
        and clause.role == "relation"
        and len(body.ops) == 1
        and body.ops[0] in ("<=", ">=", "<", ">")
        and all(isinstance(h, n.Sym) for h in body.heads)
        and isinstance(body.operands[0], n.Num)
    )


def _gives_value(clause: Clause) -> bool:
    """Whether the clause may give a parameter its value, as in `n = 5` or `c = (1, 2)`."""
    body = clause.body
    return (
        isinstance(body, n.Compare)
        and body.ops == ("=",)
        and all(isinstance(h, n.Sym) for h in body.heads)
        and isinstance(body.operands[0], n.Num | n.Neg | n.Vector | n.Matrix | n.Mapping)
    )


def _is_index_range(clause: Clause) -> bool:
    """Whether the clause only says what an index runs over, as in `i in I`."""
    body = clause.body
    if not isinstance(body, n.Compare) or not all(
        isinstance(h, n.Sym) and not h.subs for h in body.heads
    ):
        return False
    operand = body.operands[0] if len(body.operands) == 1 else None
    if body.ops == ("in",):
        return isinstance(operand, n.Sym)
    return body.ops == ("=",) and isinstance(operand, n.SetLit | n.RangeSet | n.SetMinus)
