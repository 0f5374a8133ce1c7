"""A strong sentence of README and docs stands beside its test in properties/promises.md."""

import re
from collections.abc import Iterator

from .snippets import PAGES, ROOT

PROMISES = ROOT / "properties" / "promises.md"
# A sentence with one of these words needs its test.
_STRONG = re.compile(r"\b(?:never|always|exactly|only|every|at most)\b", re.IGNORECASE)
_CODE_OR_TARGET = re.compile(r"`[^`]*`|(?<=\])\([^)]*\)")
_NOT_PROSE = re.compile(r"^```.*?^```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_BLOCK_START = re.compile(r"\s*(?:[-*]|\d+\.) |#|\||\s*$")
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_]*\s+(?=[A-Z`*\[\"“]|webseam )")
_ROW = re.compile(r"^\| (?P<page>[\w./-]+\.md) \| (?P<sentence>.+) \| `.+` \|$", re.MULTILINE)


def _blocks(text: str) -> Iterator[str]:
    """Give each paragraph, item, heading and cell of a table on one line, without code."""
    lines: list[str] = []
    for line in [*_NOT_PROSE.sub("\n", text).splitlines(), ""]:
        if _BLOCK_START.match(line):
            yield " ".join(lines)
            lines = []
        if line.lstrip().startswith("|"):
            yield from line.strip().strip("|").split(" | ")
        else:
            lines += line.split()


def _sentences(text: str) -> Iterator[str]:
    for block in _blocks(text):
        for sentence in _SENTENCE_END.split(" ".join(block.split())):
            yield sentence.strip("*_")


def _promised() -> set[tuple[str, str]]:
    """Return the pages and sentences in the table of promises."""
    return {(row["page"], row["sentence"]) for row in _ROW.finditer(PROMISES.read_text("utf-8"))}


def test_sentence_with_a_strong_word_has_its_test() -> None:
    strong = {
        (page.name, sentence)
        for page in PAGES
        for sentence in _sentences(page.read_text("utf-8"))
        if _STRONG.search(_CODE_OR_TARGET.sub("", sentence))
    }

    untested = sorted(strong - _promised())

    assert untested == [], (
        "Say what is so without never, always, exactly, only, every and at most, or add a row with "
        "the page, the sentence and the test that would break first to the last table of "
        "properties/promises.md."
    )


def test_sentence_in_the_table_of_promises_is_on_its_page() -> None:
    told = {
        (page.name, sentence) for page in PAGES for sentence in _sentences(page.read_text("utf-8"))
    }

    assert sorted(_promised() - told) == [], (
        "Change or delete these rows of properties/promises.md."
    )
