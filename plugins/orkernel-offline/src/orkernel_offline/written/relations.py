"""Relations, memberships, and expressions that turn out to be neither."""

from __future__ import annotations

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.goals import Goals
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.tokens import RELATIONS, Token

_NEVER_IN_PROSE = frozenset({"in", "+", "*", "^"})


class Relations(Goals):
    """Reads one stretch of algebra."""

    def _algebra(self) -> None:
        mark = self.at
        try:
            self._items(mark)
        except Unreadable:
            stop = self._run_end(mark)
            run = self.tokens[mark:stop]
            anchored = any(
                t.math or (t.kind == "op" and t.value in RELATIONS | _NEVER_IN_PROSE) for t in run
            )
            if anchored:
                raise
            self.at = max(stop, mark + 1)

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
            if self._decimal_comma() and self._term_goes_on(self.at + 2):
                raise self._comma_error()
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
                if self._decimal_comma():
                    raise self._comma_error()
                raise Unreadable(
                    "this expression is neither an objective nor a relation",
                    ((heads[0].start, heads[-1].end),),
                )

    def _is_expression(self, heads: tuple[Node, ...]) -> bool:
        return len(heads) == 1 and (
            not isinstance(heads[0], n.Sym) or self.peek().kind == "break" or self.peek().is_op(".")
        )


def _check_direction(ops: list[str], span: tuple[int, int]) -> None:
    kinds = {op.rstrip("=") or "=" for op in ops}
    if {"<", ">"} <= kinds or ("!" in kinds and len(ops) > 1):
        raise Unreadable("a chain of relations must point one way", (span,))
