"""What a later turn needs is kept and goes back by itself; no part of an answer is lost."""

from typing import Any

import httpx
import pytest

from tests.features.models.chat import answer, chunk, events, told
from tests.features.models.providers.asking import provider
from webseam.adapters.features.models.declaration.provider import Account, FieldRules, Provider
from webseam.adapters.features.models.declaration.wire import RefusedAnswer, find_unsent_fields
from webseam.adapters.features.models.wires.preview import load_wire, preview
from webseam.kernel.features.models.chat import assistant_message
from webseam.ports import ChatRequest, Delta, NormalizedResponse, RateLimited, WebError
from webseam.ports.models import Message
from webseam.ports.secrets import Secret

CHAT, MESSAGES = load_wire("chat_completions"), load_wire("anthropic_messages")
RESPONSES, GEMINI = load_wire("responses"), load_wire("gemini_generate")
HELLO: Message = {"role": "user", "content": "hello"}
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


# -- Claude's container

CONTAINER = {"id": "container_1", "expires_at": "2026-11-20T00:00:00Z"}
CODE = {"type": "code_execution_20250825", "name": "code_execution"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}, "caller": {"type": "code_execution_20250825", "tool_id": "srv_1"}}  # fmt: skip
WHOLE = {"id": "m", "content": [CALL], "stop_reason": "tool_use", "container": CONTAINER}
STREAM = (
    {"type": "message_start", "message": {"id": "m", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": CALL},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "container": CONTAINER},
        "usage": {},
    },
    {"type": "message_stop"},
)


def continued(response: NormalizedResponse, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    result = {"role": "tool", "tool_call_id": "toolu_1", "content": "4"}
    messages = (HELLO, assistant_message(response), result)
    request = ChatRequest(model="claude-opus-4-8", messages=messages, **fields)
    return preview(provider("anthropic"), request).body


def test_the_container_of_code_goes_back_whole_or_streamed() -> None:
    whole = MESSAGES.normalize_response(WHOLE)
    _, streamed = told(MESSAGES, events(*STREAM))

    assert streamed == whole
    assert continued(whole.unwrap(), tools=(LOOK, CODE))["container"] == "container_1"


def test_a_container_goes_neither_to_another_provider_nor_without_tools_that_run_code() -> None:
    response = MESSAGES.normalize_response(WHOLE).unwrap()
    data = {**(response.provider_data or {}), "_issuer": "minimax"}
    foreign = NormalizedResponse(content="a", finish_reason="stop", provider_data=data)

    assert "container" not in continued(response, tools=(LOOK,))
    assert "container" not in continued(foreign, tools=(LOOK, CODE))


def test_a_container_of_the_callers_own_wins() -> None:
    response = MESSAGES.normalize_response(WHOLE).unwrap()

    body = continued(response, tools=(CODE,), extra_body={"container": "mine"})

    assert body["container"] == "mine"


def test_a_paused_turn_goes_on_in_its_container() -> None:
    part = {
        "content": [{"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {}}],
        "stop_reason": "pause_turn",
        "container": CONTAINER,
    }
    request = ChatRequest(model="claude-opus-4-8", messages=(HELLO,), tools=(CODE,))

    following = MESSAGES.continued(request, MESSAGES.normalize_response(part).unwrap())

    assert following is not None
    assert preview(provider("anthropic"), following).body["container"] == "container_1"


def test_an_attempt_that_was_declined_before_it_wrote_is_not_counted() -> None:
    usage = {
        "input_tokens": 412,
        "output_tokens": 9,
        "iterations": [
            {"type": "message", "input_tokens": 408, "output_tokens": 0},
            {"type": "fallback_message", "input_tokens": 412, "output_tokens": 9},
        ],
    }
    payload = {"content": [{"type": "text", "text": "a"}], "usage": usage}

    counted = MESSAGES.normalize_response(payload).unwrap().usage

    assert counted is not None
    assert (counted.input_tokens, counted.output_tokens) == (412, 9)


# -- audio and second choices


def audio(**fields: object) -> object:
    return chunk({"audio": fields})


def test_the_audio_of_a_stream_is_kept_and_its_words_are_the_content() -> None:
    stream = events(
        audio(id="audio_1", transcript="High "),
        audio(data="QUI=", transcript="tide."),
        audio(data="QUI="),
        chunk({}, "stop"),
        "[DONE]",
    )

    deltas, streamed = told(CHAT, stream)
    response = streamed.unwrap()

    assert deltas == []
    assert response.content == "High tide."
    assert (response.provider_data or {})["audio"] == {
        "id": "audio_1",
        "data": "QUJBQg==",
        "transcript": "High tide.",
    }


SPLIT = (
    {"index": 0, "message": {"content": "I look.", "tool_calls": []}, "finish_reason": "tool_calls"},
    {
        "index": 1,
        "message": {
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "look", "arguments": "{}"}}],
        },
        "finish_reason": "tool_calls",
    },
)  # fmt: skip


def test_an_answer_in_two_choices_is_one() -> None:
    response = CHAT.normalize_response({"choices": [*SPLIT]}).unwrap()

    assert (response.content, response.finish_reason) == ("I look.", "tool_calls")
    assert [call.name for call in response.tool_calls] == ["look"]


def test_an_answer_in_two_choices_is_streamed_like_the_whole_one() -> None:
    pieces = [{"choices": [{**choice, "delta": choice["message"]}]} for choice in SPLIT]

    _, streamed = told(CHAT, events(*pieces, "[DONE]"))

    assert streamed.map(lambda it: (it.content, it.tool_calls)) == CHAT.normalize_response(
        {"choices": [*SPLIT]}
    ).map(lambda it: (it.content, it.tool_calls))


def test_an_empty_first_choice_hides_no_second_one() -> None:
    payload = answer({"content": ""})
    payload["choices"] += answer({"content": "Full."})["choices"]

    assert CHAT.normalize_response(payload).unwrap().content == "Full."


def test_a_second_text_is_another_answer_and_kept_apart() -> None:
    payload = answer({"content": "One."})
    payload["choices"] += answer({"content": "Two."})["choices"]

    response = CHAT.normalize_response(payload).unwrap()

    assert response.content == "One."
    assert "Two." in str((response.provider_data or {})["_unread"])


@pytest.mark.parametrize(
    ("api_mode", "payload"),
    [
        ("responses", {"status": "completed", "output": [{"type": "odd", "text": "a"}]}),
        ("responses", {"status": "completed", "output": [{"type": "web_search_call"}]}),
        (
            "bedrock_converse",
            {
                "output": {"message": {"content": [{"odd": {"text": "a"}}]}},
                "stopReason": "end_turn",
            },
        ),
        (
            "anthropic_messages",
            {"content": [{"type": "odd", "text": "a"}], "stop_reason": "end_turn"},
        ),
    ],
)
def test_parts_of_unknown_types_alone_are_no_answer(api_mode: Any, payload: object) -> None:  # noqa: ANN401  one of the modes
    assert load_wire(api_mode).normalize_response(payload).failure().kind == "empty_content"


# -- fragments of calls


def call_chunk(**call: object) -> object:
    return chunk({"tool_calls": [call]})


def test_ids_in_pieces_and_fragments_with_an_id_alone_are_put_together() -> None:
    stream = events(
        call_chunk(index=0, id="call_"),
        call_chunk(index=0, id="1", function={"name": "look"}),
        call_chunk(index=0, function={"arguments": "{}"}),
        call_chunk(id="call_2"),
        call_chunk(function={"name": "take", "arguments": "{}"}),
        "[DONE]",
    )

    deltas, streamed = told(CHAT, stream)

    calls = streamed.unwrap().tool_calls
    assert [(call.id, call.name) for call in calls] == [("call_1", "look"), ("call_2", "take")]
    last_ids = {}
    for delta in deltas:
        if delta.tool_call is not None and delta.tool_call.id:
            last_ids[delta.tool_call.index] = delta.tool_call.id
    assert last_ids == {0: "call_1", 1: "call_2"}


# -- commentary


def test_commentary_before_a_call_is_told_once() -> None:
    said = {
        "type": "message",
        "phase": "commentary",
        "content": [{"type": "output_text", "text": "I look."}],
    }
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    whole = {"status": "completed", "output": [said, call]}
    request = ChatRequest(model="m", messages=(HELLO,), tools=(LOOK,))
    fold = RESPONSES.fold(request)
    stream = events(
        {"type": "response.output_item.added", "output_index": 0, "item": said},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "I look."},
        {"type": "response.completed", "response": whole},
    )

    deltas = [delta for event in stream for delta in fold.feed(event)]

    assert deltas == []
    response = fold.finish().unwrap()
    assert (response.content, response.reasoning) == ("I look.", None)


def test_parts_of_reasoning_are_a_blank_line_apart() -> None:
    stream = events(
        *(
            {
                "type": "response.reasoning_summary_text.delta",
                "output_index": 0,
                "summary_index": index,
                "delta": text,
            }
            for index, text in ((0, "One"), (0, "."), (1, "Two."))
        )
    )
    fold = RESPONSES.fold(None)

    assert [delta for event in stream for delta in fold.feed(event)] == [
        Delta(reasoning="One"),
        Delta(reasoning="."),
        Delta(reasoning="\n\nTwo."),
    ]


# -- Gemini


def test_citations_and_log_probabilities_of_all_events_are_kept() -> None:
    def piece(number: int, **fields: object) -> dict[str, Any]:
        return {
            "candidates": [
                {
                    "content": {"parts": [{"text": str(number)}]},
                    "citationMetadata": {"citationSources": [{"uri": f"u{number}"}]},
                    "logprobsResult": {"chosenCandidates": [{"token": str(number)}]},
                    **fields,
                }
            ]
        }

    _, streamed = told(GEMINI, events(piece(1), piece(2, finishReason="STOP")))
    data = streamed.unwrap().provider_data or {}

    assert data["citationMetadata"] == {"citationSources": [{"uri": "u1"}, {"uri": "u2"}]}
    assert data["logprobsResult"] == {"chosenCandidates": [{"token": "1"}, {"token": "2"}]}


def gemini_parts(*content: object) -> Any:  # noqa: ANN401  any JSON
    messages: tuple[Message, ...] = ({"role": "user", "content": [*content]},)
    request = ChatRequest(model="gemini-3-flash", messages=messages)
    body: Any = preview(provider("gemini-native"), request).body
    return body["contents"][0]["parts"]


def test_audio_video_and_addresses_go_as_media() -> None:
    assert gemini_parts(
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
        {"type": "video_url", "video_url": {"url": "https://a.example/v.mp4"}},
        {
            "type": "file",
            "file": {"file_id": "https://g.example/v1beta/files/f", "format": "application/pdf"},
        },
        {"type": "file", "file": {"file_data": "gs://bucket/a.pdf"}},
    ) == [
        {"inlineData": {"mimeType": "audio/wav", "data": "QQ=="}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "https://a.example/v.mp4"}},
        {
            "fileData": {
                "mimeType": "application/pdf",
                "fileUri": "https://g.example/v1beta/files/f",
            }
        },
        {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://bucket/a.pdf"}},
    ]


def test_no_image_is_a_failure_if_nothing_else_was_said() -> None:
    empty = {"candidates": [{"finishReason": "NO_IMAGE"}]}
    spoken = {"candidates": [{"content": {"parts": [{"text": "Hm."}]}, "finishReason": "NO_IMAGE"}]}

    assert GEMINI.normalize_response(empty).failure().kind == "model_failed"
    assert GEMINI.normalize_response(spoken).unwrap().content == "Hm."


@pytest.mark.parametrize("model", ["gemini-3-pro", "gemini-3-flash", "gemini-2.5-pro"])
def test_a_model_that_cannot_stop_thinking_has_the_effort_named(model: str) -> None:
    request = ChatRequest(model=model, messages=(HELLO,), reasoning_effort="none")

    assert find_unsent_fields(request, GEMINI, provider("gemini-native")) == ("reasoning_effort",)


def test_minimal_is_a_level_of_gemini_flash() -> None:
    request = ChatRequest(model="gemini-3-flash", messages=(HELLO,), reasoning_effort="minimal")
    body: Any = preview(provider("gemini-native"), request).body

    assert body["generationConfig"]["thinkingConfig"]["thinkingLevel"] == "minimal"


# -- requests


def test_deepseek_does_not_think_when_a_tool_is_forced() -> None:
    request = ChatRequest(
        model="deepseek-v4-pro", messages=(HELLO,), tools=(LOOK,), tool_choice="required"
    )

    assert preview(provider("deepseek"), request).body["thinking"] == {"type": "disabled"}


def test_mistral_has_its_own_name_for_a_seed() -> None:
    body = preview(provider("mistral"), ChatRequest(model="m", messages=(HELLO,), seed=7)).body

    assert (body["random_seed"], "seed" in body) == (7, False)


def test_groq_has_its_own_name_for_the_usual_tier() -> None:
    request = ChatRequest(model="m", messages=(HELLO,), service_tier="default")

    assert preview(provider("groq"), request).body["service_tier"] == "on_demand"


def test_fields_of_a_tool_are_sent_or_named() -> None:
    tool = {**LOOK, "defer_loading": True, "allowed_callers": ["direct"], "colour": "red"}
    tool["function"] = {**LOOK["function"], "eager_input_streaming": True, "shape": "round"}  # type: ignore[dict-item]
    request = ChatRequest(model="claude-opus-4-8", messages=(HELLO,), tools=(tool,))
    anthropic = provider("anthropic")

    body: Any = preview(anthropic, request).body
    [sent] = body["tools"]

    assert sent["defer_loading"] is sent["eager_input_streaming"] is True
    assert sent["allowed_callers"] == ["direct"]
    assert find_unsent_fields(request, MESSAGES, anthropic) == ("tools[0].colour", "tools[0].shape")


def test_declared_temperature_beats_the_rule_of_a_model_name() -> None:
    declared = Provider(name="x", fields=FieldRules(temperature=0.6))
    request = ChatRequest(model="kimi-k2", messages=(HELLO,))

    assert preview(declared, request).body["temperature"] == 0.6


def test_a_key_that_is_a_text_is_a_secret() -> None:
    account = Account(base_url="https://a.example", key="text", parts={"b": "c"})  # type: ignore[arg-type, dict-item]

    assert isinstance(account.key, Secret)
    assert account.secrets() == ("text", "c")
    assert "text" not in repr(account)


# -- refusals


def refused(status: int, payload: object, **headers: str) -> WebError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return CHAT.refusal(
        RefusedAnswer(
            status=status, headers=httpx.Headers(names), payload=payload, model="m", now=1000.0
        )
    )


def test_words_of_xai_and_perplexity_are_understood() -> None:
    xai = {"code": "Client specified an invalid argument", "error": "Model not found: grok-9"}

    assert refused(400, xai).kind == "model_not_found"
    assert refused(400, {"error": {"message": "Query is too long"}}).kind == "context_too_long"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"x_ratelimit_remaining_tokens": "0", "x_ratelimit_reset_tokens": "1m2.5s"}, 62.5),
        ({"x_ratelimit_remaining_tokens": "9", "x_ratelimit_reset_tokens": "1m2.5s"}, None),
        (
            {
                "anthropic_ratelimit_requests_remaining": "0",
                "anthropic_ratelimit_requests_reset": "1970-01-01T00:17:00Z",
            },
            20.0,
        ),
        ({"x_ratelimit_reset": "1005000000000"}, 1004999000.0),
        ({"x_ratelimit_reset": "soon"}, None),
        ({"retry_after": "3", "x_ratelimit_reset": "9"}, 3.0),
    ],
)
def test_a_limit_says_when_it_begins_again(headers: dict[str, str], wait: float | None) -> None:
    assert refused(429, {}, **headers) == RateLimited(retry_after=wait)
