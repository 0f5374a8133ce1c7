"""Chat completions: from what servers answer to one shape."""

from typing import Any

import msgspec
import pytest

from tests.features.models.chat import answer, chunk, events, told
from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.chat.completions import CHAT_COMPLETIONS
from webseam.ports import (
    AuthFailed,
    BadPayload,
    ConnectionLost,
    ContextTooLong,
    Delta,
    EmptyContent,
    ModelFailed,
    NormalizedResponse,
    QuotaExhausted,
    RateLimited,
    ToolCall,
    ToolCallDelta,
    Usage,
    WebError,
)
from webseam.ports.models import FinishReason
from webseam.ports.receipts import CacheStats


def read(payload: object) -> NormalizedResponse:
    return CHAT_COMPLETIONS.normalize_response(payload).unwrap()


def failed(payload: object) -> WebError:
    return CHAT_COMPLETIONS.normalize_response(payload).failure()


def test_a_plain_answer() -> None:
    usage = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10}

    assert read(answer({"content": "Hi."}, usage=usage)) == NormalizedResponse(
        content="Hi.",
        finish_reason="stop",
        usage=Usage(input_tokens=8, output_tokens=2, total_tokens=10),
        id="chatcmpl-1",
        model="m",
        provider_data={"usage": usage},
    )


@pytest.mark.parametrize(
    ("raw", "mapped"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        ("", "stop"),
        (None, "stop"),
        (3, "stop"),
        ("odd", "stop"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("tool_calls", "stop"),
        ("function_call", "stop"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("SAFETY", "content_filter"),
    ],
)
def test_a_finish_reason_is_one_of_four(raw: object, mapped: FinishReason) -> None:
    assert read(answer({"content": "a"}, raw)).finish_reason == mapped


@pytest.mark.parametrize(
    ("arguments", "read_as"),
    [
        ('{"q":1}', ['{"q":1}']),
        ({"q": 1}, ['{"q":1}']),
        ("", ["{}"]),
        ('""', ["{}"]),
        (None, ["{}"]),
        ("{broken", ["{broken"]),
        ('{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']),
        ('{"a":1} [2]', ['{"a":1} [2]']),
    ],
)
def test_arguments_are_json_text_in_whatever_state_they_came(
    arguments: object, read_as: list[str]
) -> None:
    call = {"id": "c1", "function": {"name": "f", "arguments": arguments}}

    response = read(answer({"content": None, "tool_calls": [call]}))

    assert [call.arguments for call in response.tool_calls] == read_as
    assert response.tool_calls[0].id == "c1"
    assert response.finish_reason == "tool_calls"
    assert len({call.id for call in response.tool_calls}) == len(read_as)


def test_a_call_without_an_id_gets_the_same_one_each_time() -> None:
    call = {"function": {"name": "f", "arguments": "{}"}}
    twice = answer({"tool_calls": [call, call]})

    ids = [call.id for call in read(twice).tool_calls]

    assert ids == [call.id for call in read(twice).tool_calls]
    assert len(set(ids)) == 2


def test_a_call_without_a_name_is_none_and_an_old_function_call_is_one() -> None:
    content = {"content": "a", "tool_calls": [{"id": "x"}, "?"]}
    assert read(answer(content)).tool_calls == ()
    assert read(answer(content)).provider_data == {
        "_unread": {"$.choices[0].message.tool_calls[0]": {"id": "x"}}
    }
    assert failed(answer({"tool_calls": [{"id": "x"}, "?"]})) == EmptyContent(
        reason="no_answer",
        detail="no text and no call at $.choices[0].message; not understood: "
        "$.choices[0].message.tool_calls[0] id",
    )
    old = read(answer({"function_call": {"name": "f", "arguments": "{}"}}, "function_call"))
    assert [call.name for call in old.tool_calls] == ["f"]


def test_a_thought_signature_is_kept_with_its_call() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"s": 1}}

    assert read(answer({"tool_calls": [call]})).tool_calls == (
        ToolCall(id="c", name="f", arguments="{}", provider_data={"extra_content": {"s": 1}}),
    )


def test_reasoning_and_reasoning_content_stay_apart() -> None:
    response = read(answer({"content": "a", "reasoning": "one", "reasoning_content": "two"}))

    assert (response.reasoning, response.reasoning_content) == ("one", "two")


@pytest.mark.parametrize(
    ("content", "words", "thought"),
    [
        ("<think>hm</think>\n\nYes.", "Yes.", "hm"),
        ("Say <think> aloud", "Say <think> aloud", None),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "Yes."},
            ],
            "Yes.",
            "hm",
        ),
        ([{"type": "thinking", "thinking": "hm"}, "Yes.", 3], "Yes.", "hm"),
    ],
)
def test_thoughts_inside_the_content_are_taken_out(
    content: object, words: str | None, thought: str | None
) -> None:
    response = read(answer({"content": content}))

    assert (response.content, response.reasoning) == (words, thought)


def test_thoughts_alone_are_no_answer_and_the_failure_shows_them() -> None:
    assert failed(answer({"content": "<think>cut off"})) == EmptyContent(
        reason="no_answer",
        detail="no text and no call at $.choices[0].message; reasoning: cut off",
    )


def test_a_refusal_is_the_content_only_when_there_is_no_other() -> None:
    alone = read(answer({"content": None, "refusal": "I will not."}))
    beside = read(answer({"content": "Partly.", "refusal": "I will not."}))

    assert (alone.content, alone.finish_reason) == ("I will not.", "content_filter")
    assert (beside.content, beside.finish_reason) == ("Partly.", "stop")
    assert beside.provider_data == {"refusal": "I will not."}


USAGES: list[tuple[dict[str, Any], Usage]] = [
    (
        {"prompt_tokens": 812, "completion_tokens": 64, "total_tokens": 876, "prompt_tokens_details": {"cached_tokens": 512, "cache_write_tokens": 3}, "completion_tokens_details": {"reasoning_tokens": 32}},
        Usage(input_tokens=812, output_tokens=64, total_tokens=876, cached_tokens=512, cache_write_tokens=3, reasoning_tokens=32),
    ),
    (
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "prompt_cache_hit_tokens": 4},
        Usage(input_tokens=10, output_tokens=5, total_tokens=15, cached_tokens=4),
    ),
    (
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 22, "completion_tokens_details": {"reasoning_tokens": 7}},
        Usage(input_tokens=10, output_tokens=12, total_tokens=22, reasoning_tokens=7),
    ),
    ({"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}, Usage(input_tokens=20, output_tokens=603, total_tokens=623, reasoning_tokens=405)),
    ({"prompt_tokens": 33, "completion_tokens": 7163, "total_tokens": 7196, "reasoning_tokens": 73997}, Usage(input_tokens=33, output_tokens=81160, total_tokens=81193, reasoning_tokens=73997)),
    ({"prompt_tokens": 43, "completion_tokens": 10, "total_tokens": 53, "completion_tokens_details": {"reasoning_tokens": 11}}, Usage(input_tokens=43, output_tokens=10, total_tokens=53, reasoning_tokens=11)),
    ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 1}, Usage(input_tokens=5, output_tokens=2, total_tokens=7, cached_tokens=1, cache_write_tokens=3)),
    ({"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.5}, Usage(input_tokens=1, output_tokens=2, total_tokens=3, cost=0.5)),
    ({"prompt_tokens": 1, "completion_tokens": 2, "cost": {"total_cost": 0.005}}, Usage(input_tokens=1, output_tokens=2, total_tokens=3, cost=0.005)),
    ({"prompt_tokens": 1, "completion_tokens": 2, "num_cached_tokens": 1, "cost_in_usd_ticks": 189_480_000}, Usage(input_tokens=1, output_tokens=2, total_tokens=3, cached_tokens=1, cost=0.018948)),
    ({"total_tokens": 9}, Usage(total_tokens=9)),
    ({"prompt_tokens": "many", "completion_tokens": -2, "cost": True}, Usage()),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "counted"), USAGES)
def test_tokens_are_counted_in_one_way(raw: dict[str, Any], counted: Usage) -> None:
    assert read(answer({"content": "a"}, usage=raw)).usage == counted


def test_the_cache_says_what_it_did_if_it_did_anything() -> None:
    used = {"prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 1}}

    assert CHAT_COMPLETIONS.cache_stats({"usage": used}) == CacheStats(
        read_tokens=5, written_tokens=1
    )
    assert CHAT_COMPLETIONS.cache_stats({"usage": {"prompt_tokens": 3}}) is None
    assert CHAT_COMPLETIONS.cache_stats("?") is None


def test_citations_of_search_models_are_kept() -> None:
    payload = answer(
        {"content": "a", "annotations": [{"type": "url_citation"}]},
        citations=["u"],
        search_results=[{"url": "u"}],
    )

    assert read(payload).provider_data == {
        "citations": ["u"],
        "search_results": [{"url": "u"}],
        "annotations": [{"type": "url_citation"}],
    }


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (None, BadPayload(problem="shape")),
        ([], BadPayload(problem="shape")),
        ({}, BadPayload(problem="shape", path="$.choices")),
        ({"choices": []}, BadPayload(problem="shape", path="$.choices[0]")),
        ({"choices": [{}]}, BadPayload(problem="shape", path="$.choices[0].message")),
        (
            {"error": {"message": "too long", "code": "context_length_exceeded"}},
            ContextTooLong(detail="too long"),
        ),
        (
            {"object": "error", "message": "no", "type": "internal"},
            ModelFailed(code="internal", detail="no"),
        ),
        (
            {"choices": None, "base_resp": {"status_code": 1004, "status_msg": "login fail"}},
            AuthFailed(status=401, detail="login fail"),
        ),
        (
            {
                "choices": None,
                "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"},
            },
            QuotaExhausted(status=200, detail="insufficient balance"),
        ),
        (
            {"choices": None, "base_resp": {"status_code": 1001, "status_msg": "timeout"}},
            ModelFailed(code="timeout", detail="timeout"),
        ),
        (
            {"choices": None, "base_resp": {"status_code": 2013, "status_msg": "invalid params"}},
            BadPayload(problem="error_object", path="$.base_resp", detail="invalid params"),
        ),
        (
            {"choices": [{"message": {}, "finish_reason": "insufficient_system_resource"}]},
            ModelFailed(code="insufficient_system_resource"),
        ),
        (
            {
                "choices": [
                    {
                        "message": {},
                        "finish_reason": "function_call_filter: MALFORMED_FUNCTION_CALL",
                    }
                ]
            },
            ModelFailed(code="function_call_filter: malformed_function_call"),
        ),
        (
            {"choices": [{"error": {"code": 502, "message": "gone"}}]},
            ModelFailed(code="error", detail="gone"),
        ),
        (answer({"content": "a"}, "network_error"), ModelFailed(code="network_error")),
    ],
)
def test_invalid_answer_is_a_typed_failure(payload: object, error: WebError) -> None:
    assert failed(payload) == error
    assert CHAT_COMPLETIONS.validate_response(payload) == error


def test_a_stream_is_the_answer_it_would_have_been() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    stream = events(
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        chunk({"content": "Let me "}),
        chunk({"content": "look."}),
        chunk(
            {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": ""}}]}
        ),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"q":'}}]}),
        chunk(
            {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]}
        ),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
        chunk({}, "tool_calls"),
        {"id": "chatcmpl-1", "model": "m", "choices": [], "usage": usage},
        "[DONE]",
        "never read",
    )

    deltas, whole = told(CHAT_COMPLETIONS, stream)

    calls = [
        {"id": "c1", "function": {"name": "f", "arguments": '{"q":1}'}},
        {"id": "c2", "function": {"name": "g", "arguments": "{}"}},
    ]
    message = {"content": "Let me look.", "reasoning_content": "hm", "tool_calls": calls}
    assert whole.unwrap() == read(answer(message, "tool_calls", usage=usage))
    assert deltas[:3] == [Delta(reasoning="hm"), Delta(text="Let me "), Delta(text="look.")]
    assert [delta.tool_call for delta in deltas[3:]] == [
        ToolCallDelta(index=0, id="c1", name="f"),
        ToolCallDelta(index=0, arguments='{"q":'),
        ToolCallDelta(index=1, id="c2", name="g", arguments="{}"),
        ToolCallDelta(index=0, arguments="1}"),
    ]


@pytest.mark.parametrize(
    "parts",
    [
        [
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}},
            {"index": 0, "id": "b", "function": {"name": "f", "arguments": {"x": 2}}},
        ],
        [
            {"id": "a", "function": {"name": "f", "arguments": '{"x"'}},
            {"function": {"arguments": ":1}"}},
            {"id": "b", "function": {"name": "f", "arguments": '{"x":2}'}},
        ],
        [
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":1}'}},
            {"index": 1, "id": "b", "function": {"name": "f", "arguments": '{"x":2}'}},
        ],
        [
            {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}},
            {"index": 0, "id": "other", "function": {"arguments": ":1}"}},
            {"index": 1, "id": "b", "function": {"name": "f", "arguments": '{"x":2}'}},
        ],
    ],
)
def test_fragments_find_their_call_however_a_server_numbers_them(parts: list[Any]) -> None:
    _, whole = told(
        CHAT_COMPLETIONS, events(*(chunk({"tool_calls": [part]}) for part in parts), "[DONE]")
    )

    assert [(call.id, call.arguments) for call in whole.unwrap().tool_calls] == [
        ("a", '{"x":1}'),
        ("b", '{"x":2}'),
    ]


@pytest.mark.parametrize(
    "names", [("lookup", ""), ("lookup", "lookup"), ("look", "up"), ("look", "lookup")]
)
def test_a_name_comes_whole_again_and_again_or_in_fragments(names: tuple[str, str]) -> None:
    parts = [
        {"index": 0, "id": "c", "function": {"name": names[0], "arguments": ""}},
        {"index": 0, "function": {"name": names[1], "arguments": "{}"}},
        {"index": 0, "function": {"name": names[0], "arguments": ""}},
    ]

    deltas, whole = told(
        CHAT_COMPLETIONS, events(*(chunk({"tool_calls": [part]}) for part in parts), "[DONE]")
    )

    told_names = [delta.tool_call.name for delta in deltas if delta.tool_call]
    assert [name for name in told_names if name][-1] == "lookup"
    assert [call.name for call in whole.unwrap().tool_calls] == ["lookup"]


def test_a_call_that_stands_alone_is_a_call() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": {"q": 1}}}
    alone = {"content": None, "tool_calls": call}

    _, streamed = told(CHAT_COMPLETIONS, events(chunk({"tool_calls": call}), "[DONE]"))

    assert read(answer(alone)).tool_calls == (ToolCall(id="c", name="f", arguments='{"q":1}'),)
    assert streamed.unwrap().tool_calls == read(answer(alone)).tool_calls


def test_a_function_in_the_oldest_way_is_put_together_too() -> None:
    first, second = {"name": "f", "arguments": '{"x"'}, {"arguments": ":1}"}
    _, whole = told(
        CHAT_COMPLETIONS,
        events(chunk({"function_call": first}), chunk({"function_call": second}, "function_call")),
    )

    assert [(call.name, call.arguments) for call in whole.unwrap().tool_calls] == [("f", '{"x":1}')]
    assert whole.unwrap().finish_reason == "tool_calls"


def test_a_streamed_refusal_is_told_in_the_end() -> None:
    chunks = (chunk({"refusal": "I can"}), chunk({"refusal": "not."}), chunk({}, "stop"))
    reader = EventReader(CHAT_COMPLETIONS)
    reader.feed(b"".join(b"data: " + msgspec.json.encode(piece) + b"\n\n" for piece in chunks))

    deltas, whole = reader.finish()

    assert deltas == (Delta(text="I cannot."),)
    assert (whole.unwrap().content, whole.unwrap().finish_reason) == ("I cannot.", "content_filter")


def test_pictures_and_the_work_of_a_providers_tools_are_kept() -> None:
    picture, work = {"type": "image_url"}, {"type": "search"}
    message = {"content": "a", "images": [picture], "executed_tools": [work]}
    _, streamed = told(
        CHAT_COMPLETIONS,
        events(
            chunk({"content": "a", "images": [picture]}), chunk({"executed_tools": [work]}, "stop")
        ),
    )

    assert read(answer(message)).provider_data == {"images": [picture], "executed_tools": [work]}
    assert streamed.unwrap().provider_data == read(answer(message)).provider_data


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (
            {"object": "error", "message": "boom", "code": 500},
            ModelFailed(code="error", detail="boom"),
        ),
        ({"error": {"code": 429, "message": "slow"}, "choices": []}, RateLimited(detail="slow")),
        (
            {"choices": [], "x_groq": {"error": "over capacity"}},
            ModelFailed(code="error", detail="over capacity"),
        ),
        (
            {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
            RateLimited(detail="rate limit"),
        ),
    ],
)
def test_an_error_in_a_stream_is_told_by_its_kind(payload: object, error: WebError) -> None:
    _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "a"}), payload, "[DONE]"))

    assert whole.failure() == error


def test_web_search_of_a_server_is_kept_from_a_stream() -> None:
    answer_found = [{"link": "https://a.example", "title": "A"}]
    _, whole = told(
        CHAT_COMPLETIONS,
        events(chunk({"content": "a"}), chunk({}, "stop", web_search=answer_found)),
    )

    assert whole.unwrap().provider_data == {"web_search": answer_found}


def test_an_answer_that_is_told_again_as_a_whole_is_told_once() -> None:
    usage = {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}
    whole = answer({"content": "Hi."}, usage=usage)

    deltas, again = told(CHAT_COMPLETIONS, events(chunk({"content": "Hi."}), whole))
    _, alone = told(CHAT_COMPLETIONS, events(whole))

    assert deltas == [Delta(text="Hi.")]
    assert again.unwrap() == alone.unwrap() == read(whole)


def test_a_stream_that_only_ends_is_no_answer() -> None:
    _, whole = told(CHAT_COMPLETIONS, events({"choices": [], "id": "x"}, "[DONE]"))

    assert whole.failure() == BadPayload(problem="shape", path="$.choices")


def test_an_error_after_the_end_is_the_end() -> None:
    late = {"error": {"code": 500, "message": "gone"}}
    in_choice = {"choices": [late]}

    for error in (late, in_choice):
        _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "a"}, "stop"), error, "[DONE]"))

        assert whole.failure() == ModelFailed(code="error", detail="gone")


def test_a_limit_that_is_reported_twice_takes_nothing_back() -> None:
    usage = {"prompt_tokens": 43, "completion_tokens": 10, "total_tokens": 53}
    late = {
        **chunk({"content": ""}, usage=usage),
        "error": {"code": 400, "message": "Token limit reached"},
    }

    _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "a"}, "length"), late, "[DONE]"))

    assert whole.unwrap() == read(answer({"content": "a"}, "length", usage=usage))


def test_thoughts_in_streamed_content_are_told_apart_as_they_come() -> None:
    stream = events(
        chunk({"content": "<thi"}),
        chunk({"content": "nk>hm</th"}),
        chunk({"content": "ink>\nYes"}, "stop"),
    )

    deltas, whole = told(CHAT_COMPLETIONS, stream)

    assert deltas == [Delta(reasoning="hm"), Delta(text="Yes")]
    assert (whole.unwrap().content, whole.unwrap().reasoning) == ("Yes", "hm")


def test_text_that_only_looked_like_a_tag_comes_with_the_end() -> None:
    deltas, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "<thi"}), chunk({}, "stop")))

    assert deltas == [Delta(text="<thi")]
    assert whole.unwrap().content == "<thi"


def test_a_stream_of_parts_is_read_as_parts() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    deltas, whole = told(
        CHAT_COMPLETIONS,
        events(chunk({"content": [thinking]}), chunk({"content": "Yes."}), chunk({}, "stop")),
    )

    assert deltas == [Delta(reasoning="hm"), Delta(text="Yes.")]
    assert (whole.unwrap().content, whole.unwrap().reasoning) == ("Yes.", "hm")


def test_structured_reasoning_is_put_together_for_the_way_back() -> None:
    first = {"type": "reasoning.text", "index": 0, "text": "a"}
    second = {"type": "reasoning.text", "index": 0, "text": "b", "signature": "s", "format": None}
    other = {"type": "reasoning.encrypted", "index": 1, "data": "x"}
    _, whole = told(
        CHAT_COMPLETIONS,
        events(
            chunk({"reasoning": "a", "reasoning_details": [first]}),
            chunk({"reasoning": "b", "reasoning_details": [second, other]}),
            chunk({"content": "Yes.", "annotations": [{"n": 1}]}),
            chunk({"annotations": [{"n": 2}]}, "stop"),
        ),
    )

    assert whole.unwrap().reasoning == "ab"
    assert whole.unwrap().provider_data == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
            other,
        ],
        "annotations": [{"n": 1}, {"n": 2}],
    }


@pytest.mark.parametrize(
    ("stream", "error"),
    [
        (events(chunk({"content": "a"})), ConnectionLost()),
        (events(), ConnectionLost()),
        (events("{broken"), BadPayload(problem="not_json")),
        (events(chunk({"content": "a"}, "")), ConnectionLost()),
        (
            [StreamEvent(name="error", data="prompt is too long")],
            ContextTooLong(detail="prompt is too long"),
        ),
        (
            events(
                chunk({"content": "a"}),
                {"error": {"code": 429, "message": "slow", "type": "rate_limit_exceeded"}},
            ),
            RateLimited(detail="slow"),
        ),
        (
            events({"choices": [{"error": {"message": "gone"}}]}),
            ModelFailed(code="error", detail="gone"),
        ),
        (events(chunk({}, "error")), ModelFailed(code="error")),
    ],
)
def test_a_stream_that_breaks_off_is_a_typed_failure(stream: Any, error: WebError) -> None:  # noqa: ANN401  a list of events
    _, whole = told(CHAT_COMPLETIONS, stream)

    assert whole.failure() == error


def test_a_stream_that_only_says_it_is_done_is_no_answer() -> None:
    _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": None}), "[DONE]"))

    assert whole.failure().kind == "empty_content"


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [], "x_groq": {"usage": {"prompt_tokens": 7}}},
        {"choices": [{"delta": {}, "usage": {"prompt_tokens": 7}}]},
        {"choices": [], "usage": {"prompt_tokens": 7}},
    ],
)
def test_usage_is_found_wherever_a_stream_tells_it(last: object) -> None:
    _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "a"}, "stop"), "", last))

    usage = whole.unwrap().usage
    assert usage is not None
    assert usage.input_tokens == 7


def test_other_choices_are_not_mixed_in() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}]}

    _, whole = told(CHAT_COMPLETIONS, events(chunk({"content": "yes"}), other, chunk({}, "stop")))

    assert whole.unwrap().content == "yes"


def test_a_streamed_thought_signature_is_kept_with_its_call() -> None:
    call = {
        "index": 0,
        "id": "c",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"s": 1},
    }

    _, whole = told(CHAT_COMPLETIONS, events(chunk({"tool_calls": [call]}, "stop")))

    assert whole.unwrap().tool_calls[0].provider_data == {"extra_content": {"s": 1}}


def test_streamed_log_probabilities_are_joined() -> None:
    first, second = {"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -0.2}
    chunks = [
        {
            "choices": [
                {
                    "delta": {"content": item["token"]},
                    "logprobs": {"content": [item], "refusal": None},
                }
            ]
        }
        for item in (first, second)
    ]

    _, whole = told(CHAT_COMPLETIONS, events(*chunks, chunk({}, "stop")))

    assert whole.unwrap().provider_data == {"logprobs": {"content": [first, second], "refusal": []}}


def test_a_blank_free_form_call_beside_a_function_is_none() -> None:
    call = {
        "id": "c",
        "function": {"name": "f", "arguments": "{}"},
        "custom": {"name": "", "input": ""},
    }

    _, whole = told(CHAT_COMPLETIONS, events(chunk({"tool_calls": [call]}), chunk({}, "stop")))

    assert read(answer({"tool_calls": [call]})).tool_calls == whole.unwrap().tool_calls
    assert whole.unwrap().tool_calls == (ToolCall(id="c", name="f", arguments="{}"),)


@pytest.mark.parametrize("name", ["search_results", "citations"])
def test_sources_alone_are_an_answer(name: str) -> None:
    sources = ["https://tides.example/"]

    assert read({name: sources}).provider_data == {name: sources}
