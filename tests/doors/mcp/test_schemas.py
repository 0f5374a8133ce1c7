"""The tools' schemas: those of the toolbox, small, and taken by every provider."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from webseam.composition.doors.mcp import web_offer as schemas
from webseam.composition.doors.mcp.mcp_server import INSTRUCTIONS
from webseam.kernel.text.trim import max_text_tokens
from webseam.ports.data import DataArguments
from webseam.ports.evidence import AskArguments
from webseam.ports.tools import ExtractArguments, MoreArguments, SearchArguments
from webseam.ports.x_search import XSearchRequest

STRUCTS: dict[str, type[msgspec.Struct]] = {
    "web_search": SearchArguments,
    "web_extract": ExtractArguments,
    "web_more": MoreArguments,
    "web_data": DataArguments,
    "x_search": XSearchRequest,
    "web_ask": AskArguments,
}
TOOLS = {tool["name"]: tool for tool in schemas.KNOWN_TOOLS}
COUNTED = Path(__file__).parent / "tokens.json"


@pytest.mark.parametrize("name", TOOLS)
def test_the_arguments_are_those_of_the_toolbox(name: str) -> None:
    shape = TOOLS[name]["inputSchema"]
    fields = msgspec.structs.fields(STRUCTS[name])

    assert list(shape["properties"]) == [field.name for field in fields]
    assert shape["required"] == [field.name for field in fields if field.required]


@pytest.mark.parametrize("name", TOOLS)
def test_types_and_choices_are_those_of_the_toolbox(name: str) -> None:
    real = msgspec.json.schema(STRUCTS[name])["$defs"][STRUCTS[name].__name__]["properties"]

    for field, part in TOOLS[name]["inputSchema"]["properties"].items():
        whole = real[field]
        one = next((each for each in whole.get("anyOf", ()) if each != {"type": "null"}), whole)
        assert part["type"] == one.get("type", "string")
        assert sorted(part.get("enum", ())) == sorted(one.get("enum", ()))


@pytest.mark.parametrize("name", TOOLS)
def test_strict_clients_take_every_schema(name: str) -> None:
    tool = TOOLS[name]

    assert tool["inputSchema"]["type"] == "object"
    assert tool["inputSchema"]["additionalProperties"] is False
    assert tool["outputSchema"]["type"] == "object"
    assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": True}
    assert tool["title"]
    assert len(f"mcp__webseam__{name}") <= 64
    for part in _parts(tool["inputSchema"]):
        forbidden = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "default", "format"}
        assert not (forbidden | {"pattern", "minimum", "maximum", "$schema"}) & set(part)
        assert isinstance(part["type"], str)
        assert part["type"] != "array" or "items" in part
        assert all(isinstance(each, str) for each in part.get("enum", ()))


def _parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    inner = [
        *schema.get("properties", {}).values(),
        *([schema["items"]] if "items" in schema else []),
    ]
    return [schema, *(part for each in inner for part in _parts(each))]


def test_the_four_tools_take_at_most_800_tokens() -> None:
    """Counted with o200k by ``make mcp``, which writes the figure beside the text it counted."""
    text = msgspec.json.encode(list(schemas.ALWAYS_TOOLS)).decode()
    counted = msgspec.json.decode(COUNTED.read_bytes())

    assert counted["text"] == text, (
        "the schemas changed: count them again with tests.doors.mcp.suite.tokens --write"
    )
    assert counted["tokens"] <= 800
    assert counted["tokens"] <= max_text_tokens(text)
    page = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")
    assert f"{counted['tokens']} tokens with their output schemas" in page


def test_the_instructions_are_not_cut_by_clients() -> None:
    assert len(INSTRUCTIONS) < 2_000
