"""The reserved names of the algebra: every function, with its arity and one line of help."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Kind(StrEnum):
    """What a function stands for, hence where it may be used."""

    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    SET = "set"
    LOGICAL = "logical"
    GLOBAL = "global"
    TERM = "term"
    RANDOM = "random"


class Argument(StrEnum):
    """What an argument must be.

    `NUMBER` and `TRUTH` are expressions; `LIST` is a list display, a comprehension or the
    name of a parameter or set; `SET` is the name of a set; `MEMBER` is an index or member.
    """

    NUMBER = "number"
    TRUTH = "truth"
    LIST = "list"
    SET = "set"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Function:
    """A reserved function.

    Attributes:
        name: As written in expressions.
        kind: Group it belongs to.
        arguments: Kind of each argument; the last one repeats if `repeats`.
        required: How many of `arguments` must be given.
        signature: How a call is written, for error messages and help.
        help: One line.
        repeats: True if any number of further arguments may follow.
    """

    name: str
    kind: Kind
    arguments: tuple[Argument, ...]
    required: int
    signature: str
    help: str
    repeats: bool = False

    def takes(self, count: int) -> bool:
        """Whether a call may have this many arguments."""
        return count >= self.required and (self.repeats or count <= len(self.arguments))


_N, _T, _L, _S, _M = (
    Argument.NUMBER,
    Argument.TRUTH,
    Argument.LIST,
    Argument.SET,
    Argument.MEMBER,
)


def _function(
    signature: str,
    kind: Kind,
    arguments: tuple[Argument, ...],
    help: str,
    *,
    required: int | None = None,
    repeats: bool = False,
) -> Function:
    name = signature.partition("(")[0]
    count = len(arguments) if required is None else required
    return Function(name, kind, arguments, count, signature, help, repeats)


_ALL = (
    _function("abs(x)", Kind.SCALAR, (_N,), "absolute value"),
    _function("exp(x)", Kind.SCALAR, (_N,), "e to the power x"),
    _function("log(x)", Kind.SCALAR, (_N,), "natural logarithm"),
    _function("log10(x)", Kind.SCALAR, (_N,), "logarithm to base 10"),
    _function("sqrt(x)", Kind.SCALAR, (_N,), "square root"),
    _function("sin(x)", Kind.SCALAR, (_N,), "sine of radians"),
    _function("cos(x)", Kind.SCALAR, (_N,), "cosine of radians"),
    _function("tan(x)", Kind.SCALAR, (_N,), "tangent of radians"),
    _function("asin(x)", Kind.SCALAR, (_N,), "arc sine, in radians"),
    _function("acos(x)", Kind.SCALAR, (_N,), "arc cosine, in radians"),
    _function("atan(x)", Kind.SCALAR, (_N,), "arc tangent, in radians"),
    _function("sinh(x)", Kind.SCALAR, (_N,), "hyperbolic sine"),
    _function("cosh(x)", Kind.SCALAR, (_N,), "hyperbolic cosine"),
    _function("tanh(x)", Kind.SCALAR, (_N,), "hyperbolic tangent"),
    _function("floor(x)", Kind.SCALAR, (_N,), "largest integer not above x"),
    _function("ceil(x)", Kind.SCALAR, (_N,), "smallest integer not below x"),
    _function("sum(… for i in I)", Kind.AGGREGATE, (_L,), "sum; 0 over nothing"),
    _function("prod(… for i in I)", Kind.AGGREGATE, (_L,), "product; 1 over nothing"),
    _function(
        "min(… for i in I)",
        Kind.AGGREGATE,
        (_L,),
        "smallest of a list, a comprehension or several arguments",
        repeats=True,
    ),
    _function(
        "max(… for i in I)",
        Kind.AGGREGATE,
        (_L,),
        "largest of a list, a comprehension or several arguments",
        repeats=True,
    ),
    _function("first(S)", Kind.SET, (_S,), "first member of an ordered set"),
    _function("last(S)", Kind.SET, (_S,), "last member of an ordered set"),
    _function("card(S)", Kind.SET, (_S,), "number of members of a set"),
    _function(
        "pred(i, S)",
        Kind.SET,
        (_M, _S),
        "member before i; S may be left out where i runs over it",
        required=1,
    ),
    _function(
        "succ(i, S)",
        Kind.SET,
        (_M, _S),
        "member after i; S may be left out where i runs over it",
        required=1,
    ),
    _function(
        "ord(i, S)",
        Kind.SET,
        (_M, _S),
        "position of i, from 1; S may be left out where i runs over it",
        required=1,
    ),
    _function("implies(a, b)", Kind.LOGICAL, (_T, _T), "b holds whenever a holds"),
    _function("iff(a, b)", Kind.LOGICAL, (_T, _T), "a and b are both true or both false"),
    _function("all(… for i in I)", Kind.LOGICAL, (_L,), "every one holds; true over nothing"),
    _function("any(… for i in I)", Kind.LOGICAL, (_L,), "at least one holds; false over nothing"),
    _function("all_different(x[i] for i in I)", Kind.GLOBAL, (_L,), "no two values are equal"),
    _function(
        "circuit(arc[i,j] for i in N for j in N if i != j)",
        Kind.GLOBAL,
        (_L,),
        "the chosen arcs form one tour through every node",
    ),
    _function(
        "multi_circuit([arc[i,j] for i in N for j in N if i != j], depot)",
        Kind.GLOBAL,
        (_L, _M),
        "the chosen arcs form tours that all pass the depot and together every node",
    ),
    _function(
        "no_overlap(interval(start[i], duration[i]) for i in I)",
        Kind.GLOBAL,
        (_L,),
        "no two intervals run at the same time",
    ),
    _function(
        "cumulative([interval(start[t], length[t]) for t in T], [use[t] for t in T], capacity)",
        Kind.GLOBAL,
        (_L, _L, _N),
        "the demands of the intervals that run never exceed the capacity",
    ),
    _function(
        "element(values, index)",
        Kind.GLOBAL,
        (_L, _N, _N, _N, _N),
        "the value at a variable index: position from 1 in a list, member of a set of integers",
        required=2,
    ),
    _function("table([x, y], ROWS)", Kind.GLOBAL, (_L, _L), "the values form one of the rows"),
    _function(
        "inverse(after, before)",
        Kind.GLOBAL,
        (_L, _L),
        "after[i] == j exactly when before[j] == i",
    ),
    _function(
        "interval(start, size, present)",
        Kind.TERM,
        (_N, _N, _T),
        "a span of time; present, if given, says whether it takes place",
        required=2,
    ),
    _function(
        "piecewise(x, xs, ys)",
        Kind.TERM,
        (_N, _L, _L),
        "linear interpolation through the points (xs[k], ys[k]); x stays within xs",
    ),
    _function("expectation(x)", Kind.RANDOM, (_N,), "mean over the random parameters"),
    _function("probability(a)", Kind.RANDOM, (_T,), "chance that a holds"),
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType({f.name: f for f in _ALL})
"""Every function by name."""

KEYWORDS = frozenset(keyword.kwlist)
"""Words of the expression language itself."""

RESERVED: frozenset[str] = frozenset(FUNCTIONS) | KEYWORDS
"""Names that no set, parameter, variable or index may have."""


def names(kind: Kind) -> frozenset[str]:
    """Names of all functions of a kind."""
    return frozenset(f.name for f in _ALL if f.kind is kind)
