"""A strong sentence of README and docs stands beside its test in properties/promises.md."""

import re
from collections import Counter
from collections.abc import Iterator

from .snippets import PAGES, ROOT

PROMISES = ROOT / "properties" / "promises.md"
# A sentence with one of these words needs its test.
_STRONG = re.compile(r"\b(?:never|always|exactly)\b", re.IGNORECASE)
# These words often restrict and do not promise, so each page may have as many as it has now.
_COUNTED = re.compile(r"\b(?:only|every|at most)\b", re.IGNORECASE)
MAX_COUNTED = {
    "README.md": 1, "architecture.md": 16, "bulk.md": 11, "choosing.md": 7,
    "claude-and-bedrock.md": 3, "comparison.md": 2, "document-index.md": 11, "evidence.md": 7,
    "formats.md": 5, "frameworks.md": 1, "gateway.md": 19, "hermes.md": 1, "mcp.md": 6,
    "measured.md": 9, "middleware.md": 8, "models.md": 10, "planner.md": 8, "providers.md": 6,
    "python.md": 2, "reading-pages.md": 4, "recipes.md": 2, "rendering.md": 7, "results.md": 1,
    "search-models.md": 2, "security.md": 24, "services.md": 13, "settings.md": 7,
    "stores.md": 6, "team.md": 1, "terminal.md": 2, "testing-your-agent.md": 9, "trust.md": 3,
    "tutorial.md": 1, "writing-a-wire.md": 8, "x-search.md": 4,
}  # fmt: skip
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


def test_page_says_only_every_and_at_most_no_more_often() -> None:
    promised = _promised()
    counts: Counter[str] = Counter()
    for page in PAGES:
        for sentence in _sentences(page.read_text("utf-8")):
            if (page.name, sentence) not in promised:
                counts[page.name] += len(_COUNTED.findall(sentence))

    grown = {name: count for name, count in counts.items() if count > MAX_COUNTED.get(name, 0)}

    assert grown == {}, (
        "These pages say only, every or at most more often than before. Write the new sentence in "
        "plainer words, or add it with its test to the last table of properties/promises.md. "
        "A page that says them less often lowers its number in MAX_COUNTED."
    )
