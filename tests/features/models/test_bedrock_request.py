"""The whole Converse request: path, tools, thoughts, sampling, form, guardrails and cache points."""

from typing import Any

import msgspec
import pytest

from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.declaration.wire import WireRequest
from webseam.adapters.features.models.wires.bedrock.converse import build_request, convert_tools
from webseam.ports.models import ChatRequest, Message, OutputSchema

BEDROCK = Provider(name="bedrock", api_mode="bedrock_converse")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
ADAPTIVE = "anthropic.claude-opus-4-6-v1"
NEW = "anthropic.claude-opus-4-8-v1"
NOVA = "us.amazon.nova-2-lite-v1:0"
LLAMA = "meta.llama3-3-70b-instruct-v1:0"
HI: Message = {"role": "user", "content": "hi"}
EMPTY_OBJECT = {"type": "object", "properties": {}}
LOOK = {"type": "function", "function": {"name": "look", "parameters": EMPTY_OBJECT}}
SPEC = {"toolSpec": {"name": "look", "description": "look", "inputSchema": {"json": EMPTY_OBJECT}}}
POINT = {"cachePoint": {"type": "default"}}
SCHEMA = OutputSchema(
    name="tide", schema={"type": "object", "properties": {"at": {"type": "string"}}}
)


def asked(model: str, **fields: object) -> ChatRequest:
    return msgspec.structs.replace(ChatRequest(model=model, messages=(HI,)), **fields)


def body(model: str = CLAUDE, provider: Provider = BEDROCK, **fields: object) -> dict[str, Any]:
    return build_request(asked(model, **fields), provider).body


def test_a_plain_request_is_this_and_nothing_more() -> None:
    assert build_request(asked(CLAUDE, instructions="Be brief."), BEDROCK) == WireRequest(
        path="/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
        body={
            "system": [{"text": "Be brief."}],
            "messages": [{"role": "user", "content": [{"text": "hi"}]}],
        },
    )


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("bedrock/amazon.nova-lite-v1:0", "/model/amazon.nova-lite-v1%3A0/converse-stream"),
        (
            "arn:aws:bedrock:us-west-2:123456789012:inference-profile/us.amazon.nova-lite-v1:0",
            "/model/arn%3Aaws%3Abedrock%3Aus-west-2%3A123456789012%3Ainference-profile%2Fus.amazon.nova-lite-v1%3A0/converse-stream",
        ),
        ("../x?y#z", "/model/..%2Fx%3Fy%23z/converse-stream"),
    ],
)
def test_the_model_is_one_step_of_the_path(model: str, path: str) -> None:
    assert build_request(asked(model), BEDROCK, stream=True).path == path


def test_a_provider_may_have_a_path_of_its_own() -> None:
    provider = msgspec.structs.replace(
        BEDROCK,
        http=msgspec.structs.replace(BEDROCK.http, path="/proxy/{model}/converse"),
    )

    assert build_request(asked("m:1"), provider).path == "/proxy/m%3A1/converse"


def test_limits_and_sampling_are_inference_settings() -> None:
    sent = body(max_tokens=16, temperature=1.5, stop=("END", " "))

    assert sent["inferenceConfig"] == {
        "maxTokens": 16,
        "temperature": 1.0,
        "stopSequences": ["END"],
    }


@pytest.mark.parametrize(
    ("model", "fields", "sent"),
    [
        (CLAUDE, {"temperature": 0.2, "top_p": 0.5}, {"temperature": 0.2}),
        (CLAUDE, {"top_p": 0.5}, {"topP": 0.5}),
        (LLAMA, {"temperature": 0.2, "top_p": 0.5}, {"temperature": 0.2, "topP": 0.5}),
        (NEW, {"temperature": 0.2, "top_p": 0.5}, None),
        ("xai.grok-4", {"temperature": 0.2}, None),
        (CLAUDE, {"temperature": 0.2, "reasoning_effort": "low"}, {"maxTokens": 8096}),
    ],
)
def test_sampling_is_sent_where_it_is_allowed(
    model: str, fields: dict[str, Any], sent: object
) -> None:
    assert body(model, **fields).get("inferenceConfig") == sent


@pytest.mark.parametrize(
    ("model", "effort", "fields", "level"),
    [
        (CLAUDE, "low", {"thinking": {"type": "enabled", "budget_tokens": 4000}}, None),
        (ADAPTIVE, "xhigh", {"thinking": {"type": "adaptive", "display": "summarized"}}, "max"),
        (CLAUDE, "none", {"thinking": {"type": "disabled"}}, None),
        (NOVA, "max", {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}, None),
        (NOVA, "none", {"reasoningConfig": {"type": "disabled"}}, None),
        ("openai.gpt-oss-120b-1:0", "minimal", {"reasoning_effort": "low"}, None),
        (LLAMA, "high", None, None),
    ],
)
def test_effort_is_asked_for_as_the_model_knows_it(
    model: str, effort: object, fields: object, level: str | None
) -> None:
    sent = body(model, reasoning_effort=effort)

    assert sent.get("additionalModelRequestFields") == fields
    assert sent.get("outputConfig") == (None if level is None else {"effort": level})


def test_a_provider_may_ask_for_effort_in_its_own_way() -> None:
    provider = msgspec.structs.replace(
        BEDROCK,
        changes=msgspec.structs.replace(
            BEDROCK.changes, reasoning=lambda _: {"outputConfig": {"effort": "low"}}
        ),
    )

    assert body(CLAUDE, provider, reasoning_effort="high")["outputConfig"] == {"effort": "low"}


def test_a_budget_raises_the_providers_cap_but_not_the_callers() -> None:
    provider = msgspec.structs.replace(
        BEDROCK,
        fields=msgspec.structs.replace(BEDROCK.fields, max_tokens=4096),
    )

    roomy = body(CLAUDE, provider, reasoning_effort="high")
    tight = body(CLAUDE, provider, reasoning_effort="high", max_tokens=3000)

    assert roomy["inferenceConfig"] == {"maxTokens": 20096}
    assert roomy["additionalModelRequestFields"]["thinking"]["budget_tokens"] == 16000
    assert tight["inferenceConfig"] == {"maxTokens": 3000}
    assert tight["additionalModelRequestFields"]["thinking"]["budget_tokens"] == 1976


def test_tools_are_specified_and_the_apis_own_pass_as_they_are() -> None:
    own = {"systemTool": {"name": "nova_grounding"}}
    marked = {**LOOK, "cache_control": {"type": "ephemeral"}}
    strict = {
        "type": "function",
        "function": {"name": "b.c", "description": " Does. ", "strict": True},
    }
    tools: list[Message] = [marked, LOOK, own, strict, {"type": "function", "function": {}}]

    assert convert_tools(tools, BEDROCK, CLAUDE) == [
        SPEC,
        POINT,
        own,
        {
            "toolSpec": {
                "name": "b_c",
                "description": "Does.",
                "inputSchema": {"json": EMPTY_OBJECT},
                "strict": True,
            }
        },
    ]
    assert convert_tools([marked, strict], BEDROCK, LLAMA) == [
        SPEC,
        {
            "toolSpec": {
                "name": "b_c",
                "description": "Does.",
                "inputSchema": {"json": EMPTY_OBJECT},
            }
        },
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (None, None),
        ("auto", {"auto": {}}),
        ("required", {"any": {}}),
        ("nonsense", None),
        ({"type": "function", "function": {"name": "a.b"}}, {"tool": {"name": "a_b"}}),
        ({"tool": {"name": "look"}}, {"tool": {"name": "look"}}),
        ({"any": {}}, None),
    ],
)
def test_a_choice_of_tool_is_spelled_its_way(choice: object, sent: object) -> None:
    assert body(tools=(LOOK,), tool_choice=choice)["toolConfig"].get("toolChoice") == sent


CALL = {"id": "a", "function": {"name": "look", "arguments": '{"q":1}'}}
PAST = (
    HI,
    {"role": "assistant", "content": "x", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": "1"},
)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"tools": (LOOK,), "tool_choice": "none"},
        {"tools": (LOOK,), "model": "us.deepseek.r1-v1:0"},
    ],
)
def test_without_tools_their_past_is_told_in_words(fields: dict[str, object]) -> None:
    sent = build_request(
        asked(CLAUDE, messages=PAST)
        if not fields
        else msgspec.structs.replace(asked(CLAUDE, messages=PAST), **fields),
        BEDROCK,
    ).body

    assert "toolConfig" not in sent
    assert sent["messages"] == [
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [{"text": "x"}, {"text": '(tool call look {"q":1})'}]},
        {"role": "user", "content": [{"text": "(result of tool call a)"}, {"text": "1"}]},
    ]


def test_a_result_in_json_is_told_in_words_too() -> None:
    own = {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "a", "content": [{"json": [1]}]}}],
    }

    assert body(messages=(*PAST[:2], own))["messages"][2]["content"][1] == {"text": "[1]"}


def test_a_schema_is_followed_by_the_text_itself_where_the_model_can() -> None:
    form = body(output_schema=SCHEMA, reasoning_effort=None)["outputConfig"]["textFormat"]

    held = form["structure"]["jsonSchema"]
    assert (form["type"], held["name"]) == ("json_schema", "tide")
    assert msgspec.json.decode(held["schema"]) == {**SCHEMA.schema, "additionalProperties": False}


def test_a_schema_is_a_forced_tool_elsewhere() -> None:
    alone = body(NOVA, output_schema=SCHEMA, reasoning_effort="high")
    beside = body(LLAMA, output_schema=SCHEMA, tools=(LOOK,))

    spec = {
        "name": "tide",
        "description": "Give the answer in this form.",
        "inputSchema": {"json": SCHEMA.schema},
    }
    assert alone["toolConfig"] == {
        "tools": [{"toolSpec": spec}],
        "toolChoice": {"tool": {"name": "tide"}},
    }
    assert "additionalModelRequestFields" not in alone
    assert beside["toolConfig"] == {"tools": [SPEC, {"toolSpec": spec}], "toolChoice": {"any": {}}}


def test_a_model_without_tools_and_a_provider_without_forms_are_told_in_words() -> None:
    formless = msgspec.structs.replace(
        BEDROCK,
        fields=msgspec.structs.replace(BEDROCK.fields, structured_output="none"),
    )

    for sent in (
        body("us.deepseek.r1-v1:0", output_schema=SCHEMA),
        body(CLAUDE, formless, output_schema=SCHEMA),
    ):
        assert set(sent) == {"messages", "system"}
        assert "JSON schema" in sent["system"][0]["text"]


def test_a_guardrail_is_passed_on_and_its_way_with_streams_only_to_streams() -> None:
    guard = {
        "guardrailIdentifier": "abc",
        "guardrailVersion": "1",
        "trace": "enabled",
        "streamProcessingMode": "sync",
    }
    request = asked(CLAUDE, extra_body={"guardrailConfig": guard})

    still = build_request(request, BEDROCK).body["guardrailConfig"]

    assert still == {"guardrailIdentifier": "abc", "guardrailVersion": "1", "trace": "enabled"}
    assert build_request(request, BEDROCK, stream=True).body["guardrailConfig"] == guard


def test_a_cached_prompt_has_points_where_caching_begins_to_pay() -> None:
    turns = [
        {"role": role, "content": f"{role} {number}"}
        for number in range(3)
        for role in ("user", "assistant")
    ]

    sent = body(messages=(*turns, HI), instructions="Be brief.", tools=(LOOK,), cache=True)
    nova = body(NOVA, tools=(LOOK,), cache=True)

    assert sent["system"] == [{"text": "Be brief."}, POINT]
    assert sent["toolConfig"]["tools"] == [SPEC, POINT]
    assert [POINT in turn["content"] for turn in sent["messages"]] == [False] * 4 + [
        True,
        False,
        True,
    ]
    assert nova["toolConfig"]["tools"] == [SPEC]
    assert nova["messages"] == [{"role": "user", "content": [{"text": "hi"}, POINT]}]
    assert body(LLAMA, cache=True)["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]


def test_of_too_many_points_the_last_four_are_kept() -> None:
    parts = [
        {"type": "text", "text": str(number), "cache_control": {"type": "ephemeral"}}
        for number in range(4)
    ]

    sent = body(
        messages=({"role": "system", "content": parts[:1]}, {"role": "user", "content": parts}),
        cache=True,
        tools=(LOOK,),
    )

    assert sent["system"] == [{"text": "0"}]
    assert sent["toolConfig"]["tools"] == [SPEC]
    assert sent["messages"][0]["content"].count(POINT) == 4
