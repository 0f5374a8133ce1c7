"""Several gateways on the same servers: one key, one rate, one budget, whichever is asked."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import uuid4

import msgspec

from tests.features.gateway.asgi import ROWS, Answer, Site
from tests.planner.support import Scripted, route
from webseam.composition.features.gateway.gateway import Gateway
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.wiring.root import open_settings_key_store
from webseam.composition.wiring.store_setup import KEY_CACHE_SECONDS
from webseam.kernel.planner.money import Budgets
from webseam.ports import StoreAway
from webseam.ports.keys import KeyRecord, NewKey
from webseam.ports.secrets import Secret
from webseam.ports.web import WebSearchQuery

from .servers import PostgresServer, ValkeyServer

PATIENCE = 120.0
BODY = {"query": "tides"}
LONG = "High at noon. " * 20


class SharedSite(Site):
    """A gateway with files of its own, and the servers of all."""

    def __init__(self, home: Path, postgres: PostgresServer, valkey: ValkeyServer) -> None:
        self._addresses = {
            "WEBSEAM_STORES_POSTGRES": postgres.url,
            "WEBSEAM_STORES_VALKEY": valkey.url,
        }
        super().__init__(home, FakeBackend(ROWS, LONG), require_key=True)

    def opened(self) -> Gateway:
        self.environment |= self._addresses
        return super().opened()

    async def search(self, key: NewKey) -> Answer:
        return await self.asked("POST", "/api/search", BODY, authorization=f"Bearer {key.text}")

    async def end(self) -> None:
        """Begin and end as a server has it do, so that everything is closed."""
        messages = iter(({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}))

        async def receive() -> dict[str, str]:
            return next(messages)

        async def send(_message: object) -> None:
            pass

        await self.gateway({"type": "lifespan"}, receive, send)


def make_key(site: Site, **limits: float) -> NewKey:
    record = KeyRecord(id="", name=uuid4().hex, cache="", made="")
    store = open_settings_key_store(site.environment).unwrap()
    made = store.add(msgspec.structs.replace(record, **limits)).unwrap()
    store.close()
    assert made is not None
    return made


def on_two(
    folder: Path,
    servers: tuple[PostgresServer, ValkeyServer],
    use: Callable[[SharedSite, SharedSite], Awaitable[None]],
) -> None:
    async def run() -> None:
        sites = [SharedSite(folder / name, *servers) for name in ("one", "two")]
        try:
            await use(sites[0], sites[1])
        finally:
            for site in sites:
                await site.end()

    asyncio.run(run())


def test_a_key_is_good_at_every_gateway_until_it_is_revoked(
    tmp_path: Path, postgres: PostgresServer, valkey: ValkeyServer
) -> None:
    async def use(one: SharedSite, two: SharedSite) -> None:
        key = make_key(one)
        assert [(await site.search(key)).status for site in (one, two)] == [200, 200]
        store = open_settings_key_store(one.environment).unwrap()
        store.revoke(key.record.name).unwrap()
        store.close()
        await asyncio.sleep(KEY_CACHE_SECONDS)
        assert [(await site.search(key)).status for site in (one, two)] == [401, 401]

    on_two(tmp_path, (postgres, valkey), use)


def test_a_keys_rate_is_one_for_all_gateways(
    tmp_path: Path, postgres: PostgresServer, valkey: ValkeyServer
) -> None:
    async def use(one: SharedSite, two: SharedSite) -> None:
        key = make_key(one, rate=1.0)
        assert [(await site.search(key)).status for site in (one, two)] == [200, 429]

    on_two(tmp_path, (postgres, valkey), use)


def test_a_job_and_a_text_are_found_at_every_gateway(
    tmp_path: Path, postgres: PostgresServer, valkey: ValkeyServer
) -> None:
    async def use(one: SharedSite, two: SharedSite) -> None:
        key, stranger = make_key(one), make_key(one)
        own, strange = f"Bearer {key.text}", f"Bearer {stranger.text}"
        urls = {"urls": ["https://example.com/a"]}
        began = await one.asked("POST", "/v2/batch/scrape", urls, authorization=own)
        path = f"/v2/batch/scrape/{began.json['id']}"
        deadline = time.monotonic() + PATIENCE
        while (view := (await two.asked("GET", path, authorization=own)).json)[
            "status"
        ] == "scraping":
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        elsewhere = await two.asked("GET", path, authorization=strange)
        too_late = await two.asked("DELETE", path, authorization=own)
        body = {"urls": ["https://example.com/a"], "char_limit": 10}
        page = (await one.asked("POST", "/api/extract", body, authorization=own)).json
        more = {"handle": page["receipt"]["pages"][0]["handle"], "cursor": "0"}
        texts = [
            await two.asked("POST", "/api/more", more, authorization=each)
            for each in (own, strange)
        ]

        assert (view["status"], view["data"][0]["markdown"]) == ("completed", LONG)
        assert (elsewhere.status, too_late.status) == (404, 409)
        assert texts[0].status == 200
        assert texts[0].json["data"]["text"].startswith("High at noon.")
        assert texts[1].status == 400

    on_two(tmp_path, (postgres, valkey), use)


def test_a_gateway_without_its_servers_refuses_says_so_and_comes_back(
    tmp_path: Path, postgres: PostgresServer, valkey: ValkeyServer
) -> None:
    async def use(one: SharedSite, _two: SharedSite) -> None:
        key = make_key(one)
        assert (await one.search(key)).status == 200
        postgres.kill()
        await asyncio.sleep(KEY_CACHE_SECONDS)
        refused = await one.search(key)
        ready = await one.asked("GET", "/ready")
        postgres.start()
        deadline = time.monotonic() + PATIENCE
        while (await one.search(key)).status != 200:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)

        assert refused.status == 503
        assert refused.json["failure"]["kind"] == "store_away"
        assert b"s3cr3t" not in refused.body
        assert ready.status == 200
        assert ready.json["stores"]["postgres"] == "away"
        assert (await one.asked("GET", "/ready")).json["stores"]["postgres"] == "answers"

    on_two(tmp_path, (postgres, valkey), use)


def test_a_budget_that_cannot_be_asked_refuses(postgres: PostgresServer) -> None:
    from webseam.adapters.stores.postgres.ledger import PostgresLedger  # noqa: PLC0415  an extra

    backend, ledger = Scripted("a"), PostgresLedger(Secret(postgres.url))
    opened = route([backend], ledger, prices={"a": 1000}, budgets=Budgets(day=1000.0))

    async def ask() -> list[object]:
        paid = await opened.search(WebSearchQuery(query="q"))
        postgres.kill()
        refused = await opened.search(WebSearchQuery(query="r"))
        postgres.start()
        await opened.aclose()
        return [paid.unwrap(), refused.failure()]

    _, refused = asyncio.run(ask())
    ledger.close()

    assert isinstance(refused, StoreAway)
    assert backend.asked == 1
