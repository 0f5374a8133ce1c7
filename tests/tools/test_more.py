"""``web_more``: the way from a page that was cut to the rest of it, for an agent."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure, Success

from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.tools import Tools, openai_tools
from webseam.composition.tools.web_tools import extract_tool, more_tool
from webseam.kernel import WebDeps
from webseam.ports import NotConfigured
from webseam.testing import FakeBackend

TEXT = "\n\n".join(f"Paragraph {number} of the page." for number in range(2000))


def tools(folder: Path) -> Tools:
    texts = TextFiles(folder)
    deps = Success(WebDeps(backend=FakeBackend(document=TEXT), texts=texts))
    return Tools((extract_tool(deps), more_tool(deps)))


def call(box: Tools, name: str, **args: object) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(asyncio.run(box.call(name, args)))
    return envelope


def test_an_agent_reads_a_page_to_its_end(tmp_path: Path) -> None:
    box = tools(tmp_path)
    first = call(box, "web_extract", urls=["https://a.example/"], char_limit=2000)
    handle = first["receipt"]["pages"][0]["handle"]
    cursor: int | None = 0
    pieces = []

    while cursor is not None:
        data = call(box, "web_more", handle=handle, cursor=cursor)["data"]
        pieces.append(data["text"])
        cursor = data["next_cursor"]

    assert "".join(pieces) == TEXT
    assert max(map(len, pieces)) <= 20_000


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({}, "handle: is missing."),
        ({"handle": "nothing"}, "handle: is not a handle of a stored text."),
        ({"handle": "a" * 24}, "handle: no text is stored under it."),
        (
            {"handle": "a" * 24, "cursor": -1},
            "cursor: must be a whole number from 0 on, got -1.",
        ),
        (
            {"handle": 7},
            "handle: must be text: the handle in the receipt of a page, got 7.",
        ),
    ],
)
def test_web_more_without_a_next_piece_says_why(
    tmp_path: Path, args: dict[str, object], reason: str
) -> None:
    assert call(tools(tmp_path), "web_more", **args)["error"] == reason


def test_without_pages_there_is_nothing_to_go_on_in() -> None:
    box = Tools([more_tool(Failure(NotConfigured(reason="No pages are read")))])

    assert call(box, "web_more", handle="a" * 24)["error"] == "No pages are read."


def test_a_model_is_told_of_every_argument(tmp_path: Path) -> None:
    [_, more] = openai_tools(tools(tmp_path).tools)

    parameters: Any = more["function"]["parameters"]
    assert set(parameters["properties"]) == {
        "handle",
        "cursor",
        "char_limit",
        "part",
        "find",
        "max_passages",
    }
    assert parameters["required"] == ["handle"]
