"""What a backend says of itself: read once, believed only as far as it can be."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from webseam.kernel.port_answers import backend_about, multi_page_backend, port_name
from webseam.ports import (
    Abilities,
    BackendAbout,
    PageAnswer,
    RowsAnswer,
    UnsupportedCapability,
    WebBackend,
    WebError,
    WebSearchQuery,
    XSearchBackend,
    XSearchRequest,
)
from webseam.ports.x_search import UntrustedXAnswer
from webseam.testing import FakeBackend

from .ask import GOOD, URL, extract, search

LOCAL = BackendAbout(name="tides", embedded=True, abilities=Abilities(max_results=5), batch=3)


class Tides(WebBackend):
    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        return Success([GOOD])


def test_a_backend_of_three_lines_searches_and_says_what_it_cannot() -> None:
    assert search(Tides()).unwrap().receipt.backend == "Tides"
    assert extract(Tides()).failure() == UnsupportedCapability(
        capability="extract", backend="Tides", url=URL
    )


def test_a_backend_that_only_reads_refuses_a_search() -> None:
    class Reader(WebBackend):
        async def extract(self, url: str, /) -> PageAnswer:
            return Success({"url": url, "content": "text"})

    assert asyncio.run(Reader().search(WebSearchQuery(query="q"))) == Failure(
        UnsupportedCapability(capability="search")
    )


def test_a_whole_about_is_believed() -> None:
    backend = FakeBackend()
    backend.about = LOCAL

    assert backend_about(backend) == LOCAL


@pytest.mark.parametrize(
    "fields",
    [
        {"name": 5, "embedded": 1, "abilities": {"max_results": 5}, "batch": "3"},
        {"name": None, "embedded": "yes", "abilities": Abilities, "batch": True},
        {"name": " ", "embedded": None, "abilities": 7, "batch": 0},
        {"name": "", "embedded": [True], "abilities": (), "batch": -4},
    ],
)
def test_a_field_of_the_wrong_type_is_the_stricter_default(fields: dict[str, Any]) -> None:
    backend = FakeBackend()
    backend.about = BackendAbout(**fields)

    assert backend_about(backend) == BackendAbout(name="FakeBackend")


class Shy:
    @property
    def about(self) -> BackendAbout:
        raise RuntimeError


class Lying(BackendAbout, frozen=True):
    """No ``BackendAbout``: a subclass may compute what it likes."""


class Pretender:
    about = Lying(embedded=True)


class Old:
    name = "old"
    embedded = True


@pytest.mark.parametrize("backend", [Shy(), Pretender(), Old(), None, 7])
def test_an_about_that_cannot_be_read_is_that_of_a_third_party(backend: object) -> None:
    assert backend_about(backend) == BackendAbout(name=type(backend).__name__)


class Many(FakeBackend):
    async def extract_many(self, urls: Sequence[str], /) -> Sequence[PageAnswer]:
        return [await self.extract(url) for url in urls]


def test_only_a_batch_with_its_method_reads_many() -> None:
    many = Many()

    assert multi_page_backend(many, BackendAbout(batch=2)) is many
    assert multi_page_backend(many, BackendAbout()) is None
    assert multi_page_backend(FakeBackend(), BackendAbout(batch=2)) is None
    assert multi_page_backend(None, BackendAbout(batch=2)) is None


def test_other_ports_go_by_their_name_or_their_class() -> None:
    class Named:
        name = "model\n"

    class Odd:
        name = 7

    assert [port_name(port) for port in (Named(), Odd(), len, None)] == [
        "model",
        "Odd",
        "builtin_function_or_method",
        "NoneType",
    ]


def test_a_search_of_x_without_a_name_goes_by_its_class() -> None:
    class Posts(XSearchBackend):
        async def x_search(self, _request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
            return Failure(UnsupportedCapability(capability="x_search"))

    assert Posts().name == ""
    assert port_name(Posts()) == "Posts"
