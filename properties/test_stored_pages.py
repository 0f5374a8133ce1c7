"""Who may read a page may go on in its stored text, and nobody else; whoever stored it."""

import asyncio
from typing import get_args

from hypothesis import given, strategies as st
from returns.result import Failure, Success

from webseam.composition.features.testing.clients import FakeTexts
from webseam.composition.tools import Tools
from webseam.composition.tools.web_tools import extract_tool, more_tool
from webseam.kernel import Policy, WebDeps, web_extract
from webseam.kernel.cache_rules import Lifetimes, cacheable_page, decode_cached_page
from webseam.kernel.pages.page_record import (
    PageRecord,
    PageSource,
    page_reading,
    read_page_record,
    write_page_record,
)
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.kernel.text.trim import Budget
from webseam.ports.backends import Served
from webseam.ports.pages import LeftOut, LeftOutKind, PagePart, PageReading, PageView
from webseam.ports.web import WebExtractResult
from webseam.testing import FakeBackend

_HOSTS = ("a.example", "b.example", "docs.a.example")
_URLS = st.sampled_from([f"https://{host}/page" for host in _HOSTS])
_DOMAINS = st.lists(st.sampled_from(_HOSTS), max_size=2, unique=True).map(tuple)
_POLICIES = st.builds(
    Policy,
    allow_domains=_DOMAINS,
    deny_domains=_DOMAINS,
    follow=st.sampled_from(("any", "seen")),
)
_PAGE = "https://a.example/page"
_TEXT = "High tide is at noon. " * 40


def _deps(url: str, final_url: str, policy: Policy, texts: FakeTexts, seen: list[str]) -> WebDeps:
    memory = SessionMemory(seen)
    return WebDeps(
        backend=FakeBackend(document={"url": url, "final_url": final_url, "content": _TEXT}),
        policy=policy,
        texts=texts,
        budget=Budget(characters=50),
        session=lambda: memory,
    )


@given(_URLS, _URLS, _POLICIES, st.lists(_URLS, max_size=2))
def test_going_on_in_a_page_is_allowed_exactly_where_reading_it_is(
    url: str, final_url: str, policy: Policy, seen: list[str]
) -> None:
    texts = FakeTexts()
    stored = asyncio.run(web_extract(url, _deps(url, final_url, Policy(), texts, []))).unwrap()
    reader = Success(_deps(url, final_url, policy, texts, seen))

    box = Tools((extract_tool(reader), more_tool(reader)))
    more = asyncio.run(box.run("web_more", {"handle": stored.receipt.handle}))
    fresh = asyncio.run(box.run("web_extract", {"urls": [url]}))

    assert isinstance(more, Success) == isinstance(fresh, Success)
    if isinstance(fresh, Failure) and isinstance(more, Failure):
        assert type(more.failure()) is type(fresh.failure())


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=30)
_KINDS = get_args(LeftOutKind)
_PARTS = st.lists(
    st.builds(PagePart, kind=st.sampled_from(_KINDS), text=_TEXTS),
    unique_by=lambda part: part.kind,
).map(tuple)
_READINGS = st.builds(
    PageReading,
    view=st.sampled_from((None, *get_args(PageView))),
    complete=st.sampled_from((None, True, False)),
    cuts=st.lists(_TEXTS, max_size=2).map(tuple),
    left_out=st.none()
    | st.lists(
        st.builds(LeftOut, kind=st.sampled_from(_KINDS), words=st.integers(0, 9)), max_size=3
    ).map(tuple),
    notes=st.lists(_TEXTS, max_size=2).map(tuple),
    parts=_PARTS,
)
_RECORDS = st.builds(
    PageRecord,
    source=st.builds(PageSource, url=_TEXTS, final_url=_TEXTS),
    content=_TEXTS,
    title=_TEXTS,
    reading=_READINGS,
)


@given(_RECORDS)
def test_a_kept_page_comes_back_as_it_was(record: PageRecord) -> None:
    assert read_page_record(write_page_record(record)) == record


@given(_RECORDS, _RECORDS)
def test_two_pages_are_kept_as_one_text_only_if_they_are_equal(
    record: PageRecord, another: PageRecord
) -> None:
    are_one = write_page_record(record) == write_page_record(another)

    assert are_one == (record == another)


@given(_TEXTS)
def test_a_text_without_a_source_has_none(text: str) -> None:
    assert read_page_record(text) is None


@given(_READINGS, st.sampled_from((None, 50)))
def test_a_page_has_a_handle_exactly_where_it_has_more_text_than_it_shows(
    reading: PageReading, limit: int | None
) -> None:
    texts = FakeTexts()
    document = {"url": _PAGE, "content": _TEXT}
    backend = FakeBackend(extract=lambda _: Success(Served(answer=document, reading=reading)))
    budget = None if limit is None else Budget(characters=limit)

    page = asyncio.run(
        web_extract(_PAGE, WebDeps(backend=backend, texts=texts, budget=budget))
    ).unwrap()

    words = sum(entry.words for entry in reading.left_out or ())
    has_more = bool(words or reading.cuts or limit is not None)
    assert (page.receipt.handle is not None) == has_more
    assert (page.complete, page.cuts, page.notes, page.view) == (
        reading.complete,
        reading.cuts,
        reading.notes,
        reading.view,
    )
    if not has_more:
        assert texts.texts == {}
        return
    (record,) = [read_page_record(text) for text in texts.texts.values()]
    assert record is not None
    assert record.content == _TEXT
    kept = {part.kind for part in reading.parts if part.text and part.kind != "walled"}
    assert {part.kind for part in record.reading.parts} == kept
    for entry in page.left_out or ():
        assert entry.handle == (page.receipt.handle if entry.kind in kept else None)


@given(_READINGS)
def test_a_page_has_the_same_rest_from_the_cache_and_through_a_route(reading: PageReading) -> None:
    document = {"url": _PAGE, "content": _TEXT}
    served = Served(answer=document, reading=reading)
    kept = cacheable_page(_PAGE, served, Lifetimes())
    assert kept is not None
    recalled = decode_cached_page(kept.payload)
    assert isinstance(recalled, Served)

    pages = [_read(served), _read(recalled)]

    assert pages[0] == pages[1]
    handed_on = page_reading(_read(served, keeps_parts=True))
    again = _read(Served(answer=document, reading=handed_on))
    assert again == pages[0]


def _read(served: Served, *, keeps_parts: bool = False) -> WebExtractResult:
    backend = FakeBackend(extract=lambda _: Success(served))
    texts = None if keeps_parts else FakeTexts()
    deps = WebDeps(backend=backend, texts=texts, keeps_parts=keeps_parts)
    return asyncio.run(web_extract(_PAGE, deps)).unwrap()
