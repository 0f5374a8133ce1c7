"""What stands around shared stores, without a server: who asks again, who remembers, what is refused."""

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from returns.result import Failure, Result, Success

from tests.planner.support import Scripted, route
from webseam.adapters.stores.breaker import Breaker
from webseam.adapters.stores.keys import KeyFile
from webseam.adapters.stores.ledger import Ledger
from webseam.adapters.stores.shared_resources import SharedResources
from webseam.adapters.stores.sqlite import StoreError
from webseam.composition.health.examination import store_health_parts
from webseam.composition.planning.shared_health import SharedHealth
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings, StoreSettings
from webseam.composition.wiring.store_setup import (
    KEY_CACHE_SECONDS,
    KeyRing,
    missing_store_extra,
    store_states,
)
from webseam.kernel.planner.planner_targets import Fleet, PlannerRules, PlannerTarget
from webseam.ports import InvalidSetting, StoreBusy
from webseam.ports.keys import KeyRecord
from webseam.ports.web import WebSearchQuery
from webseam.testing import FakeClock

PASSWORD = "pw-of-ours"
ADDRESSES = {
    "WEBSEAM_STORES_POSTGRES": f"postgresql://u:{PASSWORD}@db.example/x?sslmode=verify-full",
    "WEBSEAM_STORES_VALKEY": f"rediss://:{PASSWORD}@cache.example:6380/0",
    "WEBSEAM_STORES_LEDGER": "local",
}


def test_after_a_failure_one_looks_and_all_others_wait() -> None:
    clock = FakeClock(100.0)
    breaker = Breaker("stores.valkey", clock)
    fresh = (breaker.state, breaker.allows_call())

    breaker.record_failure()
    breaker.record_failure()
    at_once = (breaker.state, breaker.allows_call())
    clock.advance(1.0)
    later = (breaker.allows_call(), breaker.allows_call())
    breaker.record_success()

    assert fresh == ("unknown", True)
    assert at_once == ("away", False)
    assert later == (True, False)
    assert (breaker.state, breaker.allows_call()) == ("answers", True)


def test_pauses_grow_to_a_limit() -> None:
    clock = FakeClock(0.0)
    breaker = Breaker("stores.valkey", clock)
    waits = []
    for _ in range(12):
        began = clock.now
        breaker.record_failure()
        while not breaker.allows_call():
            clock.advance(0.05)
        waits.append(clock.now - began)

    assert waits[0] < 0.5
    assert 3.0 < waits[-1] < 7.0


def test_shared_resource_is_returned_with_its_last_borrower() -> None:
    lending: SharedResources[str] = SharedResources()
    first, second = lending.borrow("a", lambda: "made"), lending.borrow("a", lambda: "never")

    assert (first, second, lending.find_lent("a")) == ("made", "made", "made")
    assert lending.return_borrowed("a") is None
    assert lending.return_borrowed("a") == "made"
    assert lending.find_lent("a") is None


class FarKeys(KeyFile):
    """Keys that are far away: every look is counted, and may fail."""

    is_near = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.looks = 0
        self.away = False

    def find(self, text: str, /) -> Result[KeyRecord | None, StoreError]:
        self.looks += 1
        if self.away:
            return Failure(StoreBusy(store="keys", waited=1.0))
        return super().find(text)


def test_a_key_that_is_far_away_is_looked_up_once_a_second(tmp_path: Path) -> None:
    keys, clock = FarKeys(tmp_path / "keys.sqlite"), FakeClock(0.0)
    made = keys.add(KeyRecord(id="", name="n", cache="", made="")).unwrap()
    assert made is not None
    ring = KeyRing(keys, clock)

    async def find() -> list[object]:
        found: list[object] = [(await ring.find(made.text)).unwrap() for _ in range(3)]
        found += await asyncio.gather(*(ring.find(made.text) for _ in range(2)))
        keys.revoke("n")
        clock.advance(KEY_CACHE_SECONDS + 0.1)
        found.append((await ring.find(made.text)).unwrap())
        keys.away = True
        clock.advance(KEY_CACHE_SECONDS + 0.1)
        found.append(await ring.find(made.text))
        found.append(await ring.has_any())
        return found

    found = asyncio.run(find())
    keys.close()

    assert found[:3] == [made.record] * 3
    assert found[3:5] == [Success(made.record)] * 2
    assert found[5] is None
    assert isinstance(found[6], Failure)
    assert found[7] is True
    assert keys.looks == 3


class LateKeys(FarKeys):
    """Keys whose first answer comes when it is let go."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def find(self, text: str, /) -> Result[KeyRecord | None, StoreError]:
        found = super().find(text)
        if self.looks == 1:
            self.begun.set()
            self.go_on.wait(120)
        return found


def test_a_key_revoked_during_a_late_answer_is_refused_a_second_later(tmp_path: Path) -> None:
    keys, clock = LateKeys(tmp_path / "keys.sqlite"), FakeClock(0.0)
    made = keys.add(KeyRecord(id="", name="n", cache="", made="")).unwrap()
    assert made is not None
    ring = KeyRing(keys, clock)

    async def find() -> list[object]:
        before = asyncio.ensure_future(ring.find(made.text))
        await asyncio.to_thread(keys.begun.wait, 30)
        keys.revoke("n")
        clock.advance(KEY_CACHE_SECONDS + 0.1)
        beside = await ring.find(made.text)
        keys.go_on.set()
        return [await before, beside, await ring.find(made.text)]

    found = asyncio.run(find())
    keys.close()

    assert found == [Success(made.record), Success(None), Success(None)]


class FarLedger(Ledger):
    """A ledger that a loop must not wait for."""

    is_near = False


def test_a_planner_takes_in_what_a_far_ledger_says_beside_its_calls(tmp_path: Path) -> None:
    path, target = tmp_path / "ledger.sqlite", PlannerTarget(name="search:a#1", backend="a")
    other = SharedHealth(Ledger(path))
    fleet = other.begin_fleet({target.name: target}, PlannerRules())
    resting_one, other_one = Scripted("a"), Scripted("b")
    opened = route([resting_one, other_one])
    planner = opened.planner
    planner.health = SharedHealth(FarLedger(path))
    planner.fleet = planner.health.begin_fleet(planner.fleet.targets, planner.fleet.rules)
    resting = msgspec.structs.replace(target, cool_until=5e9, cool_why="limit")
    other.write(_with_targets(fleet, {target.name: resting}), time.time())

    async def call() -> None:
        await opened.search(WebSearchQuery(query="q"))
        await opened.aclose()

    asyncio.run(call())

    assert (resting_one.asked, other_one.asked) == (0, 1)


def test_a_rest_stays_as_long_when_the_clock_is_put_back(tmp_path: Path) -> None:
    path, target = tmp_path / "ledger.sqlite", PlannerTarget(name="search:a#1", backend="a")
    tomorrow = time.time() + 86_400.0
    ahead = SharedHealth(Ledger(path))
    fleet = ahead.begin_fleet({target.name: target}, PlannerRules())
    resting = msgspec.structs.replace(target, cool_until=tomorrow + 120.0, cool_why="limit")
    ahead.write(_with_targets(fleet, {target.name: resting}), tomorrow)
    ahead.claim_probe(target, tomorrow + 10.0, tomorrow)

    right = SharedHealth(Ledger(path))
    learned = right.begin_fleet({target.name: target}, PlannerRules()).targets[target.name]

    assert 0 < learned.cool_until - time.time() <= 120.0
    assert learned.probe_until <= time.time()
    assert right.claim_probe(target, time.time() + 10.0, time.time())


def _with_targets(fleet: Fleet, targets: Mapping[str, PlannerTarget]) -> Fleet:
    return msgspec.structs.replace(fleet, targets=dict(targets))


def test_a_client_that_is_not_installed_is_named_with_its_extra() -> None:
    missing = missing_store_extra("postgres", "no_such_package_of_anybody", "PostgreSQL")

    assert missing is not None
    assert missing.settings == ("stores.postgres",)
    assert "webseam[postgres]" in missing.message
    assert missing_store_extra("postgres", "msgspec", "PostgreSQL") is None


def test_addresses_of_stores_are_secrets(tmp_path: Path) -> None:
    environment = {**ADDRESSES, "WEBSEAM_CONFIG": str(tmp_path / "config.yaml")}

    settings = load_settings(environment).unwrap()

    assert settings.stores.postgres.reveal().endswith("sslmode=verify-full")
    assert settings.stores.ledger == "local"
    assert PASSWORD not in repr(settings)


@pytest.mark.parametrize("name", ["WEBSEAM_STORES_POSTGRES", "WEBSEAM_STORES_VALKEY"])
def test_an_address_of_another_kind_is_refused_without_being_shown(
    tmp_path: Path, name: str
) -> None:
    environment = {name: f"mysql://u:{PASSWORD}@h/x", "WEBSEAM_CONFIG": str(tmp_path / "c.yaml")}

    refused = load_settings(environment).failure()

    assert isinstance(refused, InvalidSetting)
    assert "must begin with" in refused.message
    assert PASSWORD not in refused.message


def test_without_shared_stores_nothing_is_said_of_them() -> None:
    assert store_states(Settings().stores) == {}
    assert list(store_health_parts(StoreSettings())) == []
