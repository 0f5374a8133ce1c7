"""The stream of Messages: pieces for a reader, and at the end the answer it would have been."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from returns.result import Failure, Result

from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.anthropic.messages_answers import normalize_response
from webseam.adapters.features.models.wires.anthropic.messages_stream import MessagesFold
from webseam.adapters.features.models.wires.server_sent_events import ServerSentEvents
from webseam.ports import BadPayload, ConnectionLost, ModelOverloaded, Usage, WebError
from webseam.ports.models import ChatRequest, Delta, NormalizedResponse, OutputSchema, ToolCallDelta

CALL = {"type": "tool_use", "id": "toolu_01", "name": "lookup", "input": {}}
START: dict[str, Any] = {
    "type": "message_start",
    "message": {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None, "usage": {"input_tokens": 25, "cache_read_input_tokens": 7, "output_tokens": 1}},
}  # fmt: skip
STOP = {"type": "message_stop"}


def opened(index: int, block: object) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def grown(index: int, kind: str, **fields: object) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def ended(reason: str = "end_turn", **usage: object) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


def fold(
    *events: dict[str, Any], request: ChatRequest | None = None
) -> tuple[list[Delta], Result[NormalizedResponse, WebError]]:
    answer = MessagesFold(request)
    deltas: list[Delta] = []
    for event in events:
        data = msgspec.json.encode(event).decode()
        deltas += answer.feed(StreamEvent(name=event["type"], data=data))
    return deltas, answer.finish()


WHOLE: Sequence[dict[str, Any]] = (
    START,
    {"type": "ping"},
    opened(0, {"type": "thinking", "thinking": "", "signature": ""}),
    grown(0, "thinking_delta", thinking="Look "),
    grown(0, "thinking_delta", thinking="up."),
    grown(0, "signature_delta", signature="Eq"),
    {"type": "content_block_stop", "index": 0},
    opened(1, {"type": "text", "text": ""}),
    grown(1, "text_delta", text="Check"),
    grown(1, "text_delta", text="ing."),
    opened(2, CALL),
    grown(2, "input_json_delta", partial_json=""),
    grown(2, "input_json_delta", partial_json='{"q":'),
    grown(2, "input_json_delta", partial_json='"tides"}'),
    opened(3, {"type": "text", "text": "Wait"}),
    grown(3, "citations_delta", citation={"url": "https://a.example"}),
    opened(4, {"type": "redacted_thinking", "data": "YWI="}),
    ended("tool_use", output_tokens=15, input_tokens=None),
    STOP,
)


def test_a_stream_is_the_answer_it_would_have_been() -> None:
    deltas, answer = fold(*WHOLE)

    content = [
        {"type": "thinking", "thinking": "Look up.", "signature": "Eq"},
        {"type": "text", "text": "Checking."},
        {**CALL, "input": {"q": "tides"}},
        {"type": "text", "text": "Wait", "citations": [{"url": "https://a.example"}]},
        {"type": "redacted_thinking", "data": "YWI="},
    ]
    usage = {"input_tokens": 25, "cache_read_input_tokens": 7, "output_tokens": 15}
    assert answer == normalize_response(
        {
            "id": "msg_01",
            "model": "claude",
            "content": content,
            "stop_reason": "tool_use",
            "usage": usage,
        }
    )
    assert deltas == [
        Delta(reasoning="Look "),
        Delta(reasoning="up."),
        Delta(signature="Eq"),
        Delta(text="Check"),
        Delta(text="ing."),
        Delta(tool_call=ToolCallDelta(index=0, id="toolu_01", name="lookup")),
        Delta(tool_call=ToolCallDelta(index=0, arguments='{"q":')),
        Delta(tool_call=ToolCallDelta(index=0, arguments='"tides"}')),
        Delta(text="\nWait"),
        Delta(redacted="YWI="),
    ]
    assert "".join(delta.text for delta in deltas) == answer.unwrap().content


def test_the_bytes_of_a_stream_are_read() -> None:
    lines = b"".join(
        b"event: " + event["type"].encode() + b"\ndata: " + msgspec.json.encode(event) + b"\n\n"
        for event in WHOLE
    )
    answer = MessagesFold()

    for event in ServerSentEvents().feed(lines).unwrap():
        answer.feed(event)

    assert answer.done
    assert answer.finish() == fold(*WHOLE)[1]


def test_a_stream_that_breaks_off_is_a_lost_connection() -> None:
    assert fold(*WHOLE[:-2])[1] == Failure(ConnectionLost())
    assert fold()[1] == Failure(ConnectionLost())


def test_a_reason_is_as_good_as_an_end() -> None:
    assert fold(*WHOLE[:-1])[1] == fold(*WHOLE)[1]


def test_a_later_count_replaces_an_earlier_one_even_with_zero() -> None:
    end = ended(cache_read_input_tokens=0, input_tokens=None, output_tokens=9)
    answer = fold(START, grown(0, "text_delta", text="x"), end, STOP)[1].unwrap()

    assert answer.usage == Usage(input_tokens=25, output_tokens=9, total_tokens=34)


def test_the_end_that_other_apis_have_is_an_end_here_too() -> None:
    answer = MessagesFold()
    answer.feed(
        StreamEvent(
            data='{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}'
        )
    )

    answer.feed(StreamEvent(data="[DONE]"))

    assert answer.done
    assert answer.finish().unwrap().content == "x"


def test_an_error_in_the_middle_ends_it() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}

    deltas, answer = fold(*WHOLE[:9], error, *WHOLE[9:])

    assert answer == Failure(ModelOverloaded(detail="busy"))
    assert deltas[-1] == Delta(text="Check")


@pytest.mark.parametrize("data", ["[]", "{", "null"])
def test_invalid_event_ends_the_stream(data: str) -> None:
    answer = MessagesFold()

    answer.feed(StreamEvent(data=data))

    assert answer.done
    assert answer.finish() == Failure(BadPayload(problem="not_json"))


def test_compaction_is_kept_for_the_next_turn() -> None:
    deltas, answer = fold(
        START,
        opened(0, {"type": "compaction", "content": None}),
        grown(0, "compaction_delta", content="So far: "),
        grown(0, "compaction_delta", content="tides."),
        opened(1, {"type": "text", "text": "Yes."}),
        ended(),
        STOP,
    )

    blocks = (answer.unwrap().provider_data or {})["anthropic_content_blocks"]
    assert deltas == [Delta(text="Yes.")]
    assert blocks == [
        {"type": "compaction", "content": "So far: tides."},
        {"type": "text", "text": "Yes."},
    ]


def test_a_blank_event_says_nothing() -> None:
    answer = MessagesFold()

    assert answer.feed(StreamEvent(name="ping", data="")) == ()
    assert not answer.done


def test_content_of_message_start_comes_before_the_stream() -> None:
    # So it is after code has called a tool: there may be nothing to stream at all.
    result = {"type": "code_execution_tool_result", "tool_use_id": "srvtoolu_1", "content": {}}
    call = {**CALL, "input": {"q": "tides"}}
    message = {**START["message"], "content": [result, call], "stop_reason": "tool_use"}
    start = {"type": "message_start", "message": message}
    deltas, alone = fold(start, STOP)
    _, longer = fold(start, opened(0, {"type": "text", "text": "Then."}), STOP)

    piece = ToolCallDelta(index=0, id="toolu_01", name="lookup", arguments='{"q":"tides"}')
    assert deltas == [Delta(tool_call=piece)]
    assert alone == normalize_response(message)
    assert longer.unwrap().content == "Then."
    assert [calls.id for calls in longer.unwrap().tool_calls] == ["toolu_01"]


def test_arguments_that_were_cut_off_stay_as_they_were_written() -> None:
    cut = fold(
        START,
        opened(0, CALL),
        grown(0, "input_json_delta", partial_json='{"q": "ti'),
        ended("max_tokens"),
        STOP,
    )[1].unwrap()

    assert cut.finish_reason == "length"
    assert cut.tool_calls[0].arguments == '{"q": "ti'


def test_an_answer_in_the_form_of_a_call_is_text_all_along() -> None:
    request = ChatRequest(
        model="m", messages=(), output_schema=OutputSchema(name="lookup", schema={})
    )

    deltas, answer = fold(
        START,
        opened(0, CALL),
        grown(0, "input_json_delta", partial_json='{"a":1}'),
        ended("tool_use"),
        STOP,
        request=request,
    )

    assert deltas == [Delta(text='{"a":1}')]
    assert (answer.unwrap().content, answer.unwrap().finish_reason) == ('{"a":1}', "stop")


def test_renamed_tools_have_their_own_names_in_the_pieces_too() -> None:
    request = ChatRequest(
        model="m", messages=(), tools=({"type": "function", "function": {"name": "look.up"}},)
    )

    deltas, _ = fold(START, opened(0, {**CALL, "name": "look_up"}), request=request)

    assert deltas == [Delta(tool_call=ToolCallDelta(index=0, id="toolu_01", name="look.up"))]


def test_hosts_that_leave_out_beginnings_and_numbers_are_understood() -> None:
    unnumbered = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "b"}}
    server = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}

    deltas, answer = fold(
        START,
        grown(0, "text_delta", text="a"),
        unnumbered,
        grown(0, "novel_delta"),
        opened(1, server),
        grown(1, "input_json_delta", partial_json='{"query":"q"}'),
        ended(),
        STOP,
    )

    assert [delta.text for delta in deltas] == ["a", "b"]
    assert answer.unwrap().content == "ab"
    assert answer.unwrap().provider_data == {
        "anthropic_content_blocks": [
            {"type": "text", "text": "ab"},
            {**server, "input": {"query": "q"}},
        ]
    }
