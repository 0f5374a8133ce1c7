"""Shared servers that go away and come back: nothing is spent twice, and nothing is hidden."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar, cast
from uuid import uuid4

import pytest
from returns.result import Failure, Result, Success

from tests.ledgers import reserve_one
from webseam.composition.wiring.cache import with_cache
from webseam.composition.wiring.store_setup import KeyRates
from webseam.kernel import WebDeps, web_search
from webseam.ports import SearchOutcome, StoreAway, StoreFailed, WebError
from webseam.ports.keys import KeyRecord
from webseam.ports.planning import Booking, Purse, Settlement
from webseam.ports.secrets import Secret
from webseam.ports.web import Query
from webseam.testing import FakeBackend

from .servers import PostgresServer, ValkeyServer

if TYPE_CHECKING:
    from webseam.adapters.stores.postgres.ledger import PostgresLedger
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers

Value = TypeVar("Value")
PATIENCE = 120.0
ROW = {"title": "A", "url": "https://a.example/", "snippet": "s"}
PASSWORD = "s3cr3t-of-ours"


@pytest.fixture
def ledger(postgres: PostgresServer) -> Iterator["PostgresLedger"]:
    from webseam.adapters.stores.postgres.ledger import PostgresLedger  # noqa: PLC0415  an extra

    opened = PostgresLedger(Secret(postgres.url))
    yield opened
    opened.close()


@pytest.fixture
def day() -> Purse:
    return Purse("all", uuid4().hex, 1000, "budgets.day")


def answers_of(server: ValkeyServer, lease: float = 3.0) -> "ValkeyAnswers":
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers  # noqa: PLC0415  an extra

    return ValkeyAnswers(Secret(server.url), 4_000_000, lease=lease)


def until_it_answers(ask: Callable[[], Result[Value, WebError]]) -> Value:
    """Ask until the server is back, as clients do that come again."""
    deadline = time.monotonic() + PATIENCE
    while isinstance(answer := ask(), Failure):
        assert isinstance(answer.failure(), StoreAway)
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer.unwrap()


def test_money_is_refused_while_the_server_is_away_and_comes_back_by_itself(
    postgres: PostgresServer, ledger: "PostgresLedger", day: Purse
) -> None:
    held = reserve_one(ledger, 100, [day], until=60.0, now=0.0).unwrap()
    assert isinstance(held, int)

    postgres.kill()
    refused = reserve_one(ledger, 100, [day], until=60.0, now=0.0).failure()
    not_written = ledger.book([], [Settlement(held, 40)])
    postgres.start()
    until_it_answers(lambda: ledger.book([], [Settlement(held, 40)]))

    assert refused == StoreAway(store="spending and health", setting="stores.postgres")
    assert PASSWORD not in refused.message
    assert isinstance(not_written, Failure)
    spent = next(one for one in ledger.spendings(0.0).unwrap() if one.period == day.period)
    assert (spent.spent, spent.held, spent.calls) == (40, 0, 1)


def test_doubtful_commit_is_written_once(
    postgres: PostgresServer, ledger: "PostgresLedger", day: Purse
) -> None:
    import psycopg  # noqa: PLC0415  an extra

    ledger.book([Booking(1, 1, (day,))]).unwrap()
    with psycopg.connect(postgres.url, autocommit=True) as owner:
        # The server loses its mind at the commit itself, when nobody can know what became of it.
        owner.execute(
            "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"
        )
        owner.execute(
            "CREATE CONSTRAINT TRIGGER dying AFTER INSERT ON webseam_batches"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()"
        )
        taken = ledger.book([Booking(10, 1, (day,))])
        owner.execute("DROP TRIGGER dying ON webseam_batches")
        owner.execute("DROP FUNCTION die")

    ledger.book([Booking(100, 1, (day,))]).unwrap()
    ledger.book([]).unwrap()

    assert isinstance(taken, Success)
    spent = next(one for one in ledger.spendings(0.0).unwrap() if one.period == day.period)
    assert (spent.spent, spent.calls) == (111, 3)


def test_a_hold_in_doubt_is_refused_and_given_back(
    postgres: PostgresServer, ledger: "PostgresLedger", day: Purse
) -> None:
    import psycopg  # noqa: PLC0415  an extra

    ledger.book([]).unwrap()
    with psycopg.connect(postgres.url, autocommit=True) as owner:
        owner.execute(
            "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'"
        )
        owner.execute(
            "CREATE CONSTRAINT TRIGGER dying AFTER INSERT ON webseam_holds"
            " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()"
        )
        refused = reserve_one(ledger, 100, [day], until=60.0, now=0.0)
        owner.execute("DROP TRIGGER dying ON webseam_holds")
        owner.execute("DROP FUNCTION die")

    ledger.book([]).unwrap()
    fits = reserve_one(ledger, 1000, [day], until=60.0, now=0.0).unwrap()

    assert isinstance(refused.failure(), StoreAway)
    assert isinstance(fits, int)


def test_tables_of_a_newer_webseam_are_left_alone(postgres: PostgresServer) -> None:
    import psycopg  # noqa: PLC0415  an extra

    from webseam.adapters.stores.postgres.keys import PostgresKeys  # noqa: PLC0415  an extra

    with psycopg.connect(postgres.url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE newer")
    url = postgres.url.replace("/postgres", "/newer")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE TABLE webseam_schema (version integer NOT NULL)")
        owner.execute("INSERT INTO webseam_schema VALUES (99)")
    keys = PostgresKeys(Secret(url))

    refused = keys.records().failure()
    keys.close()

    assert isinstance(refused, StoreFailed)
    assert refused.problem == "newer"
    assert PASSWORD not in refused.message


def test_a_server_that_is_nowhere_is_away() -> None:
    pytest.importorskip("psycopg", reason="an extra")
    from webseam.adapters.stores.postgres.keys import PostgresKeys  # noqa: PLC0415  an extra

    keys = PostgresKeys(Secret("postgresql://u:pw-of-ours@127.0.0.1:1/x"))
    failures = [keys.find("wsk_" + "0" * 12 + "_" + "a" * 43).failure() for _ in range(3)]
    keys.close()

    assert all(isinstance(failure, StoreAway) for failure in failures)
    assert "pw-of-ours" not in failures[0].message


async def search(backend: FakeBackend, server: ValkeyServer, query: str) -> SearchOutcome:
    cached = with_cache(backend, answers_of(server))
    try:
        asked = cast("Query", {"query": query})
        return (await web_search(asked, WebDeps(backend=cached))).unwrap()
    finally:
        await cached.aclose()


def test_machines_that_begin_at_once_on_an_empty_database_make_the_tables_once(
    postgres: PostgresServer,
) -> None:
    import psycopg  # noqa: PLC0415  an extra

    from webseam.adapters.stores.postgres.schema import SCHEMA_LOCK, prepare_schema  # noqa: PLC0415  an extra

    with psycopg.connect(postgres.url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE empty")
        url = postgres.url.removesuffix("/postgres") + "/empty"
        machines = [psycopg.connect(url, autocommit=True) for _ in range(4)]
        with psycopg.connect(url, autocommit=True) as holder, ThreadPoolExecutor(4) as pool:
            # While the lock is held, every machine has seen that there are no tables, and waits.
            holder.execute("SELECT pg_advisory_lock(%s)", (SCHEMA_LOCK,))
            begun = [pool.submit(prepare_schema, machine) for machine in machines]
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while holder.execute(waiting).fetchone() != (4,):
                assert not any(one.done() for one in begun)
            holder.execute("SELECT pg_advisory_unlock(%s)", (SCHEMA_LOCK,))
            for one in begun:
                one.result(PATIENCE)
        for machine in machines:
            machine.close()
        owner.execute("DROP DATABASE empty")


def test_one_of_all_machines_asks_what_many_want_to_know(valkey: ValkeyServer) -> None:
    query = uuid4().hex

    async def slowly(_query: object) -> Result[list[dict[str, str]], WebError]:
        await asyncio.sleep(0.1)
        return Success([ROW])

    backend = FakeBackend(search=slowly)

    async def ask_all() -> list[SearchOutcome]:
        # Each has a cache of its own, as gateways on several machines have.
        return await asyncio.gather(*(search(backend, valkey, query) for _ in range(6)))

    outcomes = asyncio.run(ask_all())

    assert len(backend.searched) == 1
    assert sorted(outcome.receipt.cached for outcome in outcomes) == [False, *[True] * 5]


def test_a_lease_ends_by_itself_when_its_holder_dies(valkey: ValkeyServer) -> None:
    key = uuid4().bytes

    async def hold_and_die() -> None:
        # Its loop ends with it, and with that whatever renewed the lease.
        assert await answers_of(valkey, lease=0.3).take_lease(key) is not None

    async def wait() -> bool:
        other = answers_of(valkey)
        assert await other.take_lease(key) is None
        landed = await other.wait_for_lease(key)
        lease = await other.take_lease(key)
        assert lease is not None
        await lease.end(kept=False)
        told = await other.wait_for_lease(key)
        await other.aclose()
        return landed and not told

    asyncio.run(hold_and_die())
    assert asyncio.run(wait())


def test_without_its_server_the_cache_is_none_and_says_so(valkey: ValkeyServer) -> None:
    backend, query = FakeBackend(rows=[ROW]), uuid4().hex

    async def ask_through_it_all() -> tuple[SearchOutcome, SearchOutcome, SearchOutcome]:
        await search(backend, valkey, query)
        valkey.kill()
        without = await search(backend, valkey, query)
        valkey.start()
        back = await search(backend, valkey, query)
        return without, back, await search(backend, valkey, query)

    without, back, again = asyncio.run(ask_through_it_all())

    assert any("stores.valkey" in note for note in without.receipt.warnings)
    assert not any(PASSWORD in note for note in without.receipt.warnings)
    # It kept nothing on disk: what it was told before is gone with it.
    assert (without.receipt.cached, back.receipt.cached, again.receipt.cached) == (
        False,
        False,
        True,
    )
    assert len(backend.searched) == 3


def test_a_keys_calls_are_counted_for_all_machines(valkey: ValkeyServer) -> None:
    from webseam.adapters.stores.valkey.rates import ValkeyRates  # noqa: PLC0415  an extra

    record = KeyRecord(id=uuid4().hex, name="n", cache="c", made="", rate=2.0)

    async def count() -> list[bool]:
        machines = [KeyRates(ValkeyRates(Secret(valkey.url))) for _ in range(3)]
        waits = [await machine.count_call(record) for machine in machines]
        for machine in machines:
            await machine.aclose()
        assert 0 < waits[2] <= 30
        return [wait == 0 for wait in waits]

    assert asyncio.run(count()) == [True, True, False]


def test_without_their_server_rates_are_counted_here(valkey: ValkeyServer) -> None:
    from webseam.adapters.stores.valkey.rates import ValkeyRates  # noqa: PLC0415  an extra

    record = KeyRecord(id=uuid4().hex, name="n", cache="c", made="", rate=1.0)

    async def count() -> list[bool]:
        rates = KeyRates(ValkeyRates(Secret(valkey.url)))
        valkey.kill()
        waits = [await rates.count_call(record) for _ in range(2)]
        valkey.start()
        await rates.aclose()
        return [wait == 0 for wait in waits]

    assert asyncio.run(count()) == [True, False]


def test_no_connection_crosses_a_fork(postgres: PostgresServer) -> None:
    code = """
import os, sys
from webseam.adapters.stores.postgres.pool import PostgresClient
from webseam.ports.secrets import Secret

def ask():
    query = "SELECT pg_backend_pid()"
    number = client.run_repeatable(lambda one: one.execute(query).fetchone()[0]).unwrap()
    # In one write: two processes share this output.
    os.write(1, f"{number}\\n".encode())

client = PostgresClient(Secret(sys.argv[1]), "test")
ask()
if child := os.fork():
    ask()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
else:
    ask()
    os._exit(0)
"""
    command = [sys.executable, "-c", code, postgres.url]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert len(set(ran.stdout.split())) == 3
