"""Model calls through plugins: the order of events, what callbacks are told, what they may do."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from types import MappingProxyType, SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest
from returns.result import Failure, Result, Success

from tests.features.models.chat import answer
from tests.features.models.clients import REQUEST, client
from webseam import chat_model
from webseam.composition.features.models.model_calls import PluggedModel, plug_model
from webseam.composition.features.models.model_stages import ModelEndpoint, model_response_event
from webseam.composition.features.models.model_views import (
    chat_completion_view,
    read_returned_answer,
)
from webseam.composition.plugins.plugin_choice import plugin_session
from webseam.composition.session import Session, share_call_ids
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.composition.wiring.root import read_settings_root
from webseam.ports import (
    CallFailed,
    CallRefused,
    ChatRequest,
    Delta,
    Hook,
    Middleware,
    MiddlewareFailed,
    NormalizedResponse,
    ToolCall,
    Usage,
    WebError,
)
from webseam.ports.middleware import Callbacks, Mishap
from webseam.ports.models import StreamItem
from webseam.testing import ScriptedTransport

from .shelf import Shelf

BASE_URL = "https://api.acme.example/v1"
USAGE = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
GOOD = answer({"content": "Hi."}, usage=USAGE)


class Desk:
    """A model at a scripted provider, with callbacks of a test's own around it."""

    def __init__(self, *answers: httpx.Response | dict[str, Any]) -> None:
        lines = [
            given if isinstance(given, httpx.Response) else httpx.Response(200, json=given)
            for given in answers or (GOOD,)
        ]
        self.transport = ScriptedTransport(lines)
        self.middleware: list[Middleware] = []
        self.hooks: list[Hook] = []
        self.mishaps: list[Mishap] = []

    def uses(self, kind: str, callback: Callable[..., object], **how: Any) -> "Desk":
        self.middleware.append(Middleware(kind=kind, callback=callback, plugin="p", **how))
        return self

    def hears(self, name: str, callback: Callable[..., object], **how: Any) -> "Desk":
        self.hooks.append(Hook(name=name, callback=callback, plugin="p", **how))
        return self

    @property
    def model(self) -> PluggedModel:
        around = Session(
            callbacks=Callbacks(middleware=tuple(self.middleware), hooks=tuple(self.hooks)),
            session_id="session",
            new_id=lambda: "request-1",
            clock=lambda: 1.0,
            log=self.mishaps.append,
        )
        return PluggedModel(client(self.transport), around, "chat_completions", BASE_URL)

    def ask(self, request: object = REQUEST) -> Result[NormalizedResponse, WebError]:
        return asyncio.run(self.model.complete(request))  # type: ignore[arg-type]  # also what is none

    def stream(self, request: ChatRequest = REQUEST) -> list[StreamItem]:
        async def main() -> list[StreamItem]:
            return [item async for item in self.model.stream(request)]

        return asyncio.run(main())

    @property
    def sent(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.transport.requests[0].content)
        return body


def pass_on(**told: Any) -> object:
    return told["next_call"](told["request"])


def test_a_model_without_callbacks_stays_as_it_is() -> None:
    bare = client(ScriptedTransport())

    assert plug_model(bare, Session()) is bare


def test_an_answer_passes_through_callbacks_as_it_was() -> None:
    bare = asyncio.run(
        client(ScriptedTransport([httpx.Response(200, json=GOOD)])).complete(REQUEST)
    )

    assert Desk().uses("llm_execution", pass_on).ask() == bare


def test_the_events_come_in_their_order() -> None:
    order: list[str] = []

    def note(name: str) -> Callable[..., object]:
        def callback(**told: Any) -> object:
            order.append(name)
            return pass_on(**told) if "next_call" in told else None

        return callback

    desk = Desk(httpx.Response(400, json={}), GOOD)
    for hook in ("api_request_error", "post_api_request", "pre_api_request"):
        desk.hears(hook, note(hook))
    desk.uses("llm_execution", note("llm_execution")).uses("llm_request", note("llm_request"))
    failed, worked = desk.ask(), desk.ask()

    assert isinstance(failed, Failure)
    assert isinstance(worked, Success)
    before = ["llm_request", "pre_api_request", "llm_execution"]
    assert order == [*before, "api_request_error", *before, "post_api_request"]


def test_callbacks_are_told_who_is_asked_what() -> None:
    events: list[dict[str, Any]] = []
    Desk().uses("llm_request", lambda **fields: events.append(fields)).ask()

    [given] = events
    assert given == {
        "telemetry_schema_version": "hermes.observer.v1",
        "middleware_schema_version": "hermes.middleware.v1",
        "session_id": "session",
        "task_id": "session",
        "turn_id": "",
        "api_request_id": "request-1",
        "platform": "library",
        "provider": "acme",
        "model": "m",
        "api_mode": "chat_completions",
        "base_url": BASE_URL,
        "api_call_count": 1,
        "retry_count": 0,
        "neutral_request": {"model": "m", "messages": [{"role": "user", "content": "hello"}]},
        "request": {"model": "m", "messages": [{"role": "user", "content": "hello"}]},
        "original_request": {"model": "m", "messages": [{"role": "user", "content": "hello"}]},
    }


def test_a_rewritten_request_is_what_is_sent_and_traced() -> None:
    traces: list[object] = []

    def tag(**kwargs: Any) -> object:
        request = dict(kwargs["request"])
        extra = dict(request.get("extra_body") or {})
        extra.setdefault("metadata", {})["demo"] = True
        return {"request": {**request, "extra_body": extra, "max_tokens": 7}, "source": "demo"}

    desk = Desk().uses("llm_request", tag)
    desk.hears("pre_api_request", lambda **told: traces.append(told["middleware_trace"]))
    desk.ask()

    assert desk.sent["metadata"] == {"demo": True}
    assert 7 in (desk.sent.get("max_tokens"), desk.sent.get("max_completion_tokens"))
    assert traces == [[{"source": "demo"}]]


def test_a_payload_that_is_no_object_is_not_sent() -> None:
    desk = Desk().uses("llm_execution", lambda **told: told["next_call"]("a text"))

    assert desk.ask().failure().kind == "invalid_query"
    assert desk.transport.requests == []


def test_the_request_is_the_providers_own_and_the_neutral_one_stands_beside_it() -> None:
    events: list[dict[str, Any]] = []
    request = msgspec.structs.replace(REQUEST, max_tokens=9)

    def keep(**given: Any) -> object:
        events.append({name: value for name, value in given.items() if name != "next_call"})
        return pass_on(**given)

    desk = Desk().uses("llm_request", lambda **fields: events.append(fields))
    desk.uses("llm_execution", keep)
    desk.hears("pre_api_request", lambda **fields: events.append(fields))
    items = desk.stream(request)

    assert isinstance(items[-1], Success)
    rewriting, observing, executing = events
    assert rewriting["request"] == executing["request"] == desk.sent
    assert observing["request"]["body"] == desk.sent
    assert desk.sent["stream"] is True
    assert [each["neutral_request"]["max_tokens"] for each in events] == [9, 9, 9]
    assert "stream" not in rewriting["neutral_request"]


def test_every_attempt_is_told_and_counted() -> None:
    heard: list[tuple[str, int]] = []
    busy = httpx.Response(503, headers={"retry-after": "0"}, json={})
    desk = Desk(busy, GOOD)
    for name in ("pre_api_request", "api_request_error", "post_api_request"):
        desk.hears(name, lambda retry_count, name=name, **_: heard.append((name, retry_count)))

    assert desk.ask().unwrap().content == "Hi."
    assert heard == [
        ("pre_api_request", 0),
        ("api_request_error", 0),
        ("pre_api_request", 1),
        ("post_api_request", 1),
    ]


@pytest.mark.parametrize("kind", ["llm_request", "llm_execution"])
def test_fields_that_only_the_provider_knows_go_into_the_body(kind: str) -> None:
    more = {
        "seed": 7,
        "metadata": {"team": "x"},
        "stream": True,
        "extra_body": {"seed": 8, "top_k": 1},
    }

    def add(*, request: dict[str, object], next_call: Any = None, **_: object) -> object:
        wanted = {**request, **more}
        return {"request": wanted} if next_call is None else next_call(wanted)

    desk = Desk().uses(kind, add)

    assert desk.ask().unwrap().content == "Hi."
    assert (desk.sent["seed"], desk.sent["metadata"], desk.sent["top_k"]) == (8, {"team": "x"}, 1)
    assert desk.sent.get("stream") is not True


@pytest.mark.parametrize("kind", ["llm_request", "llm_execution"])
def test_safe_headers_are_sent_and_others_dropped_with_a_warning(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    headers = {"X-Team": "x", "Authorization": "Bearer mine", "Host": "evil.example"}
    more = {"extra_headers": headers, "timeout": 30, "extra_query": {"a": "b"}}

    def add(*, request: dict[str, object], next_call: Any = None, **_: object) -> object:
        wanted = {**request, **more}
        return {"request": wanted} if next_call is None else next_call(wanted)

    desk = Desk().uses(kind, add)

    assert desk.ask().unwrap().content == "Hi."
    [sent] = desk.transport.requests
    assert sent.headers["x-team"] == "x"
    assert sent.headers["authorization"] != "Bearer mine"
    assert sent.headers["host"] == "acme.example"
    assert not {"extra_headers", "timeout", "extra_query"} & desk.sent.keys()
    assert [record.args for record in caplog.records] == [
        ("extra_headers.Authorization",),
        ("extra_headers.Host",),
        ("extra_query",),
    ]


def test_request_that_is_no_json_is_a_failure_and_not_sent() -> None:
    desk = Desk().uses(
        "llm_request", lambda *, request: {"request": {**request, "client": object()}}
    )

    assert isinstance(desk.ask(), Failure)
    assert desk.transport.requests == []


@pytest.mark.parametrize(
    "request_", [{}, {"model": "m", "messages": [{"role": "user", "content": object()}]}]
)
def test_a_request_that_is_none_is_refused(request_: object) -> None:
    desk = Desk().uses("llm_execution", pass_on)

    assert desk.ask(request_).failure().kind == "invalid_query"


def test_callbacks_see_a_chat_completion_and_may_change_it_in_place() -> None:
    seen: list[object] = []

    def shout(**told: Any) -> object:
        response = told["next_call"](told["request"])
        seen.append(response.usage.prompt_tokens)
        response.choices[0].message.content = response.choices[0].message.content.upper()
        return response

    response = Desk().uses("llm_execution", shout).ask().unwrap()

    assert (response.content, seen) == ("HI.", [12])
    assert response.usage == Usage(input_tokens=12, output_tokens=5, total_tokens=17)


@pytest.mark.parametrize(
    "value",
    [
        {"choices": [{"message": {"content": "kept"}, "finish_reason": "stop"}]},
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="kept"))]),
        NormalizedResponse(content="kept", finish_reason="stop"),
    ],
    ids=["dict", "object", "ours"],
)
def test_a_callback_may_answer_in_place_of_the_model(value: object) -> None:
    desk = Desk().uses("llm_execution", lambda **_: value)

    response = desk.ask().unwrap()

    assert (response.content, response.finish_reason) == ("kept", "stop")
    assert desk.transport.requests == []


@pytest.mark.parametrize("value", [None, "text", {"choices": []}, {"choices": [{}]}, 5])
def test_invalid_answer_of_a_plugin_names_the_plugin(value: object) -> None:
    error = Desk().uses("llm_execution", lambda **_: value).ask().failure()

    assert isinstance(error, MiddlewareFailed)
    assert (error.plugin, error.stage) == ("p", "llm_execution")


def test_original_request_is_passed_behind_a_rewrite() -> None:
    seen: list[dict[str, Any]] = []

    def look(*, request: Any, original_request: Any, next_call: Callable[..., object]) -> object:
        seen.extend([request, original_request])
        return next_call()

    desk = Desk().uses(
        "llm_request", lambda *, request: {"request": {**request, "temperature": 0.5}}
    )
    desk.uses("llm_execution", look).ask()

    assert [each.get("temperature") for each in seen] == [0.5, None]
    assert desk.sent["temperature"] == 0.5


def rescue(value: object) -> Callable[..., object]:
    def callback(**told: Any) -> object:
        try:
            return told["next_call"](told["request"])
        except CallFailed:
            return value

    return callback


def test_a_callback_may_recover_and_the_answer_says_so() -> None:
    answered = NormalizedResponse(content="fine", finish_reason="stop")
    desk = Desk(httpx.Response(401, json={})).uses("llm_execution", rescue(answered))

    response = desk.ask().unwrap()

    assert response.content == "fine"
    assert response.provider_data is not None
    assert response.provider_data["_recovered"] == [{"by": "p", "from": "auth_failed"}]


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "auth_failed"), ("no answer", "middleware_failed")]
)
def test_invalid_recovery_of_a_plugin_recovers_nothing(value: object, kind: str) -> None:
    desk = Desk(httpx.Response(401, json={})).uses("llm_execution", rescue(value))

    assert desk.ask().failure().kind == kind


def test_a_block_of_hermes_refuses_the_call() -> None:
    def block(**_: object) -> object:
        raise type("LLMExecutionBlocked", (Exception,), {"reason": "not this model"})

    desk = Desk().uses("llm_execution", block)

    assert desk.ask().failure() == CallRefused(by="p", reason="not this model", backend="acme")


def test_observers_hear_counts_times_and_no_secrets() -> None:
    heard: dict[str, dict[str, Any]] = {}
    desk = Desk()
    desk.hears("pre_api_request", lambda **told: heard.setdefault("before", told))
    desk.hears("post_api_request", lambda **told: heard.setdefault("after", told))
    key = "sk-abcdefghijklmnopqrstuvwxyz"
    desk.ask(ChatRequest(model="m", messages=({"role": "user", "content": key},)))

    before, later = heard["before"], heard["after"]
    assert (before["message_count"], before["tool_count"]) == (1, 0)
    assert key not in json.dumps(before)
    assert before["started_at"] == later["started_at"]
    assert (later["finish_reason"], later["response_model"]) == ("stop", "m")
    assert later["usage"]["input_tokens"] == 12
    assert later["assistant_content_chars"] == 3
    assert (before["base_url"], later["base_url"]) == (BASE_URL, BASE_URL)
    assert (before["user_message"], later["message_count"]) == ("***", 1)
    assert before["request"]["method"] == "POST"


def test_observers_are_told_an_answer_in_the_shapes_of_hermes() -> None:
    usage = Usage(
        input_tokens=12, output_tokens=5, total_tokens=17, cached_tokens=4, cache_write_tokens=2
    )
    call = ToolCall(id="1", name="f", arguments="{}")
    response = NormalizedResponse(
        content="Hi.", finish_reason="tool_calls", model="m", usage=usage, tool_calls=(call,)
    )

    told: dict[str, Any] = model_response_event(response)

    assert told["usage"] == told["response"]["usage"]
    assert (
        told["usage"]
        | {"input_tokens": 6, "prompt_tokens": 12, "cache_read_tokens": 4, "total_tokens": 17}
        == told["usage"]
    )
    assert told["response"]["assistant_message"]["content"] == "Hi."
    assert told["response"]["assistant_message"]["tool_calls"][0]["name"] == "f"
    assert told["assistant_message"].content == "Hi."
    assert told["assistant_message"].tool_calls[0].function.name == "f"


def test_observers_of_an_answer_are_told_its_request() -> None:
    heard: list[dict[str, Any]] = []
    desk = Desk().hears("pre_api_request", lambda **told: heard.append(told))
    desk.hears("post_api_request", lambda **told: heard.append(told)).ask()

    before, after = heard
    assert set(before) - set(after) == set()
    assert after["request"] == before["request"] == {"method": "POST", "body": desk.sent}


def test_plugins_are_told_an_api_by_its_name_in_hermes() -> None:
    responses = ModelEndpoint(provider="p", api_mode="responses", base_url="u").callback_fields()
    chat = ModelEndpoint(provider="p", api_mode="chat_completions", base_url="u").callback_fields()

    assert (responses["api_mode"], chat["api_mode"]) == ("codex_responses", "chat_completions")


def test_observers_hear_of_failures() -> None:
    heard: list[dict[str, Any]] = []
    desk = Desk(httpx.Response(401, json={}))
    desk.hears("api_request_error", lambda **told: heard.append(told)).ask()

    assert (heard[0]["status_code"], heard[0]["retryable"]) == (401, False)
    assert heard[0]["error"]["type"] == "auth_failed"
    assert (heard[0]["retry_count"], heard[0]["max_retries"]) == (0, 2)


@pytest.mark.parametrize("hook", ["pre_api_request", "post_api_request"])
def test_a_closed_hook_that_fails_fails_the_call(hook: str) -> None:
    def fall(**_: object) -> object:
        raise ValueError

    error = Desk().hears(hook, fall, on_error="closed").ask().failure()

    assert isinstance(error, MiddlewareFailed)
    assert error.stage == hook


def test_a_closed_rewrite_that_fails_sends_nothing() -> None:
    desk = Desk().uses("llm_request", lambda **_: 1 / 0, on_error="closed")

    assert isinstance(desk.ask().failure(), MiddlewareFailed)
    assert desk.transport.requests == []


class Gate(httpx.AsyncByteStream):
    """A stream whose second half comes only once somebody has read the first."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield piece("Hi")
        await self.open.wait()
        yield piece(".") + piece("", finish_reason="stop") + b"data: [DONE]\n\n"

    async def aclose(self) -> None:
        """Hold nothing."""


def piece(text: str, **choice: object) -> bytes:
    body = {"choices": [{"index": 0, "delta": {"content": text}, **choice}]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


@pytest.mark.parametrize("kind", ["llm_request", "llm_execution"])
def test_a_stream_with_callbacks_around_it_passes_its_pieces_as_they_come(kind: str) -> None:
    async def ask() -> list[StreamItem]:
        gate = Gate()
        headers = {"content-type": "text/event-stream"}
        desk = Desk(httpx.Response(200, headers=headers, stream=gate))
        desk.uses(kind, pass_on if kind == "llm_execution" else lambda **_: None)
        items: list[StreamItem] = []
        async for item in desk.model.stream(REQUEST):
            items.append(item)
            gate.open.set()
        return items

    items = asyncio.run(asyncio.wait_for(ask(), 30))

    assert items[:-1] == [Delta(text="Hi"), Delta(text=".")]
    assert isinstance(items[-1], Success)
    assert items[-1].unwrap().content == "Hi."


def test_a_stream_that_is_left_early_stops_what_runs_for_it() -> None:
    ended: list[str] = []

    async def watch(*, request: object, next_call: Any, **_: object) -> object:
        try:
            return await next_call(request)
        finally:
            ended.append("left")

    async def ask() -> None:
        headers = {"content-type": "text/event-stream"}
        desk = Desk(httpx.Response(200, headers=headers, stream=Gate()))
        async with aclosing(desk.uses("llm_execution", watch).model.stream(REQUEST)) as items:
            async for item in items:
                assert item == Delta(text="Hi")
                return

    asyncio.run(asyncio.wait_for(ask(), 30))

    assert ended == ["left"]


def test_a_callback_that_answers_in_place_of_a_stream_gives_one_piece() -> None:
    desk = Desk().uses(
        "llm_execution", lambda **_: NormalizedResponse(content="Me.", finish_reason="stop")
    )

    assert desk.stream()[:-1] == [Delta(text="Me.")]


def test_a_stream_that_fails_has_no_pieces() -> None:
    [item] = Desk(httpx.Response(401, json={})).uses("llm_execution", pass_on).stream()

    assert isinstance(item, Failure)


def test_a_stream_is_rewritten_and_observed_and_stays_a_stream() -> None:
    heard: list[str] = []
    desk = Desk()
    desk.uses("llm_request", lambda **told: {"request": {**told["request"], "temperature": 0.5}})
    desk.hears("post_api_request", lambda **told: heard.append(told["finish_reason"]))
    items = desk.stream()

    assert isinstance(items[-1], Success)
    assert (desk.sent["stream"], desk.sent["temperature"]) == (True, 0.5)
    assert heard == ["stop"]


def test_a_stream_that_may_not_begin_is_one_failure() -> None:
    [item] = Desk().uses("llm_request", lambda **_: 1 / 0, on_error="closed").stream()

    assert isinstance(item, Failure)


def test_a_view_and_back_loses_nothing() -> None:
    call = ToolCall(id="1", name="f", arguments="{}", provider_data={"signature": "s"})
    response = NormalizedResponse(
        content=None, finish_reason="tool_calls", tool_calls=(call,), provider_data={"x": 1}
    )

    assert read_returned_answer(chat_completion_view(response), "") == Success(response)


def test_tool_calls_of_a_chat_completion_are_read() -> None:
    called = {"id": "1", "function": {"name": "f", "arguments": "{}"}}
    value = {"choices": [{"message": {"tool_calls": [called]}}], "usage": USAGE, "id": "i"}

    assert read_returned_answer(value, "") == Success(
        NormalizedResponse(
            content=None,
            finish_reason="tool_calls",
            tool_calls=(ToolCall(id="1", name="f", arguments="{}"),),
            usage=Usage(input_tokens=12, output_tokens=5, total_tokens=17),
            id="i",
            provider_data={"usage": USAGE},
            raw=value,
        )
    )


def test_closing_closes_the_model() -> None:
    desk = Desk()
    asyncio.run(desk.model.aclose())

    assert desk.transport.closed


def test_a_model_by_name_has_the_users_plugins_around_it(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.put(
        "tag",
        "def register(ctx): ctx.register_middleware('llm_request', lambda **kw: {'request': {**kw['request'], 'max_tokens': 9}})",
    )
    shelf.put("broken", "import nothing_at_all")
    (shelf.root / "config.yaml").write_text("plugins:\n  enabled: [tag, broken]\n")
    environment = {**shelf.environment, "OPENAI_API_KEY": "k-0123456789"}

    loaded = load_settings(environment, folder=shelf.root).unwrap()
    loaded = msgspec.structs.replace(
        loaded, plugins=msgspec.structs.replace(loaded.plugins, folder=str(shelf.folder))
    )
    root = SettingsRoot(settings=loaded, files=FileLocations(environment))
    around = plugin_session(root).unwrap()
    transport = ScriptedTransport([httpx.Response(200, json=GOOD)])
    model = chat_model("openai", settings=loaded, transport=transport, around=around).unwrap()
    asyncio.run(model.complete(ChatRequest(model="gpt-4o", messages=REQUEST.messages)))

    assert 9 in json.loads(transport.requests[0].content).values()
    assert "plugin broken is broken and was left out" in caplog.messages[0]


def test_plugins_that_cannot_be_chosen_leave_no_model(shelf: Shelf) -> None:
    (shelf.root / "plugins.json").write_text("{")

    assert (
        read_settings_root(shelf.environment).bind(plugin_session).failure().kind == "store_failed"
    )


def test_a_request_in_strange_mappings_is_refused_or_sent() -> None:
    request = ChatRequest(model="m", messages=(MappingProxyType({"role": "user", "content": "x"}),))
    result = Desk().uses("llm_execution", pass_on).ask(request)

    assert isinstance(result, Success) or result.failure().kind == "invalid_query"


def test_a_model_call_inside_a_tool_call_carries_its_ids() -> None:
    events: list[dict[str, Any]] = []
    desk = Desk().hears("pre_api_request", lambda **fields: events.append(fields))
    ids = {"session_id": "s", "task_id": "t", "turn_id": "u", "tool_call_id": "c"}

    with share_call_ids({**ids, "tool_name": "web_extract"}):
        desk.ask()
    desk = Desk().hears("pre_api_request", lambda **fields: events.append(fields))
    desk.ask()

    assert {name: events[0][name] for name in ids} == ids
    assert "tool_name" not in events[0]
    assert (events[1]["session_id"], events[1]["turn_id"]) == ("session", "")
