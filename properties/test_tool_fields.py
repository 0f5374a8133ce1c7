"""Every field of every tool is taken, or refused by its name and with its value."""

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec

from webseam.composition.tools.toolbox import ToolboxOverrides, open_toolbox
from webseam.composition.tools.web_tools import Tool
from webseam.testing import FakeBackend

# Values, each with the text that a refusal shows of it.
VALUES: tuple[tuple[object, str], ...] = (
    ("no-such-value", "no-such-value"),
    ({"a": 1}, "dict"),
    (2.5, "2.5"),
)
NEEDED: dict[str, object] = {"query": "q", "question": "q", "urls": ["https://a.example/"], "handle": "h", "url": "https://a.example/"}  # fmt: skip


def is_taken(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


async def try_tool(call: Any, tool: Tool) -> list[str]:  # noqa: ANN401  the tools' own call
    """Return the fields, known and unknown, that a tool neither takes nor refuses as it should."""
    fields = msgspec.structs.fields(tool.arguments)
    needed = {field.name: NEEDED[field.name] for field in fields if field.required}
    trials = [
        (field.name, value, text)
        for field in fields
        for value, text in VALUES
        if not is_taken(value, field.type) and not is_taken([value], field.type)
    ]
    faults = []
    for name, value, text in (*trials, ("colour", "red", "")):
        envelope = json.loads(await call(tool.name, {**needed, name: value}))
        failure = envelope.get("failure", {})
        is_named = failure.get("field") == name and text in failure["reason"]
        faults += [] if is_named else [f"{tool.name}: {name}={value!r}: {failure}"]
    return faults


def test_a_value_that_does_not_fit_is_refused_by_its_field_and_shown(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "XAI_API_KEY": "xai-0123456789",
        "WEBSEAM_KEYLESS": "false",
    }

    async def try_tools() -> tuple[set[str], list[str]]:
        parts = ToolboxOverrides(backend=FakeBackend())
        async with open_toolbox(environment, parts=parts).unwrap() as box:
            tools = [*box.tools.tools]
            return {tool.name for tool in tools}, [
                fault for tool in tools for fault in await try_tool(box.tools.call, tool)
            ]

    names, faults = asyncio.run(try_tools())

    assert names >= {"web_search", "web_extract", "web_more", "web_data", "x_search"}
    assert faults == []
