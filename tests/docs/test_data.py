"""Blocks of YAML, TOML and JSON can be read as what they say they are, and links lead somewhere."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from returns.result import Success

from tests.settings.support import load

from .snippets import PAGES, Snippet, snippets

READERS: dict[str, Callable[[str], object]] = {
    "yaml": yaml.safe_load,
    "toml": tomllib.loads,
    "json": json.loads,
}
BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
# Blocks, and words between marks.
CODE = re.compile(r"^```.*?^```$|(?<!`)(`{1,2})(?!`).+?(?<!`)\1(?!`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
HEADING_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*\.md|)#([^)\s]+)\)")


@pytest.mark.parametrize("snippet", snippets(*READERS), ids=lambda snippet: snippet.name)
def test_a_block_is_what_it_says(snippet: Snippet) -> None:
    assert READERS[snippet.language](snippet.text)


@pytest.mark.parametrize("snippet", snippets("yaml"), ids=lambda snippet: snippet.name)
def test_a_block_of_settings_can_be_read(snippet: Snippet, tmp_path: Path) -> None:
    assert load(tmp_path, snippet.text).map(lambda _: "read").alt(
        lambda odd: odd.message
    ) == Success("read")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_to_a_file_leads_to_one(page: object) -> None:
    assert isinstance(page, type(PAGES[0]))
    text = CODE.sub("", page.read_text("utf-8"))

    broken = [
        link
        for link in LINK.findall(text)
        if not link.startswith(("http://", "https://", "mailto:"))
        and not (page.parent / link).exists()
    ]

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_to_a_heading_leads_to_one(page: Path) -> None:
    broken = [
        f"{file}#{heading}"
        for file, heading in HEADING_LINK.findall(CODE.sub("", page.read_text("utf-8")))
        if heading not in _heading_names(page.parent / file if file else page)
    ]

    assert broken == []


def _heading_names(page: Path) -> set[str]:
    """Return the names by which links lead to the headings of a page, as GitHub makes them."""
    text = BLOCK.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
