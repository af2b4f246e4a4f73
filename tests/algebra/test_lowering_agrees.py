"""Three independent readings of a formulation give the same numbers.

The arrays of the lowered form, the vectorised evaluator, and the plain interpreter below, which
walks the syntax tree one scalar at a time, are compared on generated formulations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.algebra import nodes as n
from orkernel.algebra.parse import parse, parse_for_each
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

TOLERANCE = 1e-6


# --------------------------------------------------------------------------- plain interpreter


class Interpreter:
    """Evaluates a formulation at one point by walking its trees with Python scalars."""

    def __init__(self, model: Model, x: np.ndarray) -> None:
        self.sets = {name: list(s.members) for name, s in model.sets.items()}
        self.data: dict[str, Any] = {}
        for name, values in model.parameters.items():
            index = model.program.scope.parameters[name].index
            self.data[name] = dict(zip(self.keys(index), values.reshape(-1).tolist(), strict=True))
        for block in model.columns.blocks:
            part = x[block.offset : block.offset + block.size].tolist()
            self.data[block.name] = dict(zip(self.keys(block.index), part, strict=True))

    def keys(self, index: Any) -> list[tuple[Any, ...]]:
        keys: list[tuple[Any, ...]] = [()]
        for s in index:
            keys = [(*k, *(m if isinstance(m, tuple) else (m,))) for k in keys for m in s.members]
        return keys

    def environments(self, generators: Any, env: dict[str, Any]) -> Any:
        if not generators:
            yield env
            return
        first, *rest = generators
        for member in self.source(first.source, env):
            names = first.targets
            inner = {
                **env,
                **(
                    {names[0]: member} if len(names) == 1 else dict(zip(names, member, strict=True))
                ),
            }
            if all(self.value(c, inner) for c in first.conditions):
                yield from self.environments(rest, inner)

    def source(self, node: n.Node, env: dict[str, Any]) -> list[Any]:
        if isinstance(node, n.Name):
            return self.sets[node.id]
        if isinstance(node, n.Sequence):
            return [self.value(i, env) for i in node.items]
        assert isinstance(node, n.Comprehension)
        return [self.value(node.element, e) for e in self.environments(node.generators, env)]

    def value(self, node: n.Node, env: dict[str, Any]) -> Any:
        match node:
            case n.Number(value=v) | n.Text(value=v):
                return v
            case n.Name(id=name):
                return env[name] if name in env else self.data[name][()]
            case n.Sequence(items=items):
                return tuple(self.value(i, env) for i in items)
            case n.Subscript(base=base, indices=indices):
                key: tuple[Any, ...] = ()
                for i in indices:
                    part = self.value(i, env)
                    key += part if isinstance(part, tuple) else (part,)
                key = tuple(int(k) if isinstance(k, float) else k for k in key)
                return self.data[base][key]
            case n.Unary(op=op, operand=operand):
                v = self.value(operand, env)
                return (not v) if op == "not" else -v if op == "-" else v
            case n.Binary(op=op, left=left, right=right):
                a, b = self.value(left, env), self.value(right, env)
                return {
                    "+": lambda: a + b,
                    "-": lambda: a - b,
                    "*": lambda: a * b,
                    "/": lambda: a / b,
                    "**": lambda: a**b,
                    "//": lambda: a // b,
                    "%": lambda: a % b,
                }[op]()
            case n.Compare(operands=operands, ops=ops):
                return all(
                    self.compare(a, op, b, env)
                    for a, op, b in zip(operands, ops, operands[1:], strict=False)
                )
            case n.Logic(op=op, operands=operands):
                return (all if op == "and" else any)(self.value(o, env) for o in operands)
            case n.Conditional(test=test, then=then, otherwise=otherwise):
                return self.value(then if self.value(test, env) else otherwise, env)
            case n.Call(function=name, arguments=arguments):
                return self.call(name, arguments, env)
        raise AssertionError(node)

    def compare(self, left: n.Node, op: str, right: n.Node, env: dict[str, Any]) -> bool:
        a = self.value(left, env)
        if op in ("in", "not in"):
            return (a in self.source(right, env)) == (op == "in")
        b = self.value(right, env)
        if isinstance(a, (str, tuple)) or isinstance(b, (str, tuple)):
            return (a == b) == (op == "==")
        difference = round(a - b, 7)
        return {
            "<=": difference <= 0,
            ">=": difference >= 0,
            "<": difference < 0,
            ">": difference > 0,
            "==": difference == 0,
            "!=": difference != 0,
        }[op]

    def call(self, name: str, arguments: Any, env: dict[str, Any]) -> Any:
        first = arguments[0]
        if name in ("implies", "iff"):
            a, b = (bool(self.value(i, env)) for i in arguments)
            return (not a or b) if name == "implies" else a == b
        if name in ("sum", "prod", "min", "max", "all", "any"):
            if isinstance(first, n.Comprehension):
                values = [
                    self.value(first.element, e) for e in self.environments(first.generators, env)
                ]
            elif isinstance(first, n.Sequence):
                values = [self.value(i, env) for i in first.items]
            else:
                values = [self.value(i, env) for i in arguments]
            function: Any = {
                "sum": math.fsum,
                "prod": math.prod,
                "min": min,
                "max": max,
                "all": all,
                "any": any,
            }[name]
            return function(values)
        if name == "card":
            return len(self.source(first, env))
        if name == "ord":
            return self.source(arguments[1], env).index(self.value(first, env)) + 1
        if name == "abs":
            return abs(self.value(first, env))
        raise AssertionError(name)


# --------------------------------------------------------------------------- generated models

NUMBERS = st.one_of(st.integers(-4, 4), st.floats(-4, 4).map(lambda v: round(v, 2)))


class Writer:
    """Draws expressions over the names of one generated formulation."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.fresh = 0

    def name(self, prefix: str) -> str:
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def index(self, scope: dict[str, str], kind: str) -> str | None:
        names = [k for k, v in scope.items() if v == kind]
        return self.pick(*names) if names else None

    def generator(self, scope: dict[str, str]) -> tuple[str, dict[str, str]]:
        """A generator with conditions, and the scope inside it."""
        kind = self.pick("I", "I", "T", "T", "ARC", "SUB", "LIST")
        if kind == "ARC":
            i, j = self.name("i"), self.name("j")
            inner, text = {**scope, i: "I", j: "I"}, f"({i}, {j}) in ARC"
        elif kind == "T":
            t = self.name("t")
            inner, text = {**scope, t: "T"}, f"{t} in T"
        else:
            i = self.name("i")
            source = {"I": "I", "SUB": "SUB", "LIST": '[e for e in I if e != "b"]'}[kind]
            inner, text = {**scope, i: "I"}, f"{i} in {source}"
        for _ in range(self.pick(0, 0, 1, 2)):
            text += f" if {self.condition(inner)}"
        return text, inner

    def condition(self, scope: dict[str, str]) -> str:
        i, j = self.index(scope, "I"), self.index(scope, "I")
        t, u = self.index(scope, "T"), self.index(scope, "T")
        options = ["k >= 1"]
        if i is not None:
            options += [
                f'{i} != "a"',
                f"ord({i}, I) < 3",
                f"a[{i}] > 0",
                f"{i} in SUB",
                f'{i} in ["a", "c"]',
            ]
            options += [
                f"{i} != {j}",
                f"{i} == {j}",
                f"({i}, {j}) in ARC",
                f"({j}, {i}) not in ARC",
            ]
            options += [f"label[{i}] == label[{j}]", f"c[{i}, {j}] >= 1 and {i} != {j}"]
        if t is not None:
            options += [
                f"{t} >= 2",
                f"{t} <= {u}",
                f"{t} == {u} + 1",
                f"{u} < {t} and w[{u} + 1] > 0",
                f"{t} % 2 == 0",
            ]
            options += [
                f"{t} > 1 and w[{t} - 1] > 0",
                f"not {t} == 2",
                f"{t} == 1 or w[{t} - 1] <= 0",
            ]
        if i is not None and t is not None:
            options += [f"label[{i}] == {t}", f"ord({i}, I) <= {t}"]
        return self.pick(*options)

    def data(self, scope: dict[str, str], depth: int) -> str:
        if depth:
            below = depth - 1
            kind = self.pick("leaf", "leaf", "sum", "+", "*", "/", "max", "abs")
            if kind == "sum":
                generator, inner = self.generator(scope)
                return f"sum({self.data(inner, 0)} for {generator})"
            if kind in ("+", "*"):
                return f"({self.data(scope, below)} {kind} {self.data(scope, below)})"
            if kind == "/":
                return f"{self.data(scope, below)} / 4"
            if kind == "max":
                return f"max({self.data(scope, below)}, {self.data(scope, below)})"
            if kind == "abs":
                return f"abs({self.data(scope, below)})"
        i, j = self.index(scope, "I"), self.index(scope, "I")
        t = self.index(scope, "T")
        options = ["2", "-1.5", "0", "k", "card(ARC)"]
        if i is not None:
            options += [f"a[{i}]", f"c[{i}, {j}]", f"ord({i}, I)"]
            options += [f"(g[{i}, {j}] if ({i}, {j}) in ARC else 2)"]
        if t is not None:
            options += [f"w[{t}]", t, f"(w[{t} - 1] if {t} > 1 else k)", f"w[{t}] ** 2"]
        return self.pick(*options)

    def variable(self, scope: dict[str, str]) -> str:
        i, j = self.index(scope, "I"), self.index(scope, "I")
        t = self.index(scope, "T")
        options = ["z"]
        if i is not None:
            options += [f"x[{i}]", f"y[{i}, {j}]", f"(f[{i}, {j}] if ({i}, {j}) in ARC else 0)"]
        if t is not None:
            options += [f"s[{t}]", f"(s[{t} - 1] if {t} > 1 else z)", f"s[{t}]"]
        if i is not None and t is not None:
            options += [f"p[{i}, {t}]"]
        return self.pick(*options)

    def expression(self, scope: dict[str, str], depth: int, quadratic: bool) -> str:
        if not depth:
            return self.variable(scope)
        kind = self.pick(
            "variable",
            "sum",
            "sum",
            "plus",
            "minus",
            "scale",
            "scale",
            "over",
            "if",
            "quadratic",
            "data",
        )
        below = depth - 1
        if kind == "sum":
            generator, inner = self.generator(scope)
            if self.pick(True, False):
                second, inner = self.generator(inner)
                generator = f"{generator} for {second}"
            return f"sum({self.expression(inner, below, quadratic)} for {generator})"
        if kind in ("plus", "minus"):
            sign = "+" if kind == "plus" else "-"
            left = self.expression(scope, below, quadratic)
            return f"({left} {sign} {self.expression(scope, below, quadratic)})"
        if kind == "scale":
            return f"{self.data(scope, 1)} * {self.expression(scope, below, quadratic)}"
        if kind == "over":
            return f"{self.expression(scope, below, quadratic)} / 2"
        if kind == "if":
            then = self.expression(scope, below, quadratic)
            return f"({then} if {self.condition(scope)} else {self.variable(scope)})"
        if kind == "quadratic" and quadratic:
            linear = self.expression(scope, below, False)
            if self.pick(True, False):
                return f"({linear}) ** 2"
            return f"({linear}) * {self.expression(scope, 0, False)}"
        if kind == "data":
            return self.data(scope, 1)
        return self.variable(scope)

    def logic(self, scope: dict[str, str], depth: int) -> str:
        """A condition on variables."""
        below = depth - 1
        kind = self.pick("and", "or", "not", "implies", "iff", "all", "any") if depth else "leaf"
        if kind in ("and", "or"):
            return f"({self.logic(scope, below)} {kind} {self.logic(scope, below)})"
        if kind == "not":
            return f"(not {self.logic(scope, below)})"
        if kind in ("implies", "iff"):
            return f"{kind}({self.logic(scope, below)}, {self.logic(scope, below)})"
        if kind in ("all", "any"):
            generator, inner = self.generator(scope)
            return f"{kind}({self.logic(inner, below)} for {generator})"
        op = self.pick("<=", ">=", "==", "!=", "<", ">")
        right = self.pick(self.data(scope, 0), self.variable(scope))
        return f"({self.pick(self.variable(scope), self.smooth(scope))} {op} {right})"

    def smooth(self, scope: dict[str, str]) -> str:
        """A nonlinear expression that is defined everywhere."""
        parts = [self.expression(scope, 1, True) for _ in range(2)]
        kind = self.pick("min", "max", "abs", "cube", "ratio", "list", "truth")
        if kind in ("min", "max"):
            return f"{kind}({parts[0]}, {parts[1]}, 1)"
        if kind == "cube":
            return f"({parts[0]}) ** 3 * ({parts[1]})"
        if kind == "ratio":
            return f"({parts[0]}) / (1 + ({parts[1]}) ** 2)"
        if kind == "list":
            generator, inner = self.generator(scope)
            total = f"sum(abs({self.variable(inner)}) for {generator})"
            return f"max(max([{self.variable(scope)}, 0.5]), {total})"
        if kind == "truth":
            return f"(({parts[0]} >= 0) + 2 * ({parts[1]} < 1))"
        return f"abs({parts[0]} - {parts[1]})"


@st.composite
def formulations(draw: Any, quadratic: bool, logical: bool = False) -> Formulation:
    size, periods = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    members = ["a", "b", "c", "d"][:size]
    pairs = [[i, j] for i in members for j in members]
    arcs = draw(st.lists(st.sampled_from(pairs), unique_by=tuple, max_size=6)) if pairs else []
    sub = draw(st.lists(st.sampled_from(members), unique=True)) if members else []

    def vector(length: int) -> list[Any]:
        return draw(st.lists(NUMBERS, min_size=length, max_size=length))

    writer = Writer(draw)
    constraints = []
    for k in range(draw(st.integers(1, 3))):
        scope: dict[str, str] = {}
        entry: dict[str, Any] = {"name": f"r{k}"}
        if draw(st.booleans()):
            entry["for_each"], scope = writer.generator({})
            if draw(st.booleans()):
                second, scope = writer.generator(scope)
                entry["for_each"] += f", {second}"
        op = writer.pick("<=", ">=", "==", "<", ">")
        body = writer.expression(scope, 3, quadratic)
        shape = writer.pick("data", "both", "chain")
        if shape == "data":
            text = f"{body} {op} {writer.data(scope, 1)}"
        elif shape == "both":
            text = f"{body} {op} {writer.expression(scope, 1, quadratic)}"
        else:
            first = writer.pick("<=", "<")
            text = f"{writer.data(scope, 1)} {first} {body} <= {writer.data(scope, 1)}"
        entry["expression"] = writer.logic(scope, 2) if logical else text
        constraints.append(entry)
    domain = st.sampled_from(["continuous", "integer", "binary"])
    return Formulation.model_validate(
        {
            "sets": [
                {"name": "ARC", "members": arcs},
                {"name": "I", "members": members},
                {"name": "SUB", "members": sub},
                {"name": "T", "range": [1, periods]},
            ],
            "parameters": [
                {"name": "k", "value": draw(NUMBERS)},
                {"name": "a", "index": ["I"], "value": vector(size)},
                {
                    "name": "label",
                    "index": ["I"],
                    "value": draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)),
                },
                {"name": "c", "index": ["I", "I"], "value": [vector(size) for _ in members]},
                {"name": "w", "index": ["T"], "value": vector(periods)},
                {"name": "g", "index": ["ARC"], "value": vector(len(arcs))},
            ],
            "variables": [
                {"name": "x", "index": ["I"], "domain": draw(domain)},
                {"name": "y", "index": ["I", "I"], "domain": draw(domain)},
                {"name": "z", "domain": draw(domain)},
                {"name": "s", "index": ["T"], "domain": draw(domain)},
                {"name": "f", "index": ["ARC"], "domain": draw(domain)},
                {"name": "p", "index": ["I", "T"]},
            ],
            "objectives": [
                {
                    "name": "o",
                    "sense": "minimize",
                    "expression": writer.expression({}, 4, quadratic),
                }
            ],
            "constraints": constraints,
        }
    )


def varies(model: Model, expression: n.Node) -> bool:
    """True if a variable stands in the expression."""
    names = {definition.name for definition in model.formulation.variables}
    used = {part.id for part in expression.walk() if isinstance(part, n.Name)}
    used |= {part.base for part in expression.walk() if isinstance(part, n.Subscript)}
    return not names.isdisjoint(used)


def plain_bodies(model: Model, x: np.ndarray) -> tuple[float, list[float]]:
    """Objective and body of every row, by the interpreter: its variables minus its data."""
    interpreter = Interpreter(model, x)
    objective = interpreter.value(parse(model.formulation.objectives[0].expression), {})
    bodies: list[float] = []
    for definition in model.formulation.constraints:
        node = parse(definition.expression)
        assert isinstance(node, n.Compare)
        generators = parse_for_each(definition.for_each) if definition.for_each else ()
        environments = list(interpreter.environments(list(generators), {}))
        for pair in zip(node.operands, node.operands[1:], strict=False):
            left, right = sorted(pair, key=lambda side: not varies(model, side))
            bodies.extend(
                interpreter.value(left, e) - interpreter.value(right, e) for e in environments
            )
    return objective, bodies


def lowered_values(model: Model, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Objective, row activities and row bounds from the arrays."""
    form = model.quadratic()
    objective = form.linear.objectives[0]
    value = objective.offset + objective.cost @ x
    if objective.quadratic is not None:
        value += 0.5 * x @ (objective.quadratic @ x)
    activity = form.linear.matrix @ x
    for row, matrix in form.row_quadratic.items():
        activity[row] += 0.5 * x @ (matrix @ x)
    return value, activity, form.linear.row_lower, form.linear.row_upper


COMMON = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)


@pytest.mark.parametrize("quadratic", [False, True])
@COMMON
@given(data=st.data())
def test_arrays_evaluator_and_interpreter_agree(quadratic: bool, data: st.DataObject) -> None:
    formulation = data.draw(formulations(quadratic))
    model = Model.bind(formulation)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(-3, 4, len(model.columns)) / 2
    plain_objective, bodies = plain_bodies(model, x)
    evaluated = model.evaluate(np.stack([x, np.zeros_like(x), x]))
    close = {"rtol": 1e-9, "atol": 1e-7}
    np.testing.assert_allclose(evaluated.objectives[0, 0], plain_objective, **close)
    np.testing.assert_allclose(evaluated.bodies[0], bodies, **close)
    np.testing.assert_array_equal(evaluated.bodies[0], evaluated.bodies[2])

    classes = {
        *model.structure.constraint_class.values(),
        *model.structure.objective_class.values(),
    }
    assert classes <= ({"linear", "quadratic"} if quadratic else {"linear"})
    value, activity, lower, upper = lowered_values(model, x)
    np.testing.assert_allclose(value, plain_objective, **close)
    allowed = model.intervals
    for bound, limit in ((lower, allowed.lower), (upper, allowed.upper)):
        finite = np.isfinite(bound)
        np.testing.assert_array_equal(finite, np.isfinite(limit))
        distance = (activity - bound)[finite]
        expected = (np.array(bodies) - limit)[finite]
        np.testing.assert_allclose(distance, expected, rtol=1e-9, atol=1e-6)
    if not quadratic:
        assert (model.linear().matrix != model.quadratic().linear.matrix).nnz == 0
        assert model.linear().matrix.has_canonical_format
        assert np.all(model.linear().matrix.data != 0)


@COMMON
@given(data=st.data())
def test_evaluator_and_interpreter_agree_on_conditions(data: st.DataObject) -> None:
    model = Model.bind(data.draw(formulations(True, logical=True)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    points = rng.integers(-3, 4, (3, len(model.columns))) / 2
    values = model.evaluate(points)
    for point, bodies in zip(points, values.bodies, strict=True):
        interpreter = Interpreter(model, point)
        expected: list[bool] = []
        for definition in model.formulation.constraints:
            node = parse(definition.expression)
            parts = parse_for_each(definition.for_each) if definition.for_each else ()
            for environment in interpreter.environments(list(parts), {}):
                expected.append(bool(interpreter.value(node, environment)))
        assert bodies.tolist() == [float(e) for e in expected]
    np.testing.assert_array_equal(values.violations, 1 - values.bodies)


@COMMON
@given(data=st.data())
def test_a_point_survives_the_way_to_nested_values_and_back(data: st.DataObject) -> None:
    model = Model.bind(data.draw(formulations(False)))
    size = len(model.columns)
    x = np.array(data.draw(st.lists(st.floats(-1e9, 1e9), min_size=size, max_size=size)))
    np.testing.assert_array_equal(model.point(model.values(x)), x)


@COMMON
@given(data=st.data())
def test_a_derived_model_keeps_exactly_the_chosen_rows(data: st.DataObject) -> None:
    model = Model.bind(data.draw(formulations(True)))
    rows = len(model.rows)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), np.bool_)
    chosen = np.flatnonzero(keep)
    again = np.array(
        data.draw(st.lists(st.booleans(), min_size=chosen.size, max_size=chosen.size)), np.bool_
    )
    x = np.arange(len(model.columns)) / 4 - 1
    full = model.evaluate(x)
    for derived, kept in (
        (model.derive(keep_rows=keep), chosen),
        (model.derive(keep_rows=keep).derive(keep_rows=again), chosen[again]),
    ):
        assert len(derived.rows) == kept.size
        values = derived.evaluate(x)
        np.testing.assert_array_equal(values.bodies, full.bodies[:, kept])
        np.testing.assert_array_equal(values.violations, full.violations[:, kept])
        form, whole = derived.quadratic(), model.quadratic()
        assert (form.linear.matrix != whole.linear.matrix[kept]).nnz == 0
        np.testing.assert_array_equal(form.linear.row_upper, whole.linear.row_upper[kept])
        for new, old in enumerate(kept.tolist()):
            assert derived.rows.label(new) == model.rows.label(old)
            assert (new in form.row_quadratic) == (old in whole.row_quadratic)
            if old in whole.row_quadratic:
                assert (form.row_quadratic[new] != whole.row_quadratic[old]).nnz == 0


@COMMON
@given(data=st.data())
def test_the_linear_part_is_the_linear_rows_of_the_quadratic_form(data: st.DataObject) -> None:
    model = Model.bind(data.draw(formulations(True)))
    keep = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(model.rows), max_size=len(model.rows))),
        np.bool_,
    )
    for variant in (model, model.derive(keep_rows=keep)):
        part, whole = variant.linear_part(), variant.quadratic()
        chosen = np.flatnonzero(part.linear)
        assert not set(chosen.tolist()) & set(whole.row_quadratic)
        assert (part.rows.matrix[chosen] != whole.linear.matrix[chosen]).nnz == 0
        np.testing.assert_array_equal(part.rows.lower[chosen], whole.linear.row_lower[chosen])
        np.testing.assert_array_equal(part.rows.upper[chosen], whole.linear.row_upper[chosen])
        others = np.flatnonzero(~part.linear)
        assert part.rows.matrix[others].nnz == 0
        assert np.isinf(part.rows.lower[others]).all()
        for found, objective in zip(part.objectives, whole.linear.objectives, strict=True):
            if found is not None:
                assert objective.quadratic is None
                np.testing.assert_array_equal(found.cost, objective.cost)
                assert found.offset == objective.offset


@COMMON
@given(data=st.data())
def test_a_linear_model_is_its_linear_part(data: st.DataObject) -> None:
    part = Model.bind(data.draw(formulations(False))).linear_part()
    assert part.linear.all()
    assert None not in part.objectives


@COMMON
@given(data=st.data())
def test_a_point_that_meets_the_lowered_rows_meets_the_evaluated_ones(data: st.DataObject) -> None:
    model = Model.bind(data.draw(formulations(True)))
    x = (
        np.random.default_rng(data.draw(st.integers(0, 99)))
        .integers(-2, 3, len(model.columns))
        .astype(float)
    )
    _, activity, lower, upper = lowered_values(model, x)
    values = model.evaluate(x)
    distance = np.maximum(0.0, np.maximum(lower - activity, activity - upper))
    scale = np.maximum(1.0, np.abs(values.bodies[0]))
    np.testing.assert_allclose(
        distance, values.violations[0], rtol=1e-6, atol=float(1e-6 * scale.max(initial=1.0))
    )
