"""Shapes that real traffic has: each was seen in recordings of providers, the bodies are ours."""

from typing import Any

import httpx
import pytest

from tests.features.models.chat import answer, chunk, events, told
from tests.features.models.providers.asking import added, built, provider
from webseam.adapters.features.models.client.attempts import droppable_field
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.declaration.wire import RefusedAnswer, StreamEvent
from webseam.adapters.features.models.wires.preview import load_wire, preview
from webseam.adapters.features.models.wires.server_sent_events import ServerSentEvents
from webseam.ports import ChatRequest, ContentFiltered, ContextTooLong, Usage, WebError
from webseam.ports.errors import BadPayload, ModelFailed, ModelOverloaded, ParameterRefused
from webseam.ports.models import Message

HELLO: Message = {"role": "user", "content": "hello"}
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CHAT, RESPONSES = load_wire("chat_completions"), load_wire("responses")
MESSAGES, GEMINI = load_wire("anthropic_messages"), load_wire("gemini_generate")
SEALED = "reasoning.encrypted_content"


def refused(status: int, payload: object, api: Any = "chat_completions") -> WebError:  # noqa: ANN401  one of the modes
    refusal = RefusedAnswer(
        status=status, headers=httpx.Headers(), payload=payload, model="m", now=0.0
    )
    return load_wire(api).refusal(refusal)


@pytest.mark.parametrize(
    ("model", "asked"), [("gpt-5-mini", True), ("o3", True), ("gpt-4.1", False), ("gpt-4o", False)]
)
def test_sealed_thoughts_are_asked_of_models_that_think(model: str, *, asked: bool) -> None:
    body = added("openai", model, tools=(LOOK,))

    assert (SEALED in body.get("include", ())) is asked


def test_a_model_that_has_no_sealed_thoughts_is_asked_again_without() -> None:
    words = "Encrypted content is not supported with this model."
    error = refused(400, {"error": {"message": words, "param": "include", "code": None}})

    assert error == ParameterRefused(parameter="include", status=400, detail=words)
    assert droppable_field(error, ()) == "include"


def test_a_parameter_is_refused_in_words_without_a_code() -> None:
    words = "Unsupported parameter: 'temperature' is not supported with this model."
    error = refused(400, {"error": {"message": words, "type": "invalid_request_error"}})

    assert error == ParameterRefused(parameter="temperature", status=400, detail=words)


def test_words_in_the_middle_of_a_sentence_refuse_nothing() -> None:
    words = "The tool said: Unsupported parameter: 'temperature' is not supported with this model."

    assert not isinstance(refused(400, {"error": {"message": words}}), ParameterRefused)


def test_a_call_that_never_changed_its_status_counts_in_a_complete_answer() -> None:
    call = {
        "type": "function_call",
        "call_id": "c",
        "name": "look",
        "arguments": "{}",
        "status": "in_progress",
    }
    request = ChatRequest(model="m", messages=(HELLO,), tools=(LOOK,))

    whole = RESPONSES.normalize_response({"status": "completed", "output": [call]}, request)
    cut = RESPONSES.normalize_response({"status": "incomplete", "output": [call]}, request)

    assert [tool_calls.name for tool_calls in whole.unwrap().tool_calls] == ["look"]
    assert cut.unwrap().tool_calls == ()


def test_a_call_at_the_end_is_the_callers_though_the_tool_was_not_listed_by_name() -> None:
    request = ChatRequest(model="m", messages=(HELLO,), tools=({"type": "namespace", "tools": []},))
    call = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
    free = {"type": "custom_tool_call", "call_id": "d", "name": "patch", "input": "x"}

    answer = RESPONSES.normalize_response({"status": "completed", "output": [call, free]}, request)

    assert [tool_calls.name for tool_calls in answer.unwrap().tool_calls] == ["look", "patch"]


def test_a_streamed_free_form_call_is_put_together() -> None:
    first = {"index": 0, "id": "call_9", "type": "custom", "custom": {"name": "patch", "input": ""}}
    more = {"index": 0, "custom": {"input": "*** Begin"}}

    deltas, answer = told(
        CHAT,
        events(chunk({"tool_calls": [first]}), chunk({"tool_calls": [more]}, "stop"), "[DONE]"),
    )

    [call] = answer.unwrap().tool_calls
    pieces = [delta.tool_call.arguments for delta in deltas if delta.tool_call]
    assert (call.id, call.name, call.arguments) == ("call_9", "patch", "*** Begin")
    assert "".join(pieces) == "*** Begin"


# -- Anthropic


def claude(*messages: Message, model: str = "claude-opus-4-8", **fields: Any) -> Any:  # noqa: ANN401  any JSON
    request = ChatRequest(model=model, messages=messages, **fields)
    return preview(provider("anthropic"), request)


def test_a_set_of_tools_without_a_name_is_passed_on() -> None:
    toolset = {"type": "mcp_toolset", "mcp_server_name": "harbour"}

    body = claude(HELLO, tools=(LOOK, toolset, {"type": "function", "function": {}})).body

    assert [tool.get("type", "function") for tool in body["tools"]] == ["function", "mcp_toolset"]


def test_a_reference_to_a_tool_in_a_result_is_passed_on() -> None:
    reference = {"type": "tool_reference", "tool_name": "look"}
    call = {"id": "c", "function": {"name": "find_tools", "arguments": "{}"}}
    messages: tuple[Message, ...] = (
        HELLO,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": [reference]},
    )

    assert claude(*messages).body["messages"][2]["content"][0]["content"] == [reference]


def test_the_last_count_of_a_stream_is_the_one_that_counts() -> None:
    start = {
        "type": "message_start",
        "message": {"id": "m1", "content": [], "usage": {"input_tokens": 9, "output_tokens": 40}},
    }
    piece = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Hi"},
    }
    ends = [
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": count},
        }
        for count in (60, 31)
    ]

    _, answer = told(MESSAGES, events(start, piece, *ends, {"type": "message_stop"}))

    usage = answer.unwrap().usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (9, 31)


def test_two_answers_in_one_stream_are_none() -> None:
    starts = [{"type": "message_start", "message": {"id": own, "content": []}} for own in "ab"]

    _, answer = told(MESSAGES, events(*starts))

    assert answer.failure() == BadPayload(problem="shape", path="$.message.id")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-2.1", "claude-2.1"),
        ("claude-instant-1.2", "claude-instant-1.2"),
        ("claude-3.5-haiku", "claude-3-5-haiku"),
    ],
)
def test_the_oldest_models_keep_their_dot(model: str, name: str) -> None:
    assert claude(HELLO, model=model).body["model"] == name


LATER: Message = {"role": "system", "content": "Be brief from now on."}
SAID: Message = {"role": "assistant", "content": "Hi."}


def test_a_later_system_message_stays_in_its_place_where_the_model_takes_it() -> None:
    body = claude({"role": "system", "content": "Be kind."}, HELLO, LATER, SAID, HELLO).body

    text = {"type": "text", "text": "Be brief from now on."}
    assert body["system"] == "Be kind."
    assert [turn["role"] for turn in body["messages"]] == ["user", "system", "assistant", "user"]
    assert body["messages"][1] == {"role": "system", "content": [text]}


def test_a_later_system_message_before_the_users_words_stands_behind_them() -> None:
    body = claude(HELLO, SAID, LATER, HELLO).body

    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user", "system"]


def test_an_older_model_gets_it_with_the_rest_of_the_system_prompt() -> None:
    body = claude(HELLO, LATER, model="claude-opus-4-5").body

    assert body["system"] == "Be brief from now on."


def test_a_system_message_that_nobody_spoke_before_is_not_lost() -> None:
    body = claude(HELLO, SAID, LATER, model="claude-opus-4-8").body

    assert body["system"] == "Be brief from now on."


@pytest.mark.parametrize(
    ("tool", "beta"),
    [
        (
            {"type": "tool_reference", "name": "look"},
            "mid-conversation-tool-changes-2026-07-01",
        ),
        (
            {"type": "tool_definition", "definition": {"name": "look", "input_schema": {}}},
            "inline-tools-2026-09-15",
        ),
    ],
)
def test_a_tool_that_is_added_on_the_way_is_passed_on_with_its_beta(
    tool: dict[str, Any], beta: str
) -> None:
    addition = {"type": "tool_addition", "tool": tool}

    request = claude(HELLO, {"role": "system", "content": [addition]})

    assert request.body["messages"][1] == {"role": "system", "content": [addition]}
    assert dict(request.headers)["anthropic-beta"] == beta


# -- refusals


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (
            {"error": {"inner_error": {"code": "ResponsibleAIPolicyViolation"}, "param": "prompt"}},
            ContentFiltered,
        ),
        ({"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}}}, ContentFiltered),
        ({"error": "prompt too long; exceeded max context length by 12 tokens"}, ContextTooLong),
        ({"error": {"message": "Message is too long for this model", "code": 400}}, ContextTooLong),
    ],
)
def test_filters_and_long_prompts_are_told_by_what_providers_say(
    payload: object, kind: type[object]
) -> None:
    assert isinstance(refused(400, payload), kind)


def test_novas_words_for_a_long_prompt_are_understood() -> None:
    words = "Input Tokens Exceeded: Number of input tokens exceeds maximum length."
    payload = {"__type": "ValidationException", "message": words}

    assert isinstance(refused(400, payload, "bedrock_converse"), ContextTooLong)


def test_a_filtered_choice_without_a_message_is_filtered_and_has_its_count() -> None:
    payload = {
        "choices": [{"index": 0, "finish_reason": "content_filter"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }

    response = CHAT.normalize_response(payload).unwrap()

    assert (response.content, response.finish_reason) == (None, "content_filter")
    assert response.usage == Usage(input_tokens=5, output_tokens=2, total_tokens=7)


def test_a_number_out_of_range_is_told_with_the_field_and_the_range() -> None:
    fault = {
        "type": "less_than_equal",
        "loc": ["body", "temperature"],
        "msg": "Input should be less than or equal to 1.5",
    }

    error = refused(422, {"detail": [fault]})

    assert "temperature: Input should be less than or equal to 1.5" in error.message


# -- efforts


@pytest.mark.parametrize(
    ("who", "model", "effort", "body"),
    [
        ("mistral", "mistral-small-latest", "high", {"reasoning_effort": "high"}),
        ("mistral", "mistral-small-latest", "none", {"reasoning_effort": "none"}),
        ("mistral", "mistral-large-latest", "high", {}),
        ("groq", "qwen/qwen3-32b", "none", {"reasoning_effort": "none"}),
        ("groq", "qwen/qwen3-32b", "high", {}),
        ("cerebras", "zai-glm-4.7", "none", {"reasoning_effort": "none"}),
        ("cerebras", "zai-glm-4.7", "low", {}),
    ],
)
def test_an_effort_that_the_api_takes_is_sent(
    who: str, model: str, effort: str, body: dict[str, object]
) -> None:
    assert added(who, model, reasoning_effort=effort) == body


@pytest.mark.parametrize("who", ["openai-chat", "openai"])
def test_a_temperature_goes_with_an_effort_of_none(who: str) -> None:
    off = added(who, "gpt-5.2", reasoning_effort="none", temperature=0.3, top_p=0.9)
    on = added(who, "gpt-5.2", reasoning_effort="low", temperature=0.3, top_p=0.9)

    assert (off["temperature"], off["top_p"]) == (0.3, 0.9)
    assert "temperature" not in on
    assert "top_p" not in on


# -- counts and streams


@pytest.mark.parametrize(
    "heard", [{"prompt_audio_seconds": 4}, {"prompt_tokens_details": {"audio_tokens": 525}}]
)
def test_audio_tokens_are_input_and_no_reasoning(heard: dict[str, object]) -> None:
    counts = {"prompt_tokens": 4, "completion_tokens": 106, "total_tokens": 635, **heard}

    usage = CHAT.normalize_response(answer({"content": "x"}, usage=counts)).unwrap().usage

    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (529, 106, 0)


@pytest.mark.parametrize(
    "api", ["chat_completions", "responses", "anthropic_messages", "gemini_generate"]
)
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'error: {"message": "Overloaded", "type": "overloaded_error"}\n\n', ModelOverloaded),
        (b"error: worker died\n\n", ModelFailed),
    ],
)
def test_an_error_line_in_a_stream_ends_it(api: Any, line: bytes, kind: type[object]) -> None:  # noqa: ANN401  one of the modes
    framed = ServerSentEvents().feed(line).unwrap()

    _, answer = told(load_wire(api), framed)

    assert [event.name for event in framed] == ["error"]
    assert isinstance(answer.failure(), kind)


# -- Gemini


def part(**call: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON
    return {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}


def test_arguments_in_pieces_are_put_together_by_their_paths() -> None:
    stream = events(
        part(name="book", id="c1", willContinue=True),
        part(
            partialArgs=[{"jsonPath": "$.to.city", "stringValue": "New ", "willContinue": True}],
            willContinue=True,
        ),
        part(
            partialArgs=[
                {"jsonPath": "$.to.city", "stringValue": "York"},
                {"jsonPath": "$.nights", "numberValue": 2},
            ],
            willContinue=True,
        ),
        part(
            partialArgs=[
                {"jsonPath": "$.guests[1]", "boolValue": True},
                {"jsonPath": "?", "stringValue": "x"},
            ],
            willContinue=True,
        ),
        part(),
        {"candidates": [{"finishReason": "STOP"}]},
    )

    deltas, answer = told(GEMINI, stream)

    [call] = answer.unwrap().tool_calls
    assert (call.id, call.name) == ("c1", "book")
    assert call.arguments == '{"to":{"city":"New York"},"nights":2,"guests":[null,true]}'
    assert [delta.tool_call.name for delta in deltas if delta.tool_call] == ["book"]


def test_a_call_whose_end_never_came_is_still_one() -> None:
    stream = events(
        part(name="book", id="c1", willContinue=True), {"candidates": [{"finishReason": "STOP"}]}
    )

    [call] = told(GEMINI, stream)[1].unwrap().tool_calls

    assert (call.name, call.arguments) == ("book", "{}")


@pytest.mark.parametrize(
    ("choice", "config"),
    [
        (
            {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"name": "look"}, {"name": "take"}],
            },
            {"mode": "ANY", "allowedFunctionNames": ["look", "take"]},
        ),
        (
            {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"function": {"name": "look"}}]},
            },
            {"mode": "VALIDATED", "allowedFunctionNames": ["look"]},
        ),
        (
            {"mode": "ANY", "allowedFunctionNames": ["look"]},
            {"mode": "ANY", "allowedFunctionNames": ["look"]},
        ),
    ],
)
def test_several_functions_may_be_allowed(choice: dict[str, Any], config: dict[str, Any]) -> None:
    native = Provider(name="g", api_mode="gemini_generate")

    body: Any = built(native, tools=(LOOK,), tool_choice=choice).body

    assert body["toolConfig"] == {"functionCallingConfig": config}


def test_an_event_without_an_error_line_is_as_before() -> None:
    assert ServerSentEvents().feed(b"data: {}\n\n").unwrap() == [StreamEvent(data="{}")]
