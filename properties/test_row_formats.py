"""Nothing that an answer holds is missing from a format of rows without a word."""

import csv
import io
import json
import re
from typing import get_args

import msgspec
from hypothesis import example, given, strategies as st
from markdown_it import MarkdownIt

from tests.doors.cli.screens import outcome as search_outcome
from webseam.composition.terminal.search_output import ROW_FORMATS, formatted_rows_text
from webseam.ports.attempts import Sighting
from webseam.ports.web import (
    Origin,
    RejectedRow,
    SearchAnswer,
    SearchOutcome,
    WebSearchResult,
)

WORDS = st.text("abcxyz<>[]\\|*_`éß ", min_size=1, max_size=20).map(lambda text: f"t{text}t")
ROWS = st.builds(
    WebSearchResult,
    title=WORDS,
    url=WORDS.map(lambda text: f"https://a.example/?q={text.replace(' ', '')}"),
    snippet=WORDS,
    position=st.integers(1, 99),
    source=st.sampled_from(["brave", "exa"]),
    published_at=st.sampled_from([None, "2026-01-31"]),
    score=st.none() | st.floats(-5, 5),
    origin=st.sampled_from(get_args(Origin)),
    found_by=st.sampled_from([(), (Sighting(backend="exa", position=7),)]),
)
REJECTED = st.builds(
    RejectedRow, index=st.integers(0, 9), field=st.just("url"), reason=WORDS, raw=WORDS
)


LOADING = re.compile(r"<(img|svg)\b")


def loading_tokens(markdown: str) -> list[str]:
    """Return the parts of markdown for which a viewer loads something."""
    blocks = MarkdownIt().parse(markdown)
    parts = [part for block in blocks for part in (block, *(block.children or ()))]
    loading = [part for part in parts if part.type == "image"]
    loading += [p for p in parts if p.type.startswith("html") and LOADING.search(p.content)]
    return [part.content for part in loading]


def one_line(text: str) -> str:
    return " ".join(text.split())


def shown(text: str) -> str:
    """Return a text on one line without its backslashes, which markdown may have added."""
    return one_line(text.replace("\\", ""))


def unescaped(text: str) -> str:
    return re.sub(r"\\([\\\[\]<])", r"\1", text)


@given(
    rows=st.lists(ROWS, max_size=3),
    answer=st.none() | WORDS,
    rejected=st.lists(REJECTED, max_size=2),
)
@example(rows=[], answer="High water is at 9.", rejected=[])
def test_every_format_has_the_whole_answer(
    rows: list[WebSearchResult], answer: str | None, rejected: list[RejectedRow]
) -> None:
    outcome = SearchOutcome(
        rows=tuple(rows),
        answer=None if answer is None else SearchAnswer(text=answer),
        rejected=tuple(rejected),
        receipt=search_outcome().receipt,
    )
    for form in ROW_FORMATS:
        if form == "json":  # the envelope of the call, which the tools print
            continue
        text = formatted_rows_text(outcome, form)
        if form == "jsonl":
            lines = [json.loads(line) for line in text.splitlines()]
            text = " ".join(str(value) for line in lines for value in _values(line))
        elif form == "csv":
            text = " ".join(cell for line in csv.reader(io.StringIO(text)) for cell in line)
        text = shown(text)
        if answer is not None:
            assert shown(answer) in text, form
        for row in rows:
            for value in (row.title, row.snippet, row.origin, row.source):
                assert shown(value) in text, (form, value)
            for optional in (row.published_at, row.score):
                assert optional is None or str(optional) in text, (form, optional)
            assert not row.found_by or re.search(r"exa\W+(position\W+)?7", text), form
        for bad in rejected:
            assert shown(bad.raw) in text, form


def _values(value: object) -> list[object]:
    if isinstance(value, dict):
        return [part for item in value.values() for part in _values(item)]
    if isinstance(value, list):
        return [part for item in value for part in _values(item)]
    return [value]


HOSTILE = st.lists(
    st.sampled_from(
        ["![", "[", "!", "\\", "x](https://e.example/p)", "<img src=x>", "]", "<svg ", "`"]
    ),
    max_size=6,
).map("".join)


@given(title=HOSTILE, snippet=HOSTILE, raw=HOSTILE)
@example(title="![x](https://e.example/p)", snippet="![x](https://e.example/p)", raw="")
def test_no_row_shows_a_picture_in_markdown(title: str, snippet: str, raw: str) -> None:
    row = WebSearchResult(
        title=title, url="https://a.example/", snippet=snippet, position=1, source="exa"
    )
    bad = RejectedRow(index=0, field="url", reason="is odd", raw=raw)
    outcome = search_outcome(row)
    outcome = msgspec.structs.replace(outcome, rejected=(bad,))

    assert loading_tokens(formatted_rows_text(outcome, "markdown")) == []


@given(url=st.text("ab<>\\()[]?=&#%", max_size=12), title=st.text("ab<>[]\\", max_size=8))
def test_a_link_of_markdown_ends_where_it_should(url: str, title: str) -> None:
    row = WebSearchResult(
        title=title, url=f"https://a.example/{url}", snippet="", position=1, source="exa"
    )

    text = formatted_rows_text(search_outcome(row), "markdown")

    link = re.fullmatch(r"1\. \[((?:\\.|[^\[\]\\<])*)\]\(<([^<>\\\s]*)>\) \(exa, index\)", text)
    assert link is not None, text
    assert unescaped(link[1]) == (title.strip() or row.url)
