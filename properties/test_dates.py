"""Dates as services write them: reading one twice gives what reading it once gave."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from properties.sample_replies import replies_of
from tests.features.documents.read import page
from tests.services.pick import SERVICES
from webseam.adapters.features.models.search.citation_candidates import read_citation
from webseam.adapters.folder_files import read_markdown
from webseam.adapters.reader.html import read_html
from webseam.adapters.values.dates import iso_date, service_iso_date
from webseam.ports.dates import leading_iso_day


@given(st.text(alphabet="0123456789/-.:, TZAPMarUTC+年月日", max_size=40))
@example("Mar 5, 2025, 10:30 PM")
@example("03/05/2025, 09:15 AM, +0000 UTC")
def test_a_date_that_was_read_reads_the_same_again(given: str) -> None:
    once = service_iso_date(given)

    assert once is None or service_iso_date(once) == once


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_digits_are_the_day_or_the_year_that_they_say(day: date) -> None:
    assert service_iso_date(day.year) == service_iso_date(str(day.year)) == str(day.year)
    digits = f"{day:%Y%m%d}".rjust(8, "0")
    assert service_iso_date(int(digits)) == service_iso_date(digits) == day.isoformat()


@given(st.integers(100_000_000, 9_999_999_999))
def test_a_unix_time_is_its_moment_in_any_part_of_seconds(seconds: int) -> None:
    moment = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")

    assert service_iso_date(seconds) == service_iso_date(float(seconds)) == moment
    if seconds >= 10**9:
        for zeros in ("", "000", "000000", "000000000"):
            assert service_iso_date(f"{seconds}{zeros}") == moment


@given(st.dates(), st.text())
def test_a_text_that_begins_with_a_day_has_that_day(day: date, rest: str) -> None:
    assert leading_iso_day(f"{day}{rest}") == str(day)
    assert leading_iso_day(f"on {day}") is None


MARKDOWN = "---\ntitle: T\n{field}: {day}\n---\nSome text.\n"
LINKED = (
    '<script type="application/ld+json">{{"@type": "Article", "datePublished": "{day}"}}</script>'
)
PAGE = "<html><head><title>T</title>{head}</head><body><article><p>Some text.</p></article></body></html>"
ARTICLE = (
    '<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "a.dtd">'
    "<article><front><article-meta><title-group><article-title>T</article-title></title-group>"
    "<pub-date>{day}</pub-date></article-meta></front><body><p>Some text.</p></body></article>"
)
# The doors by which a document says when it was published.
STATED: dict[str, Callable[[str], str | None]] = {
    "a note's date": lambda day: note_date("date", day),
    "a note's published": lambda day: note_date("published", day),
    "a file's date": lambda day: file_date(MARKDOWN.format(field="date", day=day), "text/markdown"),
    "linked data": lambda day: page_date(LINKED.format(day=day)),
    "a meta tag": lambda day: page_date(
        f'<meta property="article:published_time" content="{day}">'
    ),
}


def note_date(field: str, day: str) -> str | None:
    note = MARKDOWN.format(field=field, day=day).encode()
    return read_markdown(note, "a.md", iso_date).unwrap().published


def file_date(text: str, content_type: str) -> str | None:
    return page(text, content_type).published_at


def page_date(head: str) -> str | None:
    return read_html(PAGE.format(head=head), "https://a.example/").unwrap().published_at


@pytest.mark.parametrize("door", STATED)
def test_a_document_has_the_year_month_or_day_that_it_states(door: str) -> None:
    stated = {
        "2024": "2024",
        "2024-03": "2024-03",
        "March 2024": "2024-03",
        "2024-03-05": "2024-03-05",
        "March 5, 2024": "2024-03-05",
        "2024-W05": None,
        "spring": None,
    }
    assert {text: STATED[door](text) for text in stated} == stated


def test_an_article_has_the_year_month_or_day_of_its_parts() -> None:
    parts = {
        "<year>2024</year>": "2024",
        "<month>3</month><year>2024</year>": "2024-03",
        "<month>March</month><year>2024</year>": "2024-03",
        "<month>3</month>": None,
        "<day>5</day><month>3</month><year>2024</year>": "2024-03-05",
    }
    assert {day: file_date(ARTICLE.format(day=day), "application/xml") for day in parts} == parts


CHANGED = "1999-09-09T09:09:09Z"
# When a page was changed, read or stored; no service says with these when it was published.
CHANGE_NAMES = (
    "last_updated", "lastUpdated", "updated_at", "updated", "last_modified", "modified",
    "dateModified", "dateLastCrawled", "crawled_at", "indexed_at", "touched",
)  # fmt: skip
_DATE_PATTERN = re.compile(r"(?:19|20)\d\d|ago$|day$")


def with_changes_alone(node: object) -> object:
    """Return a payload whose only dates are those of changes."""
    if isinstance(node, list):
        return [with_changes_alone(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {name: with_changes_alone(value) for name, value in node.items() if not is_date(value)}
    is_row = any("url" in name.lower() or name == "link" for name in node)
    return {**kept, **dict.fromkeys(CHANGE_NAMES, CHANGED)} if is_row else kept


def is_date(value: object) -> bool:
    if isinstance(value, str):
        return "://" not in value and _DATE_PATTERN.search(value) is not None
    return isinstance(value, int) and value > 10**9


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_date_of_a_change_is_no_date_of_publication(name: str) -> None:
    search = SERVICES[name].search
    assert search is not None
    for reply in replies_of(name):
        changed = replace(reply, payload=with_changes_alone(reply.payload))
        rows = search.decode(changed).value_or(())
        dates = {str(row.get("published_at")) for row in rows if isinstance(row, dict)}
        assert not any(text.startswith("1999") for text in dates), dates


def test_citation_has_no_date_of_a_change() -> None:
    entry = {"url": "https://a.example/", **dict.fromkeys(CHANGE_NAMES, CHANGED)}

    candidate = read_citation(entry, "results")

    assert candidate is not None
    assert candidate.published is None
