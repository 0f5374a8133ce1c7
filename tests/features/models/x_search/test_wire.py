"""What goes over the wire to xAI, down to the byte, for each thing that can be asked."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.features.models.x_search.asking import SCHEMA
from tests.features.models.x_search.serving import KEY, bodies, exchange, reply, settings
from webseam import x_searcher
from webseam.testing import ScriptedTransport

BARE = {
    "model": "grok-4.5",
    "input": [{"role": "user", "content": "tides"}],
    "store": False,
    "tools": [{"type": "x_search"}],
}


def body(**fields: object) -> dict[str, Any]:
    return bodies(fields)[0]


def tool(**fields: object) -> dict[str, Any]:
    sent = body(**fields)

    assert sent == {**BARE, "tools": sent["tools"]}
    (only,) = sent["tools"]
    return dict(only)


def test_a_bare_query_is_the_smallest_request() -> None:
    _, server = exchange({"body": reply()})
    request = server.requests[0]

    assert request.body == (
        b'{"model":"grok-4.5","input":[{"role":"user","content":"tides"}],"store":false,'
        b'"tools":[{"type":"x_search"}]}'
    )
    assert (request.method, request.path) == ("POST", "/v1/responses")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({"allowed_x_handles": [" @alice", "bob "]}, {"allowed_x_handles": ["alice", "bob"]}),
        ({"excluded_x_handles": ["@spam"]}, {"excluded_x_handles": ["spam"]}),
        ({"allowed_x_handles": [" ", "@"]}, {}),
        (
            {"from_date": "2026-11-01", "to_date": "2026-11-02"},
            {"from_date": "2026-11-01", "to_date": "2026-11-02"},
        ),
        ({"from_date": "", "to_date": " "}, {}),
        ({"to_date": "2999-01-01"}, {"to_date": "2999-01-01"}),
        ({"enable_image_understanding": True}, {"enable_image_understanding": True}),
        ({"enable_video_understanding": True}, {"enable_video_understanding": True}),
        ({"enable_image_understanding": False, "enable_video_understanding": False}, {}),
    ],
)
def test_the_tool_holds_what_was_asked_and_nothing_else(
    fields: dict[str, object], sent: dict[str, object]
) -> None:
    assert tool(**fields) == {"type": "x_search", **sent}


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA,
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": {"optional": {"type": "string", "default": "a"}}},
        {},
    ],
)
def test_a_schema_goes_out_as_it_was_given_strict_and_named(schema: dict[str, object]) -> None:
    assert body(output_schema=schema) == {
        **BARE,
        "text": {
            "format": {
                "type": "json_schema",
                "name": "x_search_output",
                "strict": True,
                "schema": schema,
            }
        },
    }


def test_instructions_stand_at_the_top() -> None:
    assert body(instructions=" Be brief. ") == {**BARE, "instructions": "Be brief."}


def test_an_answer_is_stored_only_if_that_is_asked_for() -> None:
    assert body(store=True) == {**BARE, "store": True}


def test_a_follow_up_is_stored_and_takes_no_instructions(caplog: pytest.LogCaptureFixture) -> None:
    chained = {**BARE, "store": True, "previous_response_id": "r-1"}

    with caplog.at_level(logging.WARNING, "webseam.x_search"):
        assert body(previous_response_id="r-1", store=False) == chained
        assert body(previous_response_id=" r-1 ", instructions="Be brief.") == chained

    (line,) = [each.message for each in caplog.records if each.name == "webseam.x_search"]
    assert "instructions" in line


def test_blank_texts_are_left_out() -> None:
    assert body(instructions=" ", previous_response_id="\t") == BARE


def test_the_settings_choose_model_and_effort() -> None:
    (sent,) = bodies(
        {}, WEBSEAM_X_SEARCH_MODEL="grok-4.7", WEBSEAM_X_SEARCH_REASONING_EFFORT="xhigh"
    )

    assert sent == {**BARE, "model": "grok-4.7", "reasoning": {"effort": "xhigh"}}


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("grok-4.5", "low", "low"),
        ("grok-4.5", "xhigh", "high"),
        ("grok-of-tomorrow", "medium", "medium"),
    ],
)
def test_an_effort_is_what_the_model_knows_or_what_was_set(
    model: str, effort: str, sent: str
) -> None:
    (body,) = bodies({}, WEBSEAM_X_SEARCH_MODEL=model, WEBSEAM_X_SEARCH_REASONING_EFFORT=effort)

    assert body["reasoning"] == {"effort": sent}


def test_every_field_at_once() -> None:
    sent = body(
        allowed_x_handles=["alice"],
        from_date="2026-11-01",
        to_date="2026-11-10",
        enable_image_understanding=True,
        enable_video_understanding=True,
        output_schema=SCHEMA,
        instructions="Be brief.",
        store=True,
    )

    assert set(sent) == {*BARE, "instructions", "text"}
    assert set(sent["tools"][0]) == {
        "type",
        "allowed_x_handles",
        "from_date",
        "to_date",
        "enable_image_understanding",
        "enable_video_understanding",
    }


def test_whatever_settings_say_of_xais_models_x_is_searched_over_responses(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("providers:\n  xai:\n    api_mode: chat_completions\n")
    transport = ScriptedTransport([httpx.Response(200, json=reply())])
    client_made = x_searcher(settings(config), transport=transport).unwrap()

    assert asyncio.run(client_made({"query": "tides"})).unwrap().answer == "High tide."
    assert transport.requests[0].url.path == "/v1/responses"
    assert msgspec.json.decode(transport.requests[0].content) == BARE
