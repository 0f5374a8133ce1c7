"""The client: what it sends, what it makes of what comes back, when it tries again."""

import gzip
from types import MappingProxyType
from typing import Any

import httpx
import msgspec
import pytest
from returns.result import Failure, Success

from tests.features.models.chat import answer, chunk
from tests.features.models.clients import KEY, PROVIDER, REQUEST, client, run, streamed, text_of
from webseam.adapters.features.models.client.exchange import ModelLimits
from webseam.adapters.features.models.declaration.provider import (
    ApiMode,
    Headers,
    HttpDetails,
    Provider,
    key_in,
)
from webseam.adapters.features.models.declaration.wire import find_unsent_fields
from webseam.adapters.features.models.provider_registry import built_in_providers
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.features.models.wires.server_sent_events import MAX_EVENT_BYTES
from webseam.adapters.user_agent import USER_AGENT
from webseam.ports import (
    AuthFailed,
    BackendCrashed,
    BadPayload,
    ChatRequest,
    ConnectFailed,
    Delta,
    HttpStatus,
    InvalidQuery,
    ModelOverloaded,
    NotConfigured,
    ParameterRefused,
    RateLimited,
    ResponseTooLarge,
    ToolCallDelta,
    WebError,
)
from webseam.testing import ScriptedTransport

ANSWER = answer({"content": "Hi."})


def ok(payload: object = ANSWER) -> httpx.Response:
    return httpx.Response(200, json=payload)


def sse(*payloads: object) -> httpx.Response:
    lines = [
        b"data: " + (p.encode() if isinstance(p, str) else msgspec.json.encode(p)) for p in payloads
    ]
    return httpx.Response(
        200, content=b"\n\n".join(lines) + b"\n\n", headers={"content-type": "text/event-stream"}
    )


def refused(status: int, message: str = "no", **headers: str) -> httpx.Response:
    headers_sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"error": {"message": message}}, headers=headers_sent)


def completed(*script: httpx.Response | BaseException) -> object:
    transport = ScriptedTransport(script)
    result = run(client(transport).complete(REQUEST))
    if isinstance(result, Failure):
        return msgspec.structs.replace(result.failure(), attempts=())
    return result.unwrap().content


# -- what is sent


def test_a_request_goes_to_the_base_url_with_the_key_and_one_length() -> None:
    transport = ScriptedTransport([ok()])

    run(client(transport).complete(REQUEST))

    (sent,) = transport.requests
    assert str(sent.url) == "https://acme.example/v1/chat/completions"
    assert sent.method == "POST"
    assert dict(sent.headers) == {
        "host": "acme.example",
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
        "user-agent": USER_AGENT,
        "content-type": "application/json",
        "authorization": f"Bearer {KEY}",
        "content-length": str(len(sent.content)),
    }
    assert msgspec.json.decode(sent.content) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
    }


def test_a_provider_has_its_own_way_in() -> None:
    provider = msgspec.structs.replace(
        PROVIDER,
        login=msgspec.structs.replace(PROVIDER.login, prove=key_in("api-key")),
        http=msgspec.structs.replace(
            PROVIDER.http,
            headers=(("User-Agent", "webseam/1"), ("x-a", "1")),
            request_headers=lambda _: (("x-a", "2"),),
            path="/chat",
            query=(("api-version", "2025 04"),),
        ),
    )
    transport = ScriptedTransport([ok()])

    run(client(transport, provider=provider).complete(REQUEST))

    (sent,) = transport.requests
    assert str(sent.url) == "https://acme.example/v1/chat?api-version=2025+04"
    assert sent.headers["api-key"] == KEY
    assert (sent.headers["user-agent"], sent.headers["x-a"]) == ("webseam/1", "2")
    assert "authorization" not in sent.headers


def test_a_stream_is_asked_for_as_one() -> None:
    transport = ScriptedTransport([sse(chunk({"content": "Hi."}, "stop"), "[DONE]")])

    run(streamed(client(transport)))

    (sent,) = transport.requests
    assert sent.headers["accept"] == "text/event-stream"
    assert msgspec.json.decode(sent.content)["stream"] is True


def test_a_request_that_breaks_a_rule_is_never_sent() -> None:
    transport = ScriptedTransport()

    result = run(client(transport).complete(ChatRequest(model="", messages=REQUEST.messages)))

    assert result.failure().kind == "invalid_query"
    assert transport.requests == []


@pytest.mark.parametrize("content", ["\ud800", object()])
def test_message_that_is_no_json_is_refused(content: object) -> None:
    request = ChatRequest(
        model="m", messages=({"role": "user", "content": [{"type": "text", "text": content}]},)
    )

    result = run(client(ScriptedTransport()).complete(request))

    assert result.failure() == InvalidQuery(
        backend="acme", field="messages", reason="holds something that cannot be written as JSON"
    )


def test_a_provider_that_crashes_is_named_by_type_alone() -> None:
    def crash(_request: ChatRequest) -> dict[str, object]:
        raise RuntimeError(KEY)

    provider = msgspec.structs.replace(
        PROVIDER,
        changes=msgspec.structs.replace(PROVIDER.changes, extra_body=crash),
    )

    failure = run(client(ScriptedTransport(), provider=provider).complete(REQUEST)).failure()

    assert isinstance(failure, BackendCrashed)
    assert (failure.backend, failure.error) == ("acme", "RuntimeError")
    assert KEY not in repr(failure)


def test_a_header_that_cannot_be_sent_is_a_setting_to_mend() -> None:
    provider = msgspec.structs.replace(
        PROVIDER,
        http=msgspec.structs.replace(PROVIDER.http, headers=(("x-a", "b\r\nc: d"),)),
    )

    failure = run(client(ScriptedTransport(), provider=provider).complete(REQUEST)).failure()

    assert isinstance(failure, NotConfigured)
    assert failure.settings == ("ACME_API_KEY",)


def test_a_session_that_cannot_be_a_header_is_the_callers_to_mend() -> None:
    provider = msgspec.structs.replace(
        PROVIDER,
        http=msgspec.structs.replace(
            PROVIDER.http, request_headers=lambda requested: (("x-conv", requested.session or ""),)
        ),
    )
    request = msgspec.structs.replace(REQUEST, session="a\r\nb: c")

    failure = run(client(ScriptedTransport(), provider=provider).complete(request)).failure()

    assert failure == InvalidQuery(
        backend="acme", field="session", reason="holds characters that no header can carry"
    )


def test_a_base_url_that_is_none_is_a_setting_to_mend() -> None:
    broken = client(ScriptedTransport(), base_url="https://[::1")

    failure = run(broken.complete(REQUEST)).failure()

    assert failure == NotConfigured(
        backend="acme", reason="The base URL cannot be used", settings=("base_url",)
    )


# -- what comes back


def test_an_answer_is_stamped_with_its_issuer() -> None:
    transport = ScriptedTransport([ok(answer({"content": "Hi."}, usage={"prompt_tokens": 1}))])

    response = run(client(transport).complete(REQUEST)).unwrap()

    assert response.content == "Hi."
    assert response.provider_data == {"usage": {"prompt_tokens": 1}, "_issuer": "acme"}


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (refused(400), HttpStatus(backend="acme", status=400, detail="no")),
        (
            refused(401, f"bad key {KEY}"),
            AuthFailed(backend="acme", status=401, detail="bad key ***"),
        ),
        (
            httpx.Response(404, text="<html>\n gone"),
            HttpStatus(backend="acme", status=404, detail="<html> gone"),
        ),
        (
            httpx.Response(200, text="<html>", headers={"content-type": "text/html"}),
            BadPayload(
                backend="acme", problem="not_json", status=200, detail="content type text/html"
            ),
        ),
        (ok({}), BadPayload(backend="acme", problem="shape", path="$.choices")),
        (
            httpx.Response(200, content=b"[" * 200_000),
            BadPayload(backend="acme", problem="not_json", status=200, detail="content type none"),
        ),
    ],
)
def test_a_failure_carries_our_name_and_no_key(response: httpx.Response, error: WebError) -> None:
    assert completed(response) == error


def test_too_much_is_not_read() -> None:
    transport = ScriptedTransport([ok()])

    result = run(client(transport, limits=ModelLimits(bytes=10)).complete(REQUEST))

    assert result.failure() == ResponseTooLarge(backend="acme", what="body", limit=10)


def test_events_that_nobody_asked_for_are_read_all_the_same() -> None:
    assert completed(sse(chunk({"content": "Hi."}), chunk({}, "stop"), "[DONE]")) == "Hi."


def test_events_under_another_name_are_read_all_the_same() -> None:
    stream = sse(chunk({"content": "Hi."}), chunk({}, "stop"), "[DONE]")
    plain = httpx.Response(200, content=stream.read(), headers={"content-type": "text/plain"})

    assert completed(plain) == "Hi."


def test_a_mark_before_the_answer_is_not_read() -> None:
    marked = b"\xef\xbb\xbf" + ok().read()

    assert completed(httpx.Response(200, content=marked)) == "Hi."


# -- when it tries again


@pytest.mark.parametrize(
    "passing",
    [
        refused(429),
        refused(500),
        refused(529),
        httpx.ConnectError("x"),
        httpx.ReadError("x"),
        OSError(),
        ok(answer({}, "network_error")),
    ],
)
def test_passing_errors_are_retried(passing: httpx.Response | BaseException) -> None:
    assert completed(passing, passing, ok()) == "Hi."


def test_lasting_overload_ends_after_three_attempts() -> None:
    assert completed(refused(529), refused(529), refused(529)) == ModelOverloaded(
        backend="acme", status=529, detail="no"
    )


def test_a_longer_wait_than_the_deadline_is_not_begun() -> None:
    transport = ScriptedTransport([refused(429, retry_after="30")])
    model = client(transport, retry=lambda *_: 30.0)

    result = run(model.complete(msgspec.structs.replace(REQUEST, deadline=5.0)))

    assert result.failure() == RateLimited(backend="acme", retry_after=30.0, detail="no")


def not_taken(name: str) -> httpx.Response:
    error = {"message": "no", "code": "unsupported_parameter", "param": name}
    return httpx.Response(400, json={"error": error})


def test_a_field_that_the_model_does_not_take_is_left_out() -> None:
    transport = ScriptedTransport([not_taken("temperature"), not_taken("max_tokens"), ok()])
    request = msgspec.structs.replace(REQUEST, temperature=0.5, max_tokens=9)

    response = run(client(transport).complete(request)).unwrap()

    assert response.provider_data == {"_left_out": ["temperature", "max_tokens"], "_issuer": "acme"}
    sent = [msgspec.json.decode(requests_sent.content) for requests_sent in transport.requests]
    assert [sorted(set(body) - {"model", "messages"}) for body in sent] == [
        ["max_tokens", "temperature"],
        ["max_tokens"],
        ["max_completion_tokens"],
    ]
    assert sent[-1]["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    ("who", "model", "fields", "left_out"),
    [
        (
            "openai-chat",
            "gpt-5.4-nano",
            {"temperature": 0.2, "reasoning_effort": "low"},
            ["temperature"],
        ),
        ("openai-chat", "gpt-5.4-nano", {"temperature": 0.2, "reasoning_effort": "none"}, None),
        ("openai-chat", "gpt-4.1", {"logprobs": True, "top_logprobs": 0, "seed": 0}, None),
        ("kimi", "kimi-k2.5", {"max_tokens": 32000, "top_p": 0.5}, ["top_p"]),
        ("minimax-chat", "MiniMax-M3", {"reasoning_effort": "high"}, ["reasoning_effort"]),
        ("qwen", "qwen3", {"reasoning_effort": "high", "stop": ("a",)}, None),
        (
            "groq",
            "qwen3-32b",
            {"reasoning_effort": "high", "tool_choice": "auto"},
            ["tool_choice", "reasoning_effort"],
        ),
    ],
)
def test_a_field_that_is_not_sent_is_named(
    who: str, model: str, fields: dict[str, Any], left_out: list[str] | None
) -> None:
    request = msgspec.structs.replace(REQUEST, model=model, **fields)
    known = {provider.name: provider for provider in built_in_providers()}

    response = run(
        client(ScriptedTransport([ok()]), provider=known[who]).complete(request)
    ).unwrap()

    assert (response.provider_data or {}).get("_left_out") == left_out


def test_a_field_of_a_message_that_is_not_sent_is_named_whole_and_streamed() -> None:
    detail = {"url": "data:image/png;base64,AA==", "detail": "low"}
    message = {
        "role": "user",
        "name": "Ada",
        "content": [{"type": "image_url", "image_url": detail}],
    }
    request = msgspec.structs.replace(REQUEST, messages=(message,))
    body = {"content": [{"type": "text", "text": "A dot."}], "stop_reason": "end_turn"}
    answers = [httpx.Response(200, json=body) for _ in range(2)]
    model = client(
        ScriptedTransport(answers),
        provider=msgspec.structs.replace(PROVIDER, api_mode="anthropic_messages"),
    )

    whole = run(model.complete(request)).unwrap()
    *_, last = run(streamed(model, request))

    left_out = ["messages[].name", "messages[].content[].image_url.detail"]
    assert (whole.provider_data or {})["_left_out"] == left_out
    assert isinstance(last, Success)
    assert (last.unwrap().provider_data or {})["_left_out"] == left_out


def test_texts_of_which_one_is_not_sent_are_named() -> None:
    request = msgspec.structs.replace(REQUEST, model="claude-sonnet-4-5", stop=("\n", "END"))
    both = msgspec.structs.replace(request, stop=("STOP", "END"), top_p=0.5, temperature=0.5)
    wire = load_wire("anthropic_messages")

    assert find_unsent_fields(request, wire, Provider(name="acme")) == ("stop",)
    assert find_unsent_fields(both, wire, Provider(name="acme")) == ("top_p",)


def test_tools_of_which_one_is_not_sent_are_named() -> None:
    named, nameless = ({"type": "function", "function": {"name": name}} for name in ("f", ""))
    search = {"type": "web_search_20250305", "name": "web_search"}
    cases: list[tuple[ApiMode, tuple[dict[str, Any], ...], tuple[str, ...]]] = [
        ("anthropic_messages", (named, search), ()),
        ("anthropic_messages", (named, named), ("tools",)),
        ("gemini_generate", (named, named), ("tools",)),
        ("responses", (named, nameless), ("tools",)),
        ("chat_completions", (named, named), ()),
    ]
    for api_mode, tools, unsent in cases:
        request = msgspec.structs.replace(REQUEST, tools=tools)

        assert find_unsent_fields(request, load_wire(api_mode), PROVIDER) == unsent, api_mode


def test_a_provider_that_breaks_while_fields_are_compared_still_answers() -> None:
    def refuse(request: ChatRequest) -> Headers:
        if request.messages != REQUEST.messages:
            raise ValueError
        return ()

    model = client(
        ScriptedTransport([ok()]),
        provider=Provider(name="acme", http=HttpDetails(request_headers=refuse)),
    )

    marked = run(model.complete(msgspec.structs.replace(REQUEST, cache=True)))
    budgeted = run(model.complete(msgspec.structs.replace(REQUEST, thinking_budget=9)))

    assert marked.unwrap().content == "Hi."
    assert isinstance(budgeted.failure(), BackendCrashed)


@pytest.mark.parametrize("name", ["response_format", "messages", "tools"])
def test_refused_parameter_of_the_caller_is_an_error(name: str) -> None:
    assert completed(not_taken(name)) == ParameterRefused(
        backend="acme", parameter=name, status=400, detail="no"
    )


def test_a_model_that_takes_nothing_is_not_asked_for_ever() -> None:
    names = ["temperature", "top_p", "stop", "seed"]

    assert completed(*map(not_taken, names)) == ParameterRefused(
        backend="acme", parameter="seed", status=400, detail="no"
    )


def test_the_same_refusal_twice_is_the_end() -> None:
    assert completed(not_taken("stop"), not_taken("stop")) == ParameterRefused(
        backend="acme", parameter="stop", status=400, detail="no"
    )


# -- streams


def test_a_stream_gives_pieces_and_then_once_the_answer() -> None:
    transport = ScriptedTransport(
        [sse(chunk({"content": "H"}), chunk({"content": "i."}), chunk({}, "stop"), "[DONE]")]
    )

    *pieces, last = run(streamed(client(transport)))

    assert pieces == [Delta(text="H"), Delta(text="i.")]
    assert isinstance(last, Success)
    assert last.unwrap().content == "Hi."


def test_a_server_that_cannot_stream_gives_its_answer_in_one_piece() -> None:
    *pieces, last = run(streamed(client(ScriptedTransport([ok()]))))

    assert pieces == [Delta(text="Hi.")]
    assert not isinstance(last, Delta)
    assert last.unwrap().content == "Hi."


def test_calls_of_a_server_that_cannot_stream_are_pieces_too() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    whole = ok(answer({"content": None, "tool_calls": [call]}))

    *pieces, _ = run(streamed(client(ScriptedTransport([whole]))))

    assert pieces == [Delta(tool_call=ToolCallDelta(index=0, id="c", name="f", arguments="{}"))]


def test_a_stream_is_tried_again_only_before_its_first_piece() -> None:
    cut = sse(chunk({"content": "H"}))
    transport = ScriptedTransport([refused(500), sse(), cut])

    items = run(streamed(client(transport)))

    assert text_of(items) == "H"
    lost = items[-1]
    assert isinstance(lost, Failure)
    made = [attempt.outcome for attempt in lost.failure().attempts]
    assert lost.failure().kind == "connection_lost"
    assert made == ["upstream_unavailable", "connection_lost", "connection_lost"]
    assert len(transport.requests) == 3


def test_an_error_in_the_middle_of_a_stream_is_the_result() -> None:
    transport = ScriptedTransport(
        [sse(chunk({"content": "H"}), {"error": {"message": f"no {KEY}", "code": "overloaded"}})]
    )

    items = run(streamed(client(transport)))

    assert items[-1] == Failure(ModelOverloaded(backend="acme", detail="no ***"))


def test_a_stream_that_never_begins_ends_in_its_failure() -> None:
    assert run(streamed(client(ScriptedTransport([refused(401)])))) == [
        Failure(AuthFailed(backend="acme", status=401, detail="no"))
    ]


def test_a_stream_of_too_much_ends() -> None:
    transport = ScriptedTransport([sse(chunk({"content": "x" * 1000}))])

    items = run(streamed(client(transport, limits=ModelLimits(stream_bytes=100))))

    assert items == [Failure(ResponseTooLarge(backend="acme", what="body", limit=100))]


def test_nobody_answers_where_nobody_listens() -> None:
    assert completed(*[httpx.ConnectError("refused")] * 3) == ConnectFailed(backend="acme")


def test_an_event_without_end_ends_the_stream() -> None:
    endless = httpx.Response(
        200,
        content=b"data: " + b"x" * (MAX_EVENT_BYTES + 1),
        headers={"content-type": "text/event-stream"},
    )

    items = run(streamed(client(ScriptedTransport([endless]))))

    assert items == [Failure(ResponseTooLarge(backend="acme", what="body", limit=MAX_EVENT_BYTES))]


def test_a_compressed_stream_is_read_within_its_limit() -> None:
    def squeezed() -> httpx.Response:
        content = gzip.compress(sse(chunk({"content": "x" * 5000}, "stop")).content)
        headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
        return httpx.Response(200, stream=httpx.ByteStream(content), headers=headers)

    whole = run(streamed(client(ScriptedTransport([squeezed()]))))
    limits = ModelLimits(stream_bytes=1000)
    cut = run(streamed(client(ScriptedTransport([squeezed()]), limits=limits)))

    assert text_of(whole) == "x" * 5000
    assert cut == [Failure(ResponseTooLarge(backend="acme", what="decoded", limit=1000))]


def test_any_mapping_can_be_sent() -> None:
    transport = ScriptedTransport([ok()])
    part = MappingProxyType({"type": "text", "text": "hi"})
    request = ChatRequest(model="m", messages=({"role": "user", "content": [part]},))

    run(client(transport).complete(request))

    sent = msgspec.json.decode(transport.requests[0].content)
    assert sent["messages"][0]["content"] == [{"type": "text", "text": "hi"}]
