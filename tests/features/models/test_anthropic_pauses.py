"""An answer that paused is sent back as it came, and becomes one with what follows."""

from typing import Any

import httpx
import msgspec
import pytest

from tests.features.models.clients import client, run, streamed, text_of
from webseam.adapters.features.models.client.attempts import MAX_PAUSES
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.wires.anthropic.messages import build_request
from webseam.adapters.features.models.wires.anthropic.messages_answers import normalize_response
from webseam.adapters.features.models.wires.anthropic.paused_answers import (
    continue_answer,
    join_answers,
)
from webseam.ports import ChatRequest, Delta, NormalizedResponse, Usage
from webseam.ports.models import StreamItem

ANTHROPIC = Provider(name="anthropic", api_mode="anthropic_messages")
REQUEST = ChatRequest(model="claude-opus-4-8", messages=({"role": "user", "content": "hi"},))
SIGNED = {"type": "thinking", "thinking": "First.", "signature": "sig"}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
CALL = {"type": "tool_use", "id": "a", "name": "look", "input": {"q": 1}}


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def answer(*content: object, stop: str = "end_turn") -> dict[str, Any]:
    usage = {"input_tokens": 5, "output_tokens": 2}
    return {"id": "msg", "content": list(content), "stop_reason": stop, "usage": usage}


def says(*content: object, stop: str = "end_turn") -> NormalizedResponse:
    return normalize_response(answer(*content, stop=stop)).unwrap()


PAUSED = says(SIGNED, text("Searching."), SEARCH, stop="pause_turn")


def test_it_goes_on_with_the_blocks_as_they_came() -> None:
    again = continue_answer(REQUEST, PAUSED)

    assert again is not None
    assert build_request(again, ANTHROPIC).body["messages"] == [
        {"role": "user", "content": [text("hi")]},
        {"role": "assistant", "content": [SIGNED, text("Searching."), SEARCH]},
    ]
    assert continue_answer(REQUEST, says(text("x"))) is None


def test_two_parts_are_one_answer() -> None:
    whole = join_answers(
        PAUSED, says(FOUND, text("Done."), {**SIGNED, "thinking": "Then."}, CALL, stop="tool_use")
    )

    assert (whole.content, whole.finish_reason) == ("Searching.\nDone.", "tool_calls")
    assert whole.reasoning == "First.\n\nThen."
    assert [call.name for call in whole.tool_calls] == ["look"]
    assert whole.usage == Usage(input_tokens=10, output_tokens=4, total_tokens=14)
    assert whole.provider_data == {
        "reasoning_details": [SIGNED, {**SIGNED, "thinking": "Then."}],
        "anthropic_content_blocks": [
            SIGNED,
            text("Searching."),
            SEARCH,
            FOUND,
            text("Done."),
            {**SIGNED, "thinking": "Then."},
            CALL,
        ],
    }


def test_parts_of_text_and_calls_alone_are_joined_too() -> None:
    plain = msgspec.structs.replace(says(text("b"), CALL, stop="tool_use"), usage=None)

    whole = join_answers(says(SEARCH, text("a"), stop="pause_turn"), plain)

    assert (whole.content, len(whole.tool_calls)) == ("ab", 1)
    assert whole.usage == Usage(input_tokens=5, output_tokens=2, total_tokens=7)
    assert whole.provider_data == {"anthropic_content_blocks": [SEARCH, text("a"), text("b"), CALL]}


def test_a_refusal_in_the_end_takes_back_the_beginning() -> None:
    whole = join_answers(PAUSED, says(stop="refusal"))

    assert (whole.content, whole.finish_reason) == (None, "content_filter")


def as_events(payload: dict[str, Any]) -> bytes:
    """Write an answer as the events of a stream."""
    blocks = [
        {"type": "content_block_start", "index": at, "content_block": block}
        for at, block in enumerate(payload["content"])
    ]
    end = {"type": "message_delta", "delta": {"stop_reason": payload["stop_reason"]}}
    events = [{"type": "message_start", "message": {"id": "msg"}}, *blocks, end]
    return b"".join(b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events)


class Host:
    """Answers with each payload in turn, the last one again and again, and remembers."""

    def __init__(self, *payloads: dict[str, Any], streams: bool = False) -> None:
        self.asked: list[dict[str, Any]] = []
        self._payloads = payloads
        self._streams = streams

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(msgspec.json.decode(request.content))
        payload = self._payloads[min(len(self.asked), len(self._payloads)) - 1]
        if not self._streams:
            return httpx.Response(200, json=payload)
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, content=as_events(payload), headers=headers)


PARTS = [
    ((text("One."), SEARCH), (FOUND, text("Two."))),
    ((text("One."), SEARCH), (text("Two."), text("Three."))),
    ((text("One."),), (FOUND, text("Two."))),
    ((text("One."),), (text("Two."),)),
    ((SEARCH,), (FOUND, text("Two."))),
]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(("first", "second"), PARTS)
def test_the_client_asks_until_the_answer_is_whole(
    first: tuple[dict[str, object], ...], second: tuple[dict[str, object], ...], *, streams: bool
) -> None:
    parts = answer(*first, stop="pause_turn"), answer(*second)
    host, streaming_host = Host(*parts), Host(*parts, streams=streams)

    async def main() -> tuple[NormalizedResponse, list[StreamItem]]:
        model = client(httpx.MockTransport(host), provider=ANTHROPIC)
        streaming = client(httpx.MockTransport(streaming_host), provider=ANTHROPIC)
        return (await model.complete(REQUEST)).unwrap(), await streamed(streaming, REQUEST)

    whole, items = run(main())
    last = items[-1]

    assert not isinstance(last, Delta)
    assert whole.content == last.unwrap().content == text_of(items)
    assert len(host.asked) == len(streaming_host.asked) == 2
    assert host.asked[1]["messages"][1] == {"role": "assistant", "content": [*first]}


def test_a_model_that_pauses_for_ever_is_not_asked_for_ever() -> None:
    host = Host(answer(text("."), SEARCH, stop="pause_turn"))

    whole = run(client(httpx.MockTransport(host), provider=ANTHROPIC).complete(REQUEST)).unwrap()

    assert len(host.asked) == MAX_PAUSES + 1
    assert whole.content == "\n".join("." * (MAX_PAUSES + 1))
