"""A backend or a route that is named for one call serves that call, or fails it by name."""

from collections.abc import Callable, Iterator

import httpx
import pytest

import webseam
from webseam.composition.wiring.backend_table import all_backend_rows
from webseam.composition.wiring.root import read_root

PAGE = "https://example.com/tides"
QUESTION = "How often does the tide rise?"
KEYS = {"BRAVE_API_KEY": "a-brave-key-1", "TAVILY_API_KEY": "a-tavily-key-1"}
BRAVE = {"web": {"results": [{"title": "Tides", "url": PAGE, "description": "High."}]}}
TAVILY = {"results": [{"url": PAGE, "raw_content": "The tide rises and falls twice a day."}]}


def _answer(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=BRAVE if "brave" in request.url.host else TAVILY)


def _error_kind(call: Callable[..., object], subject: str, **options: object) -> str:
    try:
        call(subject, **options)
    except webseam.WebseamError as raised:
        return raised.error.kind
    return ""


@pytest.fixture
def web() -> Iterator[webseam.BlockingWeb]:
    """Have a client with two services, of which one only searches."""
    settings = {"cache.enabled": False, "keyless": False}
    transport = httpx.MockTransport(_answer)
    with webseam.open_blocking(environment=KEYS, settings=settings, transport=transport) as client:
        yield client


def test_backend_without_the_capability_is_refused_and_no_other_asked() -> None:
    rows = all_backend_rows(read_root({}).unwrap())
    able = {row.candidate.name: row.candidate.can for row in rows}
    unable_to_search: list[str] = []
    unable_to_read: list[str] = []

    with webseam.open_blocking(environment={}, follow="cache") as web:
        for name in able:
            if _error_kind(web.search, "tides", backend=name) == "unsupported_capability":
                unable_to_search.append(name)
            if _error_kind(web.extract, PAGE, backend=name) == "unsupported_capability":
                unable_to_read.append(name)

    assert unable_to_search == [name for name, can in able.items() if "search" not in can]
    assert unable_to_read == [name for name, can in able.items() if "extract" not in can]


def test_route_skips_backends_without_the_capability(web: webseam.BlockingWeb) -> None:
    found = web.search("tides", route=["pages", "brave"])
    page = web.extract(PAGE, route=["brave", "tavily"])
    fused = web.extract(PAGE, route=["brave+tavily"])
    answer = web.ask(QUESTION, route=["brave", "tavily"])

    assert found.receipt.backend == "brave"
    assert page.receipt.backend == "tavily"
    assert fused.receipt.backend == "tavily"
    assert answer.receipt.searches == ("brave",)
    assert answer.pages[0].backend == "tavily"


def test_route_of_backends_that_all_lack_the_capability_is_refused(
    web: webseam.BlockingWeb,
) -> None:
    assert _error_kind(web.extract, PAGE, route=["brave"]) == "unsupported_capability"


def test_question_searches_along_its_route_and_reads_with_the_backend_of_the_client(
    web: webseam.BlockingWeb,
) -> None:
    answer = web.ask(QUESTION, route=["brave"])

    assert answer.receipt.searches == ("brave",)
    assert answer.pages[0].backend == "tavily"
