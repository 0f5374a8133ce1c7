"""What type checkers know, in the idiom that README teaches: mypy judges this file without a plugin.

`make integrations` has pyright judge it too.
"""

import asyncio
from typing import assert_type

import pytest
from returns.result import Result

import webseam
from webseam import SearchOutcome, WebError, WebExtractResult, WebSearchQuery, WebSearchResult
from webseam.kernel import Piece
from webseam.ports.backends import EVERY_FILTER
from webseam.testing import FakeBackend, fake_blocking_web, fake_web

BACKEND = FakeBackend(
    rows=[{"title": "T", "url": "https://a.example/"}], document="A page.", abilities=EVERY_FILTER
)


def test_results_are_typed_on_both_sides() -> None:
    async def work() -> str:
        async with fake_web(BACKEND) as web:
            result = await web.search("tide tables", max_results=5)
            assert_type(result, Result[SearchOutcome, WebError])
            if webseam.failed(result):
                assert_type(result.failure(), WebError)
                return result.failure().message
            assert_type(result.unwrap().rows, tuple[WebSearchResult, ...])
            return result.unwrap().rows[0].title

    assert asyncio.run(work()) == "T"


def test_plain_calls_are_typed() -> None:
    with fake_blocking_web(BACKEND) as web:
        assert_type(web.search({"query": "q", "country": "DE"}), SearchOutcome)
        assert_type(web.search(WebSearchQuery(query="q")), SearchOutcome)
        page = web.extract("https://a.example/", char_limit=3)
        assert_type(page, WebExtractResult)
        piece = web.more(page.receipt.handle or "")
        assert_type(piece, Piece)

    assert piece.text == "A page."


def test_an_error_that_was_raised_is_typed() -> None:
    with fake_blocking_web() as web, pytest.raises(webseam.WebseamError) as raised:
        web.extract("https://a.example/")

    assert_type(raised.value.error, WebError)
    assert raised.value.error.kind == "unsupported_capability"
