"""Conversations in the words of Converse: nothing lost, roles in turn, results beside calls."""

from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.wires.bedrock.converse import convert_messages
from webseam.ports.models import Message

BEDROCK = Provider(name="bedrock", api_mode="bedrock_converse")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NEWER = "anthropic.claude-opus-4-8-v1:0"
NOVA = "amazon.nova-lite-v1:0"
LLAMA = "meta.llama3-3-70b-instruct-v1:0"
PNG = "iVBORw0KGgo="
HI: Message = {"role": "user", "content": "hi"}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "First.", "signature": "sig"}}}
REDACTED = {"reasoningContent": {"redactedContent": "YmxvYg=="}}


def convert(*messages: Message, model: str = CLAUDE) -> list[dict[str, Any]]:
    return convert_messages(messages, BEDROCK, model).messages


def user(*content: object) -> dict[str, object]:
    return {"role": "user", "content": list(content)}


def assistant(*content: object) -> dict[str, object]:
    return {"role": "assistant", "content": list(content)}


def called(own: str, name: str = "look") -> Message:
    return {"id": own, "type": "function", "function": {"name": name, "arguments": '{"q":"tides"}'}}


def use(own: str, name: str = "look") -> dict[str, object]:
    return {"toolUse": {"toolUseId": own, "name": name, "input": {"q": "tides"}}}


def result(own: str, *content: object, **more: object) -> dict[str, object]:
    return {"toolResult": {"toolUseId": own, "content": list(content), **more}}


def t(words: str) -> dict[str, object]:
    return {"text": words}


ANSWERED: Message = {"role": "tool", "tool_call_id": "a", "content": "1"}


def test_system_messages_are_blocks_of_their_own() -> None:
    messages: list[Message] = [
        {"role": "system", "content": "Be brief."},
        HI,
        {
            "role": "developer",
            "content": [
                {
                    "type": "text",
                    "text": "In French.",
                    "cache_control": {"type": "ephemeral", "ttl": "1h"},
                }
            ],
        },
        {
            "role": "system",
            "content": [
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
                " ",
            ],
        },
    ]

    talk = convert_messages(messages, BEDROCK, CLAUDE)

    point = {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert talk.system == [t("Be brief."), t("In French."), point, t("(image left out)")]
    assert talk.messages == [user(t("hi"))]
    assert convert_messages([HI], BEDROCK, CLAUDE).system is None


def test_turns_alternate_and_the_user_has_the_first_and_the_last_word() -> None:
    turn: Message = {"role": "assistant", "content": "Hello "}

    assert convert(turn, HI, HI) == [
        user(t("(start)")),
        assistant(t("Hello ")),
        user(t("hi"), t("hi")),
    ]
    assert convert(HI, turn) == [user(t("hi")), assistant(t("Hello"))]
    assert convert(HI, turn, model=NEWER)[-1] == user(t("(continue)"))
    assert convert(HI, turn, model=NOVA)[-1] == user(t("(continue)"))
    assert convert(HI, {"role": "assistant", "content": ""})[-1] == assistant(t("(empty)"))


def test_results_stand_in_one_turn_before_what_the_user_says() -> None:
    calls: Message = {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [called("a"), called("b.1")],
    }
    answers: list[Message] = [
        {"role": "tool", "tool_call_id": "b.1", "content": "two", "is_error": True},
        {"role": "user", "content": "hurry"},
        ANSWERED,
    ]

    assert convert(HI, calls, *answers)[1:] == [
        assistant(t("Looking."), use("a"), use("b.1")),
        user(result("b.1", t("two"), status="error"), result("a", t("1")), t("hurry")),
    ]
    assert convert(HI, calls, *answers, model=LLAMA)[2:] == [
        user(result("b.1", t("two")), result("a", t("1"))),
        assistant(t("(noted)")),
        user(t("hurry")),
    ]


def test_ids_and_names_have_a_length_and_letters() -> None:
    long = "x" * 70
    calls: Message = {"role": "assistant", "tool_calls": [called(long, "n" * 70), called("a b|c")]}

    turns = convert(HI, calls, {"role": "tool", "tool_call_id": long, "content": "1"})

    first, second = (block["toolUse"] for block in turns[1]["content"])
    assert (len(first["toolUseId"]), len(first["name"])) == (64, 64)
    assert second["toolUseId"] == "a_b_c"
    assert turns[2]["content"][0]["toolResult"]["toolUseId"] == first["toolUseId"]


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            {"type": "image_url", "image_url": {"url": f"data:image/jpg;base64,{PNG}"}},
            {"image": {"format": "jpeg", "source": {"bytes": PNG}}},
        ),
        (
            {"type": "image_url", "image_url": {"url": "https://a.example/p.png"}},
            t("(image: https://a.example/p.png)"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/bmp;base64,Qk0="}},
            t("(an image of type image/bmp left out)"),
        ),
        ({"type": "image_url", "image_url": {"url": "nonsense"}}, t("(image_url left out)")),
        ({"type": "input_audio"}, t("(input_audio left out)")),
        ({"type": "novelty", "text": "still text"}, t("still text")),
        (
            {
                "type": "file",
                "file": {"filename": "x.zip", "file_data": "data:application/zip;base64,UEs="},
            },
            t("(the file x.zip left out)"),
        ),
        (
            {"type": "file", "file": {"file_data": "data:application/zip;base64,UEs="}},
            t("(the file of type application/zip left out)"),
        ),
        ({"type": "file", "file": {}}, t("(file left out)")),
        ({"text": "own"}, t("own")),
        ({"guardContent": {"text": {"text": "x"}}}, {"guardContent": {"text": {"text": "x"}}}),
        (
            {"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": []}},
            t("ab"),
        ),
        ({"unheard": {}}, t("(unheard left out)")),
        ({}, t("(a part left out)")),
    ],
)
def test_a_part_becomes_a_block_or_words_that_stand_for_it(part: object, block: object) -> None:
    assert convert({"role": "user", "content": [part]}) == [user(block)]


def test_documents_have_names_of_their_own_and_words_beside_them() -> None:
    def file(name: str, kind: str = "text/csv") -> Message:
        held = {"filename": name, "file_data": f"data:{kind};base64,YQ=="}
        return {"type": "file", "file": held}

    (turn,) = convert(
        {
            "role": "user",
            "content": [file("my_tides!.csv"), file("my tides csv", "text/x-log"), file("")],
        }
    )

    names = [
        (block["document"]["name"], block["document"]["format"]) for block in turn["content"][:3]
    ]
    assert names == [("my tides csv", "csv"), ("my tides csv (2)", "txt"), ("document", "csv")]
    assert turn["content"][3:] == [t("(see the document)")]


def test_images_and_documents_stay_in_a_tools_result() -> None:
    calls: Message = {"role": "assistant", "tool_calls": [called("a")]}
    content = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {
            "type": "file",
            "file": {"filename": "a.b", "file_data": "data:application/pdf;base64,JVBERg=="},
        },
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},
    ]

    turns = convert(HI, calls, {**ANSWERED, "content": content})

    assert turns[2] == user(
        result(
            "a",
            {"image": {"format": "png", "source": {"bytes": PNG}}},
            {"document": {"format": "pdf", "name": "a b", "source": {"bytes": "JVBERg=="}}},
            t("x"),
        )
    )


def test_marks_become_cache_points_where_the_model_knows_them() -> None:
    part = {"type": "text", "text": "long", "cache_control": {"type": "ephemeral"}}

    assert convert(user(part, "short")) == [
        user(t("long"), {"cachePoint": {"type": "default"}}, t("short"))
    ]
    assert convert(user(part), model=LLAMA) == [user(t("long"))]


DETAILS = [
    {"type": "thinking", "thinking": "First.", "signature": "sig"},
    {"type": "redacted_thinking", "data": "YmxvYg=="},
    {"type": "thinking", "thinking": "Unsigned."},
]


def test_thoughts_with_a_signature_go_back_before_the_rest_while_the_turn_is_open() -> None:
    message: Message = {
        "role": "assistant",
        "content": "Then.",
        "tool_calls": [called("a")],
        "provider_data": {"reasoning_details": DETAILS},
    }

    assert convert(HI, message, ANSWERED)[1] == assistant(SIGNED, REDACTED, t("Then."), use("a"))
    past = (
        HI,
        message,
        ANSWERED,
        {"role": "assistant", "content": "x"},
        HI,
        {"role": "assistant", "content": "y"},
        HI,
    )
    assert convert(*past)[1] == assistant(t("Then."), use("a"))


def test_stored_blocks_are_replayed_in_their_order() -> None:
    server = {
        "toolUse": {
            "toolUseId": "s",
            "name": "nova_grounding",
            "input": {},
            "type": "server_tool_use",
        }
    }
    cited = {"citationsContent": {"content": [{"text": "Cited."}], "citations": [{"title": "T"}]}}
    blocks = [SIGNED, server, cited, REDACTED, use("a")]
    message: Message = {
        "role": "assistant",
        "content": "Cited.",
        "tool_calls": [called("a")],
        "provider_data": {"bedrock_content_blocks": blocks},
    }

    assert convert(HI, message, ANSWERED)[1] == assistant(SIGNED, t("Cited."), REDACTED, use("a"))
    assert convert(HI, {**message, "content": "***"}, ANSWERED)[1] == assistant(
        SIGNED, REDACTED, t("***"), use("a")
    )


def test_the_apis_own_words_are_understood_too() -> None:
    turns = [
        user(t("hi"), {"cachePoint": {"type": "default"}}),
        assistant(SIGNED, t("Then."), use("a")),
        user(result("a", {"json": {"n": 1}}, status="error"), t("go on")),
    ]

    assert convert(*turns) == turns


def test_an_empty_result_of_the_apis_own_says_so() -> None:
    assert convert(HI, assistant(use("a")), user(result("a")))[2] == user(
        result("a", t("(no output)"))
    )
