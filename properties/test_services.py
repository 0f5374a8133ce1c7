"""Every service, found by looking: whatever it is sent it answers, and it makes up no page."""

import functools
import html
from urllib.parse import unquote, urlsplit

import msgspec
import pytest
from hypothesis import given, strategies as st
from returns.result import Failure, Result, Success

from properties.sample_replies import any_replies, broken_replies, replies_of, texts_in
from tests.services.pick import SERVICES
from webseam.adapters.services.calls import Access, Reply, ServiceCall
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.operations import ExtractAsk, SearchAsk, ServiceJob
from webseam.adapters.services.page_results import PageFailed
from webseam.composition.features.testing.strategies import search_queries
from webseam.composition.wiring.service_backends import bundled_service_names
from webseam.kernel.laws.filters import FilterPlan, plan_query_filters
from webseam.ports.secrets import Secret
from webseam.ports.web import WebSearchQuery

ASKED = ("https://example.org/a", "https://example.org/b")
KEY = "key-0123456789"

every_service = pytest.mark.parametrize("name", bundled_service_names())


def service(name: str) -> Service:
    return SERVICES[name]


def check_any_reply(declared: Service, reply: Reply) -> None:
    trouble = declared.classify(reply)
    assert trouble is None or trouble.message
    if declared.search is not None:
        assert isinstance(declared.search.empty(reply), bool)
        assert isinstance(declared.search.decode(reply), Result)
    if declared.extract is not None:
        assert isinstance(declared.extract.decode(reply, ASKED[: declared.extract.batch]), Result)
        check_job(declared.extract.job, reply)


def check_job(job: ServiceJob | None, reply: Reply) -> None:
    """A job may be answered with anything, first and last."""
    for newest in (reply, msgspec.structs.replace(reply, earlier=(reply,))):
        if job is not None:
            step = job.follow(ExtractAsk(urls=ASKED), newest)
            assert step is None or step.call.path.startswith("/")
            assert isinstance(job.decode(newest, ASKED), Result)


def gives_tokens(name: str) -> bool:
    search = service(name).search
    return bool(search and search.paging and search.paging.token)


def check_written(declared: Service, query: WebSearchQuery, ask: SearchAsk) -> None:
    """Write what is left of a query after the kernel has planned it."""
    plan = plan_query_filters(query, declared.abilities, "best-effort")
    if declared.search is None or not isinstance(plan, FilterPlan):
        return
    values = {option.name: Secret(KEY) for option in declared.options}
    access = Access(base_url="https://api.example", values=values)

    call = declared.search.encode(msgspec.structs.replace(ask, query=plan.query, access=access))

    assert isinstance(call, ServiceCall)
    assert call.body is None or msgspec.json.encode(call.body)
    assert KEY not in call.path


def found_urls(declared: Service, reply: Reply) -> set[str]:
    """Return the URLs of what a service made of a reply, other than those that were asked for."""
    results: list[object] = []
    if declared.search is not None:
        results += declared.search.decode(reply).value_or(())
    if declared.extract is not None:
        urls = ASKED[: declared.extract.batch]
        results += declared.extract.decode(reply, urls).value_or(())
    named = [value for one in results for value in urls_in(one)]
    # The kernel refuses the others.
    return {url for url in named if isinstance(url, str) and url.startswith("http")} - {*ASKED}


def urls_in(value: object) -> list[object]:
    if isinstance(value, PageFailed):
        return [value.url]
    return [value.get("url"), value.get("final_url")] if isinstance(value, dict) else []


def is_in(url: str, reply: Reply) -> bool:
    """Tell whether a URL was in the reply; in a text it may be written in other ways."""
    if reply.payload is not None:
        return url in set(texts_in(reply.payload))
    text = html.unescape(reply.text)
    return any(url in whole or unquote(url) in whole for whole in (text, unquote(text)))


def is_built(url: str, reply: Reply, hosts: frozenset[str]) -> bool:
    """Tell whether a service that makes up addresses did so on a host of its own, or a named one."""
    host = urlsplit(url).hostname or ""
    return host in hosts or (bool(hosts) and any(host in text for text in texts_in(reply.payload)))


@functools.cache
def own_hosts(name: str) -> frozenset[str]:
    """Name the hosts on which a service makes up addresses itself, by its whole replies.

    Most have none: a wiki that only gives titles, or a forum that only gives numbers, has one.
    """
    declared = service(name)
    value = (
        url
        for reply in replies_of(name)
        for url in found_urls(declared, reply)
        if not is_in(url, reply)
    )
    return frozenset(urlsplit(url).hostname or "" for url in value)


@given(reply=any_replies())
def test_any_reply_is_answered_with_a_result(reply: Reply) -> None:
    for name in bundled_service_names():
        check_any_reply(service(name), reply)


@every_service
def test_a_broken_reply_of_its_own_is_answered_and_no_page_is_made_up(name: str) -> None:
    declared = service(name)
    for reply in broken_replies(name):
        check_any_reply(declared, reply)
        for url in found_urls(declared, reply):
            assert is_in(url, reply) or is_built(url, reply, own_hosts(name))


def test_few_services_make_up_addresses() -> None:
    builders = {name for name in bundled_service_names() if own_hosts(name)}

    assert len(builders) < len(bundled_service_names()) / 3


@given(query=search_queries(), page=st.integers(0, 9), count=st.integers(0, 100))
def test_any_query_can_be_written_for_any_page(
    query: WebSearchQuery, page: int, count: int
) -> None:
    for name in bundled_service_names():
        check_written(service(name), query, SearchAsk(query=query, count=count or None, page=page))


@pytest.mark.parametrize("name", [name for name in bundled_service_names() if gives_tokens(name)])
def test_a_further_page_can_be_asked_for_whatever_the_last_one_said(name: str) -> None:
    search = service(name).search
    assert search is not None
    assert search.paging is not None
    assert search.paging.token is not None
    query = WebSearchQuery(query="q")
    for token in {search.paging.token(reply) for reply in broken_replies(name)}:
        check_written(service(name), query, SearchAsk(query=query, count=10, page=1, token=token))


@every_service
def test_a_service_says_what_a_user_must_know(name: str) -> None:
    declared = service(name)

    assert declared.name == name
    assert declared.title
    assert declared.site.startswith("https://")
    assert declared.address.base_url.startswith("https://") or declared.address.env
    assert declared.search is not None or declared.extract is not None
    assert set(declared.offer.keyless) <= {
        capability
        for capability, has in (("search", declared.search), ("extract", declared.extract))
        if has is not None
    }


@every_service
def test_pages_can_be_asked_for_in_batches(name: str) -> None:
    extract = service(name).extract
    if extract is None:
        return
    access = Access(base_url="https://api.example", values={"api_key": Secret(KEY)})

    call = extract.encode(ExtractAsk(urls=ASKED[: extract.batch], access=access))

    assert isinstance(call, ServiceCall)
    assert isinstance(extract.decode(Reply(status=200), ASKED[: extract.batch]), Success | Failure)
