"""What every store promises, whatever keeps it: a file of this machine, or a server for several."""

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

import pytest
from returns.result import Success

from tests.ledgers import reserve_one
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.keys import KeyFile
from webseam.adapters.stores.ledger import Ledger
from webseam.adapters.stores.local_answers import FileAnswers
from webseam.ports.keys import KeyChange, KeyRecord, KeyStore
from webseam.ports.planning import (
    Booking,
    Hold,
    LedgerStore,
    Purse,
    Settlement,
    Shortage,
    Spending,
    TargetMemory,
)
from webseam.ports.secrets import Secret
from webseam.ports.stores import AnswerStore, CachedAnswer

Value = TypeVar("Value")
BOTH = ("file", "postgres")
CACHES = ("file", "valkey")
MakeLedger = Callable[[], LedgerStore]
MakeKeys = Callable[[], KeyStore]
MakeAnswers = Callable[[], AnswerStore]


@pytest.fixture
def period() -> str:
    """Name a period of this test alone: servers are shared by all of them."""
    return uuid4().hex


@pytest.fixture(params=BOTH)
def ledgers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeLedger]:
    if request.param == "file":
        yield lambda: Ledger(tmp_path / "ledger.sqlite")
        return
    url = Secret(request.getfixturevalue("postgres").url)
    from webseam.adapters.stores.postgres.ledger import PostgresLedger  # noqa: PLC0415  an extra

    opened: list[LedgerStore] = []

    def make() -> LedgerStore:
        opened.append(PostgresLedger(url))
        return opened[-1]

    yield make
    for ledger in opened:
        ledger.close()


@pytest.fixture(params=BOTH)
def keys(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KeyStore]:
    if request.param == "file":
        store: KeyStore = KeyFile(tmp_path / "keys.sqlite")
    else:
        url = Secret(request.getfixturevalue("postgres").url)
        from webseam.adapters.stores.postgres.keys import PostgresKeys  # noqa: PLC0415  an extra

        store = PostgresKeys(url)
    yield store
    store.close()


@pytest.fixture(params=CACHES)
def caches(request: pytest.FixtureRequest, tmp_path: Path) -> MakeAnswers:
    if request.param == "file":
        return lambda: FileAnswers(CacheStore(tmp_path / "answers.sqlite", now=lambda: 1.0))
    url = Secret(request.getfixturevalue("valkey").url)
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers  # noqa: PLC0415  an extra

    return lambda: ValkeyAnswers(url, 4_000_000)


def spent(ledger: LedgerStore, period: str) -> list[Spending]:
    return [one for one in ledger.spendings(0.0).unwrap() if one.period == period]


def test_held_money_counts_until_it_is_settled(ledgers: MakeLedger, period: str) -> None:
    ledger = ledgers()
    day, key = Purse("all", period, 1000, "budgets.day"), Purse("key:a#1", period)
    hold = reserve_one(ledger, 600, [day, key], until=10.0, now=0.0).unwrap()
    assert isinstance(hold, int)

    short = reserve_one(ledger, 500, [key, day], until=10.0, now=0.0).unwrap()
    settled = [Settlement(hold, 100)]
    fits = reserve_one(ledger, 900, [day], until=10.0, now=0.0, settled=settled).unwrap()

    assert short == Shortage(purse=day, remaining=400)
    assert isinstance(fits, int)
    assert spent(ledger, period) == [
        Spending(scope="all", period=period, spent=100, held=900, calls=1),
        Spending(scope="key:a#1", period=period, spent=100, held=0, calls=1),
    ]


def test_settling_a_hold_twice_charges_it_once(ledgers: MakeLedger, period: str) -> None:
    ledger, day = ledgers(), Purse("all", period, 1000)
    hold = reserve_one(ledger, 600, [day], until=10.0, now=0.0).unwrap()
    assert isinstance(hold, int)

    ledger.book([], [Settlement(hold, 70)]).unwrap()
    ledger.book([], [Settlement(hold, 70)]).unwrap()

    assert spent(ledger, period)[0].spent == 70


def test_a_purse_that_is_short_from_the_start_is_not_made(ledgers: MakeLedger, period: str) -> None:
    ledger, day = ledgers(), Purse("all", period, 5)

    short = reserve_one(ledger, 6, [day], until=10.0, now=0.0).unwrap()

    assert short == Shortage(purse=day, remaining=5)
    assert spent(ledger, period) == []


def test_the_hold_of_one_that_never_came_back_is_charged(ledgers: MakeLedger, period: str) -> None:
    ledger, day = ledgers(), Purse("all", period, 1000)
    # Its time was over long before it was made.
    reserve_one(ledger, 600, [day], until=-1000.0, now=0.0).unwrap()

    # A file goes by the time that it is told, a server by its own clock.
    ledger.spendings(1e9).unwrap()

    assert spent(ledger, period) == [
        Spending(
            scope="all",
            period=period,
            spent=600,
            held=0,
            calls=1,
            uncertain_calls=1,
            uncertain=600,
        )
    ]


def test_uncertain_part_of_calls_is_counted_apart(ledgers: MakeLedger, period: str) -> None:
    ledger, day = ledgers(), Purse("all", period, 1000)
    hold = reserve_one(ledger, 600, [day], until=10.0, now=0.0).unwrap()
    unsent = reserve_one(ledger, 300, [day], until=10.0, now=0.0).unwrap()
    assert isinstance(hold, int)
    assert isinstance(unsent, int)
    settled = [Settlement(hold, 500, 3, 1, 200), Settlement(unsent, 0, calls=0)]

    ledger.book([Booking(70, 2, (day,), 1, 30)], settled).unwrap()

    assert spent(ledger, period) == [
        Spending(
            scope="all",
            period=period,
            spent=570,
            held=0,
            calls=5,
            uncertain_calls=2,
            uncertain=230,
        )
    ]


def test_calls_without_a_cap_are_counted(ledgers: MakeLedger, period: str) -> None:
    ledger, key = ledgers(), Purse("key:a#1", period)

    ledger.book([Booking(5, 1, (key,)), Booking(7, 2, (key,))]).unwrap()

    assert spent(ledger, period)[0] == Spending(
        scope="key:a#1", period=period, spent=12, held=0, calls=3
    )


def test_many_at_once_never_hold_more_than_there_is(ledgers: MakeLedger, period: str) -> None:
    purses = [Purse("all", period, 1000), Purse("backend:b", period, 1100)]

    def spend(place: int) -> int:
        ledger, fits = ledgers(), 0
        # Some name the purses in the other order.
        order = purses if place % 2 else purses[::-1]
        for _ in range(20):
            hold = reserve_one(ledger, 30, order, until=60.0, now=0.0).unwrap()
            if isinstance(hold, int):
                fits += 1
                ledger.book([], [Settlement(hold, 30)]).unwrap()
        return fits

    with ThreadPoolExecutor(6) as threads:
        fits = sum(threads.map(spend, range(6)))

    assert fits == 33
    assert spent(ledgers(), period)[0] == Spending(
        scope="all", period=period, spent=990, held=0, calls=33
    )


def test_a_group_of_holds_gives_what_they_give_one_after_the_other(
    ledgers: MakeLedger, period: str
) -> None:
    draw, ledger = random.Random(7), ledgers()  # noqa: S311  no secret
    scopes = ("all", "backend:b", "key:a#1")

    def purses(side: str, caps: dict[str, int]) -> tuple[Purse, ...]:
        some = draw.sample(scopes, draw.randint(1, 3))
        return tuple(Purse(scope, side, caps.get(scope)) for scope in some)

    for number in range(20):
        caps = {scope: draw.randint(0, 40) for scope in scopes[:2]}
        first, second = f"{period}-{number}-a", f"{period}-{number}-b"
        group = [
            Hold(draw.randint(0, 20), purses(first, caps), until=60.0)
            for _ in range(draw.randint(0, 8))
        ]
        alone = [
            one._replace(purses=tuple(purse._replace(period=second) for purse in one.purses))
            for one in group
        ]

        together = ledger.reserve(group, now=0.0).unwrap()
        in_turn = [ledger.reserve([one], now=0.0).unwrap()[0] for one in alone]

        assert [one.remaining if isinstance(one, Shortage) else "held" for one in together] == [
            one.remaining if isinstance(one, Shortage) else "held" for one in in_turn
        ]
        held = {one.scope: one.held for one in spent(ledger, first)}
        assert held == {one.scope: one.held for one in spent(ledger, second)}
        assert all(held.get(scope, 0) <= cap for scope, cap in caps.items())


def memory(name: str, state: bytes, open_until: float = 0.0) -> TargetMemory:
    return TargetMemory(name=name, state=state, open_until=open_until, probe_until=0.0)


def test_health_of_a_target_is_read_by_other_stores(ledgers: MakeLedger, period: str) -> None:
    first, second = ledgers(), ledgers()
    second.recall().unwrap()
    second.is_changed()

    first.remember([(period, lambda _before: memory(period, b"down", 50.0))], 3.5).unwrap()

    assert second.is_changed()
    memories, hedges = second.recall().unwrap()
    assert next(one for one in memories if one.name == period).state == b"down"
    assert hedges == 3.5
    assert not second.is_changed()


def test_concurrent_writes_of_a_target_are_merged(ledgers: MakeLedger, period: str) -> None:
    def add(before: TargetMemory | None) -> TargetMemory:
        return memory(period, (b"" if before is None else before.state) + b"x")

    def write() -> None:
        ledgers().remember([(period, add)], 1.0).unwrap()

    threads = [threading.Thread(target=write) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    memories, _ = ledgers().recall().unwrap()
    assert next(one for one in memories if one.name == period).state == b"xxxxx"


def test_one_caller_of_all_probes_at_a_time(ledgers: MakeLedger, period: str) -> None:
    first, second = ledgers(), ledgers()
    unknown = first.claim(period, until=10.0, now=0.0).unwrap()
    first.remember([(period, lambda _before: memory(period, b"", 5.0))], 1.0).unwrap()

    claims = [one.claim(period, until=10.0, now=5.0).unwrap() for one in (first, second)]
    late = second.claim(period, until=20.0, now=10.0).unwrap()

    assert unknown
    assert claims == [True, False]
    assert late


def record(name: str) -> KeyRecord:
    return KeyRecord(id="", name=name, cache="", made="", rate=5.0, tools=("search",))


def test_a_key_is_found_by_its_text_until_it_is_revoked(keys: KeyStore, period: str) -> None:
    made = keys.add(record(period)).unwrap()
    assert made is not None

    known = keys.find(made.text).unwrap()
    wrong = keys.find(made.text[:-3] + "abc").unwrap()
    nonsense = keys.find("no key").unwrap()
    revoked = keys.revoke(period).unwrap()

    assert known == made.record
    assert known.cache == known.id
    assert (wrong, nonsense) == (None, None)
    assert revoked is not None
    assert revoked.revoked
    assert keys.find(made.text).unwrap() is None
    assert keys.revoke(period).unwrap() is None


def test_a_key_is_changed_until_it_is_revoked(keys: KeyStore, period: str) -> None:
    made = keys.add(record(period)).unwrap()
    assert made is not None

    changed = keys.change(period, KeyChange(day=2.0, rate=None)).unwrap()
    found = keys.find(made.text).unwrap()
    keys.change(made.record.id, KeyChange(expires="2026-01-31T00:00:00+00:00")).unwrap()
    expired = keys.find(made.text).unwrap()
    keys.change(period, KeyChange(expires=None)).unwrap()
    again = keys.find(made.text).unwrap()
    keys.revoke(period).unwrap()

    assert changed is not None
    assert (changed.day, changed.rate, changed.tools) == (2.0, None, ("search",))
    assert found == again == changed
    assert expired is None
    assert keys.change(period, KeyChange(day=3.0)).unwrap() is None


def test_a_name_is_one_keys_at_a_time(keys: KeyStore, period: str) -> None:
    first = keys.add(record(period)).unwrap()
    second = keys.add(record(period)).unwrap()
    keys.revoke(period).unwrap()
    third = keys.add(record(period)).unwrap()

    assert second is None
    assert first is not None
    assert third is not None
    named = [one for one in keys.records().unwrap() if one.name == period]
    assert {one.id for one in named} == {first.record.id, third.record.id}


def answer(key: bytes, payload: bytes = b"rows", seconds: float = 60.0) -> CachedAnswer:
    return CachedAnswer(
        key=key, backend="b", operation="search", payload=payload, stored_at=0.0, expires_at=seconds
    )


def with_cache(caches: MakeAnswers, use: Callable[[AnswerStore], Awaitable[Value]]) -> Value:
    async def run() -> Value:
        store = caches()
        try:
            return await use(store)
        finally:
            await store.aclose()

    return asyncio.run(run())


def test_an_answer_is_there_for_as_long_as_it_is_good(caches: MakeAnswers, period: str) -> None:
    good, ended, large = (f"{name}{period}".encode() for name in ("good", "ended", "large"))

    async def use(store: AnswerStore) -> list[bytes | None]:
        await store.keep(answer(good))
        await store.keep(answer(ended, seconds=0.0))
        await store.keep(answer(large, b"x" * 70_000_000))
        return [(await store.look_up(key)).unwrap() for key in (good, ended, large, b"unknown")]

    assert with_cache(caches, use) == [b"rows", None, None, None]


def test_whoever_leads_gives_the_right_back(caches: MakeAnswers, period: str) -> None:
    key = period.encode()

    async def use(store: AnswerStore) -> bool:
        first = await store.take_lease(key)
        assert first is not None
        await store.keep(answer(key))
        await first.end(kept=True)
        return await store.wait_for_lease(key)

    assert with_cache(caches, use)


def test_a_store_that_was_closed_can_be_closed_again(keys: KeyStore) -> None:
    keys.close()
    keys.close()

    assert isinstance(keys.records(), Success)
