"""Laws of Gemini's own wire: no text is lost on the way out, and any answer is a result."""

import copy
from typing import Any

import msgspec
from hypothesis import given, strategies as st
from returns.result import Result

from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.wires.gemini.generate import GEMINI_GENERATE as WIRE
from webseam.composition.features.testing.strategies import json_values
from webseam.ports import ChatRequest

PROVIDER = Provider(name="g", api_mode="gemini_generate")
WORDS = st.integers(0, 999).map(lambda number: f"word{number}.")
CONTENTS = WORDS | st.lists(WORDS.map(lambda word: {"type": "text", "text": word}), min_size=1)
CALLS = WORDS.map(lambda w: {"id": w, "function": {"name": "f", "arguments": f'{{"q": "{w}"}}'}})
MESSAGES = st.one_of(
    st.builds(
        lambda role, said: {"role": role, "content": said},
        st.sampled_from(["system", "user", "assistant", "developer"]),
        CONTENTS,
    ),
    st.lists(CALLS, min_size=1, max_size=2).map(lambda c: {"role": "assistant", "tool_calls": c}),
    st.builds(
        lambda own, said: {"role": "tool", "tool_call_id": own, "content": said}, WORDS, CONTENTS
    ),
)
# The kernel lets no other role pass.
ODD = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"])},
    optional={name: json_values() for name in ("content", "tool_calls", "tool_call_id")},
)
PARTS = st.dictionaries(
    st.sampled_from(["text", "thought", "functionCall", "thoughtSignature"]), json_values()
)
ANSWERS = json_values() | st.fixed_dictionaries(
    {},
    optional={
        "candidates": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "content": st.fixed_dictionaries({"parts": st.lists(PARTS | json_values())}),
                    "finishReason": st.sampled_from(["STOP", "SAFETY", ""]) | json_values(),
                },
            ),
            max_size=2,
        ),
        "usageMetadata": json_values(),
        "promptFeedback": json_values(),
        "error": json_values(),
    },
)


@given(st.lists(MESSAGES, min_size=1, max_size=6))
def test_no_word_is_lost_and_the_input_stays(messages: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(messages)

    sent = msgspec.json.encode(WIRE.convert_messages(messages, PROVIDER, "m")).decode()

    assert messages == before
    for message in messages:
        words = message.get("content") or ""
        for word in [words] if isinstance(words, str) else [part["text"] for part in words]:
            assert word in sent


@given(st.lists(ODD, max_size=4))
def test_any_message_is_converted_without_an_exception(messages: list[dict[str, Any]]) -> None:
    request = ChatRequest(model="m", messages=tuple(messages))

    assert msgspec.json.encode(WIRE.build_request(request, PROVIDER).body)


@given(ANSWERS)
def test_any_answer_is_a_result(payload: object) -> None:
    assert isinstance(WIRE.normalize_response(payload), Result)


@given(st.lists(ANSWERS, max_size=4), st.integers(1, 40))
def test_any_stream_is_a_result_however_it_is_split(chunks: list[object], size: int) -> None:
    stream = b"".join(b"data: " + msgspec.json.encode(chunk) + b"\n\n" for chunk in chunks)
    whole, split = EventReader(WIRE), EventReader(WIRE)
    whole.feed(stream)
    for start in range(0, len(stream), size):
        split.feed(stream[start : start + size])

    assert isinstance(whole.finish()[1], Result)
    assert str(split.finish()[1]) == str(whole.finish()[1])
