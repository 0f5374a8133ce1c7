"""The stream of Converse: pieces for a reader, and at the end the answer it would have been."""

import pytest
from returns.result import Failure, Result

from webseam.adapters.features.models.aws import EventStreamFrames
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.bedrock.converse_stream import (
    ConverseFold,
    normalize_response,
)
from webseam.ports import (
    BadPayload,
    ConnectionLost,
    HttpStatus,
    ModelFailed,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, OutputSchema, ToolCallDelta

from .frames import event, exception

CALL = {"toolUseId": "tooluse_1", "name": "lookup"}


def opened(index: int, **start: object) -> bytes:
    return event("contentBlockStart", {"contentBlockIndex": index, "start": start})


def grown(index: int, **delta: object) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta, "p": "abcd"})


def stopped(reason: str) -> bytes:
    return event("messageStop", {"stopReason": reason})


USAGE = {"inputTokens": 25, "outputTokens": 15, "totalTokens": 40}
METADATA = {"usage": USAGE, "metrics": {"latencyMs": 9}}
COUNTED = event("metadata", METADATA)
BEGUN = event("messageStart", {"role": "assistant"})


def fold(
    *frames: bytes, request: ChatRequest | None = None
) -> tuple[list[Delta], Result[NormalizedResponse, WebError]]:
    answer = ConverseFold(request)
    events = EventStreamFrames().feed(b"".join(frames)).unwrap()
    return [delta for piece in events for delta in answer.feed(piece)], answer.finish()


def test_result_of_a_server_tool_is_kept() -> None:
    server, answer_found = (
        {**CALL, "type": "server_tool_use"},
        {"toolUseId": "tooluse_1", "type": "x"},
    )
    content = [
        {"toolUse": {**server, "input": {}}},
        {"toolResult": {**answer_found, "content": [{"text": "4"}, {"json": {}}]}},
        {"text": "Four."},
    ]

    deltas, answer = fold(
        opened(0, toolUse=server),
        opened(1, toolResult=answer_found),
        grown(1, toolResult=[{"text": "4"}]),
        grown(1, toolResult=[{"json": {}}]),
        grown(2, text="Four."),
        stopped("end_turn"),
        COUNTED,
    )

    whole = {"output": {"message": {"content": content}}, "stopReason": "end_turn", **METADATA}
    assert answer == normalize_response(whole)
    assert deltas == [Delta(text="Four.")]


WHOLE = (
    BEGUN,
    grown(0, reasoningContent={"text": "Look "}),
    grown(0, reasoningContent={"text": "up."}),
    grown(0, reasoningContent={"signature": "Eq"}),
    event("contentBlockStop", {"contentBlockIndex": 0}),
    grown(1, text="Check"),
    grown(1, text="ing."),
    opened(2, toolUse=CALL),
    grown(2, toolUse={"input": '{"q":'}),
    grown(2, toolUse={"input": '"tides"}'}),
    grown(3, text="Cited"),
    grown(3, citation={"title": "T"}),
    grown(4, reasoningContent={"redactedContent": "YQ=="}),
    grown(4, reasoningContent={"redactedContent": "Yg=="}),
    event("contentBlockStop", {"contentBlockIndex": 4}),
    event("contentBlockStop", {"contentBlockIndex": 9}),
    stopped("tool_use"),
    COUNTED,
)


def test_a_stream_is_the_answer_it_would_have_been() -> None:
    deltas, answer = fold(*WHOLE)

    content = [
        {"reasoningContent": {"reasoningText": {"text": "Look up.", "signature": "Eq"}}},
        {"text": "Checking."},
        {"toolUse": {**CALL, "input": {"q": "tides"}}},
        {"citationsContent": {"content": [{"text": "Cited"}], "citations": [{"title": "T"}]}},
        {"reasoningContent": {"redactedContent": "YWI="}},
    ]
    assert answer == normalize_response(
        {"output": {"message": {"content": content}}, "stopReason": "tool_use", **METADATA}
    )
    assert deltas == [
        Delta(reasoning="Look "),
        Delta(reasoning="up."),
        Delta(signature="Eq"),
        Delta(text="Check"),
        Delta(text="ing."),
        Delta(tool_call=ToolCallDelta(index=0, id="tooluse_1", name="lookup")),
        Delta(tool_call=ToolCallDelta(index=0, arguments='{"q":')),
        Delta(tool_call=ToolCallDelta(index=0, arguments='"tides"}')),
        Delta(text="\nCited"),
        Delta(redacted="YWI="),
    ]
    assert "".join(delta.text for delta in deltas) == answer.unwrap().content


def test_a_stream_is_done_when_its_tokens_are_counted() -> None:
    answer = ConverseFold()

    for framed in EventStreamFrames().feed(b"".join(WHOLE)).unwrap():
        assert not answer.done
        answer.feed(framed)

    assert answer.done
    assert answer.feed(StreamEvent(name="contentBlockDelta", data="{}")) == ()


def test_a_stream_that_breaks_off_is_a_lost_connection() -> None:
    assert fold(*WHOLE[:-2])[1] == Failure(ConnectionLost())
    assert fold(BEGUN, COUNTED)[1] == Failure(ConnectionLost())


def test_counts_may_be_missing() -> None:
    answer = fold(BEGUN, grown(0, text="x"), stopped("end_turn"))[1].unwrap()

    assert (answer.content, answer.usage) == ("x", None)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("throttlingException", RateLimited(detail="why")),
        ("internalServerException", UpstreamUnavailable(status=500, detail="why")),
        ("serviceUnavailableException", UpstreamUnavailable(status=500, detail="why")),
        ("modelStreamErrorException", ModelFailed(code="modelstreamerror", detail="why")),
        ("validationException", HttpStatus(status=400, detail="why")),
        ("somethingNew", ModelFailed(code="somethingnew", detail="why")),
    ],
)
def test_an_exception_in_the_middle_is_a_typed_error(name: str, error: WebError) -> None:
    deltas, answer = fold(BEGUN, grown(0, text="x"), exception(name, "why"), grown(0, text="y"))

    assert deltas == [Delta(text="x")]
    assert answer == Failure(error)


def test_invalid_event_ends_the_stream() -> None:
    answer = ConverseFold()

    answer.feed(StreamEvent(name="metadata", data="["))

    assert answer.finish() == Failure(BadPayload(problem="not_json"))


def test_a_model_that_writes_nonsense_is_a_failure_to_try_again() -> None:
    assert fold(BEGUN, grown(0, text="x"), stopped("malformed_model_output"), COUNTED)[
        1
    ] == Failure(ModelFailed(code="malformed_model_output"))


def test_arguments_that_were_cut_off_stay_as_they_were_written() -> None:
    cut = fold(opened(0, toolUse=CALL), grown(0, toolUse={"input": '{"q'}), stopped("max_tokens"))[
        1
    ]

    assert cut.unwrap().tool_calls[0].arguments == '{"q'
    assert (
        fold(opened(0, toolUse=CALL), stopped("tool_use"))[1].unwrap().tool_calls[0].arguments
        == "{}"
    )


def test_an_answer_in_the_form_of_a_call_is_text_all_along() -> None:
    request = ChatRequest(
        model="m", messages=(), output_schema=OutputSchema(name="lookup", schema={})
    )

    deltas, answer = fold(
        opened(0, toolUse=CALL),
        grown(0, toolUse={"input": '{"a":1}'}),
        stopped("tool_use"),
        request=request,
    )

    assert deltas == [Delta(text='{"a":1}')]
    assert answer.unwrap().content == '{"a":1}'


def test_the_tools_that_bedrock_runs_itself_are_no_calls() -> None:
    server = {**CALL, "type": "server_tool_use"}

    deltas, answer = fold(
        opened(0, toolUse=server),
        grown(0, toolUse={"input": "{}"}),
        opened(1, toolUse=CALL),
        opened(2),
        grown(2, text="x"),
        stopped("end_turn"),
    )

    assert deltas[0] == Delta(tool_call=ToolCallDelta(index=0, id="tooluse_1", name="lookup"))
    assert len(answer.unwrap().tool_calls) == 1


def test_broken_base64_and_missing_numbers_do_no_harm() -> None:
    pieces = [
        event("contentBlockDelta", {"delta": {"reasoningContent": {"redactedContent": piece}}})
        for piece in ("a", "b")
    ]

    answer = fold(*pieces, grown(1, text="Hi."), stopped("end_turn"))[1].unwrap()

    assert answer.provider_data is not None
    assert answer.provider_data["reasoning_details"] == [
        {"type": "redacted_thinking", "data": "ab"}
    ]
