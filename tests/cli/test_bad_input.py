"""Bad input gets a clear error, the documented exit code, and never a traceback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Command


def error_of(orkernel: Command, code: int, *arguments: str) -> str:
    """Standard error of a command that must fail with an exit code and print no result."""
    done = orkernel(*arguments)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr + done.stdout
    return done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "error: p.md is empty\nfix: write the problem in it\n"),
        (b"\x7fELF\x00\x00", "error: p.md is a binary file\nfix: give a text file in UTF-8\n"),
        (
            "Größe".encode("latin-1"),
            "error: p.md is not UTF-8: byte 0xf6 in line 1\n"
            "fix: save it as UTF-8, e.g. `iconv -f latin1 -t utf-8`\n",
        ),
        (
            b"x" * 50_000_000,
            "error: p.md has 50,000,000 bytes; a statement may have 8,000,000\n"
            "fix: keep large data in CSV tables and name their folder with --data\n",
        ),
    ],
    ids=["empty", "binary", "latin-1", "50 MB"],
)
def test_unreadable_statements(orkernel: Command, content: bytes, message: str) -> None:
    assert error_of(orkernel, 2, "run", orkernel.write("p.md", content)) == message


def test_missing_file(orkernel: Command) -> None:
    orkernel.write("bakery.md", "x")
    assert error_of(orkernel, 2, "run", "bakry.md") == (
        "error: bakry.md does not exist\nfix: did you mean bakery.md?\n"
    )


def test_unknown_solver_and_plugin_get_near_matches(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    name = orkernel.write("w.json", wyndor)
    assert "highs" in error_of(orkernel, 2, "run", name, "--solver", "hihgs")
    assert "highs" in error_of(orkernel, 2, "run", name, "--plugins", "hihgs")
    assert "max-min" in error_of(orkernel, 2, "run", name, "--selector", "maxmin")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "0"),
        ("--time-limit", "-1"),
        ("--time-limit", "nan"),
        ("--gap", "-0.1"),
        ("--data", "nowhere"),
        ("--nonsense",),
        ("-o", "highs.nonsense=1"),
        ("-o", "highs"),
    ],
)
def test_bad_flags_are_usage_errors(
    orkernel: Command, wyndor: dict[str, Any], arguments: tuple[str, ...]
) -> None:
    name = orkernel.write("w.json", wyndor)
    assert error_of(orkernel, 2, "run", name, *arguments).startswith("error: ")


def formulation(**changes: Any) -> dict[str, Any]:
    return {
        "sets": [{"name": "I", "members": ["a", "b"]}],
        "parameters": [{"name": "c", "index": ["I"], "value": {"a": 1, "b": 2}}],
        "variables": [{"name": "x", "index": ["I"], "upper": 5}],
        "objectives": [
            {"name": "z", "sense": "maximize", "expression": "sum(c[i]*x[i] for i in I)"}
        ],
        "constraints": [{"name": "limit", "expression": "sum(x[i] for i in I) <= 7"}],
        **changes,
    }


def constraint(expression: str) -> dict[str, Any]:
    return formulation(constraints=[{"name": "limit", "expression": expression}])


CYCLE = [
    {"name": "c", "index": ["I"], "expression": "d * 2", "for_each": "i in I"},
    {"name": "d", "expression": "c['a'] + 1"},
]

REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "undefined name": (constraint("sum(y[i] for i in I) <= 7"), "constraint 'limit'", "y"),
    "wrong index": (constraint("x['a', 'b'] <= 7"), "constraint 'limit'", "x"),
    "unknown member": (constraint("x['q'] <= 7"), "constraint 'limit'", "q"),
    "missing datum": (
        formulation(parameters=[{"name": "c", "index": ["I"], "value": {"a": 1}}]),
        "parameter 'c'",
        "b",
    ),
    "cyclic definitions": (
        formulation(parameters=CYCLE),
        "parameter",
        "its definition needs itself: ",
    ),
    "10,000 nested parentheses": (
        constraint("(" * 10_000 + "1" + ")" * 10_000 + " <= 7"),
        "constraint 'limit'",
        "nest",
    ),
    "__import__": (constraint("__import__('os').system('true') <= 7"), "constraint 'limit'", ""),
    "no variables": (formulation(variables=[], objectives=[], constraints=[]), "", "variable"),
    "a constraint that is a number": (constraint("x['a'] + 7"), "constraint 'limit'", ""),
    "a power written as xor": (constraint("x['a'] ^ 2 <= 7"), "constraint 'limit'", "**"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_formulation_that_fails_its_checks_is_refused(orkernel: Command, kind: str) -> None:
    content, element, word = REFUSED[kind]
    name = orkernel.write("f.json", content)
    answer = orkernel.json("run", name, code=4)
    assert answer["status"] == "ill_posed"
    assert answer["verified"] is False
    errors = [d for d in answer["diagnostics"] if d["severity"] == "error"]
    assert errors
    assert element in errors[0]["element"] or element in errors[0]["message"]
    told = errors[0]["message"] + errors[0]["suggestion"]
    assert word.lower() in told.lower()
    assert error_of(orkernel, 4, "check", name) or True


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "line 1"),
        ('{"variables": [{"name": "x", "upper": NaN}]}', "NaN"),
        ('{"variables": [{"name": "x"}], "vraiables": []}', "vraiables"),
        ('{"variables": [{"name": "x", "domain": "integral"}]}', "integral"),
        ('{"schema_version": 2}', "schema_version"),
        ('{"variables": [{"name": "x"}], "variables": []}', "variables"),
        ("[]", "f.json"),
    ],
)
def test_broken_json_or_schema_is_a_usage_error(orkernel: Command, text: str, word: str) -> None:
    assert word in error_of(orkernel, 2, "run", orkernel.write("f.json", text))


def with_table(csv: str) -> tuple[dict[str, Any], str]:
    content = formulation(
        parameters=[
            {"name": "c", "index": ["I"], "table": {"file": "c.csv", "index": ["i"], "value": "v"}}
        ]
    )
    return content, csv


@pytest.mark.parametrize(
    ("csv", "words"),
    [
        ("i,w\na,1\nb,2\n", ("c.csv", "v")),
        ("i,v\na,one\nb,2\n", ("c.csv", "one", "2")),
        ("i,v\na,1\n", ("parameter 'c'", "b")),
        ("", ("c.csv",)),
    ],
    ids=["missing column", "text for a number", "missing row", "empty file"],
)
def test_a_faulty_table_is_named_with_its_place(
    orkernel: Command, csv: str, words: tuple[str, ...]
) -> None:
    content, text = with_table(csv)
    orkernel.write("c.csv", text)
    answer = orkernel.json("run", orkernel.write("f.json", content), code=4)
    told = json.dumps([d for d in answer["diagnostics"] if d["severity"] == "error"])
    for word in words:
        assert word in told, told


def test_a_table_outside_the_data_folder_is_refused(orkernel: Command) -> None:
    content, _ = with_table("")
    content["parameters"][0]["table"]["file"] = "../secret.csv"
    answer = orkernel.json("run", orkernel.write("f.json", content), code=4)
    assert "../secret.csv" in json.dumps(answer["diagnostics"])


def test_a_statement_that_cannot_be_read_names_the_sentence(orkernel: Command) -> None:
    text = "Maximize the joy of 3 cats subject to the whims of 4 dogs somehow.\n"
    answer = orkernel.json("run", orkernel.write("p.md", text), code=4)
    assert answer["status"] == "ill_posed"
    assert answer["message"]
    start, end = answer["diagnostics"][0]["start"], answer["diagnostics"][0]["end"]
    assert text[start:end].strip() != ""


def test_a_damaged_run_folder_is_refused(orkernel: Command, wyndor: dict[str, Any]) -> None:
    run_dir = orkernel.json("run", orkernel.write("w.json", wyndor))["run_dir"]
    orkernel.write(f"{run_dir}/answer.json", '{"status"')
    assert "is damaged" in error_of(orkernel, 2, "show", run_dir)
    assert "is damaged" in error_of(orkernel, 2, "replay", run_dir)
    orkernel.write(f"{run_dir}/run.json", "[]")
    assert error_of(orkernel, 2, "show", run_dir).startswith("error: ")


@pytest.mark.parametrize("answer", ["NaN", "-Infinity", "[" * 100_000])
def test_a_malformed_benchmark_line_is_named(orkernel: Command, answer: str) -> None:
    name = orkernel.write("b.jsonl", f'{{"question": "", "answer": {answer}}}\n')
    assert error_of(orkernel, 2, "bench", name).startswith("error: b.jsonl line 1 is no JSON: ")


def test_a_benchmark_whose_outcomes_cannot_be_kept_is_refused_before_the_work(
    orkernel: Command,
) -> None:
    name = orkernel.write("b.jsonl", '{"question": "maximize x", "answer": 1}\n')
    assert error_of(orkernel, 2, "bench", name, "--out", name) == (
        "error: cannot write into b.jsonl: File exists\nfix: choose another folder with --out DIR\n"
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_argument_of_a_benchmark_is_told_once(orkernel: Command, jobs: str) -> None:
    name = orkernel.write("b.jsonl", '{"question": "maximize x", "answer": 1}\n' * 3)
    message = error_of(orkernel, 2, "bench", name, "--jobs", jobs, "--solver", "hihgs")
    assert message.count("error: no solver agent is named 'hihgs'\n") == 1


@pytest.mark.parametrize("flag", ["--time-limit", "--gap"])
@pytest.mark.parametrize("value", ["inf", "nan", "-1", "1e400"])
def test_a_limit_that_is_no_finite_number_is_refused(
    orkernel: Command, wyndor: dict[str, Any], flag: str, value: str
) -> None:
    message = error_of(orkernel, 2, "run", orkernel.write("w.json", wyndor), flag, value)
    assert "must be a finite number, 0 or more\nfix: leave the " in message


def test_a_broken_pipe_is_quiet(orkernel: Command, wyndor: dict[str, Any]) -> None:
    import subprocess
    import sys

    name = orkernel.write("w.json", wyndor)
    done = subprocess.run(
        f"{sys.executable} -m orkernel run {name} | true",
        shell=True,
        cwd=orkernel.folder,
        env=orkernel.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
