"""The parser: what it reads, what it refuses and with which hint, and that nothing breaks it."""

from __future__ import annotations

import threading
import time
import warnings
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orkernel.algebra.functions import FUNCTIONS, RESERVED
from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Generator,
    Logic,
    Name,
    Node,
    Number,
    Sequence,
    Subscript,
    Text,
    Unary,
)
from orkernel.algebra.parse import MAX_CHAIN, MAX_DEPTH, parse, parse_for_each
from orkernel.algebra.tokens import MAX_LENGTH
from orkernel.errors import ExpressionError
from orkernel.formulation.schema import MAX_EXPRESSION

A, B, C, X = Name("a"), Name("b"), Name("c"), Name("x")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a - b - c", Binary("-", Binary("-", A, B), C)),
        ("a - b * c", Binary("-", A, Binary("*", B, C))),
        ("a / b * c", Binary("*", Binary("/", A, B), C)),
        ("a // b % c", Binary("%", Binary("//", A, B), C)),
        ("a ** b ** c", Binary("**", A, Binary("**", B, C))),
        ("-a ** -b", Unary("-", Binary("**", A, Unary("-", B)))),
        ("-a * b", Binary("*", Unary("-", A), B)),
        ("a <= x < b", Compare((A, X, B), ("<=", "<"))),
        ("a not in b", Compare((A, B), ("not in",))),
        ("not a in b", Unary("not", Compare((A, B), ("in",)))),
        ("a or b and not c", Logic("or", (A, Logic("and", (B, Unary("not", C)))))),
        ("a and (b and c)", Logic("and", (A, Logic("and", (B, C))))),
        ("a if b else c if x else 1", Conditional(B, A, Conditional(X, C, Number(1)))),
        ("x[a, b + 1]", Subscript("x", (A, Binary("+", B, Number(1))))),
        ("x['New York']", Subscript("x", (Text("New York"),))),
        ('"a\\u00e9\\\\\\""', Text('aé\\"')),
        ("x[(a, b)]", Subscript("x", (A, B))),
        ("[a, b,]", Sequence((A, B))),
        ("(a, b) in c", Compare((Sequence((A, B)), C), ("in",))),
        ("[]", Sequence(())),
        ("1_000 + .5 + 2. + 3e2", None),
        ("max(a, b, c)", Call("max", (A, B, C))),
        (
            "sum(x[i] for i in c if i != a if i in b)",
            Call(
                "sum",
                (
                    Comprehension(
                        Subscript("x", (Name("i"),)),
                        (
                            Generator(
                                ("i",),
                                C,
                                (
                                    Compare((Name("i"), A), ("!=",)),
                                    Compare((Name("i"), B), ("in",)),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
        ),
    ],
)
def test_reads_with_the_precedence_of_python(text: str, tree: Node | None) -> None:
    parsed = parse(text)
    if tree is None:
        numbers = [n.value for n in parsed.walk() if isinstance(n, Number)]
        assert numbers == [1000, 0.5, 2.0, 300.0]
        assert isinstance(numbers[0], int)
    else:
        assert parsed == tree


def test_brackets_around_the_only_comprehension_make_no_difference() -> None:
    assert parse("sum([a for i in b])") == parse("sum(a for i in b)")


def test_line_breaks_and_tabs_are_spaces() -> None:
    assert parse("a\n  + b\t<=\r\n c") == parse("a + b <= c")


def test_spans_count_characters_not_bytes() -> None:
    text = "x['Zürich'] + (y + z)*w"
    tree = parse(text)
    spans = {type(n).__name__ + str(n.span): text[slice(*n.span)] for n in tree.walk()}
    assert "x['Zürich']" in spans.values()
    assert "(y + z)*w" in spans.values()
    assert "y + z" in spans.values()


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        ("x^2", 2, "x**2"),
        ("a = b", 3, "write =="),
        ("a ≤ b", 3, "write <="),
        ("a ≥ b", 3, "write >="),
        ("a => b", 3, "implies(a, b)"),
        ("a && b", 3, "write and"),
        ("a || b", 3, "write or"),
        ("!a", 1, "write not"),
        ("a − b", 3, "minus sign"),
        ("a × b", 3, "write *"),
        ("∑ x", 1, "sum("),
        ("2x", 1, "2*x"),
        ("2 x", 3, "2*x"),
        ("2(a + b)", 2, "2*(…)"),
        ("(a)(b)", 4, "a*(…)"),
        ("a b", 3, "a*b"),
        ("x[i][j]", 5, "x[i, j]"),
        ("x[]", 3, "x[i]"),
        ("x[[]]", 1, "x[i]"),
        ("x[1:2]", 4, "slices"),
        ("x(i)", 1, "x[i]"),
        ("smu(x[i] for i in I)", 1, "did you mean sum"),
        ("pow(x, 2)", 1, "x**y"),
        ("__import__('os').system('ls')", 1, "run no code"),
        ("a.b", 2, "attributes"),
        ("lambda i: i", 1, "cannot be defined"),
        ("f'{a}'", 1, "plain string"),
        ("(a := 3)", 4, "nothing can be assigned"),
        ("sum(a, start=3)", 13, "no keywords"),
        ("sum(*a)", 5, "list the items"),
        ("True", 1, "write 1"),
        ("a is b", 3, "write =="),
        ("a implies b", 3, "implies(a, b)"),
        ("implies(a)", 1, "implies(a, b)"),
        ("all_different(a, b)", 1, "all_different(x[i] for i in I)"),
        ("sum", 1, "sum(… for i in I)"),
        ("x <= 1,000", 7, "1000"),
        ("sum(a for i in I, j in J)", 17, "begins with 'for'"),
        ("sum(a for i in I and j in J)", 16, "'for' between generators"),
        ("sum(a if b for i in I)", 12, "after 'for … in …'"),
        ("sum(a for i in range(3))", 16, "define the range as a set"),
        ("(a for i in I)", 4, "[… for i in I]"),
        ("sum(a for sum in I)", 11, "another name"),
        ("sum(a for i in 5)", 16, "name of a set"),
        ("{a, b}", 1, "[ ]"),
        ("0x10", 1, "base 10"),
        ("007", 1, "write 7"),
        ("2j", 1, ""),
        ("1e999", 1, "1.8e308"),
        ("'abc", 1, "add '"),
        (r"'\q'", 2, "backslash"),
        (r"'\ud800'", 2, "backslash"),
        ("λ", 1, "A–Z"),
        ("a\u00a0+ b", 2, "ordinary space"),
        ("a\0b", 2, "remove it"),
        ("'a\0b'", 3, "remove it"),
        ("a\ud800", 2, "remove it"),
        ("()", 2, "write an expression"),
        ("", 1, "write one"),
        (" \n ", 1, "write one"),
        ("a +", 4, "missing"),
        ("(a", 3, "add )"),
        ("a)", 2, "remove it"),
        ("a + * b", 5, "write it"),
        ("1 + not a", 5, "parentheses"),
        ("a not b", 3, "not in"),
        ("a # b", 3, "comments"),
        ("$5", 1, "unit"),
        (r"\sum_i x_i", 1, "LaTeX"),
    ],
)
def test_refuses_with_place_and_hint(text: str, column: int, hint: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, element="constraint 'supply'")
    error = caught.value
    assert error.span[0] + 1 == column
    assert hint in error.fix
    assert error.text == text
    assert str(error).startswith("constraint 'supply': ")


def test_for_each_reads_for_and_comma_alike() -> None:
    expected = (
        Generator(("i",), Name("I")),
        Generator(("j", "k"), Name("ARC"), (Compare((Name("i"), Name("j")), ("!=",)),)),
    )
    for text in (
        "i in I for (j, k) in ARC if i != j",
        "i in I, (j, k) in ARC if i != j",
        "i in I, j, k in ARC if i != j",
    ):
        assert parse_for_each(text) == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("for i in I", "begin with"),
        ("i", "i in I"),
        ("", "i in I"),
        ("i in I and j in J", "'for' between generators"),
        ("i in I if a else b", "parentheses"),
        ("i in I for", "i in I"),
        ("i in I)", "remove it"),
        ("(i, j in ARC", ""),
        ("max in I", "another name"),
        ("i in I if " + "(" * 10_000, "remove parentheses"),
    ],
)
def test_for_each_refuses_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_for_each(text)
    assert hint in caught.value.fix


def test_limits_of_schema_and_parser_are_the_same() -> None:
    assert MAX_EXPRESSION == MAX_LENGTH


def test_every_function_is_reserved_and_described() -> None:
    assert set(FUNCTIONS) <= RESERVED
    for function in FUNCTIONS.values():
        assert function.help
        assert function.signature.startswith(function.name + "(")
        parse(function.signature.replace("…", "a"))


# ------------------------------------------------------------------------- size and depth


def test_a_chain_of_50_000_terms_parses_to_a_flat_sum() -> None:
    text = "+".join(["x"] * 50_000)
    tree = parse(text)
    assert isinstance(tree, Call)
    assert tree.function == "sum"
    assert len(tree.arguments[0].children()) == 50_000
    assert tree.span == (0, len(text))


def test_a_long_chain_keeps_its_signs() -> None:
    tree = parse(" - ".join(f"x{i}" for i in range(MAX_CHAIN + 1)))
    terms = tree.children()[0].children()
    assert terms[0] == Name("x0")
    assert all(isinstance(term, Unary) and term.op == "-" for term in terms[1:])


def test_long_chains_inside_brackets_and_of_other_operators_parse() -> None:
    long_sum = " + ".join(f"{i}*x[{i}]" for i in range(3_000))
    assert isinstance(parse(f"sum([{long_sum}, y]) <= max({long_sum}, 0)"), Compare)
    assert len(parse(" and ".join(["a"] * 10_000)).children()) == 10_000
    assert len(parse(" <= ".join(["a"] * 10_000)).children()) == 10_000
    assert len(parse("*".join(["a"] * 10_000)).children()[0].children()) == 10_000


HOSTILE = {
    "parentheses": "(" * 10_000 + "x" + ")" * 10_000,
    "open parentheses": "(" * 100_000,
    "brackets": "[" * 50_000,
    "indices": "x[" * 30_000,
    "calls": "abs(" * 20_000,
    "minus": "-" * 99_999 + "x",
    "not": "not " * 20_000 + "x",
    "powers": "**".join(["x"] * 30_000),
    "divisions": "/".join(["x"] * 50_000),
    "conditionals": "a if b else " * 8_000 + "c",
    "comprehensions": "sum(" * 5_000 + "x" + " for i in I)" * 5_000,
    "generators": "sum(x" + " for i in I if i" * 5_000 + ")",
    "nested lists": "[a for i in " * 8_000,
    "subscripts": "x[x[" * 20_000,
    "too long": "x+" * 60_000,
    "digits": "9" * 99_999,
    "decimals": "0." + "9" * 99_990,
    "exponent": "1e" + "9" * 99_990,
    "underscores": "_" * 100_000,
    "quote": "'" * 100_000,
    "backslashes": "'" + "\\" * 99_990,
    "dots": "." * 100_000,
    "dunder": "__" * 40_000 + "(x)",
    "null bytes": "\0" * 1_000,
    "surrogates": "\ud800" * 1_000,
    "commas": "[" + "," * 50_000,
    "warnings": "1 in 2 == '\\d' is 5 [1](2)",
    "mixed depth": "-(" * 5_000 + "not x if a else [" * 2_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_or_read_quickly_and_silently(text: str) -> None:
    begin = time.thread_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read in (parse, parse_for_each):
            with suppress(ExpressionError):
                read(text)
    assert time.thread_time() - begin < 5


def test_deep_text_is_refused_in_a_thread_with_a_small_stack() -> None:
    outcomes: list[object] = []

    def work() -> None:
        for text in HOSTILE.values():
            try:
                outcomes.append(parse(text))
            except ExpressionError as error:
                outcomes.append(error)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(outcomes) == len(HOSTILE)


def test_trees_are_never_deeper_than_the_limit() -> None:
    inside = "(" * (MAX_DEPTH - 2) + "x" + ")" * (MAX_DEPTH - 2)
    assert parse(inside) == X
    nested = "x"
    for _ in range(MAX_DEPTH // MAX_CHAIN):
        nested = f"({nested})" + "+x" * (MAX_CHAIN - 1)
        assert isinstance(parse(nested), Binary)
    with pytest.raises(ExpressionError, match="nested more than"):
        parse(f"({nested})" + "+x" * (MAX_CHAIN - 1))


def test_equality_hash_and_repr_of_the_deepest_tree_work() -> None:
    text = "-" * (MAX_DEPTH - 2) + "x"
    tree = parse(text)
    assert tree == parse(text)
    assert hash(tree) == hash(parse(text))
    assert repr(tree)


# ------------------------------------------------------------------------- fuzz

VALID = (
    "sum(freight[p,m]*ship[p,m] for p in PLANT for m in MARKET) <= capacity[p]",
    "implies(open[f] == 0, sum(ship[f,c] for c in CITY) == 0)",
    "no_overlap(interval(start[j,k], duration[j,k]) for (j,k) in OP if machine[j,k] == m)",
    "cumulative([interval(s[t], 1) for t in TASK], [crew[t] for t in TASK], crews)",
    "l <= x['New \\u0059ork'] - 2**-3 <= u if a // b % 2 == 0 else piecewise(x, [0, 1], [2, 3])",
    "not (a or b) and x[first(T)] + y[pred(t, T)] >= 1e-3",
)
PIECES = st.sampled_from(
    [
        *sorted(FUNCTIONS),
        *"()[],+-*/%<>='\"\\^:.0123456789xyzIJ \n\t_{}&|≤∑é\0",
        *("**", "//", "<=", "==", "!=", "for", "in", "if", "else", "not", "and", "or"),
        *("lambda", "is", " for i in I", "1e9", "sum("),
    ]
)


def refused_or_read(text: str) -> None:
    for read in (parse, parse_for_each):
        begin = time.thread_time()
        try:
            read(text)
        except ExpressionError as error:
            start, end = error.span
            assert 0 <= start <= end <= len(text)
        assert time.thread_time() - begin < 2


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
@example("\ud800")
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    refused_or_read(text)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_arbitrary_pieces_are_read_or_refused(text: str) -> None:
    refused_or_read(text)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_mutated_expressions_are_read_or_refused(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 5))
        text = text[:at] + data.draw(PIECES) + text[at + cut :]
    refused_or_read(text)
