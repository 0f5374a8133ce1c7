"""Typed values of pages that are fetched, through the clients."""

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

import webseam
from tests.answering import Asked, Reply, answering
from tests.features.data.pages import SOUP, make_page
from webseam.ports.errors import DataRefused, InvalidQuery, UnsupportedCapability


class Recipe(msgspec.Struct):
    title: str
    servings: int | None = None


def answer(asked: Asked) -> Reply:
    if asked.path == "/text":
        return Reply(b"Leek soup", kind="text/plain")
    html = (
        make_page("<p>Nothing to cook here at all today, sorry.</p>")
        if asked.path == "/none"
        else SOUP
    )
    return Reply(html.encode(), kind="text/html; charset=utf-8")


@pytest.fixture
def address() -> Iterator[str]:
    with answering(answer) as address:
        yield address


def options(address: str) -> dict[str, Any]:
    port = address.rpartition(":")[2]
    return {"settings": {"policy.allow_private": [f"127.0.0.1/32:{port}"]}, "environment": {}}


def test_a_page_is_fetched_and_its_values_are_proved(address: str) -> None:
    with webseam.open_blocking(**options(address)) as web:
        got = web.data(f"{address}/soup", Recipe)

        assert got.value == Recipe("Leek soup")
        assert got.url == f"{address}/soup"
        quote = got.basis["title"].quotes[0]
        assert got.text[quote.start : quote.end] == quote.text
        schema = {"title": "Recipe", "properties": {"title": {"type": "string"}}}
        assert web.data(f"{address}/soup", schema).value == {"title": "Leek soup"}
        with pytest.raises(webseam.WebseamError) as raised:
            web.data(f"{address}/none", Recipe)
        assert isinstance(raised.value.error, DataRefused)


def test_a_page_that_fails_leaves_the_others(address: str) -> None:
    with webseam.open_blocking(**options(address)) as web:
        first, second = web.data_many([f"{address}/soup", f"{address}/none"], Recipe)

    assert isinstance(first, webseam.Data)
    assert isinstance(second, webseam.WebseamError)


def test_a_call_that_cannot_be_answered_is_a_failure(address: str) -> None:
    async def ask(page: str, wanted: object, **more: object) -> Any:  # noqa: ANN401  wrong calls
        async with webseam.open(**options(address)) as web:
            client: Any = web
            return (await client.data(page, wanted, **more)).failure()

    of_type, option = (
        asyncio.run(ask(f"{address}/soup", int)),
        asyncio.run(ask("x", Recipe, focus="y")),
    )

    assert isinstance(of_type, InvalidQuery)
    assert of_type.field == "type"
    assert isinstance(option, InvalidQuery)
    assert option.field == "focus"
    assert isinstance(asyncio.run(ask(f"{address}/text", Recipe)), UnsupportedCapability)
    assert asyncio.run(ask("ftp://x", Recipe, backend="pages")).kind in {
        "invalid_url",
        "url_denied",
    }
