"""Calls are recorded as they complete and given again on resume and on replay."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import llm_scripted_server as server_side
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_scripted_model import ScriptedModel, scripted
from llm_scripted_server import ScriptedServer

from orkernel.context import RunContext
from orkernel.errors import OrkernelError, UsageError
from orkernel.records import Event
from orkernel_llm.client import Message, Prompt, Reply, client_of
from orkernel_llm.conversation import Completion, Request
from orkernel_llm.failures import BadCredentials, ReplayMiss, ServerFailed, Truncated
from orkernel_llm.recording import Call, call_to_json, key_of, read_call

Contexts = Callable[..., RunContext]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
ECHO = [lambda text: json.dumps({"a": text})]


def prompt(text: str, name: str = "count-1", stage: str = "formulate") -> Prompt:
    return Prompt(name, stage, (Message("system", "You count."), Message("user", text)), SCHEMA)


def ask(ctx: RunContext, text: str) -> Reply:
    return client_of(ctx).ask(prompt(text), ctx)


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def recorded_run(
    contexts: Contexts, run: Path, texts: list[str]
) -> tuple[str, type[ScriptedModel], list[Reply]]:
    """A run that asked these texts, of a model that echoes them."""
    name, model = scripted(ECHO)
    ctx = contexts(name, folder=folder(run))
    return name, model, [ask(ctx, text) for text in texts]


def test_replay_gives_the_recorded_answers_without_the_model(
    context_of: Contexts, tmp_path: Path
) -> None:
    name, model, replies = recorded_run(context_of, tmp_path / "run", ["one", "two"])
    ctx = context_of(name, replay=tmp_path / "run")
    again = [ask(ctx, "two"), ask(ctx, "one")]
    assert [r.text for r in again] == [replies[1].text, replies[0].text]
    assert all(r.recorded for r in again)
    assert len(model.seen) == 2
    assert ctx.ledger.calls == 2


@pytest.mark.parametrize(
    "name", ["openai/any", "litellm/x/y", "transformers/none", "no.such:Thing"]
)
def test_replay_needs_no_package_no_key_and_no_address(
    context_of: Contexts, tmp_path: Path, name: str
) -> None:
    run = tmp_path / "run"
    _, _, (reply,) = recorded_run(context_of, run, ["one"])
    file = run / "calls" / "0001.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model": name}))
    ctx = context_of(name, replay=run)
    assert ask(ctx, "one").text == reply.text


@pytest.mark.parametrize("where", ["run", "run/calls", "."])
def test_recording_is_found_in_a_run_its_calls_or_a_folder_of_runs(
    context_of: Contexts, tmp_path: Path, where: str
) -> None:
    name, _, (reply,) = recorded_run(context_of, tmp_path / "run", ["one"])
    ctx = context_of(name, replay=tmp_path / where)
    assert ask(ctx, "one").text == reply.text


def test_folder_of_runs_answers_each_from_the_run_that_asked(
    context_of: Contexts, tmp_path: Path
) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "a", ["one"])
    other = context_of(name, folder=folder(tmp_path / "b"))
    ask(other, "two")
    ctx = context_of(name, replay=tmp_path)
    assert [ask(ctx, text).value for text in ("two", "one")] == [{"a": "two"}, {"a": "one"}]


def test_equal_requests_are_answered_in_recorded_order(
    context_of: Contexts, tmp_path: Path
) -> None:
    name, _ = scripted(['{"a": 1}', '{"a": 2}'])
    ctx = context_of(name, folder=folder(tmp_path / "run"))
    assert [ask(ctx, "same").value["a"] for _ in range(2)] == [1, 2]
    ctx = context_of(name, replay=tmp_path / "run")
    assert [ask(ctx, "same").value["a"] for _ in range(2)] == [1, 2]
    with pytest.raises(ReplayMiss, match="once more than the 2 times"):
        ask(ctx, "same")


def test_recorded_failure_of_an_answer_fails_again_on_replay(
    context_of: Contexts, tmp_path: Path
) -> None:
    with ScriptedServer([server_side.cut_at_length('{"a"')]) as server:
        ctx = context_of("openai/any", base_url=server.url, folder=folder(tmp_path / "run"))
        with pytest.raises(Truncated) as live:
            ask(ctx, "one")
    ctx = context_of("openai/any", replay=tmp_path / "run")
    with pytest.raises(Truncated) as replayed:
        ask(ctx, "one")
    assert str(replayed.value) == str(live.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 5}, "seed: asked with 5, recorded with 0"),
        ({"options": {"temperature": 0.5}}, "temperature: asked with 0.5, recorded with 0.0"),
        ({"options": {"max_tokens": 9}}, "max_tokens: asked with 9, recorded with 4096"),
    ],
)
def test_miss_names_the_setting_that_differs(
    context_of: Contexts, tmp_path: Path, change: dict[str, object], words: str
) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "run", ["one"])
    ctx = context_of(name, replay=tmp_path / "run", **change)
    with pytest.raises(ReplayMiss, match=words):
        ask(ctx, "one")


def test_miss_names_stage_prompt_and_the_first_different_character(
    context_of: Contexts, tmp_path: Path
) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "run", ["zzz", "buy 7 cars", "aaa"])
    ctx = context_of(name, replay=tmp_path / "run")
    with pytest.raises(ReplayMiss) as error:
        ask(ctx, "buy 9 cars")
    assert "'formulate' (count-1)" in error.value.message
    assert "message 2 (user) at character 4: '9 cars', recorded '7 cars'" in error.value.message


def test_recording_of_another_model_is_a_miss_that_says_so(
    context_of: Contexts, tmp_path: Path
) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "run", ["one"])
    ctx = context_of("openai/other", replay=tmp_path / "run")
    with pytest.raises(ReplayMiss, match=f"recorded with the model {name}, not openai/other"):
        ask(ctx, "one")


def test_resumed_run_asks_only_what_it_does_not_have(context_of: Contexts, tmp_path: Path) -> None:
    name, model, _ = recorded_run(context_of, tmp_path / "run", ["one", "two"])
    ctx = context_of(name, folder=tmp_path / "run")
    assert [ask(ctx, text).recorded for text in ("one", "three", "two")] == [True, False, True]
    assert len(model.seen) == 3
    assert sorted(p.name for p in (tmp_path / "run/calls").iterdir()) == [
        "0001.json",
        "0002.json",
        "0003.json",
    ]


def test_replayed_run_keeps_its_own_copy_of_the_calls(context_of: Contexts, tmp_path: Path) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "a", ["one"])
    ctx = context_of(name, replay=tmp_path / "a", folder=folder(tmp_path / "b"))
    ask(ctx, "one")
    shutil.rmtree(tmp_path / "a")
    assert ask(context_of(name, replay=tmp_path / "b"), "one").value == {"a": "one"}


def test_threads_record_every_call_once(context_of: Contexts, tmp_path: Path) -> None:
    name, _ = scripted(ECHO)
    ctx = context_of(name, folder=folder(tmp_path / "run"))
    texts = [str(n) for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda text: ask(ctx, text), texts))
    assert [r.value for r in replies] == [{"a": text} for text in texts]
    files = sorted((tmp_path / "run/calls").iterdir())
    assert [f.name for f in files] == [f"{n:04d}.json" for n in range(1, 41)]
    assert {read_call(f).request.messages[1].text for f in files} == set(texts)


def test_a_folder_that_cannot_be_written_costs_the_recording_not_the_answer(
    context_of: Contexts, tmp_path: Path
) -> None:
    run = folder(tmp_path / "run")
    (run / "calls").write_text("a file where the folder should be")
    events: list[Event] = []
    name, _ = scripted(ECHO)
    ctx = context_of(name, folder=run, emit=events.append)
    assert ask(ctx, "one").text == '{"a": "one"}'
    (told,) = [e.message for e in events if e.kind == "model.unrecorded"]
    assert "cannot be recorded" in told


def test_failed_call_is_not_recorded(context_of: Contexts, tmp_path: Path) -> None:
    with ScriptedServer([server_side.html()]) as server:
        ctx = context_of("openai/any", base_url=server.url, folder=folder(tmp_path / "run"))
        with pytest.raises(ServerFailed):
            ask(ctx, "one")
    assert not (tmp_path / "run/calls").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:50],
        lambda text: "",
        lambda text: "[]",
        lambda text: "[" * 100_000,
        lambda text: text.replace('"format": 1', '"format": 99'),
        lambda text: text.replace('"messages"', '"massages"'),
        lambda text: text.replace('"prompt_tokens": ', '"prompt_tokens": -'),
        lambda text: text.replace('"seconds": ', '"seconds": NaN, "x": '),
        lambda text: text.replace('"role": "user"', '"role": "emperor"'),
        lambda text: text.replace('"tries": 1', '"tries": "one"'),
        lambda text: text.replace('"tries": 1', '"tries": 1, "more": 2'),
    ],
)
def test_damaged_file_is_a_usage_error_that_names_it(
    context_of: Contexts, tmp_path: Path, damage: Callable[[str], str]
) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "run", ["one"])
    file = tmp_path / "run/calls/0001.json"
    file.write_text(damage(file.read_text()))
    for ctx in (
        context_of(name, replay=tmp_path / "run"),
        context_of(name, folder=tmp_path / "run"),
    ):
        with pytest.raises(UsageError, match=r"0001\.json is damaged"):
            ask(ctx, "one")


def test_file_that_is_no_text_is_a_usage_error(context_of: Contexts, tmp_path: Path) -> None:
    name, _, _ = recorded_run(context_of, tmp_path / "run", ["one"])
    (tmp_path / "run/calls/0001.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"0001\.json is damaged"):
        ask(context_of(name, replay=tmp_path / "run"), "one")


@pytest.mark.parametrize("where", ["nowhere", "empty", "file"])
def test_place_without_recorded_calls_is_a_usage_error(
    context_of: Contexts, tmp_path: Path, where: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="holds no recorded calls"):
        ask(context_of("openai/any", replay=tmp_path / where), "one")


SECRETS = {
    "OPENAI_API_KEY": "planted-openai-key-1",
    "SOME_VENDOR_API_KEY": "planted-vendor-key-2",
}
PASSWORD, QUERY = "planted-password-3", "planted-query-4"


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda said: server_side.answer(json.dumps({"a": said})),
        lambda said: server_side.refusal(said),
        lambda said: server_side.cut_at_length(said),
        lambda said: server_side.status(401, body=server_side.error(f"bad key {said}")),
        lambda said: server_side.status(500, body=server_side.error(f"lost {said}")),
        lambda said: server_side.status(400, body=f"plain {said}"),
        lambda said: lambda exchange: exchange.send(200, f"<html>{said}</html>".encode()),
    ],
)
def test_no_key_reaches_a_file_an_event_or_a_message(
    context_of: Contexts,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    behaviour: Callable[[str], server_side.Behaviour],
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    planted = [*SECRETS.values(), PASSWORD, QUERY]
    shown: list[str] = []

    def emit(event: Event) -> None:
        shown.append(repr(event))

    said = " and ".join([*planted, "Bearer abcdefghijk.lmnop", "https://me:mypassword@host/x"])
    with ScriptedServer([behaviour(said)]) as server:
        address = server.url.replace("http://", f"http://user:{PASSWORD}@") + f"?api-key={QUERY}"
        run = folder(tmp_path / "run")
        options = {"retries": 1}
        ctx = context_of("openai/any", base_url=address, folder=run, emit=emit, options=options)
        try:
            shown.append(repr(ask(ctx, "one")))
        except OrkernelError as error:
            shown += [str(error), repr(error)]
    assert server.seen, "the server was never asked"
    shown += [path.read_text() for path in run.rglob("*") if path.is_file()]
    told = "\n".join(shown)
    for secret in planted:
        assert secret not in told
    if not (run / "calls").exists():
        assert "abcdefghijk" not in told
        assert "mypassword" not in told


def test_missing_key_names_the_variable(context_of: Contexts) -> None:
    with pytest.raises(BadCredentials, match=r"OPENAI_API_KEY.*--base-url"):
        ask(context_of("openai/any"), "one")


TEXTS = st.text(max_size=40)


@given(
    messages=st.lists(
        st.builds(Message, st.sampled_from(["system", "user", "assistant"]), TEXTS), min_size=1
    ),
    answer=TEXTS,
    schema=st.none() | st.dictionaries(TEXTS, st.integers() | TEXTS, max_size=3),
    temperature=st.floats(0, 2),
    seed=st.none() | st.integers(-(2**40), 2**40),
    stop=st.lists(TEXTS, max_size=2),
)
@settings(max_examples=60, deadline=None)
def test_any_call_comes_back_from_its_file_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    messages: list[Message],
    answer: str,
    schema: dict[str, object] | None,
    temperature: float,
    seed: int | None,
    stop: list[str],
) -> None:
    request = Request(tuple(messages), schema, temperature, seed, 100, tuple(stop))
    call = Call(
        "m", "solve", "p-1", request, Completion(answer, "stop", "", False, 3, 4, 0.5), True, 1.5, 2
    )
    file = tmp_path_factory.mktemp("calls") / "0001.json"
    file.write_text(json.dumps(call_to_json(call)))
    assert read_call(file) == call
    assert key_of(read_call(file).request) == key_of(request)


def test_settings_and_words_all_count_for_the_key() -> None:
    base = Request((Message("user", "a"),), {"type": "object"}, 0.0, 0, 10, ("x",))
    others = [
        replace(base, messages=(Message("user", "b"),)),
        replace(base, messages=(Message("system", "a"),)),
        replace(base, messages=(Message("user", "a"), Message("user", ""))),
        replace(base, schema=None),
        replace(base, schema={"type": "array"}),
        replace(base, temperature=0.1),
        replace(base, seed=1),
        replace(base, seed=None),
        replace(base, max_tokens=11),
        replace(base, stop=()),
    ]
    assert len({key_of(request) for request in [base, *others]}) == len(others) + 1
