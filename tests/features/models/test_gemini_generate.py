"""Gemini's own API: what is sent, and what its answers and streams become."""

import json
from typing import Any

import pytest
from returns.result import Failure

from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.providers.gemini import GEMINI_NATIVE
from webseam.adapters.features.models.wires.gemini.generate import GEMINI_GENERATE as WIRE
from webseam.kernel.features.models.chat import assistant_message
from webseam.ports import (
    BadPayload,
    ChatRequest,
    ConnectionLost,
    ContentFiltered,
    ModelFailed,
    OutputSchema,
    ToolCall,
    ToolCallDelta,
    Usage,
)

PROVIDER = Provider(name="g", api_mode="gemini_generate")
HELLO = ({"role": "user", "content": "Hello"},)
LOOKUP = {
    "type": "function",
    "function": {"name": "look.up", "description": "Look.", "parameters": {"type": "object"}},
}


def body(**fields: Any) -> dict[str, Any]:  # noqa: ANN401  any field of a request
    """Return the body of a request."""
    request = ChatRequest(**{"model": "gemini-3", "messages": HELLO, **fields})
    return WIRE.build_request(request, PROVIDER).body


def answer(*parts: dict[str, object], finish: str = "STOP", **more: object) -> dict[str, Any]:
    """Return an answer with these parts."""
    return {"candidates": [{"content": {"parts": list(parts)}, "finishReason": finish, **more}]}


def events(*chunks: object) -> bytes:
    """Return chunks as a stream."""
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n" for chunk in chunks)


def test_the_model_is_in_the_path_and_a_stream_has_one_of_its_own() -> None:
    request = ChatRequest(model="models/gemini-3", messages=HELLO)

    whole = WIRE.build_request(request, PROVIDER).path
    stream = WIRE.build_request(request, PROVIDER, stream=True).path

    assert whole == "/models/gemini-3:generateContent"
    assert stream == "/models/gemini-3:streamGenerateContent?alt=sse"


def test_instructions_and_system_messages_stand_apart() -> None:
    sent = body(
        messages=({"role": "system", "content": "Be brief."}, *HELLO), instructions="Search."
    )

    assert sent["systemInstruction"] == {"parts": [{"text": "Search."}, {"text": "Be brief."}]}
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "Hello"}]}]


def test_calls_and_results_are_told_by_name_and_id() -> None:
    call = {"id": "c1", "function": {"name": "lookup", "arguments": '{"q": 1}'}}
    talk = (
        *HELLO,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    )

    _, call_turn, result_turn = body(model="gemini-2.5-pro", messages=talk)["contents"]

    assert call_turn == {
        "role": "model",
        "parts": [{"functionCall": {"id": "c1", "name": "lookup", "args": {"q": 1}}}],
    }
    response = {"id": "c1", "response": {"result": "found"}, "name": "lookup"}
    assert result_turn == {"role": "user", "parts": [{"functionResponse": response}]}


def test_a_call_goes_back_with_the_signature_that_it_came_with() -> None:
    part: dict[str, object] = {
        "functionCall": {"id": "c", "name": "f", "args": {}},
        "thoughtSignature": "sig",
    }
    turn = assistant_message(WIRE.normalize_response(answer(part)).unwrap())
    compatible = {
        "id": "c",
        "function": {"name": "f"},
        "extra_content": {"google": {"thought_signature": "sig"}},
    }
    result = {"role": "tool", "tool_call_id": "c", "content": "found"}

    sent = body(messages=(*HELLO, turn, result))["contents"][1]
    other = body(messages=(*HELLO, {"role": "assistant", "tool_calls": [compatible]}, result))

    assert sent == {"role": "model", "parts": [part]}
    assert other["contents"][1] == sent


CALL = {"id": "c1", "function": {"name": "lookup", "arguments": "{}"}}
OTHER = {"id": "c2", "function": {"name": "lookup", "arguments": "{}"}}
SEEN = [
    {"type": "text", "text": "a chart"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
]


def turns(model: str, content: object) -> Any:  # noqa: ANN401  any JSON
    talk = (
        *HELLO,
        {"role": "assistant", "content": None, "tool_calls": [CALL, OTHER]},
        {"role": "tool", "tool_call_id": "c1", "content": content},
        {"role": "tool", "tool_call_id": "c2", "content": "none"},
    )
    return body(model=model, messages=talk)["contents"]


@pytest.mark.parametrize("model", ["gemini-3.1-pro", "gemini-flash-latest"])
def test_a_call_that_somebody_else_made_goes_with_googles_word_for_that(model: str) -> None:
    _, calls, _ = turns(model, "six")

    signatures = [part.get("thoughtSignature") for part in calls["parts"]]
    assert signatures == ["skip_thought_signature_validator", None]


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemma-3"])
def test_older_models_want_no_word_for_it(model: str) -> None:
    _, calls, _ = turns(model, "six")

    assert all("thoughtSignature" not in part for part in calls["parts"])


@pytest.mark.parametrize(
    ("content", "words"), [(SEEN, "a chart"), (SEEN[1:], "(attached)"), ("six", "six")]
)
def test_a_picture_in_a_result_is_seen(content: object, words: str) -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    pictures = [picture] if isinstance(content, list) else []

    newer = turns("gemini-3.1-pro", content)[2]["parts"]
    older = turns("gemini-2.5-pro", content)[2]["parts"]

    first = newer[0]["functionResponse"]
    assert (first["response"], first.get("parts", [])) == ({"result": words}, pictures)
    assert len(newer) == 2
    assert [part["functionResponse"]["id"] for part in older[:2]] == ["c1", "c2"]
    assert older[2:] == pictures
    assert "parts" not in older[0]["functionResponse"]


def test_images_go_as_data_and_what_cannot_go_is_named() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}},
        {"type": "input_audio"},
    ]

    [turn] = body(messages=({"role": "user", "content": content},))["contents"]

    assert turn["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://a.example/b.png"}},
        {"text": "(input_audio left out)"},
    ]


def test_functions_are_one_tool_and_googles_own_stay_as_they_are() -> None:
    sent = body(tools=(LOOKUP, {"google_search": {}}), tool_choice="required")

    assert sent["tools"] == [
        {"google_search": {}},
        {
            "functionDeclarations": [
                {
                    "name": "look_up",
                    "description": "Look.",
                    "parametersJsonSchema": {"type": "object", "properties": {}},
                }
            ]
        },
    ]
    assert sent["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}


def test_one_function_can_be_asked_for() -> None:
    sent = body(tools=(LOOKUP,), tool_choice={"type": "function", "function": {"name": "look.up"}})

    config = {"mode": "ANY", "allowedFunctionNames": ["look_up"]}
    assert sent["toolConfig"] == {"functionCallingConfig": config}


def test_limits_and_schema_go_into_the_config() -> None:
    schema = OutputSchema(schema={"type": "object"})

    sent = body(max_tokens=9, temperature=0.5, top_p=0.9, stop=("x",), output_schema=schema)

    assert sent["generationConfig"] == {
        "maxOutputTokens": 9,
        "temperature": 0.5,
        "topP": 0.9,
        "stopSequences": ["x"],
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    }


def test_an_answer_has_its_text_its_thoughts_and_its_count() -> None:
    counted = {
        "promptTokenCount": 8,
        "toolUsePromptTokenCount": 2,
        "candidatesTokenCount": 12,
        "thoughtsTokenCount": 40,
        "cachedContentTokenCount": 3,
        "totalTokenCount": 62,
    }
    payload = {
        **answer({"text": "Hm.", "thought": True}, {"text": "High."}, groundingMetadata={"a": 1}),
        "usageMetadata": counted,
        "modelVersion": "gemini-3.6-flash",
        "responseId": "r1",
    }

    answer_found = WIRE.normalize_response(payload).unwrap()

    assert (answer_found.content, answer_found.reasoning, answer_found.finish_reason) == (
        "High.",
        "Hm.",
        "stop",
    )
    assert (answer_found.id, answer_found.model) == ("r1", "gemini-3.6-flash")
    assert answer_found.provider_data == {"groundingMetadata": {"a": 1}}
    assert answer_found.usage == Usage(
        input_tokens=10, output_tokens=52, total_tokens=62, cached_tokens=3, reasoning_tokens=40
    )
    stats = WIRE.cache_stats(payload)
    assert stats is not None
    assert stats.read_tokens == 3
    assert WIRE.cache_stats({}) is None


def test_a_call_comes_back_under_the_name_that_the_caller_gave() -> None:
    request = ChatRequest(model="g", messages=HELLO, tools=(LOOKUP,))
    payload = answer({"functionCall": {"id": "c", "name": "look_up", "args": {"q": 1}}})

    answer_found = WIRE.normalize_response(payload, request).unwrap()

    assert answer_found.finish_reason == "tool_calls"
    assert answer_found.tool_calls == (ToolCall(id="c", name="look.up", arguments='{"q":1}'),)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("NEVER_HEARD_OF", "stop"),
        (None, "stop"),
    ],
)
def test_the_end_of_an_answer_has_a_reason(words: object, reason: str) -> None:
    assert WIRE.map_finish_reason(words) == reason


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        ([], BadPayload),
        ({}, BadPayload),
        ({"candidates": []}, BadPayload),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, ContentFiltered),
        ({"error": {"status": "INTERNAL", "message": "Oops"}}, ModelFailed),
        (answer(finish="UNEXPECTED_TOOL_CALL"), ModelFailed),
    ],
)
def test_invalid_answer_is_a_failure(payload: object, error: type) -> None:
    assert isinstance(WIRE.normalize_response(payload).failure(), error)


def test_a_stream_is_the_answer_that_it_would_have_been() -> None:
    reader = EventReader(WIRE)
    stream = events(
        answer({"text": "Hm.", "thought": True}, finish=""),
        answer({"text": "Hi"}, finish=""),
        {"usageMetadata": {"promptTokenCount": 1}},
        answer({"text": "gh."}, finish="STOP", groundingMetadata={"a": 1}),
    )

    deltas = [delta.text + delta.reasoning for delta in reader.feed(stream)]
    _, finished = reader.finish()

    assert deltas == ["Hm.", "Hi", "gh."]
    assert (finished.unwrap().content, finished.unwrap().reasoning) == ("High.", "Hm.")
    assert finished.unwrap().provider_data == {"groundingMetadata": {"a": 1}}


def test_code_that_ran_and_pictures_are_kept() -> None:
    parts: list[dict[str, object]] = [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "One."},
    ]
    reader = EventReader(WIRE)
    counts = {"usageMetadata": {"promptTokenCount": 1}}
    reader.feed(events({**answer(*parts[:2], finish=""), **counts}, answer(parts[2])))

    streamed = reader.finish()[1].unwrap()

    assert streamed == WIRE.normalize_response({**answer(*parts), **counts}).unwrap()
    assert streamed.provider_data == {"gemini_parts": parts}


def test_calls_in_a_stream_are_told_as_they_come() -> None:
    first: dict[str, object] = {"functionCall": {"name": "f", "args": {"q": 1}}}
    second: dict[str, object] = {"functionCall": {"name": "g", "args": {}}}
    reader = EventReader(WIRE)

    deltas = reader.feed(events(answer(first, finish=""), answer(second, finish="STOP")))
    calls_made = reader.finish()[1].unwrap().tool_calls

    assert [delta.tool_call for delta in deltas] == [
        ToolCallDelta(index=at, id=call.id, name=call.name, arguments=call.arguments)
        for at, call in enumerate(calls_made)
    ]


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        (events(answer({"text": "Hi"}, finish="")), ConnectionLost),
        (b"data: no json\n\n", BadPayload),
        (events([]), BadPayload),
        (events({"error": {"message": "Oops"}}), ModelFailed),
        (b"event: error\ndata: Oops\n\n", ModelFailed),
        (events({"promptFeedback": {"blockReason": "SAFETY"}}), ContentFiltered),
        (
            events(
                {
                    "promptFeedback": {"blockReason": "SAFETY"},
                    "usageMetadata": {"totalTokenCount": 9},
                }
            ),
            ContentFiltered,
        ),
        (
            events({"error": {"message": "Oops"}, "usageMetadata": {"totalTokenCount": 9}}),
            ModelFailed,
        ),
        (events(answer(finish="MALFORMED_FUNCTION_CALL")), ModelFailed),
        (b"", ConnectionLost),
    ],
)
def test_a_stream_that_breaks_is_a_failure(stream: bytes, error: type) -> None:
    reader = EventReader(WIRE)
    reader.feed(stream)
    reader.feed(events(answer({"text": "too late"})) if error is not ConnectionLost else b"")

    _, finished = reader.finish()

    assert isinstance(finished, Failure)
    assert isinstance(finished.failure(), error)


def test_either_address_of_google_leads_to_its_own_api() -> None:
    variables = {"GEMINI_API_KEY": "k", "GEMINI_BASE_URL": "https://g.example/v1beta/openai/"}

    account = GEMINI_NATIVE.account(variables).unwrap()

    assert account.base_url == "https://g.example/v1beta"
