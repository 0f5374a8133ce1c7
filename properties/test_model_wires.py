"""Wires: nothing is lost on the way out, nothing is invented on the way back, nothing raises."""

import copy
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result

from webseam.adapters.features.models.client.answer_reading import EventReader
from webseam.adapters.features.models.declaration.provider import (
    HistoryRules,
    Provider,
    ResponsesFacts,
)
from webseam.adapters.features.models.declaration.wire import Wire
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.composition.features.testing.strategies.answers import json_values
from webseam.ports import ChatRequest, NormalizedResponse
from webseam.ports.errors import EmptyContent
from webseam.ports.models import FinishReason

WIRES = [load_wire("chat_completions"), load_wire("responses")]
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.api_mode)

PROVIDERS = st.sampled_from(
    [
        Provider(name="plain"),
        Provider(
            name="strict",
            history=HistoryRules(
                reasoning_fields=frozenset(),
                images_in_tool_results=False,
            ),
        ),
        Provider(
            name="typed",
            responses=ResponsesFacts(typed_items=True, encrypted_reasoning=True),
            history=HistoryRules(
                cache_marks=True,
            ),
        ),
        Provider(
            name="reserved",
            history=HistoryRules(
                reserved_tools=frozenset({"lookup"}),
            ),
        ),
    ]
)
MODELS = st.sampled_from(["m", "gpt-5.6-sol", "google/gemini-3-pro"])

# Words that are found again in a request, whatever it is spelled in.
words = st.integers(0, 999).map(lambda number: f"word{number}")
images = st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}})
texts = words.map(lambda word: {"type": "text", "text": word})
contents = st.one_of(words, st.lists(texts, min_size=1, max_size=3))
user_contents = st.one_of(contents, st.lists(st.one_of(texts, images), min_size=1, max_size=3))
calls = st.builds(
    lambda name, word: {
        "id": f"call_{word}",
        "type": "function",
        "function": {"name": name, "arguments": f'{{"q":"{word}"}}'},
    },
    st.sampled_from(["lookup", "fetch"]),
    words,
)
messages = st.one_of(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["system", "developer"]),
        contents,
    ),
    st.builds(lambda content: {"role": "user", "content": content}, user_contents),
    st.builds(
        lambda content, made: {"role": "assistant", "content": content, "tool_calls": made},
        st.one_of(st.none(), contents),
        st.lists(calls, max_size=3),
    ),
    st.builds(
        lambda word, content: {"role": "tool", "tool_call_id": f"call_{word}", "content": content},
        words,
        user_contents,
    ),
)
conversations = st.lists(messages, min_size=1, max_size=8).map(tuple)


def words_in(value: object) -> list[str]:
    """Return every word in a JSON value, in order of appearance by sorting."""
    if isinstance(value, str):
        return [
            part
            for part in value.replace('"', " ").replace("_", " ").split()
            if part.startswith("word")
        ]
    if isinstance(value, dict):
        return [word for part in value.values() for word in words_in(part)]
    if isinstance(value, list | tuple):
        return [word for part in value for word in words_in(part)]
    return []


@every_wire
@given(conversations, PROVIDERS, MODELS)
def test_no_text_no_call_and_no_result_is_lost_and_the_input_stays(
    wire: Wire, conversation: tuple[dict[str, Any], ...], provider: Provider, model: str
) -> None:
    before = copy.deepcopy(conversation)

    sent = wire.convert_messages(conversation, provider, model)

    assert conversation == before
    assert sorted(words_in([sent.system, sent.messages])) == sorted(words_in(list(conversation)))


@every_wire
@given(conversations, PROVIDERS, MODELS)
def test_a_result_keeps_the_id_of_its_call(
    wire: Wire, conversation: tuple[dict[str, Any], ...], provider: Provider, model: str
) -> None:
    sent = wire.convert_messages(conversation, provider, model).messages
    results = [m for m in conversation if m["role"] == "tool"]
    answer_found = [
        m.get("call_id", m.get("tool_call_id"))
        for m in sent
        if m.get("role") == "tool" or m.get("type") == "function_call_output"
    ]

    assert answer_found == [m["tool_call_id"] for m in results]


@given(conversations, PROVIDERS, MODELS)
def test_converting_chat_messages_twice_changes_nothing(
    conversation: tuple[dict[str, Any], ...], provider: Provider, model: str
) -> None:
    wire = load_wire("chat_completions")
    once = wire.convert_messages(conversation, provider, model).messages

    assert wire.convert_messages(once, provider, model).messages == once


odd_messages = st.lists(
    st.dictionaries(
        st.sampled_from(
            [
                "role",
                "content",
                "tool_calls",
                "tool_call_id",
                "provider_data",
                "refusal",
                "reasoning_items",
                "_x",
            ]
        ),
        json_values(),
    ),
    max_size=4,
)


@every_wire
@given(odd_messages, PROVIDERS, MODELS)
def test_any_message_is_converted_without_an_exception(
    wire: Wire, given_messages: list[dict[str, Any]], provider: Provider, model: str
) -> None:
    before = copy.deepcopy(given_messages)
    request = ChatRequest(model=model, messages=tuple(given_messages), cache=True)

    built = wire.build_request(request, provider)

    assert given_messages == before
    assert isinstance(msgspec.json.encode(built.body), bytes)


shaped = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "message": st.fixed_dictionaries(
                        {},
                        optional={
                            "content": json_values(),
                            "tool_calls": st.lists(json_values(), max_size=2),
                            "refusal": json_values(),
                        },
                    ),
                    "finish_reason": json_values(),
                    "delta": json_values(),
                },
            ),
            max_size=2,
        ),
        "output": st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "type": st.sampled_from(
                        ["message", "reasoning", "function_call", "custom_tool_call", "x"]
                    ),
                    "content": json_values(),
                    "name": json_values(),
                    "arguments": json_values(),
                    "summary": json_values(),
                },
            ),
            max_size=3,
        ),
        "status": st.one_of(
            st.sampled_from(["completed", "incomplete", "failed", "queued"]), json_values()
        ),
        "usage": json_values(),
        "error": json_values(),
        "id": json_values(),
    },
)
answers = st.one_of(json_values(), shaped)


@every_wire
@given(answers)
@example({"choices": [{"message": {"content": [[]]}}], "usage": {"prompt_tokens": 1e400}})
@example({"choices": [{"message": {}}], "usage": {"prompt_tokens": 10**400, "cost": 10**400}})
def test_any_json_is_an_answer_or_a_typed_failure(wire: Wire, payload: object) -> None:
    result = wire.normalize_response(payload)

    assert isinstance(result, Result)
    refused = wire.validate_response(payload)
    if refused is not None:
        assert isinstance(result, Failure)
    elif isinstance(result, Failure):
        # An answer of the right shape that says nothing.
        assert isinstance(result.failure(), EmptyContent)
    wire.cache_stats(payload)
    assert wire.map_finish_reason(payload) in get_args(FinishReason)
    if not isinstance(result, Failure):
        # Every field has the type it says, whatever came.
        msgspec.convert(msgspec.to_builtins(result.unwrap()), NormalizedResponse)


END = msgspec.Raw(b"[DONE]")

chunks = st.lists(
    st.one_of(
        st.builds(
            lambda delta, finish: {"choices": [{"delta": delta, "finish_reason": finish}]},
            st.fixed_dictionaries(
                {},
                optional={
                    "content": st.sampled_from(
                        [
                            "<think>",
                            "</think>",
                            "<thi",
                            "a",
                            "ä",
                            " ",
                            "",
                            [{"type": "text", "text": "p"}],
                            ["<think>", "q"],
                        ]
                    ),
                    "reasoning_content": st.just("r"),
                    "tool_calls": st.lists(
                        st.builds(
                            lambda index, given, word: {
                                "index": index,
                                "id": given,
                                "function": {"name": "f", "arguments": word},
                            },
                            st.one_of(st.integers(0, 2), json_values()),
                            st.one_of(words, json_values()),
                            words,
                        ),
                        max_size=2,
                    ),
                },
            ),
            st.one_of(st.none(), st.just("stop")),
        ),
        st.builds(
            lambda kind, place, piece: {
                "type": kind,
                "output_index": place,
                "delta": piece,
                "item": {"type": "function_call", "name": "f", "call_id": "c"},
                "index": place,
            },
            st.sampled_from(
                [
                    "response.output_text.delta",
                    "response.reasoning_text.delta",
                    "response.output_item.added",
                    "response.output_item.done",
                    "response.function_call_arguments.delta",
                ]
            ),
            st.one_of(st.integers(0, 2), json_values()),
            words,
        ),
        st.just({"type": "response.completed", "response": {"status": "completed"}}),
        st.just(END),
        json_values(),
    ),
    max_size=6,
)


@every_wire
@given(chunks, st.lists(st.integers(1, 40), max_size=30))
def test_any_split_of_a_stream_gives_the_same_answer(
    wire: Wire, payloads: list[object], sizes: list[int]
) -> None:
    data = b"".join(b"data: " + msgspec.json.encode(payload) + b"\r\n\r\n" for payload in payloads)
    pieces = []
    for size in sizes:
        pieces.append(data[:size])
        data = data[size:]
    pieces.append(data)

    assert _read(wire, pieces) == _read(wire, [b"".join(pieces)])


@every_wire
@given(chunks)
def test_the_pieces_of_a_stream_are_its_text(wire: Wire, payloads: list[object]) -> None:
    data = b"".join(b"data: " + msgspec.json.encode(payload) + b"\n\n" for payload in payloads)

    text, result = _read(wire, [data])

    if not isinstance(result, Failure):
        assert result.unwrap().content in (text or None, text)


def _read(wire: Wire, pieces: list[bytes]) -> tuple[str, Result[NormalizedResponse, Any]]:
    reader = EventReader(wire)
    deltas = [delta for piece in pieces for delta in reader.feed(piece)]
    last, result = reader.finish()
    return "".join(delta.text for delta in (*deltas, *last)), result
