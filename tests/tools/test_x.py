"""``x_search`` as the third tool: from a model's arguments to the flat object."""

import asyncio
import json
from datetime import date
from typing import Any, cast

import httpx
import pytest
from returns.result import Failure, Success

from tests.features.models.x_search.serving import KEY, reply, settings
from webseam import NotConfigured, XSearchOutcome, x_searcher
from webseam.composition.features.models.x_search_tool import x_tool
from webseam.composition.session import Session
from webseam.composition.tools import Tools, anthropic_tools, mcp_tools, openai_tools
from webseam.composition.tools.toolbox import open_toolbox
from webseam.ports.middleware import Callbacks, Middleware
from webseam.testing import ScriptedTransport

ABSENT = NotConfigured(reason="xAI has no key", settings=("XAI_API_KEY",), backend="xai")
FAILED = {"success", "error", "failure", "provider", "tool", "error_type"}


class Desk:
    """The tool over a script of xAI's answers, with callbacks around it."""

    def __init__(self, *middleware: Middleware) -> None:
        self.transport = ScriptedTransport(lambda _: httpx.Response(200, json=reply()))
        self.searcher = x_searcher(settings(), transport=self.transport)
        around = Session(callbacks=Callbacks(middleware=middleware))
        self.tools = Tools([x_tool(self.searcher)], around)

    def call(self, args: object) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(asyncio.run(self.tools.call("x_search", args))))

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(request.content) for request in self.transport.requests]


def test_a_call_gives_the_flat_object() -> None:
    reply = Desk().call({"query": "tides"})

    assert (reply["success"], reply["tool"], reply["provider"]) == (True, "x_search", "xai")
    assert (reply["answer"], reply["receipt"]["backend"]) == ("High tide.", "xai")


def test_the_typed_outcome_is_behind_the_reply() -> None:
    called = asyncio.run(Desk().tools.ask("x_search", {"query": "tides"}))

    assert isinstance(called.outcome, XSearchOutcome)


def test_arguments_of_a_model_are_coerced() -> None:
    desk = Desk()
    desk.call(
        '{"query": "q", "allowed_x_handles": "@alice", "from_date": "2026-11-01", "store": "true", '
        '"enable_image_understanding": "true", "output_schema": "{\\"type\\": \\"object\\"}", "instructions": null}'
    )

    (body,) = desk.sent
    assert body["tools"] == [
        {
            "type": "x_search",
            "allowed_x_handles": ["alice"],
            "from_date": "2026-11-01",
            "enable_image_understanding": True,
        }
    ]
    assert (body["store"], body["text"]["format"]["schema"]) == (True, {"type": "object"})


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({}, "query: is missing."),
        ({"query": " "}, "query: must be text of 1 to 20000 characters, not blank, got ''."),
        (
            {"query": "q", "output_schema": [1]},
            "output_schema: must be a JSON object that is a schema, got a value of type list.",
        ),
        ({"query": "q", "from_date": "2999-01-01"}, "from_date: is in the future: today is"),
        ("[1]", "args: must be an object, got '[1]'."),
    ],
)
def test_a_refused_call_has_the_shape_of_every_failure(args: object, error: str) -> None:
    desk = Desk()
    reply = desk.call(args)

    assert set(reply) == FAILED
    assert reply["error"].startswith(error)
    assert (reply["error_type"], reply["tool"]) == ("invalid_query", "x_search")
    assert desk.sent == []


def test_without_a_key_the_tool_says_what_to_set() -> None:
    tools = Tools([x_tool(Failure(ABSENT))])
    document = json.loads(asyncio.run(tools.call("x_search", {"query": "q"})))

    assert set(document) == FAILED
    assert document["error"] == "xAI has no key. Set XAI_API_KEY."


def test_a_plugin_may_rewrite_the_request_and_the_receipt_says_so() -> None:
    def narrow(args: dict[str, Any], **_: object) -> dict[str, Any]:
        return {"args": {**args, "allowed_x_handles": ["alice"]}, "source": "narrow"}

    desk = Desk(Middleware(kind="tool_request", callback=narrow, plugin="p"))
    reply = desk.call({"query": "q"})

    assert desk.sent[0]["tools"][0]["allowed_x_handles"] == ["alice"]
    assert [entry["source"] for entry in reply["receipt"]["middleware"]] == ["narrow"]


def test_plugins_stand_around_the_call_of_the_model_too() -> None:
    seen: list[str] = []

    def watch(request: dict[str, Any], **_: object) -> None:
        seen.append(request["model"])

    around = Session(
        callbacks=Callbacks(
            middleware=(Middleware(kind="llm_request", callback=watch, plugin="p"),)
        )
    )
    transport = ScriptedTransport([httpx.Response(200, json=reply())])
    searcher = x_searcher(settings(), transport=transport, around=around).unwrap()

    assert asyncio.run(searcher({"query": "q"})).unwrap().citations
    assert seen == ["grok-4.5"]


@pytest.mark.parametrize(
    ("seconds", "retries", "deadline"), [("1", "0", 30.0), ("29", "2", 90.0), ("100", "1", 200.0)]
)
def test_an_attempt_has_at_least_thirty_seconds(
    seconds: str, retries: str, deadline: float
) -> None:
    seen: list[float] = []

    def watch(neutral_request: dict[str, Any], **_: object) -> None:
        seen.append(neutral_request["deadline"])

    around = Session(
        callbacks=Callbacks(
            middleware=(Middleware(kind="llm_request", callback=watch, plugin="p"),)
        )
    )
    given = settings(WEBSEAM_X_SEARCH_TIMEOUT_SECONDS=seconds, WEBSEAM_X_SEARCH_RETRIES=retries)
    transport = ScriptedTransport([httpx.Response(200, json=reply())])
    asyncio.run(x_searcher(given, transport=transport, around=around).unwrap()({"query": "q"}))

    assert seen == [deadline]


def test_the_schema_is_what_a_request_is_in_every_dialect() -> None:
    tools = [x_tool(Failure(ABSENT))]
    openai: Any = openai_tools(tools)[0]["function"]
    anthropic: Any = anthropic_tools(tools)[0]
    mcp: Any = mcp_tools(tools)[0]
    schema = openai["parameters"]

    assert openai["name"] == anthropic["name"] == mcp["name"] == "x_search"
    assert schema == anthropic["input_schema"] == mcp["inputSchema"]
    assert schema["required"] == ["query"]
    assert schema["properties"]["output_schema"]["type"] == "object"
    assert schema["properties"]["from_date"]["format"] == "date"
    for word in ("anyOf", "null", "$ref", "default"):
        assert word not in json.dumps(schema)


def test_the_toolbox_offers_it_with_a_key_alone(tmp_path: Any) -> None:
    async def ask(**environment: str) -> tuple[bool, str]:
        async with open_toolbox({"HOME": str(tmp_path), **environment}).unwrap() as box:
            reply = json.loads(await box.tools.call("x_search", {"query": ""}))
            return "x_search" in [tool.name for tool in box.tools.tools], reply["error"]

    assert asyncio.run(ask()) == (False, "xAI has no key. Set XAI_API_KEY.")
    assert asyncio.run(ask(XAI_API_KEY=KEY))[0] is True


def test_the_day_is_that_of_utc() -> None:
    searcher = Desk().searcher

    assert isinstance(searcher, Success)
    assert type(searcher.unwrap().deps.today()) is date
