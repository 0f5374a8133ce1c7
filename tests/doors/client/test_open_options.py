"""The options of ``webseam.open``: refused by name, or used by each call of the client."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

import webseam
from webseam import WebseamError
from webseam.ports import BudgetExceeded, DeadlineExceeded, InvalidQuery, RateLimited
from webseam.ports.backends import EVERY_FILTER
from webseam.testing import FakeBackend

ROWS = [{"title": "Tides", "url": "https://tides.example/", "snippet": "High and low."}]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        ({"backend": "brave", "route": ["tavily"]}, "route", "cannot stand beside backend"),
        ({"api_key": "k"}, "api_key", "settings={'services': {'brave': {'api_key': KEY}}}"),
        ({"filter": "strict"}, "filter", "did you mean filters?"),
        ({"timeout": 0}, "timeout", "a number of seconds above 0"),
        ({"max_age": -1}, "max_age", "seconds"),
        ({"budget": -1}, "budget", "must be dollars from 0"),
        ({"budget": float("nan")}, "budget", "must be dollars from 0"),
        ({"route": "brave"}, "", ""),
    ],
)
def test_wrong_option_is_refused_when_the_client_is_opened(
    options: dict[str, object], field: str, said: str
) -> None:
    def ask_async() -> object:
        async def ask() -> object:
            async with webseam.open(**options) as web:  # type: ignore[arg-type]
                return await web.search("tides")

        return asyncio.run(ask())

    if not field:
        webseam.open_blocking(**options)  # type: ignore[arg-type]
        return
    with pytest.raises(WebseamError) as raised:
        webseam.open_blocking(**options)  # type: ignore[arg-type]

    error = raised.value.error
    assert isinstance(error, InvalidQuery)
    assert error.field == field
    assert said in error.reason
    assert ask_async().failure() == error  # type: ignore[attr-defined]


def test_client_timeout_holds_for_each_call_without_its_own() -> None:
    async def search(_query: object) -> object:
        await asyncio.Event().wait()
        return None

    web = webseam.open_blocking(backend=FakeBackend(search=search), timeout=0.05)
    with web, pytest.raises(WebseamError) as raised:
        web.search("tides")

    assert isinstance(raised.value.error, DeadlineExceeded)


def test_client_budget_stops_the_call_that_would_exceed_it() -> None:
    service = {"search_url": "http://127.0.0.1:9/search", "price": 0.004}
    settings = {"cache.enabled": False, "services": {"json": service}}
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, json={"results": ROWS}))

    def open_client() -> webseam.BlockingWeb:
        return webseam.open_blocking(
            backend="json", settings=settings, transport=transport, budget=0.01
        )

    with open_client() as web:
        served = [web.search(f"tides {turn}") for turn in range(2)]
        with pytest.raises(WebseamError) as raised:
            web.search("tides 3")
    with open_client() as other:
        other.search("tides 4")

    assert len(served) == 2
    error = raised.value.error
    assert isinstance(error, BudgetExceeded)
    assert (error.cap, round(error.remaining, 6)) == (0.01, 0.002)
    assert error.setting == "budget= of webseam.open"


def test_tools_of_a_blocking_client_are_described_without_unwrapping() -> None:
    with webseam.open_blocking(backend=FakeBackend(ROWS)) as web:
        assert webseam.openai_tools(web) == webseam.openai_tools(web.tools())

    async def described(pick: Callable[[webseam.Web], object]) -> str:
        async with webseam.open(backend=FakeBackend(ROWS)) as opened:
            result = await opened.tools()
            with pytest.raises(TypeError) as raised:
                webseam.openai_tools(pick(opened) or result)  # type: ignore[arg-type]
            return str(raised.value)

    assert "webseam.unwrap(await web.tools())" in asyncio.run(described(lambda web: web))
    assert "webseam.unwrap" in asyncio.run(described(lambda _web: None))


def test_since_and_until_take_the_words_of_the_terminal() -> None:
    backend = FakeBackend(ROWS, abilities=EVERY_FILTER)
    today = datetime.now(UTC).date()
    with webseam.open_blocking(backend=backend) as web:
        web.search("tides", since="week", until="today")
        with pytest.raises(WebseamError, match="since: 'soon' is no day"):
            web.search("tides", since="soon")
        with pytest.raises(WebseamError, match="since: cannot stand beside published_after"):
            web.search("tides", since="week", published_after="2026-01-01")

    query = backend.searched[0]
    assert query.published_after in (today - timedelta(days=7), today - timedelta(days=6))
    assert query.published_before in (today, today + timedelta(days=1))


def test_an_error_as_the_answer_of_a_fake_is_its_failure() -> None:
    web = webseam.open_blocking(backend=FakeBackend(search=RateLimited(backend="shop")))
    with web, pytest.raises(WebseamError) as raised:
        web.search("tides")

    assert isinstance(raised.value.error, RateLimited)
