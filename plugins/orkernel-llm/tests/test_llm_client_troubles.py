"""Failures that pass, failures that stay, limits of time, interruption, and calls at once."""

from __future__ import annotations

import _thread
import email.utils
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import llm_scripted_server as scripted
import pytest
from llm_scripted_model import scripted as scripted_model
from llm_scripted_server import ScriptedServer

from orkernel.context import RunContext
from orkernel.errors import Cancelled, PluginError, Unavailable, UsageError
from orkernel.records import Event
from orkernel_llm.client import Message, Prompt, client_of
from orkernel_llm.failures import (
    BadCredentials,
    ContextTooLong,
    RateLimited,
    ServerFailed,
    TimedOut,
    UnknownModel,
    Unreachable,
)
from orkernel_llm.models import retrying, stopping
from orkernel_llm.models.faults import Trouble, fault_of

Contexts = Callable[..., RunContext]
PROMPT = Prompt("count-1", "formulate", (Message("user", "How many?"),))
GOOD = scripted.answer("three")


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.01)


@pytest.mark.parametrize(
    "behaviour",
    [
        scripted.status(429),
        scripted.status(500),
        scripted.status(502),
        scripted.html(503),
        scripted.status(504),
        scripted.cut_connection(),
        scripted.hang_up(),
        scripted.empty_choice(),
    ],
)
def test_failure_that_passes_is_asked_again_and_told(
    context_of: Contexts, behaviour: scripted.Behaviour
) -> None:
    events: list[Event] = []
    with ScriptedServer([behaviour, GOOD]) as server:
        ctx = context_of("openai/any", base_url=server.url, emit=events.append)
        assert client_of(ctx).ask(PROMPT, ctx).text == "three"
    assert len(server.seen) == 2
    assert [e.kind for e in events].count("model.retried") == 1
    assert ctx.ledger.calls == 1


@pytest.mark.parametrize(
    ("behaviour", "failure", "words", "tries"),
    [
        (scripted.status(429), RateLimited, "fewer requests.*429.*3 tries.*concurrency", 3),
        (scripted.status(500), ServerFailed, "failed.*500.*3 tries.*scripted 500", 3),
        (scripted.html(503), ServerFailed, "503.*3 tries", 3),
        (scripted.cut_connection(), Unreachable, "3 tries.*--base-url", 3),
        (scripted.hang_up(), Unreachable, "3 tries", 3),
        (scripted.status(504), TimedOut, "504.*2 tries.*model.timeout", 2),
        (scripted.status(401), BadCredentials, "key.*401.*1 try.*OPENAI_API_KEY", 1),
        (scripted.status(403), BadCredentials, "403.*1 try", 1),
        (scripted.status(402), RateLimited, "no quota.*billing", 1),
        (
            scripted.status(429, body=scripted.error("You exceeded your current quota")),
            RateLimited,
            "no quota.*1 try.*billing",
            1,
        ),
        (
            scripted.status(404, body=scripted.error("The model `any` does not exist")),
            UnknownModel,
            "no such model.*404.*1 try",
            1,
        ),
        (scripted.status(404), ServerFailed, "404.*1 try.*/v1", 1),
        (scripted.html(404), ServerFailed, "404.*1 try.*/v1", 1),
        (
            scripted.status(
                400, body=scripted.error("This model's maximum context length is 8192 tokens")
            ),
            ContextTooLong,
            "does not fit.*max_tokens",
            1,
        ),
        (scripted.status(413), ContextTooLong, "413", 1),
        (scripted.status(400), UsageError, "does not accept the request.*scripted 400", 1),
        (scripted.status(418), PluginError, "418", 1),
    ],
)
def test_failure_that_stays_is_told_after_the_right_number_of_tries(
    context_of: Contexts,
    behaviour: scripted.Behaviour,
    failure: type[Exception],
    words: str,
    tries: int,
) -> None:
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url, options={"retries": 2})
        with pytest.raises(failure, match=f"(?s)openai/any.*{words}"):
            client_of(ctx).ask(PROMPT, ctx)
    assert len(server.seen) == tries
    assert ctx.ledger.calls == 0


def test_server_that_is_not_there_is_unreachable(context_of: Contexts) -> None:
    with ScriptedServer([GOOD]) as server:
        url = server.url
    ctx = context_of("openai/any", base_url=url, options={"retries": 1})
    with pytest.raises(Unreachable, match=r"2 tries.*--base-url"):
        client_of(ctx).ask(PROMPT, ctx)


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date"])
def test_retry_after_is_honoured(context_of: Contexts, form: str) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=2)
    headers = {
        "seconds": {"Retry-After": "1"},
        "milliseconds": {"Retry-After-Ms": "1000"},
        "date": {"Retry-After": email.utils.format_datetime(soon, usegmt=True)},
    }[form]
    with ScriptedServer([scripted.status(429, headers), GOOD]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        client_of(ctx).ask(PROMPT, ctx)
    assert 0.9 <= server.seen[1].time - server.seen[0].time < 4


def test_pause_beyond_patience_is_not_waited_for(context_of: Contexts) -> None:
    with ScriptedServer([scripted.status(429, {"Retry-After": "3600"}), GOOD]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        with pytest.raises(RateLimited, match="wait 3600 s"):
            client_of(ctx).ask(PROMPT, ctx)
    assert len(server.seen) == 1


def test_pause_beyond_the_deadline_is_not_waited_for(context_of: Contexts) -> None:
    with ScriptedServer([scripted.status(429, {"Retry-After": "30"}), GOOD]) as server:
        ctx = context_of("openai/any", base_url=server.url).limited(5)
        start = time.monotonic()
        with pytest.raises(RateLimited, match="wait 30 s"):
            client_of(ctx).ask(PROMPT, ctx)
    assert time.monotonic() - start < 4


def test_retry_after_that_is_no_time_is_ignored(context_of: Contexts) -> None:
    with ScriptedServer([scripted.status(429, {"Retry-After": "soon"}), GOOD]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        assert client_of(ctx).ask(PROMPT, ctx).text == "three"


@pytest.mark.parametrize(
    "behaviour", [scripted.drip("x" * 500, 0.05), scripted.slow(20, GOOD)], ids=["drip", "silence"]
)
def test_call_is_limited_as_a_whole_whatever_trickles_in(
    context_of: Contexts, behaviour: scripted.Behaviour
) -> None:
    with ScriptedServer([behaviour]) as server:
        options = {"timeout": 0.4, "retries": 4}
        ctx = context_of("openai/any", base_url=server.url, options=options)
        start = time.monotonic()
        with pytest.raises(TimedOut, match=r"no complete answer.*2 tries.*model\.timeout"):
            client_of(ctx).ask(PROMPT, ctx)
        assert time.monotonic() - start < 4
    assert len(server.seen) == 2


def test_deadline_of_the_run_ends_a_call(context_of: Contexts) -> None:
    with ScriptedServer([scripted.slow(20, GOOD)]) as server:
        ctx = context_of("openai/any", base_url=server.url).limited(0.4)
        start = time.monotonic()
        with pytest.raises(TimedOut, match=r"time of the run is up.*--time-limit"):
            client_of(ctx).ask(PROMPT, ctx)
        assert time.monotonic() - start < 3
        with pytest.raises(TimedOut, match="time of the run is up"):
            client_of(ctx).ask(PROMPT, ctx)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "behaviour",
    [scripted.slow(20, GOOD), scripted.status(429, {"Retry-After": "20"})],
    ids=["call", "pause"],
)
def test_interruption_ends_a_call_and_a_pause_promptly(
    context_of: Contexts, behaviour: scripted.Behaviour
) -> None:
    with ScriptedServer([behaviour]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        threading.Timer(0.5, ctx.cancel.set).start()
        start = time.monotonic()
        with pytest.raises(Cancelled):
            client_of(ctx).ask(PROMPT, ctx)
        assert time.monotonic() - start < 2


def test_control_c_passes_through_a_call_at_once(context_of: Contexts) -> None:
    with ScriptedServer([scripted.slow(20, GOOD)]) as server:
        ctx = context_of("openai/any", base_url=server.url)
        client = client_of(ctx)
        threading.Timer(0.5, _thread.interrupt_main).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            client.ask(PROMPT, ctx)
        assert time.monotonic() - start < 2


def test_long_call_gives_signs_of_life(
    context_of: Contexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "WAITING_EVERY", 0.2)
    events: list[Event] = []
    with ScriptedServer([scripted.slow(1.0, GOOD)]) as server:
        ctx = context_of("openai/any", base_url=server.url, emit=events.append)
        client_of(ctx).ask(PROMPT, ctx)
    waiting = [e for e in events if e.kind == "model.waiting"]
    assert len(waiting) >= 2
    assert all(e.stage == "formulate" and "waiting for openai/any" in e.message for e in waiting)


def test_calls_at_once_are_limited_over_all_runs_of_the_process(context_of: Contexts) -> None:
    with ScriptedServer([scripted.slow(0.15, GOOD)]) as server:

        def run(number: int) -> str:
            options = {"concurrency": 3}
            ctx = context_of("openai/any", base_url=server.url, options=options)
            return client_of(ctx).ask(PROMPT, ctx).text

        with ThreadPoolExecutor(12) as pool:
            assert list(pool.map(run, range(12))) == ["three"] * 12
    assert server.most_at_once == 3


def test_wait_for_a_place_gives_signs_of_life(
    context_of: Contexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "WAITING_EVERY", 0.2)
    events: list[Event] = []
    with ScriptedServer([scripted.slow(1.0, GOOD), GOOD]) as server:
        options = {"concurrency": 1}
        first = context_of("openai/any", base_url=server.url, options=options)
        second = first.with_(emit=events.append)
        with ThreadPoolExecutor(1) as pool:
            holding = pool.submit(lambda: client_of(first).ask(PROMPT, first))
            while not server.seen:
                time.sleep(0.01)
            client_of(second).ask(PROMPT, second)
            holding.result(timeout=5)
    messages = [e.message for e in events if e.kind == "model.waiting"]
    assert messages
    assert all("waiting for a place at openai/any" in message for message in messages)


def test_interruption_ends_the_wait_for_a_place(context_of: Contexts) -> None:
    with ScriptedServer([scripted.slow(5, GOOD)]) as server:
        options = {"concurrency": 1}
        first = context_of("openai/any", base_url=server.url, options=options)
        second = context_of("openai/any", base_url=server.url, options=options)
        with ThreadPoolExecutor(2) as pool:
            holding = pool.submit(lambda: client_of(first).ask(PROMPT, first))
            while not server.seen:
                time.sleep(0.01)
            waiting = pool.submit(lambda: client_of(second).ask(PROMPT, second))
            time.sleep(0.1)
            second.cancel.set()
            with pytest.raises(Cancelled):
                waiting.result(timeout=2)
            first.cancel.set()
            with pytest.raises(Cancelled):
                holding.result(timeout=2)
    assert len(server.seen) == 1


def test_one_failed_call_does_not_stop_the_others(context_of: Contexts) -> None:
    def choose(seen: scripted.Seen) -> scripted.Behaviour:
        return scripted.html() if seen.text == "3" else scripted.answer(seen.text)

    with ScriptedServer(choose) as server:
        ctx = context_of("openai/any", base_url=server.url)

        def ask(number: int) -> str:
            prompt = Prompt("count-1", "formulate", (Message("user", str(number)),))
            try:
                return client_of(ctx).ask(prompt, ctx).text
            except Unavailable:
                return "failed"

        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(ask, range(6)))
    assert found == ["0", "1", "2", "failed", "4", "5"]


def test_jitter_follows_the_seed(context_of: Contexts) -> None:
    def pauses(seed: int) -> list[object]:
        events: list[Event] = []
        with ScriptedServer([scripted.status(500)] * 3 + [GOOD]) as server:
            ctx = context_of("openai/any", base_url=server.url, seed=seed, emit=events.append)
            client_of(ctx).ask(PROMPT, ctx)
        return [e.data["pause"] for e in events if e.kind == "model.retried"]

    assert pauses(1) == pauses(1)
    assert pauses(1) != pauses(2)


def test_error_inside_a_model_of_a_third_party_is_told_not_raised_bare(
    context_of: Contexts,
) -> None:
    name, model = scripted_model([ValueError("no weights")])
    ctx = context_of(name)
    with pytest.raises(PluginError, match=f"{name}.*no weights"):
        client_of(ctx).ask(PROMPT, ctx)
    assert len(model.seen) == 1


def test_what_a_library_appends_of_its_insides_is_left_out() -> None:
    class LibraryError(Exception):
        status_code = 500

    said = 'Missing Gemini API key. Traceback (most recent call last): File "/x/main.py", line 1'
    fault = fault_of(LibraryError(said))
    assert fault.trouble is Trouble.CREDENTIALS
    assert fault.detail.strip() == "Missing Gemini API key."
