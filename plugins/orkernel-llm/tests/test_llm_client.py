"""What the client makes of answers, whole or not, of a real HTTP server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import llm_scripted_server as scripted
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_scripted_server import ScriptedServer

from orkernel.context import RunContext
from orkernel.errors import OrkernelError, UsageError
from orkernel.records import Event
from orkernel_llm.client import Message, Prompt, client_of
from orkernel_llm.failures import Malformed, ModelRefused, ServerFailed, Truncated

Contexts = Callable[..., RunContext]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


def asked(text: str = "How many?", schema: Any = SCHEMA, **fields: Any) -> Prompt:
    messages = (Message("system", "You count."), Message("user", text))
    return Prompt("count-1", "formulate", messages, schema, **fields)


def test_answer_of_a_server_without_key_is_read_counted_and_told(context_of: Contexts) -> None:
    events: list[Event] = []
    with ScriptedServer([scripted.answer('{"a": 3}', usage=(21, 7))]) as server:
        ctx = context_of("openai/any", base_url=server.url, emit=events.append)
        reply = client_of(ctx).ask(asked(), ctx)
    assert reply.value == {"a": 3}
    assert reply.text == '{"a": 3}'
    assert (reply.prompt_tokens, reply.completion_tokens, reply.recorded) == (21, 7, False)
    assert (ctx.ledger.calls, ctx.ledger.prompt_tokens) == (1, 21)
    assert [e.kind for e in events] == ["model.started", "model.finished"]
    assert all(e.stage == "formulate" and "openai/any" in e.message for e in events)
    assert "7 tokens" in events[-1].message


def test_request_carries_messages_schema_and_settings(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer('{"a": 3}')]) as server:
        ctx = context_of("openai/small", base_url=server.url, seed=11)
        client_of(ctx).ask(asked(max_tokens=77, stop=("END",)), ctx)
    body = server.seen[0].body
    assert server.seen[0].path == "/v1/chat/completions"
    assert body["model"] == "small"
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"] == "How many?"
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.0, 11, 77)
    assert body["stop"] == ["END"]
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["response_format"]["json_schema"]["strict"] is True


def test_key_of_the_environment_is_sent(
    context_of: Contexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-123456")
    with ScriptedServer([scripted.answer("yes")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        ctx = context_of("openai/any")
        client_of(ctx).ask(asked(schema=None), ctx)
    assert server.seen[0].headers["authorization"] == "Bearer sk-planted-123456"


def test_plain_text_is_asked_for_without_response_format(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer("three")]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        reply = client_of(ctx).ask(asked(schema=None), ctx)
    assert (reply.text, reply.value) == ("three", None)
    assert "response_format" not in server.seen[0].body


def test_tokens_of_a_server_that_does_not_count_are_estimated(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer_without_usage('{"a": 3}')]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        reply = client_of(ctx).ask(asked(), ctx)
    assert (reply.prompt_tokens, reply.completion_tokens) == (5, 2)


def test_prices_of_the_options_make_the_cost(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer('{"a": 3}', usage=(1000, 100))]) as server:
        options = {"price_in": 2.0, "price_out": 10.0}
        ctx = context_of("openai/any", base_url=server.url, options=options)
        reply = client_of(ctx).ask(asked(), ctx)
    assert reply.cost == pytest.approx(0.003)
    assert ctx.ledger.cost == pytest.approx(0.003)
    assert ctx.ledger.unpriced == 0


def test_unknown_price_is_not_zero(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer('{"a": 3}')]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).cost is None
    assert ctx.ledger.unpriced == 1


def test_wrong_content_type_does_not_matter(context_of: Contexts) -> None:
    with ScriptedServer([scripted.wrong_content_type('{"a": 3}')]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}


@pytest.mark.parametrize(
    ("behaviour", "failure", "words"),
    [
        (scripted.cut_at_length('{"a": 3'), Truncated, "cut at 5 tokens.*max_tokens"),
        (scripted.endless_repetition("la "), Truncated, "repeats.*without end.*another model"),
        (scripted.filtered(), ModelRefused, "declined.*content filter"),
        (scripted.refusal("I will not."), ModelRefused, "declined.*I will not"),
        (scripted.tool_call(), Malformed, "tool call"),
        (scripted.answer(""), Malformed, "empty"),
        (scripted.answer('{"a": '), Malformed, "cut in the middle"),
        (scripted.answer('{"a": three}'), Malformed, "wrong at line 1, column 7"),
        (scripted.answer("I do not know."), Malformed, "no JSON"),
        (scripted.answer('{"a": NaN}'), Malformed, "NaN"),
        (scripted.html(), ServerFailed, "Welcome to the proxy.*base-url"),
        (scripted.body_cut(), ServerFailed, "chatcmpl.*base-url"),
        (scripted.flood(17), ServerFailed, "more than 16 MB"),
        (
            scripted.status(400, body=scripted.error("held back by the content filter")),
            ModelRefused,
            "content filter",
        ),
    ],
)
def test_answer_that_cannot_be_used_is_told_after_one_try(
    context_of: Contexts, behaviour: scripted.Behaviour, failure: type[Exception], words: str
) -> None:
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        with pytest.raises(failure, match=f"(?s)openai/any.*{words}"):
            client_of(ctx).ask(asked(), ctx)
    assert len(server.seen) == 1


def test_tokens_of_an_unusable_answer_are_counted(context_of: Contexts) -> None:
    with ScriptedServer([scripted.cut_at_length("x")]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        with pytest.raises(Truncated):
            client_of(ctx).ask(asked(), ctx)
    assert (ctx.ledger.calls, ctx.ledger.completion_tokens) == (1, 5)


def test_answer_without_choice_is_asked_for_again(context_of: Contexts) -> None:
    with ScriptedServer([scripted.empty_choice(), scripted.answer('{"a": 3}')]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}
    assert len(server.seen) == 2


def test_answers_without_choice_end_as_malformed(context_of: Contexts) -> None:
    with ScriptedServer([scripted.empty_choice()]) as server:
        ctx = context_of("openai/any", base_url=server.url, options={"retries": 1})
        with pytest.raises(Malformed, match="choices is empty after 2 tries"):
            client_of(ctx).ask(asked(), ctx)
    assert len(server.seen) == 2


@pytest.mark.parametrize("parameter", ["temperature", "seed", "stop", "response_format"])
@pytest.mark.parametrize("code", [400, 422])
def test_parameter_that_is_turned_down_is_left_out_from_then_on(
    context_of: Contexts, parameter: str, code: int
) -> None:
    behaviour = scripted.without([parameter], scripted.answer('{"a": 3}'), code)
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        for _ in range(2):
            assert client_of(ctx).ask(asked(stop=("END",)), ctx).value == {"a": 3}
    with_it = [parameter in seen.body for seen in server.seen]
    turned_down = 2 if parameter == "response_format" else 1
    assert with_it == [True] * turned_down + [False, False]


def test_json_object_is_asked_for_where_a_schema_is_turned_down(context_of: Contexts) -> None:
    def choose(seen: scripted.Seen) -> scripted.Behaviour:
        if seen.body["response_format"]["type"] == "json_schema":
            return scripted.status(400, body=scripted.error("json_schema is not supported"))
        return scripted.answer('{"a": 3}')

    with ScriptedServer(choose) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}
    assert server.seen[1].body["response_format"] == {"type": "json_object"}


def test_max_tokens_goes_by_its_new_name_where_the_server_says_so(context_of: Contexts) -> None:
    def choose(seen: scripted.Seen) -> scripted.Behaviour:
        if "max_tokens" in seen.body:
            said = "'max_tokens' is not supported. Use 'max_completion_tokens' instead."
            return scripted.status(400, body=scripted.error(said))
        return scripted.answer('{"a": 3}')

    with ScriptedServer(choose) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}
    assert server.seen[1].body["max_completion_tokens"] == 4096


def test_schema_that_must_be_sent_is_not_left_out(context_of: Contexts) -> None:
    behaviour = scripted.without(["response_format"], scripted.answer('{"a": 3}'))
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url, options={"structured": "schema"})
        with pytest.raises(UsageError, match=r"does not accept the request.*structured=off"):
            client_of(ctx).ask(asked(), ctx)
    assert len(server.seen) == 1


def test_schema_is_not_sent_when_switched_off(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer('Here: ```json\n{"a": 3}\n```')]) as server:
        ctx = context_of("openai/any", base_url=server.url, options={"structured": "off"})
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}
    assert "response_format" not in server.seen[0].body


def test_run_without_a_language_model_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="--model"):
        client_of(RunContext())


def test_open_schema_is_not_claimed_to_be_strict(context_of: Contexts) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    with ScriptedServer([scripted.answer('{"a": 3}')]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        client_of(ctx).ask(asked(schema=schema), ctx)
    assert server.seen[0].body["response_format"]["json_schema"]["strict"] is False


def test_unicode_survives_both_ways(context_of: Contexts) -> None:
    words = "Ω≤∑ 漢字 \U0001f69a \u202e abc \u0000"
    with ScriptedServer(lambda seen: scripted.answer(json.dumps({"a": seen.text}))) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(words), ctx).value == {"a": words}


def test_server_that_breaks_over_a_schema_is_asked_without_it(context_of: Contexts) -> None:
    def choose(seen: scripted.Seen) -> scripted.Behaviour:
        if "response_format" in seen.body:
            return scripted.status(500, body=scripted.error("failed to parse grammar"))
        return scripted.answer('{"a": 3}')

    with ScriptedServer(choose) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(asked(), ctx).value == {"a": 3}
    assert len(server.seen) == 3


def test_what_a_server_turned_down_is_known_to_later_runs(context_of: Contexts) -> None:
    behaviour = scripted.without(["seed"], scripted.answer('{"a": 3}'))
    with ScriptedServer([behaviour]) as server:
        for _ in range(3):
            ctx = context_of("openai/any", base_url=server.url)
            client_of(ctx).ask(asked(), ctx)
            ctx.resources.close()
    assert ["seed" in seen.body for seen in server.seen] == [True, False, False, False]


def test_switching_the_schema_off_is_of_one_run_only(context_of: Contexts) -> None:
    with ScriptedServer([scripted.answer('{"a": 3}')]) as server:
        for structured in ("off", "auto"):
            ctx = context_of("openai/x", base_url=server.url, options={"structured": structured})
            client_of(ctx).ask(asked(), ctx)
    assert ["response_format" in seen.body for seen in server.seen] == [False, True]


def test_schema_that_must_be_sent_to_a_server_without_is_a_usage_error(
    context_of: Contexts,
) -> None:
    behaviour = scripted.without(["response_format"], scripted.answer('{"a": 3}'))
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        client_of(ctx).ask(asked(), ctx)
        ctx = context_of("openai/any", base_url=server.url, options={"structured": "schema"})
        with pytest.raises(UsageError, match=r"cannot be asked.*structured=auto"):
            client_of(ctx).ask(asked(), ctx)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
PROTOCOL = st.fixed_dictionaries(
    {},
    optional={
        "choices": JSON
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "finish_reason": JSON,
                    "message": JSON
                    | st.fixed_dictionaries(
                        {},
                        optional={"content": JSON, "refusal": JSON, "tool_calls": JSON},
                    ),
                },
            ),
            max_size=2,
        ),
        "usage": JSON | st.fixed_dictionaries({"prompt_tokens": JSON, "completion_tokens": JSON}),
        "error": JSON,
    },
)
BODIES = st.binary(max_size=80) | (JSON | PROTOCOL).map(lambda value: json.dumps(value).encode())


@pytest.fixture(scope="module")
def any_body() -> Iterator[tuple[ScriptedServer, list[tuple[int, bytes]]]]:
    """A server that sends what stands in a list of one pair of status and body."""
    sent = [(200, b"")]
    with ScriptedServer([lambda exchange: exchange.send(*sent[0])]) as server:
        yield server, sent


@given(code=st.sampled_from([200, 200, 200, 201, 204, 400, 404, 422, 429, 500]), body=BODIES)
@settings(max_examples=80, deadline=None)
def test_whatever_a_server_sends_ends_as_reply_or_as_told_failure(
    context_of: Contexts,
    any_body: tuple[ScriptedServer, list[tuple[int, bytes]]],
    code: int,
    body: bytes,
) -> None:
    server, sent = any_body
    sent[0] = (code, b"" if code == 204 else body)
    ctx = context_of("openai/any", base_url=server.url, options={"retries": 0})
    try:
        reply = client_of(ctx).ask(asked(), ctx)
    except OrkernelError as error:
        assert "openai/any" in str(error)  # noqa: PT017
        assert len(str(error)) < 1500  # noqa: PT017
    else:
        assert isinstance(reply.value, dict)
        assert reply.prompt_tokens >= 0
