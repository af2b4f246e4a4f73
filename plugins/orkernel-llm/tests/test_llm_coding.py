"""The code agent with a scripted model: every program runs in the real isolation."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
from llm_coding_runs import GOOD, STATEMENT, Contexts, Ran, Solve, fenced, model_of
from llm_scripted_model import Answer
from llm_scripted_server import ScriptedServer, answer, cut_at_length, refusal, tool_call

from orkernel.errors import Cancelled, PluginError, UsageError
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Status
from orkernel.verify import verify
from orkernel_llm.coding import agent as agent_module
from orkernel_llm.coding.agent import CodeSolverAgent
from orkernel_llm.failures import ModelRefused, Unreachable
from orkernel_llm.isolation import NoIsolation


@pytest.fixture
def solve(context_of: Contexts) -> Solve:
    def run(answers: list[Answer], model: Model | None = None, **rest: Any) -> Ran:
        return Ran(context_of, answers, model, **rest)

    return run


# ------------------------------------------------------------------ answers that hold


def test_a_linear_program_solved_with_scipy_is_feasible_and_heuristic_and_passes_the_check(
    solve: Solve,
) -> None:
    code = """
from scipy.optimize import linprog
found = linprog([-price[g] for g in GRAIN], A_ub=[[1, 1]], b_ub=[hours], bounds=[(0, 3)] * 2)
values = {"sacks": dict(zip(GRAIN, found.x))}
final_answer({"variables": values, "results": {"sacks in all": sum(found.x)}})
"""
    ran = solve([fenced(code)])
    assert ran.answer.status is Status.FEASIBLE
    assert ran.answer.guarantee is Guarantee.HEURISTIC
    assert ran.answer.objective == pytest.approx(11)
    assert ran.answer.bound is None
    assert ran.answer.message == "1 program in 1 step"
    assert verify(ran.model, ran.answer).verified


def test_whole_numbers_are_enumerated_and_indexed_by_pairs(solve: Solve) -> None:
    model = model_of(
        {
            "sets": [
                {"name": "CREW", "members": ["a", "b", "c"]},
                {"name": "SHIFT", "range": [1, 3]},
            ],
            "parameters": [
                {
                    "name": "cost",
                    "index": ["CREW", "SHIFT"],
                    "value": [[4, 1, 3], [2, 0, 5], [3, 2, 2]],
                }
            ],
            "variables": [{"name": "on", "index": ["CREW", "SHIFT"], "domain": "binary"}],
            "objectives": [
                {
                    "name": "cost",
                    "sense": "minimize",
                    "expression": "sum(cost[c, s] * on[c, s] for c in CREW for s in SHIFT)",
                }
            ],
            "constraints": [
                {
                    "name": "one shift",
                    "for_each": "c in CREW",
                    "expression": "sum(on[c, s] for s in SHIFT) == 1",
                },
                {
                    "name": "one crew",
                    "for_each": "s in SHIFT",
                    "expression": "sum(on[c, s] for c in CREW) == 1",
                },
            ],
        }
    )
    code = """
from itertools import permutations
best = min(permutations(SHIFT), key=lambda p: sum(cost[c, s] for c, s in zip(CREW, p)))
final_answer({"variables": {"on": {(c, s): s == t for c, t in zip(CREW, best) for s in SHIFT}}})
"""
    ran = solve([fenced(code)], model)
    assert ran.answer.objective == 5
    assert verify(model, ran.answer).verified


def test_state_is_kept_from_one_program_to_the_next(solve: Solve) -> None:
    ran = solve(
        [
            fenced("best = {'rye': 3, 'oats': 1}\nprint('found', best['rye'])"),
            fenced("final_answer({'variables': {'sacks': best}})"),
        ]
    )
    assert ran.answer.objective == 11
    assert "found 3" in ran.told(1)
    assert "final_answer was not called" in ran.told(1)


def test_a_wrong_answer_is_corrected_by_what_the_check_says(solve: Solve) -> None:
    ran = solve([GOOD.replace("3", "4"), GOOD.replace("1", "2"), GOOD])
    assert ran.answer.objective == 11
    assert "variable sacks[rye] = 4 is above its upper bound 3" in ran.told(1)
    assert "constraint time is violated by 1" in ran.told(2)
    assert "time reads: sum(sacks[g] for g in GRAIN) <= hours" in ran.told(2)
    assert ran.calls == 3


def test_a_claim_of_optimality_makes_no_answer_optimal(solve: Solve) -> None:
    ran = solve(
        [
            fenced(
                'final_answer({"status": "optimal", "proven": True, "bound": 2,'
                ' "variables": {"sacks": {"rye": 0, "oats": 1}}})'
            )
        ]
    )
    assert ran.answer.status is Status.FEASIBLE
    assert ran.answer.guarantee is Guarantee.HEURISTIC
    assert ran.answer.bound is None
    assert ran.answer.objective == 2


def test_figures_that_differ_from_the_kernels_are_told_in_the_answer(solve: Solve) -> None:
    ran = solve([GOOD.replace("}}})", "}}, 'results': {'sacks in all': 5}, 'objective': 15})")])
    assert "'sacks in all' is 5; recomputed it is 4" in ran.answer.message
    assert "objective 'income' is 15; recomputed it is 11" in ran.answer.message
    assert ran.answer.objective == 11


def test_a_model_with_random_parameters_gets_estimates_from_independent_scenarios(
    solve: Solve,
) -> None:
    model = model_of(
        {
            "parameters": [
                {"name": "demand", "distribution": {"uniform": {"low": 0, "high": 100}}}
            ],
            "variables": [{"name": "stock", "upper": 100}],
            "objectives": [
                {
                    "name": "gain",
                    "sense": "maximize",
                    "expression": "expectation(min(stock, demand)) - 0.5 * stock",
                }
            ],
        }
    )
    code = """
import numpy as np
d = np.array(demand)
best = max(range(40, 61), key=lambda q: np.minimum(q, d).mean() - 0.5 * q)
final_answer({"variables": {"stock": best}})
"""
    ran = solve([fenced(code)], model)
    assert ran.answer.status is Status.FEASIBLE
    assert ran.answer.guarantee is Guarantee.SAMPLED
    assert ran.answer.values is not None
    assert ran.answer.values[0] == pytest.approx(50, abs=2)
    assert {e.name for e in ran.answer.estimates} == {"gain"}
    assert verify(model, ran.answer).verified


def test_a_model_without_objective_gets_a_point(solve: Solve) -> None:
    ran = solve([GOOD], model_of(objectives=[]))
    assert ran.answer.status is Status.FEASIBLE
    assert ran.answer.objective is None
    assert verify(ran.model, ran.answer).verified


def test_large_data_reaches_the_program_without_passing_through_the_prompt(solve: Solve) -> None:
    count = 5000
    model = model_of(
        {
            "sets": [{"name": "ITEM", "range": [1, count]}],
            "parameters": [
                {"name": "worth", "index": ["ITEM"], "value": [k % 977 + 0.5 for k in range(count)]}
            ],
            "variables": [{"name": "take", "index": ["ITEM"], "domain": "binary"}],
            "objectives": [
                {
                    "name": "worth",
                    "sense": "maximize",
                    "expression": "sum(worth[i] * take[i] for i in ITEM)",
                }
            ],
            "constraints": [{"name": "three", "expression": "sum(take[i] for i in ITEM) <= 3"}],
        }
    )
    code = """
best = sorted(ITEM, key=worth.get)[-3:]
final_answer({"variables": {"take": {i: int(i in best) for i in ITEM}}})
"""
    ran = solve([fenced(code)], model)
    assert ran.answer.objective == 3 * 976.5
    assert sum(len(m.text) for m in ran.asked.seen[0].messages) < 6000


# ------------------------------------------------------------------ answers that do not


def test_a_point_that_never_holds_ends_with_what_was_wrong_and_what_to_do(solve: Solve) -> None:
    ran = solve([GOOD.replace("1", "2")], agent_options={"steps": 3})
    assert isinstance(ran.error, PluginError)
    assert "no program of the model gave an answer that holds: 3 programs in 3 steps" in str(
        ran.error
    )
    assert "constraint time is violated by 1" in str(ran.error)
    assert "-o code.steps=N" in str(ran.error)
    assert ran.calls == 3


def test_a_program_that_never_calls_final_answer_ends_told(solve: Solve) -> None:
    ran = solve([fenced("print({'sacks': {'rye': 3, 'oats': 1}})")], agent_options={"steps": 2})
    assert "the program did not call final_answer" in str(ran.error)
    assert ran.calls == 2


def test_a_claim_of_infeasibility_is_an_error_at_once_and_never_infeasible(solve: Solve) -> None:
    ran = solve([fenced('final_answer({"infeasible": "rye is out"})'), GOOD])
    assert isinstance(ran.error, PluginError)
    assert "claims that no point meets the constraints: rye is out; that is no proof" in str(
        ran.error
    )
    assert ran.calls == 1


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("float('nan')", "is nan, not a finite number"),
        ("float('inf')", "not a finite number"),
        ("'three'", "a number is expected, 'three' is given"),
        ("None", "a number is expected, nothing is given"),
        ("3 + 0j", "of type complex"),
        ("lambda: 3", "of type function"),
        ("10 ** 400", "too large"),
    ],
)
def test_a_value_that_is_no_number_is_told_and_corrected(
    solve: Solve, value: str, told: str
) -> None:
    ran = solve(
        [fenced(f'final_answer({{"variables": {{"sacks": {{"rye": {value}, "oats": 1}}}}}})'), GOOD]
    )
    assert told in ran.told(1)
    assert ran.answer.objective == 11


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("final_answer()", "the answer is empty"),
        ("final_answer('sacks: 3 and 1')", "the answer is the text 'sacks: 3 and 1'"),
        ("final_answer([3, 1])", "the answer is a list"),
        ("final_answer({'variables': {'sack': {}}})", "variable 'sack' is not in the model"),
        ("final_answer({'variables': {'sacks': {'rye': 3}}})", "no value for sacks[oats]"),
        (
            "final_answer({'variables': {'sacks': {'rye': 3, 'oats': 1, 'corn': 1}}})",
            "'corn' is not a member of 'GRAIN'",
        ),
    ],
)
def test_an_ill_shaped_answer_is_told_and_corrected(solve: Solve, code: str, told: str) -> None:
    ran = solve([fenced(code), GOOD])
    assert told in ran.told(1)
    assert ran.answer.objective == 11


# ------------------------------------------------------------------ typical faults of small models


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The best plan is 3 sacks of rye and 1 of oats.", "no Python code in your answer"),
        ("", "no Python code in your answer"),
        ('```json\n{"sacks": 3}\n```', "no Python code in your answer"),
        (fenced("n = input('hours? ')"), "Nobody is there to type"),
        (fenced("import seaborn as plt\nplt.show()"), "No pictures"),
        (fenced("!pip install pulp"), "Nothing can be installed"),
        (fenced("import gurobipy_that_is_not_here"), "Nothing can be installed"),
        (fenced("First, we note that\nx = 3"), "plain Python only"),
        (fenced("1 / 0"), "ZeroDivisionError"),
        (fenced("print(sacks)"), "NameError"),
    ],
    ids=lambda value: value[:30].replace("\n", " "),
)
def test_a_typical_fault_is_told_once_and_clearly_and_the_next_program_works(
    solve: Solve, text: str, told: str
) -> None:
    ran = solve([text, GOOD])
    assert told in ran.told(1)
    assert "5 answers left" in ran.told(1)
    assert ran.answer.objective == 11


@pytest.mark.parametrize(
    "text",
    [
        GOOD.strip("`").removeprefix("python\n"),
        GOOD.replace("```python", "```"),
        GOOD.replace("```python", "<code>").replace("```", "</code>"),
        f"Thought: easy.\n{GOOD}\nThis prints nothing.",
        f"{fenced('rye = 3')}\nand then\n{fenced(GOOD[10:-4].replace('3', 'rye'))}",
        GOOD.removesuffix("\n```"),
    ],
)
def test_code_is_run_however_it_is_marked(solve: Solve, text: str) -> None:
    assert solve([text]).answer.objective == 11


def test_a_program_that_defines_final_answer_itself_is_told_and_the_next_one_has_the_real_one(
    solve: Solve,
) -> None:
    own = fenced("def final_answer(x):\n    print('answer', x)\nfinal_answer(3)")
    ran = solve([own, fenced("del final_answer"), fenced("final_answer = 5"), GOOD])
    assert "final_answer is defined already" in ran.told(1)
    assert "final_answer is defined already" in ran.told(3)
    assert ran.answer.objective == 11


def test_data_under_a_name_that_python_needs_is_given_under_another(solve: Solve) -> None:
    model = model_of(
        sets=[{"name": "list", "members": ["rye", "oats"]}],
        parameters=[
            {"name": "print", "index": ["list"], "value": {"rye": 3, "oats": 2}},
            {"name": "nested", "value": 4},
        ],
        variables=[{"name": "sacks", "index": ["list"], "upper": 3}],
        objectives=[
            {"name": "o", "sense": "maximize", "expression": "sum(print[g]*sacks[g] for g in list)"}
        ],
        constraints=[{"name": "c", "expression": "sum(sacks[g] for g in list) <= nested"}],
        results=[],
    )
    code = """
print(list(range(2)), print_, nested)
final_answer({"variables": {"sacks": {(g,): 1 for g in list_}}})
"""
    ran = solve([fenced(code)], model)
    assert "print_: dict of 2 entries over list_" in ran.asked.seen[0].messages[-1].text
    assert ran.answer.objective == 5


def test_equal_programs_print_equal_words_so_that_conversations_can_be_replayed(
    solve: Solve,
) -> None:
    printing = fenced("print({'rye', 'oats', 'corn', 'wheat', 'spelt', 'millet'})")
    assert len({solve([printing, GOOD]).told(1) for _ in range(3)}) == 1


def test_huge_output_is_cut_and_the_program_goes_on_or_is_told(solve: Solve) -> None:
    ran = solve([fenced("for _ in range(200_000):\n    print('x' * 500)"), GOOD])
    assert len(ran.told(1)) < 6000
    assert ran.answer.objective == 11


def test_the_model_sees_every_answer_and_every_observation_once(solve: Solve) -> None:
    ran = solve([fenced("print('first')"), fenced("print('second')"), GOOD])
    roles = [m.role for m in ran.asked.seen[-1].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    whole = "\n".join(m.text for m in ran.asked.seen[-1].messages)
    assert whole.count("print('first')") == 1
    assert whole.count(STATEMENT) == 1


def test_answers_that_are_cut_empty_or_tool_calls_are_told_and_left_out_of_the_conversation(
    context_of: Contexts,
) -> None:
    behaviours = [cut_at_length("Let us see. " * 50), tool_call(), answer(GOOD)]
    with ScriptedServer(behaviours) as server:
        ctx = context_of("openai/any", base_url=server.url)
        solution = CodeSolverAgent().solve(Problem(STATEMENT), model_of(), ctx)
    assert solution.objective == 11
    assert solution.statistics["steps"] == 3
    assert solution.statistics["tokens"] == ctx.ledger.prompt_tokens + ctx.ledger.completion_tokens
    assert [m["role"] for m in server.seen[2].body["messages"]] == ["system", "user"]
    assert "too long and was cut" in server.seen[2].text
    assert "no Python code in your answer" in server.seen[2].text


def test_a_model_that_declines_ends_the_attempts(context_of: Contexts) -> None:
    with ScriptedServer([refusal("I will not write code.")]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        with pytest.raises(ModelRefused, match="I will not write code"):
            CodeSolverAgent().solve(Problem(STATEMENT), model_of(), ctx)
    assert len(server.seen) == 1


# ------------------------------------------------------------------ budgets and ends


def test_the_budget_of_tokens_ends_the_attempts(solve: Solve) -> None:
    ran = solve([fenced("print('x' * 8000)")], agent_options={"tokens": 4000})
    assert isinstance(ran.error, PluginError)
    assert "budget of 4000 tokens is used up" in str(ran.error)
    assert "-o code.tokens=N" in str(ran.error)
    assert ran.ctx.ledger.prompt_tokens + ran.ctx.ledger.completion_tokens <= 4000


def test_no_call_is_made_beyond_the_last_step(solve: Solve) -> None:
    ran = solve(["nothing"], agent_options={"steps": 1})
    assert ran.calls == ran.ctx.ledger.calls == 1
    assert "the model wrote no code: 'nothing'" in str(ran.error)


def test_a_service_that_does_not_answer_is_passed_on(solve: Solve) -> None:
    ran = solve([ConnectionError("gone")], options={"retries": 0})
    assert isinstance(ran.error, Unreachable)


def test_a_bad_option_is_a_usage_error_before_any_call(solve: Solve) -> None:
    ran = solve([GOOD], agent_options={"steps": 0})
    assert isinstance(ran.error, UsageError)
    assert ran.calls == 0


def test_without_isolation_nothing_is_asked_and_nothing_runs(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(name: str = "auto") -> Any:
        raise NoIsolation("nothing here can isolate programs")

    monkeypatch.setattr(agent_module, "choose_backend", none)
    ran = solve([GOOD])
    assert isinstance(ran.error, NoIsolation)
    assert "apt install bubblewrap" in str(ran.error)
    assert ran.calls == 0


def test_time_that_runs_out_is_a_time_limit_and_no_error(solve: Solve) -> None:
    begun = time.monotonic()
    ran = solve(
        [fenced("while True:\n    pass")],
        deadline=time.monotonic() + 1.5,
        agent_options={"steps": 4},
    )
    assert ran.answer.status is Status.TIME_LIMIT
    assert ran.answer.values is None
    assert "1 program in 1 step" in ran.answer.message
    assert time.monotonic() - begun < 8


@pytest.mark.parametrize("where", ["program", "model"])
def test_an_interruption_ends_a_program_and_a_call_of_the_model(
    context_of: Contexts, where: str
) -> None:
    cancel = threading.Event()

    def slow(_: str) -> str:
        time.sleep(30)
        return GOOD

    answers: list[Answer] = [fenced("while True:\n    pass") if where == "program" else slow]
    threading.Timer(1.0, cancel.set).start()
    begun = time.monotonic()
    ran = Ran(context_of, answers, cancel=cancel)
    assert isinstance(ran.error, Cancelled)
    assert time.monotonic() - begun < 8


def test_every_step_is_told_while_it_goes_on(solve: Solve) -> None:
    ran = solve([fenced("1 / 0"), GOOD])
    told = [e.message for e in ran.events if e.kind == "solver.step"]
    assert told[0].startswith("step 1 of 6: the program failed: ZeroDivisionError")
    assert told[1] == "step 2 of 6: the answer holds"


def test_the_statistics_count_steps_programs_and_tokens(solve: Solve) -> None:
    ran = solve(["no code", fenced("1 / 0"), GOOD])
    statistics = ran.answer.statistics
    assert (statistics["steps"], statistics["programs"]) == (3, 2)
    spent = ran.ctx.ledger.prompt_tokens + ran.ctx.ledger.completion_tokens
    assert statistics["tokens"] == spent
    assert np.isfinite(ran.answer.seconds)
