"""An answer that is streamed is the answer it would have been, and its pieces are its text."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure

from properties.spoken_answers import SPOKEN, Said, words
from tests.features.models.frames import event
from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.declaration.wire import AnswerResult
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.ports import Delta
from webseam.ports.errors import EmptyContent
from webseam.ports.models import ToolCall


def sse(name: str, payload: object) -> bytes:
    return f"event: {name}\n".encode() + b"data: " + msgspec.json.encode(payload) + b"\n\n"


# Chat completions: one text, one thought, any number of calls.


# Responses: an item for each block.


# Messages and Converse: a block for each block.


# Gemini: every piece is a part.


texts = st.lists(words, min_size=1, max_size=4).map(tuple)


def cut(whole: str, places: list[int]) -> tuple[str, ...]:
    ends = sorted({place % (len(whole) + 1) for place in places} | {0, len(whole)})
    return tuple(whole[start:end] for start, end in pairwise(ends))


arguments = st.builds(
    cut,
    words.map(lambda word: msgspec.json.encode({"q": word}).decode()),
    st.lists(st.integers(0, 20)),
) | st.just(())
blocks_of = st.lists(
    st.one_of(
        st.builds(Said, st.just("text"), texts),
        st.builds(Said, st.just("thought"), texts),
        st.builds(Said, st.just("call"), arguments),
    ),
    min_size=1,
    max_size=5,
)


def calls_in(deltas: Sequence[Delta]) -> list[tuple[str, str, str]]:
    answer_found: dict[int, tuple[str, str, str]] = {}
    for piece in (delta.tool_call for delta in deltas if delta.tool_call):
        own, name, words = answer_found.get(piece.index, ("", "", ""))
        answer_found[piece.index] = (own or piece.id, name or piece.name, words + piece.arguments)
    return [answer_found[index] for index in sorted(answer_found)]


def same(value: tuple[str, str, str], call: ToolCall) -> bool:
    decoded = msgspec.json.decode(value[2] or "{}")
    return value[:2] == (call.id, call.name) and decoded == msgspec.json.decode(call.arguments)


def read(api_mode: ApiMode, data: bytes) -> tuple[list[Delta], AnswerResult]:
    reader = EventReader(load_wire(api_mode))
    deltas = list(reader.feed(data))
    last, answer = reader.finish()
    return [*deltas, *last], answer


@pytest.mark.parametrize("api_mode", SPOKEN)
@given(blocks=blocks_of)
@example(blocks=[Said("text", ("a",)), Said("thought", ("b",)), Said("text", ("c",))])
@example(blocks=[Said("text", ("a",)), Said("call", ()), Said("text", ("b",)), Said("call", ())])
def test_a_streamed_answer_is_the_whole_one_in_pieces(
    api_mode: ApiMode, blocks: list[Said]
) -> None:
    spoken = SPOKEN[api_mode]
    result = load_wire(api_mode).normalize_response(spoken.whole(blocks))
    write = event if api_mode == "bedrock_converse" else sse
    data = b"".join(write(name, payload) for name, payload in spoken.events(blocks))

    deltas, answer = read(api_mode, data)

    assert answer == result
    if isinstance(result, Failure):
        # Thoughts alone are no answer.
        assert isinstance(result.failure(), EmptyContent)
        assert all(block.kind == "thought" for block in blocks)
        return
    whole = result.unwrap()
    assert "".join(delta.text for delta in deltas) == (whole.content or "")
    thoughts = "".join(delta.reasoning for delta in deltas)
    assert thoughts == (whole.reasoning or whole.reasoning_content or "")
    assert len(calls_in(deltas)) == len(whole.tool_calls)
    assert all(map(same, calls_in(deltas), whole.tool_calls))
