"""Find what a statement says in algebra: objectives, relations, domains and described symbols."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.grammar import Grammar
from orkernel_offline.written.nodes import Clause, Mention, Node
from orkernel_offline.written.sets import label_text
from orkernel_offline.written.tokens import RELATIONS, Token

DOMAIN_WORDS = frozenset({"integer", "binary", "continuous", "nonneg", "free"})
_BE = frozenset(
    [
        "is",
        "are",
        "be",
        "being",
        "denote",
        "denotes",
        "denoting",
        "represent",
        "represents",
        "representing",
        "mean",
        "means",
        "indicate",
        "indicates",
        "stand",
        "stands",
        "equal",
        "equals",
        "describe",
        "describes",
        "takes",
        "give",
        "gives",
    ]
)
_FILLER = _BE | frozenset(
    ["must", "should", "shall", "have", "to", "all", "also", "either", "variables", "variable"]
)
CHANGES_MEANING = frozenset(
    [
        "if",
        "when",
        "whenever",
        "unless",
        "or",
        "either",
        "implies",
        "only",
        "otherwise",
        "provided",
        "not",
        "no",
        "never",
        "except",
        "without",
        "ignore",
        "ignoring",
        "relax",
        "relaxed",
        "violate",
        "violated",
        "example",
        "instance",
        "suppose",
        "optimal",
        "optimum",
        "solution",
        "thousand",
        "thousands",
        "million",
        "millions",
        "hundred",
        "hundreds",
        "dozen",
        "dozens",
        "times",
        "percent",
        "approximately",
        "about",
        "roughly",
        "probability",
        "expected",
    ]
)
"""Words that change what a relation next to them says; such a relation is refused."""
_CHANGES_DATA = frozenset(
    [
        "if",
        "when",
        "unless",
        "or",
        "either",
        "example",
        "instance",
        "thousand",
        "thousands",
        "million",
        "millions",
        "hundred",
        "hundreds",
        "dozen",
        "dozens",
        "percent",
        "approximately",
        "about",
        "roughly",
        "expected",
        "probability",
    ]
)
"""The same for a symbol that is given its value."""
_OPERATIONS = frozenset(
    ["sum", "difference", "product", "ratio", "average", "mean", "twice", "half", "double"]
)
"""Words before a relation that stand for an operation, unless a colon makes them its name."""
_NEW_THOUGHT = frozenset(
    ["where", "let", "with", "here", "and", "such", "given", "subject", "maximize", "minimize"]
)
_SECTIONS = (
    ("variables", re.compile(r"\b(decision\s+)?variables?\b|\bdecisions?\b|\bunknowns?\b")),
    ("constraints", re.compile(r"\bconstraints?\b|\bsubject to\b|\brestrictions?\b")),
    ("objective", re.compile(r"\bobjectives?\b|\bgoal\b")),
    ("sets", re.compile(r"\bsets?\b|\bindices\b|\bindex\b")),
    ("parameters", re.compile(r"\bparameters?\b|\bdata\b|\bconstants?\b|\bcoefficients?\b")),
)
_DOMAIN_NAMES = {"integer": "integer", "binary": "binary", "free": "free", "nonneg": "non-negative"}
_MAX_SECTION_WORDS = 5
_INDICATOR = re.compile(
    r"\b1\$? (?:if|when|iff)\b.*\b(?:0\$?,? otherwise|otherwise,? \$?0|else \$?0)", re.S
)
_KINDS_OF_MODEL = frozenset(
    ["program", "programs", "programming", "linear", "model", "problem", "optimization"]
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


class ClauseReader(Grammar):
    """Walks the tokens once and collects clauses and mentions."""

    def __init__(self, tokens: list[Token], source: str) -> None:
        super().__init__(tokens, source)
        self.clauses: list[Clause] = []
        self.mentions: list[Mention] = []
        self.everywhere: list[tuple[str, int, int]] = []
        self._section = ""
        self._words: list[Token] = []
        self._sense = ""
        self._sense_token: Token | None = None
        self._leading: list[Node] = []
        self._sentence_start = 0
        self._goal_words: list[Token] = []
        self._trailing_words: list[Token] = []
        self._described: set[int] = set()
        self._defined = {
            t.value
            for t, after in pairwise(tokens)
            if t.kind == "name" and after.is_op("=") and len(t.value) > 1
        }

    def run(self) -> Document:
        """Read the whole statement.

        Raises:
            Unreadable: Something that looks like algebra is not understood.
        """
        while self.at < len(self.tokens):
            self._step()
        return Document(tuple(self.clauses), tuple(self.mentions), tuple(self.everywhere))

    # -- one step -------------------------------------------------------------------------

    def _step(self) -> None:
        token = self.peek()
        if token.kind == "break":
            self._end_of_line(token)
        elif token.kind == "heading":
            self.take()
            self._section = _section_of(token.value) or self._section
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
            if 0 < len(words) <= 2 and _section_of(" ".join(words)):
                self._lead()
            return
        if 0 < len(words) <= _MAX_SECTION_WORDS - 2 and not self._used_sentence():
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
        if self._words and len(self._words) <= _MAX_SECTION_WORDS:
            section = _section_of(words)
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

    # -- objectives -----------------------------------------------------------------------

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
            self._skip_script()
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

    def _skip_script(self) -> None:
        if not self.accept("{"):
            self.take()
            return
        depth = 1
        while depth and self.at < len(self.tokens):
            token = self.take()
            depth += token.is_op("{") - token.is_op("}")

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

    # -- relations ------------------------------------------------------------------------

    def _algebra(self) -> None:
        mark = self.at
        try:
            self._items(mark)
        except Unreadable:
            stop = self._run_end(mark)
            run = self.tokens[mark:stop]
            anchored = any(t.math for t in run) or any(
                (t.kind == "op" and (t.value in RELATIONS or t.value == "in")) for t in run
            )
            if anchored:
                raise
            self.at = max(stop, mark + 1)

    def _run_end(self, mark: int) -> int:
        position = mark
        while position < len(self.tokens) and self.tokens[position].kind not in ("break", "prose"):
            position += 1
        return position

    def _items(self, mark: int) -> None:
        """Expressions separated by commas, then perhaps a relation and what qualifies it."""
        heads = [self._operand()]
        while True:
            back = self.at
            self.skip_quads()
            separators = 0
            while self.peek().is_op(",") or self.peek().is_kw("and") or self.peek().kind == "quad":
                separators += 1
                self.take()
            if self.peek().is_op("dots"):
                dots = self.take()
                heads.append(n.Dots(dots.start, dots.end))
                continue
            if not separators or not self._continues_list(heads):
                self.at = back
                break
            try:
                heads.append(self._operand())
            except Unreadable:
                if any(t.math for t in self.tokens[back : self.at + 1]):
                    raise
                self.at = back
                break
        self.skip_quads()
        token = self.peek()
        if token.is_op("in"):
            self._membership(tuple(heads))
        elif token.kind == "op" and token.value in RELATIONS:
            self._relation(heads, mark)
        elif token.is_op("notin", "subset", "union", "intersect", "setminus"):
            raise self.error("this set relation is not understood")
        else:
            self._bare(tuple(heads), mark)

    def _operand(self) -> Node:
        token = self.peek()
        if token.is_op("\\{") or (token.is_op("{") and not token.math):
            return self.set_expression()
        return self.expression()

    def _continues_list(self, heads: list[Node]) -> bool:
        """Whether a list of symbols goes on after a comma."""
        if not isinstance(heads[-1], n.Sym | n.Apply | n.Dots):
            return False
        return self.peek().kind == "name"

    def _relation(self, heads: list[Node], mark: int) -> None:
        ops: list[str] = []
        operands: list[Node] = []
        while self.peek().kind == "op" and self.peek().value in RELATIONS:
            relation = self.take()
            self.skip_quads()
            if relation.value == "=" and self._described_next():
                self._mention(heads)
                return
            ops.append(relation.value)
            operands.append(self._right_operand(relation, heads))
            self.skip_quads()
        start = heads[0].start
        _check_direction(ops, (start, operands[-1].end))
        operands[-1] = self._with_list(heads, ops, operands[-1])
        body = n.Compare(start, operands[-1].end, tuple(heads), tuple(ops), tuple(operands))
        if self._sense and self._names_the_goal(body):
            self._named_goal(body)
            return
        self._finish(Clause(start, body.end, "relation", body), mark)

    def _described_next(self) -> bool:
        token = self.peek()
        return token.kind in ("prose", "kw") and not token.math

    def _right_operand(self, relation: Token, heads: list[Node]) -> Node:
        token = self.peek()
        if token.kind == "begin" and token.value in ("cases", "dcases"):
            raise self.error("a value defined by cases is not understood; write one line per case")
        if relation.value == "=":
            if token.is_op("\\{") or (token.is_op("{") and self._braces_hold_a_set()):
                return self.set_expression()
            if token.kind == "numset":
                return self.set_expression()
            if token.kind == "name" and self._set_operation_follows():
                return self.set_expression()
        return self.expression()

    def _braces_hold_a_set(self) -> bool:
        return not self.peek().math or any(
            t.is_op(",") for t in self.tokens[self.at : self.at + 12]
        )

    def _set_operation_follows(self) -> bool:
        return self.peek(1).is_op("setminus") or (
            self.peek(1).is_op("*") and self.peek(2).kind == "name" and self.peek(1).end
            - self.peek(1).start == 6 and self.source[self.peek(1).start :].startswith("\\times")
        )  # fmt: skip

    def _with_list(self, heads: list[Node], ops: list[str], last: Node) -> Node:
        """Extend `i = 1` to `i = 1, …, n` and `c = 3` to `c = 3, 5, 2`."""
        if ops != ["="] or not isinstance(heads[0], n.Sym | n.Apply):
            return last
        mark = self.at
        items: list[Node] = [last]
        while self.peek().is_op(",", "dots"):
            self.accept(",")
            self.skip_quads()
            if self.accept("dots"):
                self.accept(",")
                self.skip_quads()
                hi = self.expression()
                return n.RangeSet(last.start, hi.end, last, hi)
            if not isinstance(last, n.Num | n.Neg):
                break
            if self.peek().kind != "num" and not self.peek().is_op("-"):
                break
            try:
                item = self.expression()
            except Unreadable:
                break
            if not isinstance(item, n.Num | n.Neg) or self._relation_next():
                break
            items.append(item)
            mark = self.at
        self.at = mark
        if len(items) == 1:
            return last
        return n.Vector(last.start, items[-1].end, tuple(items))

    def _relation_next(self) -> bool:
        return self.peek().kind == "op" and self.peek().value in RELATIONS | {"in"}

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

    def _membership(self, heads: tuple[Node, ...]) -> None:
        self.take()
        self.skip_quads()
        mark = self.at
        domain = self.set_expression()
        body = n.Compare(heads[0].start, domain.end, heads, ("in",), (domain,))
        if self.peek().is_op("=") and isinstance(domain, n.Sym):
            self.clauses.append(Clause(body.start, body.end, "relation", body))
            self._relation([domain], mark)
            return
        self._finish(Clause(body.start, body.end, "relation", body), mark)

    # -- what follows a relation ----------------------------------------------------------

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
        self.clauses.append(finished)
        self._words = []
        while self.peek().kind == "prose" and self.peek().value.lower() not in _NEW_THOUGHT:
            self.take()

    def _domain_words(self) -> tuple[list[str], int]:
        words: list[str] = []
        end = 0
        while True:
            mark = self.at
            while (
                self.peek().kind == "quad"
                or self.peek().is_op(",", "(")
                or self.peek().is_kw("and")
                or (self.peek().kind == "prose" and self.peek().value.lower() in _FILLER)
            ):
                self.take()
            token = self.peek()
            if token.kind != "kw" or token.value not in DOMAIN_WORDS:
                self.at = mark
                return words, end
            self.take()
            self.accept(")")
            words.append(token.value)
            end = token.end
            while self.peek().kind == "prose" and self.peek().value.lower() in _FILLER:
                self.take()

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

    def _skip_index_noun(self) -> None:
        """`for each product i`: the noun between the words and the index."""
        mark = self.at
        while self.peek().kind == "prose":
            self.take()
        if self.peek().kind != "name" and not self.peek().is_op("("):
            self.at = mark

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
            changing = [w for w in changing if w in _CHANGES_DATA]
        elif self._words and not self._colon_before(clause):
            changing += [w.value for w in self._words if w.value.lower() in _OPERATIONS]
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

    def _refuse_joined(self, node: Node) -> None:
        """Refuse when algebra goes on directly after what was understood."""
        token = self.peek()
        glued = token.kind == "op" and token.value in (
            "*", "/", "^", "_", "!", "'", "]", "}", "\\}", "setminus", "notin", "union", "dots",
        )  # fmt: skip
        if glued or (token.kind in ("num", "func", "name", "numset") and not token.space):
            raise self.error("this is not understood after the formula before it")
        if token.kind in ("num", "name", "func", "numset") and token.math:
            previous = self.tokens[self.at - 1]
            if previous.math and previous.kind not in ("quad", "break"):
                gap = self.source[previous.end : token.start]
                if "$" not in gap and "\\)" not in gap and "}" not in gap:
                    raise self.error("this is not understood after the formula before it")

    # -- quantifiers and domains that stand alone -------------------------------------------

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

    def _relation_follows(self) -> bool:
        position = self.at
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and token.value != "soft":
                return False
            if token.kind == "op" and token.value in RELATIONS | {"in"}:
                return True
            position += 1
        return False

    def _free_domain_word(self) -> None:
        """`All variables are integer`, or a domain word that prose puts after a symbol."""
        position = self.at
        token = self.take()
        if position in self._described:
            return
        words = {w.value.lower() for w in self._words}
        follows = self.peek()
        if follows.kind == "prose" and follows.value.lower().rstrip("s") in _KINDS_OF_MODEL:
            return
        negated = words & {"not", "no", "need", "never"}
        everything = words & {"variables", "variable", "values", "quantities", "they"}
        plural = follows.kind == "prose" and follows.value.lower() in ("variables", "values")
        if not negated and (("all" in words and everything) or (plural and not words)):
            self.everywhere.append((token.value, (self._words or [token])[0].start, token.end))
            return
        if token.value in ("integer", "binary", "free", "nonneg"):
            raise Unreadable(
                f"it is not said which symbols are {_DOMAIN_NAMES[token.value]}; "
                "write for example x integer, or all variables are integer",
                ((token.start, token.end),),
            )

    # -- symbols without a relation ----------------------------------------------------------

    def _bare(self, heads: tuple[Node, ...], mark: int) -> None:
        words, end = self._domain_words()
        symbols = tuple(h for h in heads if isinstance(h, n.Sym | n.Apply | n.Dots))
        if words and len(symbols) == len(heads):
            body = n.Compare(heads[0].start, heads[-1].end, heads, (), ())
            clause = Clause(body.start, max(end, body.end), "domain", body, words=tuple(words))
            self._finish_domain(clause, mark)
            return
        if self._sense and not isinstance(heads[0], n.Num) and self._is_expression(heads):
            self.at = mark
            self._goal()
            return
        if len(symbols) == len(heads):
            if self._is_description() or self._goes_on_describing(mark):
                self._mention(list(heads))
            return
        if all(isinstance(h, n.Num) for h in heads):
            return
        if any(isinstance(h, n.SetLit) for h in heads):
            return
        operations = [
            x for h in heads for x in n.walk(h) if isinstance(x, n.Bin | n.Reduce | n.Call)
        ]
        named = any(isinstance(x, n.Sym) for h in heads for x in n.walk(h))
        if operations and named:
            prose = all(not t.math for t in self.tokens[mark : self.at])
            hyphen = all(isinstance(o, n.Bin) and o.op in "-/" for o in operations)
            if not (prose and hyphen) and not self._is_description():
                raise Unreadable(
                    "this expression is neither an objective nor a relation",
                    ((heads[0].start, heads[-1].end),),
                )

    def _is_expression(self, heads: tuple[Node, ...]) -> bool:
        return len(heads) == 1 and (
            not isinstance(heads[0], n.Sym) or self.peek().kind == "break" or self.peek().is_op(".")
        )

    def _finish_domain(self, clause: Clause, mark: int) -> None:
        trailing = self._trailing_quantifiers(clause)
        end = max([clause.end, *(q.end for q in trailing)])
        quants = (*self._leading, *trailing)
        prose = self._prose_around(mark)
        finished = replace(clause, end=end, quants=quants, section=self._section, prose=prose)
        self._refuse_changed(finished)
        self.clauses.append(finished)
        self._words = []

    def _is_description(self) -> bool:
        token = self.peek()
        led = bool(self._words) and self._words[-1].value.lower() in ("let", "where", "with", "and")
        be = token.kind == "prose" and token.value.lower() in _BE
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
        if _INDICATOR.search(self.source[symbols[0].start : self._sentence_end()]):
            words.append("binary")
        if words:
            start = symbols[0].start
            body = n.Compare(start, symbols[-1].end, symbols, (), ())
            self.clauses.append(
                Clause(start, end, "domain", body, words=tuple(words), section=self._section)
            )

    def _sentence_end(self) -> int:
        position, end = self.at, self.peek().start
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and token.value != "soft":
                break
            end = token.end
            position += 1
        return end

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
        return first and (token.is_op("=") or token.value.lower() in _BE)

    def _starts_algebra(self, position: int, *, numbers: bool = True) -> bool:
        if position >= len(self.tokens):
            return True
        kinds = ("name", "num", "func") if numbers else ("name", "func")
        return self.tokens[position].kind in kinds

    def _text_of(self, words: list[Token]) -> str:
        if not words:
            return ""
        return " ".join(w.value for w in words if w.kind in ("prose", "name", "num", "kw"))


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


def _section_of(text: str) -> str:
    for section, pattern in _SECTIONS:
        if pattern.search(text):
            return section
    return ""


def _check_direction(ops: list[str], span: tuple[int, int]) -> None:
    kinds = {op.rstrip("=") or "=" for op in ops}
    if {"<", ">"} <= kinds or ("!" in kinds and len(ops) > 1):
        raise Unreadable("a chain of relations must point one way", (span,))
