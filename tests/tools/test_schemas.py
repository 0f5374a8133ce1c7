"""Schemas for models: generated from the structs, in the three dialects, and true."""

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from webseam.composition.tools import (
    Tools,
    anthropic_tools,
    gemini_tools,
    mcp_tools,
    openai_responses_tools,
    openai_tools,
    web_tools,
)
from webseam.composition.tools.schemas import McpTool, tool_parameters
from webseam.kernel import WebDeps
from webseam.ports import NotConfigured, WebError
from webseam.testing import FakeBackend

DEPS = Success(WebDeps(backend=FakeBackend()))
TOOLS = web_tools(DEPS, DEPS)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_field_of_the_struct_is_explained_and_nothing_else(tool: Any) -> None:
    schema = tool_parameters(tool)

    assert list(schema["properties"]) == list(tool.arguments.__struct_fields__)  # type: ignore[call-overload]
    assert list(tool.explained) == list(tool.arguments.__struct_fields__)
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_schema_has_words_that_providers_refuse(tool: Any) -> None:
    text = json.dumps(tool_parameters(tool))

    for word in ("anyOf", "null", "$ref", "default", r"\\Z"):
        assert word not in text


def test_the_search_schema_is_what_a_query_is() -> None:
    schema: Any = tool_parameters(TOOLS[0])

    assert schema["required"] == ["query"]
    assert schema["properties"]["max_results"]["type"] == "integer"
    assert schema["properties"]["topic"]["enum"] == ["finance", "general", "images", "news"]
    assert schema["properties"]["topic"]["type"] == "string"
    assert schema["properties"]["country"]["pattern"] == "^[A-Za-z]{2}$"
    assert schema["properties"]["include_domains"]["items"]["pattern"].endswith("$")


def test_each_dialect_has_its_own_names_around_the_same_schema() -> None:
    schema = tool_parameters(TOOLS[0])

    openai: Any = openai_tools(TOOLS)[0]
    anthropic: Any = anthropic_tools(TOOLS)[0]
    mcp: Any = mcp_tools(TOOLS)[0]

    assert (openai["type"], openai["function"]["parameters"]) == ("function", schema)
    assert anthropic["input_schema"] == mcp["inputSchema"] == schema
    assert mcp["annotations"]["readOnlyHint"] is True
    assert openai["function"]["name"] == anthropic["name"] == mcp["name"] == "web_search"


def test_only_tools_that_are_set_up_are_offered() -> None:
    lacking: Result[WebDeps, WebError] = Failure(NotConfigured(reason="No key"))
    tools = Tools(web_tools(Success(WebDeps(backend=FakeBackend())), lacking))

    assert [tool["function"]["name"] for tool in openai_tools(tools)] == ["web_search"]
    assert [tool["name"] for tool in anthropic_tools(tools)] == ["web_search"]
    assert "No key" in asyncio.run(tools.call("web_extract", {"urls": ["https://a.example/"]}))


def test_the_responses_api_and_gemini_have_dialects_of_their_own() -> None:
    tools = web_tools(Success(WebDeps(backend=FakeBackend())), Failure(NotConfigured(reason="x")))

    [search, _] = openai_responses_tools(tools)
    [gemini] = gemini_tools(tools)

    assert (search["type"], search["name"], search["strict"]) == ("function", "web_search", False)
    declared = gemini["function_declarations"][0]
    assert declared["parameters_json_schema"] == search["parameters"]


@pytest.mark.parametrize(
    "make", [anthropic_tools, gemini_tools, mcp_tools, openai_responses_tools, openai_tools]
)
def test_return_types_of_integrations_are_known_without_their_packages(
    make: Callable[..., object],
) -> None:
    """A type of a package that is not installed is unknown to pyright, and to whoever uses it."""
    known = {"Any": Any, "McpTool": McpTool}

    assert eval(inspect.signature(make).return_annotation, known)  # noqa: S307  our own words
