"""Symbols that prose describes."""

from __future__ import annotations

from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Clause, Mention, Node
from orkernel_offline.written.sentences import Sentences
from orkernel_offline.written.vocabulary import (
    BE,
    DOMAIN_WORDS,
    INDICATOR,
)


class Descriptions(Sentences):
    """Reads `x is the number of chairs` and the like."""

    def _is_description(self) -> bool:
        token = self.peek()
        led = bool(self._words) and self._words[-1].value.lower() in ("let", "where", "with", "and")
        be = token.kind == "prose" and token.value.lower() in BE
        dash = token.is_op("-") or (token.kind == "prose" and token.value in "—–")
        listed = self.at >= 2 and token.kind == "prose" and self._starts_item()
        return be or token.is_op(":") or dash or (led and token.kind == "prose") or listed

    def _goes_on_describing(self, mark: int) -> bool:
        """`Let x be the chairs and y the tables`: the second half has no verb."""
        before = self.tokens[mark - 1] if mark else None
        last = self.mentions[-1] if self.mentions else None
        return (
            before is not None
            and (before.is_kw("and") or before.is_op(","))
            and last is not None
            and 0 <= before.start - last.end <= 2
            and self.peek().kind == "prose"
            and self.peek().value.lower() in ("the", "a", "an")
        )

    def _starts_item(self) -> bool:
        words = {w.value for w in self._words}
        return not words

    def _mention(self, heads: list[Node]) -> None:
        symbols = tuple(h for h in heads if isinstance(h, n.Sym))
        token = self.peek()
        if token.is_op(":", "-") or token.kind == "prose":
            start = token.end if token.is_op(":", "-") else token.start
        else:
            start = token.start
        end = self._description_end()
        end += len(self.source[end : end + 1]) if self.source[end : end + 1] == "$" else 0
        text = " ".join(self.source[start:end].split()).strip(" .;,:–—-")
        if symbols:
            self.mentions.append(Mention(heads[0].start, end, symbols, text, self._section))
            self._described_domain(symbols, end)
        self._words = []
        if self.peek().is_op(":", "-"):
            self.take()

    def _described_domain(self, symbols: tuple[n.Sym, ...], end: int) -> None:
        """`y is a binary variable`, `y is 1 if the site is open, 0 otherwise`."""
        words: list[str] = []
        position = self.at
        while position < len(self.tokens) and self.tokens[position].start < end:
            token = self.tokens[position]
            if token.kind == "kw" and token.value in DOMAIN_WORDS:
                words.append(token.value)
                self._described.add(position)
            position += 1
        if INDICATOR.search(self.source[symbols[0].start : self._sentence_end()]):
            words.append("binary")
        if words:
            start = symbols[0].start
            body = n.Compare(start, symbols[-1].end, symbols, (), ())
            self.clauses.append(
                Clause(start, end, "domain", body, words=tuple(words), section=self._section)
            )

    def _description_end(self) -> int:
        position = self.at
        end = self.peek(-1).end
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and (
                token.value != "soft" or self._starts_algebra(position + 1)
            ):
                return end
            if token.is_op(",") and self._introduces(position + 1):
                return end
            if token.is_kw("and") and self._starts_algebra(position + 1, numbers=False):
                return end
            end = token.end
            position += 1
        return end

    def _introduces(self, position: int) -> bool:
        """Whether a symbol with `=`, `:` or "is" after it stands at `position`."""
        while position < len(self.tokens) and not (
            self.tokens[position].kind in ("break", "prose")
            or self.tokens[position].is_op(",", "=")
        ):
            position += 1
        if position >= len(self.tokens):
            return False
        token = self.tokens[position]
        first = self.tokens[position - 1].kind in ("name", "num") or self.tokens[
            position - 1
        ].is_op("}")
        return first and (token.is_op("=") or token.value.lower() in BE | {"the", "a", "an"})
