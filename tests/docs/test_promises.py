"""A strong sentence of README and docs stands beside its test in properties/promises.md."""

import re
from collections import Counter
from collections.abc import Iterator

from .snippets import PAGES, ROOT

PROMISES = ROOT / "properties" / "promises.md"
# A sentence with one of these words needs its test.
_STRONG = re.compile(r"\b(?:never|always|exactly)\b", re.IGNORECASE)
# These words often restrict and do not promise. They may become fewer: lower the number then.
_COUNTED = re.compile(r"\b(?:only|every|at most)\b", re.IGNORECASE)
MAX_COUNTED = 250
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


def test_sentence_that_says_never_always_or_exactly_has_its_test() -> None:
    strong = {
        (page.name, sentence)
        for page in PAGES
        for sentence in _sentences(page.read_text("utf-8"))
        if _STRONG.search(sentence)
    }

    untested = sorted(strong - _promised())

    assert untested == [], (
        "Say what is so without never, always and exactly, or add a row with the page, the "
        "sentence and the test that would break first to the last table of properties/promises.md."
    )


def test_sentence_in_the_table_of_promises_is_on_its_page() -> None:
    told = {
        (page.name, sentence) for page in PAGES for sentence in _sentences(page.read_text("utf-8"))
    }

    assert sorted(_promised() - told) == [], (
        "Change or delete these rows of properties/promises.md."
    )


def test_pages_say_only_every_and_at_most_no_more_often() -> None:
    promised = _promised()
    counts: Counter[str] = Counter()
    for page in PAGES:
        for sentence in _sentences(page.read_text("utf-8")):
            if (page.name, sentence) not in promised:
                counts[page.name] += len(_COUNTED.findall(sentence))

    assert counts.total() <= MAX_COUNTED, (
        f"Sentences without a test say only, every or at most more often than {MAX_COUNTED} times: "
        "write the new one in plainer words, or add it with its test to the last table of "
        f"properties/promises.md. The pages: {dict(counts)}"
    )
