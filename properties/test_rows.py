"""The row law: every emitted row keeps it, and one bad row anywhere fails the whole call."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from hypothesis import example, given, strategies as st
from returns.result import Failure

from webseam.composition.features.testing.strategies import (
    disguised_rows,
    hostile_backends,
    hostile_rows,
    rows,
)
from webseam.kernel import WebDeps, check_row
from webseam.kernel.urls.spelling import is_web_url
from webseam.ports import InvalidRow, SearchAnswer, WebBackend, WebSearchResult
from webseam.testing import FakeBackend

from .ask import search

GOOD = rows() | disguised_rows()


def assert_lawful(row: WebSearchResult, position: int) -> None:
    parts = urlsplit(row.url)
    assert parts.scheme.lower() in ("http", "https")
    assert parts.hostname
    assert parts.username is None
    assert not any(character.isspace() or not character.isprintable() for character in row.url)
    assert is_web_url(row.url)
    assert type(row.title) is type(row.snippet) is str
    assert row.score is None or row.score - row.score == 0
    assert row.origin in ("index", "model")
    assert row.position == position
    assert row.source


@given(backend=hostile_backends(), policy=st.sampled_from(["strict", "quarantine"]))
def test_every_emitted_row_keeps_the_law(backend: WebBackend, policy: object) -> None:
    outcome = search(WebDeps(backend=backend, rows=policy))  # type: ignore[arg-type]  # drawn from the two

    emitted = () if isinstance(outcome, Failure) else outcome.unwrap().rows
    for position, row in enumerate(emitted, 1):
        assert_lawful(row, position)


@given(given_rows=st.lists(GOOD, max_size=8))
@example(given_rows=[{"title": "", "url": "https://a.example/?from=http://[b"}])
@example(given_rows=[{"title": "", "url": "https://a.example/http://["}])
def test_good_rows_come_out_as_they_went_in(given_rows: Sequence[object]) -> None:
    outcome = search(WebDeps(backend=FakeBackend(rows=given_rows))).unwrap()

    assert len(outcome.rows) == len(given_rows)
    assert outcome.rejected == ()
    for position, row in enumerate(outcome.rows, 1):
        assert_lawful(row, position)


@given(given_rows=st.lists(rows(), max_size=8))
def test_no_field_of_a_row_is_invented_or_changed(given_rows: list[dict[str, object]]) -> None:
    outcome = search(WebDeps(backend=FakeBackend(rows=given_rows))).unwrap()

    assert [(row.title, row.url, row.snippet) for row in outcome.rows] == [
        (row["title"], row["url"], row.get("snippet", "")) for row in given_rows
    ]


@given(before=st.lists(GOOD, max_size=5), bad=hostile_rows(), after=st.lists(GOOD, max_size=5))
def test_one_bad_row_anywhere_fails_the_whole_call_and_is_named(
    before: list[object], bad: object, after: list[object]
) -> None:
    outcome = search(WebDeps(backend=FakeBackend(rows=[*before, bad, *after])))

    failure = outcome.failure()
    assert isinstance(failure, InvalidRow)
    assert failure.index == len(before)
    assert failure.field
    assert failure.reason


@given(
    mixed=st.lists(
        st.tuples(st.just("good"), GOOD) | st.tuples(st.just("bad"), hostile_rows()), max_size=10
    )
)
def test_quarantine_loses_nothing(mixed: list[tuple[str, object]]) -> None:
    backend = FakeBackend(rows=[row for _, row in mixed])

    outcome = search(WebDeps(backend=backend, rows="quarantine")).unwrap()

    bad = [index for index, (kind, _) in enumerate(mixed) if kind == "bad"]
    assert [rejected.index for rejected in outcome.rejected] == bad
    assert len(outcome.rows) + len(outcome.rejected) == len(mixed) == outcome.receipt.returned
    assert outcome.receipt.rejected == len(bad)


@given(given_rows=st.lists(GOOD, max_size=6), place=st.integers(0, 6), text=st.text(min_size=1))
def test_prose_never_becomes_a_row_and_moves_none(
    given_rows: list[object], place: int, text: str
) -> None:
    items = [*given_rows[:place], SearchAnswer(text=f"x{text}"), *given_rows[place:]]

    outcome = search(WebDeps(backend=FakeBackend(rows=items))).unwrap()

    assert outcome.answer == SearchAnswer(text=f"x{text}")
    assert [row.position for row in outcome.rows] == list(range(1, len(given_rows) + 1))


@given(row=GOOD | hostile_rows())
def test_a_row_alone_fares_as_in_a_search(row: object) -> None:
    searched = search(WebDeps(backend=FakeBackend([row], name="b")))
    checked = check_row(row).map(lambda it: msgspec.structs.replace(it, source="b"))

    assert isinstance(checked, Failure) is isinstance(searched, Failure)
    if not isinstance(searched, Failure):
        assert searched.unwrap().rows == (checked.unwrap(),)
