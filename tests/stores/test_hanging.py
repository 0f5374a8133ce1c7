"""A server that takes connections and never says a word: every call ends, by name, and none is free."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from returns.result import Failure

from tests.features.gateway.asgi import Site
from tests.ledgers import reserve_one
from tests.planner.support import Scripted, route
from webseam.kernel.planner.money import Budgets
from webseam.ports import StoreAway
from webseam.ports.jobs import JobName
from webseam.ports.planning import Purse
from webseam.ports.secrets import Secret
from webseam.ports.web import WebSearchQuery

MISSING = [name for name in ("psycopg", "redis") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason="the clients are in `make stores`")
# Nothing may wait for longer; what it takes is a few seconds.
PATIENCE = 60.0


@pytest.fixture
def silence() -> Iterator[int]:
    """Take every connection and everything that is sent; answer nothing."""
    kept: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take() -> None:
            with suppress(OSError):
                while True:
                    kept.append(listener.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    for connection in kept:
        connection.close()


def test_everything_that_asks_a_silent_valkey_ends_as_away(silence: int) -> None:
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers  # noqa: PLC0415  an extra
    from webseam.adapters.stores.valkey.jobs import ValkeyJobs  # noqa: PLC0415
    from webseam.adapters.stores.valkey.rates import ValkeyRates  # noqa: PLC0415
    from webseam.adapters.stores.valkey.texts import ValkeyTexts  # noqa: PLC0415

    address = Secret(f"redis://:s3cr3t@127.0.0.1:{silence}/0")

    async def use() -> list[object]:
        answers, rates = ValkeyAnswers(address, 1000), ValkeyRates(address)
        jobs, texts = ValkeyJobs(address), ValkeyTexts(address)
        async with asyncio.timeout(PATIENCE):
            troubles = [
                (await answers.look_up(b"key")).failure(),
                (await rates.take("key", 1.0)).failure(),
                (await jobs.find(JobName("ann", "1"))).failure(),
                (await texts.save("long")).failure(),
            ]
        for store in (answers, rates, jobs, texts):
            await store.aclose()
        return list(troubles)

    troubles = asyncio.run(use())

    assert [type(each) for each in troubles] == [StoreAway] * 4
    assert "s3cr3t" not in repr(troubles)


def test_a_silent_postgres_refuses_money_and_asks_nobody(silence: int) -> None:
    from webseam.adapters.stores.postgres.ledger import PostgresLedger  # noqa: PLC0415  an extra

    ledger = PostgresLedger(Secret(f"postgresql://u:s3cr3t@127.0.0.1:{silence}/d?sslmode=disable"))
    backend = Scripted("a")
    opened = route([backend], ledger, prices={"a": 1000}, budgets=Budgets(day=1000.0))

    async def ask() -> object:
        async with asyncio.timeout(PATIENCE):
            refused = await opened.search(WebSearchQuery(query="q"))
        await opened.aclose()
        return refused.failure()

    refused = asyncio.run(ask())
    held = reserve_one(ledger, 1, [Purse("all", "d", 1000, "budgets.day")], until=60.0, now=0.0)
    ledger.close()

    assert isinstance(refused, StoreAway)
    assert backend.asked == 0
    assert isinstance(held, Failure)
    assert "s3cr3t" not in repr((refused, held))


def test_a_gateway_with_silent_servers_says_no_and_says_why(tmp_path: Path, silence: int) -> None:
    class SilentSite(Site):
        def opened(self):  # type: ignore[no-untyped-def]  # noqa: ANN202  as the class above has it
            self.environment |= {
                "WEBSEAM_STORES_POSTGRES": f"postgresql://u@127.0.0.1:{silence}/d?sslmode=disable",
                "WEBSEAM_STORES_VALKEY": f"redis://127.0.0.1:{silence}/0",
            }
            return super().opened()

    async def use() -> list[object]:
        site = SilentSite(tmp_path, require_key=True)
        async with asyncio.timeout(PATIENCE):
            key = f"wsk_{'a' * 12}_{'b' * 43}"
            answer = await site.asked("POST", "/api/search", {"query": "q"}, authorization=key)
            ready = await site.asked("GET", "/ready")
            health = await site.asked("GET", "/health")
        return [answer.status, ready.json["stores"]["postgres"], health.status]

    status, postgres, health = asyncio.run(use())

    assert status == 503
    assert (postgres, health) == ("away", 200)


def test_a_cancellation_that_the_client_swallows_still_ends_the_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from webseam.adapters.stores.valkey.server import ValkeyServer  # noqa: PLC0415  an extra

    async def swallow(*_words: object) -> bytes:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return b"OK"

    async def cancelled() -> bool:
        server = ValkeyServer(Secret("redis://127.0.0.1:1/0"))
        monkeypatch.setattr(server, "_send", swallow)
        asking = asyncio.create_task(server.send_command("answers", "PING"))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        await server.aclose()
        return asking.cancelled()

    assert asyncio.run(cancelled())
