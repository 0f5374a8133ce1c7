"""Who may read a page may go on in its stored text, and nobody else; whoever stored it."""

import asyncio

from hypothesis import given, strategies as st
from returns.result import Failure, Success

from webseam.composition.features.testing.clients import FakeTexts
from webseam.composition.tools import Tools
from webseam.composition.tools.web_tools import extract_tool, more_tool
from webseam.kernel import Policy, WebDeps, web_extract
from webseam.kernel.pages.page_budget import PageSource, read_stored_page, write_stored_page
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.kernel.text.trim import Budget
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


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")))
def test_a_stored_text_comes_back_with_its_source(text: str, url: str) -> None:
    source = PageSource(url=url, final_url=url)

    assert read_stored_page(write_stored_page(text, source)) == (source, text)


@given(st.text(st.characters(codec="utf-8")))
def test_a_text_without_a_source_has_none(text: str) -> None:
    assert read_stored_page(text) is None
