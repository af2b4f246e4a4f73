"""Objectives."""

from __future__ import annotations

from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Clause
from orkernel_offline.written.qualifiers import Qualifiers
from orkernel_offline.written.sets import label_text
from orkernel_offline.written.tokens import RELATIONS, Token


class Goals(Qualifiers):
    """Reads what is minimised or maximised."""

    def _is_goal(self) -> bool:
        """Whether `max`/`min` here starts an objective and is not a function in a relation."""
        depth = 0
        commas = 0
        position = self.at + 1
        first = self.peek(1)
        if first.kind == "prose" or (
            first.kind == "break" and first.value != "soft" and not self.peek().math
        ):
            return self.peek().math
        while position < len(self.tokens):
            token = self.tokens[position]
            if (token.kind == "break" and token.value != "soft") or token.kind in ("kw", "prose"):
                break
            if token.is_op("(", "[", "{", "\\{"):
                depth += 1
            elif token.is_op(")", "]", "}", "\\}"):
                depth -= 1
            elif token.is_op(",") and depth == 1 and first.is_op("(", "{", "\\{"):
                commas += 1
            elif token.kind == "op" and token.value in RELATIONS - {"="} and depth == 0:
                return False
            position += 1
        return commas == 0

    def _objective(self, token: Token) -> None:
        self._sense = "maximize" if token.value == "max" else "minimize"
        self._sense_token = token
        self._goal_words = []
        if self.peek().is_op("_"):
            self.take()
            self._set_script_aside()
        while True:
            follow = self.peek()
            soft = follow.kind == "break" and follow.value == "soft"
            if follow.kind == "quad" or follow.is_op(":", ",") or soft:
                self.take()
            elif follow.kind == "prose" or follow.is_kw("and"):
                self._goal_words.append(self.take())
            else:
                break
        if self.peek().kind == "break" or not (self.starts_factor() or self.peek().is_op("\\{")):
            self._goal_by_name()
            return
        if self._is_bare_mention():
            return
        self._goal()

    def _goal_by_name(self) -> None:
        """`Maximize profit`, where another line says `profit = 3x + 5y`."""
        words = [w for w in self._goal_words if w.value in self._defined]
        if len(words) == 1 and self._sense_token is not None:
            word = words[0]
            body = n.Sym(word.start, word.end, word.value)
            self.clauses.append(
                Clause(self._sense_token.start, word.end, "objective", body, self._sense,
                       label=word.value, section="objective")
            )  # fmt: skip
            self._sense = ""

    def _is_bare_mention(self) -> bool:
        """A lone number or index in prose after "minimise": "minimise the 3 costs"."""
        token, follow = self.peek(), self.peek(1)
        return not token.math and token.kind == "num" and follow.kind == "prose"

    def _set_script_aside(self) -> None:
        """Read what stands under `min` or `max` after everything else: it may be a domain."""
        if not self.accept("{"):
            self.take()
            return
        start, depth = self.at, 1
        while depth and self.at < len(self.tokens):
            token = self.take()
            depth += token.is_op("{") - token.is_op("}")
        script = self.tokens[start : self.at - 1]
        if any(t.kind == "op" and t.value in RELATIONS | {"in", "notin"} for t in script):
            end = Token("break", "hard", script[-1].end, script[-1].end)
            self.tokens += [end, *script, end]

    def _goal(self) -> None:
        """The expression of the pending objective, with its name if one is given."""
        assert self._sense_token is not None
        start = self._sense_token.start
        expression = self.expression()
        name = ""
        self.skip_quads()
        if self.peek().is_op("=", ":"):
            named = expression.sym if isinstance(expression, n.Apply) else expression
            if isinstance(named, n.Sym) and all(isinstance(s, n.Num) for s in named.subs):
                name = label_text(named)
                self.take()
                self.skip_quads()
                expression = self.expression()
        self.skip_quads()
        if self.peek().kind == "op" and self.peek().value in RELATIONS:
            raise self.error("an objective has no relation; start the constraint on a new line")
        self._refuse_joined(expression)
        label = self._text_of(self._goal_words)
        items = expression.items if isinstance(expression, n.Vector) else (expression,)
        for item in items:
            clause = Clause(
                start, expression.end, "objective", item, self._sense, label=name or label,
                section="objective",
            )  # fmt: skip
            self.clauses.append(clause)
        self._sense = ""
        self._words = []
        self._section = self._section if self._section == "constraints" else "objective"

    def _names_the_goal(self, body: n.Compare) -> bool:
        head = body.heads[0]
        named = head.sym if isinstance(head, n.Apply) else head
        return (
            body.ops == ("=",)
            and len(body.heads) == 1
            and isinstance(named, n.Sym)
            and not named.subs
            and not isinstance(
                body.operands[0], n.SetLit | n.RangeSet | n.Num | n.Vector | n.Matrix
            )
        )

    def _named_goal(self, body: n.Compare) -> None:
        head = body.heads[0]
        named = head.sym if isinstance(head, n.Apply) else head
        assert isinstance(named, n.Sym)
        self._refuse_joined(body)
        self.clauses.append(
            Clause(body.start, body.end, "objective", body.operands[0], self._sense,
                   label=named.name, section="objective")
        )  # fmt: skip
        self._sense = ""
        self._words = []
