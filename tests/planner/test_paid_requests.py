"""What the other side saw, what the ledger says of it, and what the budget allows."""

import asyncio
import random
import re
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure, Result, Success

import webseam
from tests.services.imitation import Imitation, read_request, reply_bytes
from tests.services.pick import SERVICES, sample_of
from webseam.adapters.stores.ledger import Ledger
from webseam.ports import SearchOutcome, WebError
from webseam.ports.planning import Spending

PRICE = 4000
KEY = "key-0123456789"
PAGING = sorted(
    name
    for name, service in SERVICES.items()
    if service.search is not None and service.search.paging is not None
)
ROWS = [{"title": "t", "url": "https://a.example/{n}", "snippet": "s"}]


class Seller(Imitation):
    """Sells each answer of its ``script``, which gets the number of the request.

    A reply may be ``"close"`` or ``"hang"``: then the request was read, and no answer comes.
    """

    def __init__(self, script: Callable[[int], dict[str, Any] | str]) -> None:
        super().__init__([])
        self._script = script
        self.is_answered = 0
        self.hung = asyncio.Event()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await read_request(reader)) is not None:
                self.requests.append(request)
                reply = self._script(len(self.requests))
                if reply == "close":
                    return
                if isinstance(reply, str):
                    self.hung.set()
                    await reader.read()
                    return
                self.is_answered += 1
                writer.write(reply_bytes(reply))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def one_row_a_page(name: str) -> Callable[[int], dict[str, Any]]:
    """Return what a service answers to a plain search, with other pages each time."""
    reply = sample_of(name)["cases"][0]["exchanges"][0]["reply"]

    def answer(number: int) -> dict[str, Any]:
        answered: dict[str, Any] = renumber(reply, number)
        return answered

    return answer


def renumber(value: Any, number: int) -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, str):
        return re.sub(r"(https?://[\w.]+/)", rf"\g<1>{number}/", value)
    if isinstance(value, dict):
        return {name: renumber(inner, number) for name, inner in value.items()}
    return [renumber(inner, number) for inner in value] if isinstance(value, list) else value


def own_settings(name: str, url: str, keys: int = 1) -> dict[str, Any]:
    """Return the settings of a service at an address, at a price for each request."""
    block: dict[str, object] = {option.name: KEY for option in SERVICES[name].options}
    if keys > 1:
        block["api_key"] = [f"{KEY}-{number}" for number in range(keys)]
    return {
        "services": {name: {**block, "base_url": url, "price": PRICE / 1e6}},
        "cache.enabled": False,
        "policy.allow_private": ["127.0.0.1/32"],
    }


def environment(folder: Path) -> dict[str, str]:
    ledger = str(folder / "ledger.sqlite")
    return {"HOME": str(folder), "WEBSEAM_LEDGER": ledger, "WEBSEAM_KEYLESS": "false"}


def booked(folder: Path) -> Spending:
    """Return what the ledger says of a day, after every hold has come to its end."""
    ledger = Ledger(folder / "ledger.sqlite")
    rows = [one for one in ledger.spendings(1e12).unwrap() if one.scope == "all"]
    ledger.close()
    none = Spending(scope="all", period="", spent=0, held=0, calls=0)
    return max(rows, key=lambda row: len(row.period), default=none)


@pytest.mark.parametrize("name", PAGING)
@pytest.mark.parametrize("at_once", [1, 2])
def test_search_that_pages_stays_within_its_budget(name: str, at_once: int, tmp_path: Path) -> None:
    async def buy() -> tuple[Seller, list[Result[SearchOutcome, WebError]]]:
        seller = Seller(one_row_a_page(name))
        async with seller.running():
            options = own_settings(name, seller.base_url)
            options["budgets"] = {"day": 2.5 * PRICE / 1e6}
            opened = webseam.open(settings=options, backend=name, environment=environment(tmp_path))
            async with opened as web:
                searches = [web.search("tides", max_results=100) for _ in range(at_once)]
                return seller, await asyncio.gather(*searches)

    seller, outcomes = asyncio.run(buy())

    spending = booked(tmp_path)
    assert 1 <= len(seller.requests) <= 2
    assert (spending.calls, spending.uncertain_calls) == (len(seller.requests), 0)
    assert spending.spent == spending.calls * PRICE
    answered = [outcome.unwrap() for outcome in outcomes if isinstance(outcome, Success)]
    assert answered
    assert all(outcome.rows for outcome in answered)
    refused = [outcome.failure() for outcome in outcomes if isinstance(outcome, Failure)]
    assert {error.kind for error in refused} <= {"budget_exceeded"}


ANSWER = {"body": {"organic": [{"title": "t", "link": "https://a.example/", "snippet": "s"}]}}
FATES: tuple[dict[str, Any] | str, ...] = (
    ANSWER,
    ANSWER,
    {"status": 500},
    {"status": 429, "headers": {"retry-after": "0"}},
    {"text": "no", "type": "application/json"},
    "close",
    "hang",
)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("capped", [True, False])
def test_ledger_says_what_the_other_side_saw(seed: int, tmp_path: Path, *, capped: bool) -> None:
    """Keys, routes, fusions, pages, retries and callers who leave, drawn at random."""
    draw = random.Random(seed)  # noqa: S311  not a secret
    fates = [draw.choice(FATES) for _ in range(400)]
    keys = draw.choice((1, 3))
    route = draw.choice(([], ["serper", "json"], ["serper+json"]))

    def script(number: int) -> dict[str, Any] | str:
        fate = fates[number]
        return fate if isinstance(fate, str) else renumber(fate, number)

    async def buy() -> Seller:
        seller = Seller(script)
        async with seller.running():
            options = own_settings("serper", seller.base_url, keys)
            options["timeout"] = 0.3
            if capped:
                options["budgets"] = {"day": 30 * PRICE / 1e6}
            if route:
                json = {"search_url": f"{seller.base_url}/search", "price": PRICE / 1e6}
                options["services"] = {**options["services"], "json": json}
                options["route"] = route
            backend = None if route else "serper"
            opened = webseam.open(
                settings=options, backend=backend, environment=environment(tmp_path)
            )
            async with opened as web:
                for _ in range(4):
                    searches = [
                        asyncio.ensure_future(web.search("tides", max_results=rows))
                        for rows in (5, 5, 30, 30)
                    ]
                    for search in searches:
                        if draw.random() < 0.4:
                            for _ in range(draw.randrange(40)):
                                await asyncio.sleep(0)
                            search.cancel()
                    await asyncio.wait(searches)
        return seller

    seller = asyncio.run(buy())

    spending = booked(tmp_path)
    assert len(seller.requests) <= spending.calls
    assert spending.calls - spending.uncertain_calls <= seller.is_answered
    if capped:
        assert spending.spent <= 30 * PRICE


def test_caller_who_leaves_before_the_connection_stands_costs_nothing(tmp_path: Path) -> None:
    async def leave() -> None:
        # A full backlog: the connection is begun, and nobody takes it.
        server = socket.create_server(("127.0.0.1", 0), backlog=0)
        with server, closing(socket.create_connection(server.getsockname())):
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            options = own_settings("serper", url)
            opened = webseam.open(
                settings=options, backend="serper", environment=environment(tmp_path)
            )
            async with opened as web:
                search = asyncio.ensure_future(web.search("tides"))
                for _ in range(20):
                    await asyncio.sleep(0)
                search.cancel()
                await asyncio.wait((search,))

    asyncio.run(leave())

    assert booked(tmp_path).calls == 0


@pytest.mark.parametrize("fate", ["close", "hang"])
def test_request_without_an_answer_is_uncertain(fate: str, tmp_path: Path) -> None:
    async def ask() -> Seller:
        seller = Seller(lambda _number: fate)
        async with seller.running():
            options = {**own_settings("serper", seller.base_url), "timeout": 0.2}
            opened = webseam.open(
                settings=options, backend="serper", environment=environment(tmp_path)
            )
            async with opened as web:
                await web.search("tides")
        return seller

    seller = asyncio.run(ask())

    spending = booked(tmp_path)
    seen = len(seller.requests)
    assert (spending.calls, spending.uncertain_calls) == (seen, seen)
    assert spending.spent == spending.uncertain == seen * PRICE


@pytest.mark.parametrize("route", [[], ["serper", "json"]], ids=["alone", "route"])
def test_page_that_hangs_leaves_the_rows_before_it(route: list[str], tmp_path: Path) -> None:
    def script(number: int) -> dict[str, Any] | str:
        answered: dict[str, Any] = renumber(ANSWER, number)
        return answered if number < 3 else "hang"

    async def ask() -> SearchOutcome:
        seller = Seller(script)
        async with seller.running():
            options = own_settings("serper", seller.base_url)
            options["timeout"] = 1.5
            if route:
                json = {"search_url": f"{seller.base_url}/search"}
                options["services"] = {**options["services"], "json": json}
                options["route"] = route
            options["planner.hedge_after"] = 60
            opened = webseam.open(
                settings=options,
                backend=None if route else "serper",
                environment=environment(tmp_path),
            )
            async with opened as web:
                outcome: SearchOutcome = (await web.search("tides", max_results=30)).unwrap()
                return outcome

    outcome = asyncio.run(ask())

    assert len(outcome.rows) == 2
    (warning,) = outcome.receipt.warnings
    assert warning.startswith("page 3 is missing, and what follows: Gave up on serper")
    spending = booked(tmp_path)
    assert (spending.calls, spending.uncertain_calls, spending.spent) == (3, 1, 3 * PRICE)
