"""Printing: the text of a tree reads back as that tree, to us and to Python."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.algebra.functions import FUNCTIONS
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
from orkernel.algebra.parse import parse, parse_for_each
from orkernel.algebra.printing import for_each_text, to_text
from orkernel.errors import ExpressionError

NAMES = st.sampled_from(["x", "y", "ship", "I", "J", "i", "j", "_", "Open2"])
TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\\\"'\n\t"), max_size=6
)
NUMBERS = st.integers(0, 10**30) | st.floats(0, allow_nan=False, allow_infinity=False)
LEAVES = NUMBERS.map(Number) | TEXTS.map(Text) | NAMES.map(Name)


def tuples(of: st.SearchStrategy[Node], least: int, most: int = 3) -> st.SearchStrategy[tuple]:
    return st.lists(of, min_size=least, max_size=most).map(tuple)


def compares(of: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    ops = st.sampled_from(["<=", ">=", "==", "!=", "<", ">", "in", "not in"])
    return st.lists(st.tuples(ops, of), min_size=1, max_size=3).flatmap(
        lambda tail: of.map(
            lambda head: Compare((head, *(o for _, o in tail)), tuple(op for op, _ in tail))
        )
    )


def comprehensions(of: st.SearchStrategy[Node]) -> st.SearchStrategy[Comprehension]:
    sources = NAMES.map(Name) | tuples(of, 0).map(Sequence)
    generators = st.builds(
        Generator, st.lists(NAMES, min_size=1, max_size=2).map(tuple), sources, tuples(of, 0, 2)
    )
    return st.builds(Comprehension, of, tuples(generators, 1, 2))


@st.composite
def calls(draw: st.DrawFn, of: st.SearchStrategy[Node]) -> Node:
    function = draw(st.sampled_from(sorted(FUNCTIONS.values(), key=lambda f: f.name)))
    count = draw(st.integers(function.required, len(function.arguments) + 2 * function.repeats))
    arguments = draw(st.lists(of | comprehensions(of), min_size=count, max_size=count))
    return Call(function.name, tuple(arguments))


def is_index(indices: tuple[Node, ...]) -> bool:
    """A single tuple in an index is read as several indices, so no tree holds one."""
    return len(indices) > 1 or not isinstance(indices[0], Sequence)


def grow(of: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Unary, st.sampled_from(["-", "+", "not"]), of),
        st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]), of, of),
        compares(of),
        st.builds(Logic, st.sampled_from(["and", "or"]), tuples(of, 2)),
        st.builds(Conditional, of, of, of),
        st.builds(Subscript, NAMES, tuples(of, 1).filter(is_index)),
        tuples(of, 0).map(Sequence),
        comprehensions(of),
        calls(of),
    )


TREES = st.recursive(LEAVES, grow, max_leaves=25)


@settings(max_examples=400, deadline=None)
@given(TREES)
def test_the_text_of_a_tree_parses_back_to_it(tree: Node) -> None:
    assert parse(to_text(tree)) == tree


@settings(max_examples=200, deadline=None)
@given(st.lists(comprehensions(LEAVES).map(lambda c: c.generators), min_size=1, max_size=2))
def test_the_text_of_generators_parses_back_to_them(parts: list[tuple[Generator, ...]]) -> None:
    generators = sum(parts, ())
    assert parse_for_each(for_each_text(generators)) == generators


@settings(max_examples=300, deadline=None)
@given(TREES)
def test_python_reads_the_text_of_a_tree_in_the_same_way(tree: Node) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        theirs = ast.parse(to_text(tree), mode="eval").body
    assert from_python(theirs) == tree


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("((a)+(b*(c)))", "a + b*c"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("(-a)**2", "(-a)**2"),
        ("-(a**2)", "-a**2"),
        ("2**(-x)", "2**-x"),
        ("(a**b)**c", "(a**b)**c"),
        ("(a<=b)<=c", "(a <= b) <= c"),
        ("not(a and b)", "not (a and b)"),
        ("(a and b)or c", "a and b or c"),
        ("x[(i,j)]", "x[i, j]"),
        ("(i,j)in ARC", "(i, j) in ARC"),
        ("sum([x[i]for i in I])", "sum(x[i] for i in I)"),
        ("max([x[i]for i in I],0)", "max([x[i] for i in I], 0)"),
        ("sum(x for(i,j)in ARC if(a or b))", "sum(x for (i, j) in ARC if a or b)"),
        ("1e16+1.50", "1e+16 + 1.5"),
    ],
)
def test_prints_with_few_parentheses(text: str, printed: str) -> None:
    assert to_text(parse(text)) == printed


def test_a_negative_number_made_by_a_program_prints_as_a_valid_power_base() -> None:
    assert to_text(Binary("**", Number(-2), Number(2))) == "(-2)**2"


def test_the_printed_text_of_a_long_chain_is_stable() -> None:
    text = " + ".join(f"x{i}" for i in range(100))
    tree = parse(text)
    assert parse(to_text(tree)) == tree


@pytest.mark.parametrize("text", ["a" + "+a" * 31, "a" + "+a" * 32, "a" + "*a" * 31])
def test_chains_around_the_limit_keep_their_value(text: str) -> None:
    tree = parse(text)
    names = sum(isinstance(node, Name) for node in tree.walk())
    assert names == text.count("a")


def test_printing_something_that_is_no_node_is_an_error() -> None:
    with pytest.raises(TypeError, match="not a node"):
        to_text("x")  # type: ignore[arg-type]


def test_a_generated_tree_can_be_refused_by_no_one_but_us() -> None:
    with pytest.raises(ExpressionError):
        parse("x if y else z for i in I")


# --------------------------------------------------------------- Python's own reading

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.Gt: ">",
    ast.In: "in",
    ast.NotIn: "not in",
}


def from_python(node: ast.AST) -> Node:
    """Our tree for a tree of `ast`."""
    match node:
        case ast.Constant(value=str() as value):
            return Text(value)
        case ast.Constant(value=value):
            return Number(value)
        case ast.Name(id=name):
            return Name(name)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=items)):
            return Subscript(name, tuple(map(from_python, items)))
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            return Subscript(name, (from_python(index),))
        case ast.UnaryOp(op=op, operand=operand):
            return Unary(_OPERATORS[type(op)], from_python(operand))
        case ast.BinOp(left=left, op=op, right=right):
            return Binary(_OPERATORS[type(op)], from_python(left), from_python(right))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return Compare(
                tuple(map(from_python, [left, *rest])), tuple(_OPERATORS[type(op)] for op in ops)
            )
        case ast.BoolOp(op=op, values=values):
            return Logic(_OPERATORS[type(op)], tuple(map(from_python, values)))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return Conditional(from_python(test), from_python(body), from_python(orelse))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return Sequence(tuple(map(from_python, items)))
        case (
            ast.ListComp(elt=element, generators=gens)
            | ast.GeneratorExp(elt=element, generators=gens)
        ):
            return Comprehension(from_python(element), tuple(map(generator_from_python, gens)))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return Call(name, tuple(map(from_python, arguments)))
    raise AssertionError(ast.dump(node))


def generator_from_python(node: ast.comprehension) -> Generator:
    targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
    return Generator(
        tuple(target.id for target in targets if isinstance(target, ast.Name)),
        from_python(node.iter),
        tuple(map(from_python, node.ifs)),
    )
