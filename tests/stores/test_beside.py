"""Commands, kills, reloads and restores beside live gateways: revoked stays revoked, spent spent."""

import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from tests.answering import Asked
from tests.clock import until

from .beside import Gateway, Machine, one_machine, store_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGHUP, and files under others")
# The suite walks a few steps; REAL_STEPS=400 walks for minutes, REAL_SEED another way.
STEPS = int(os.environ.get("REAL_STEPS", "8"))
SEED = int(os.environ.get("REAL_SEED", "1"))
NUMBERS = count()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with one_machine(tmp_path) as (one, _):
        yield one


def searched(gateway: Gateway, key: str) -> int:
    """Search for something that was never asked, so that no cache answers."""
    return gateway.search(key, f"tides of day {next(NUMBERS)}")


def revoke_elsewhere(machine: Machine, backup: Path, name: str) -> None:
    """Make a backup of the keys, and revoke a key in it."""
    with (
        closing(sqlite3.connect(machine.home / "keys.sqlite")) as live,
        closing(sqlite3.connect(backup)) as copy,
    ):
        live.backup(copy)
    machine.command("keys", "revoke", name, WEBSEAM_KEYS=str(backup))


class TestRevokedKey:
    def test_it_is_refused_by_the_next_request_with_a_conversation_open(
        self, machine: Machine
    ) -> None:
        keys = {name: machine.add_key(name) for name in ("ann", "ben")}
        gateway = machine.gateway()
        conversation = gateway.begin_conversation(keys["ann"])
        keys["dan"] = machine.add_key("dan")
        assert {name: searched(gateway, key) for name, key in keys.items()} == dict.fromkeys(
            keys, 200
        )
        os.kill(gateway.process.pid, signal.SIGHUP)
        until(lambda: gateway.count_events("reloaded") == 1)
        for name in keys:
            machine.command("keys", "revoke", name)

        assert {name: searched(gateway, key) for name, key in keys.items()} == dict.fromkeys(
            keys, 401
        )
        assert conversation.ping() == 401
        machine.check_files()

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
    def test_it_is_refused_by_every_worker(self, machine: Machine) -> None:
        key = machine.add_key("ann")
        gateway = machine.gateway("--workers", "2")
        assert {searched(gateway, key) for _ in range(6)} == {200}
        machine.command("keys", "list")
        machine.command("keys", "revoke", "ann")

        assert {searched(gateway, key) for _ in range(12)} == {401}
        machine.check_files()

    @pytest.mark.skipif(not Path("/proc/locks").exists(), reason="no system that tells of locks")
    def test_no_worker_has_a_file_from_before_its_fork(self, machine: Machine) -> None:
        key = machine.add_key("ann")
        gateway = machine.gateway("--workers", "2")
        for _ in range(8):
            searched(gateway, key)

        locks = Path("/proc/locks").read_text()
        with_files = [process for process in gateway.workers() if store_files(process)]

        assert store_files(gateway.process.pid) == []
        assert f" {gateway.process.pid} " not in locks
        assert with_files
        for process in with_files:
            assert f" {process} " in locks


def _move(backup: Path, path: Path) -> None:
    backup.replace(path)


def _copy(backup: Path, path: Path) -> None:
    shutil.copyfile(backup, path)


def _begin_anew(backup: Path, path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copyfile(backup, path)


@pytest.mark.parametrize(
    ("restore", "is_listed"), [(_move, True), (_copy, False), (_begin_anew, False)]
)
def test_keys_restored_under_a_gateway_count_at_once(
    machine: Machine, restore: Callable[[Path, Path], None], *, is_listed: bool
) -> None:
    ann, ben = machine.add_key("ann"), machine.add_key("ben")
    gateway, backup = machine.gateway(), machine.home / "backup"
    assert (searched(gateway, ann), searched(gateway, ben)) == (200, 200)
    revoke_elsewhere(machine, backup, "ann")
    # So that the live file has as many changes as the backup.
    dan = machine.add_key("dan")
    assert searched(gateway, dan) == 200

    restore(backup, machine.home / "keys.sqlite")
    if is_listed:
        machine.command("keys", "list")

    assert [searched(gateway, key) for key in (ann, ben, dan)] == [401, 200, 401]
    records = machine.command("keys", "list")["keys"]
    assert {row["name"]: row["revoked"] is not None for row in records} == {
        "ann": True,
        "ben": False,
    }
    machine.check_files()


def test_keys_removed_under_a_gateway_are_an_error_until_they_are_back(machine: Machine) -> None:
    key, path = machine.add_key("ann"), machine.home / "keys.sqlite"
    gateway = machine.gateway(WEBSEAM_SERVE_REQUIRE_KEY="false")
    assert searched(gateway, key) == 200
    path.rename(machine.home / "away")
    gone = searched(gateway, key)
    (machine.home / "away").rename(path)

    assert gone == 503
    assert searched(gateway, key) == 200


class TestSpending:
    def test_it_is_never_forgotten_by_a_kill_after_a_command(self, tmp_path: Path) -> None:
        with one_machine(tmp_path) as (machine, calls):
            key = machine.add_key("ann")
            gateway = machine.gateway()
            for _ in range(3):
                assert searched(gateway, key) == 200
            until(lambda: machine.spend()[0] == 3)
            for _ in range(9):
                assert searched(gateway, key) == 200
            until(lambda: machine.spend()[0] == 12)
            machine.check_files()
            gateway.kill()

            assert machine.spend() == (12, 0.048)
            assert len(calls) == 12
            machine.check_files()

    def test_a_cap_holds_for_two_gateways_with_commands_between(self, tmp_path: Path) -> None:
        with one_machine(tmp_path, "budgets: {day: 0.04}\n") as (machine, calls):
            key = machine.add_key("ann")
            gateways = machine.gateway(), machine.gateway()
            for _ in range(7):
                for gateway in gateways:
                    searched(gateway, key)
                machine.spend()

            assert len(calls) == 10
            machine.check_files()

    @pytest.mark.parametrize(("restore", "is_listed"), [(_move, True), (_begin_anew, False)])
    def test_a_ledger_restored_under_a_gateway_is_the_ledger(
        self, tmp_path: Path, restore: Callable[[Path, Path], None], *, is_listed: bool
    ) -> None:
        with one_machine(tmp_path, "budgets: {day: 1}\n") as (machine, _calls):
            key, path, backup = machine.add_key("ann"), tmp_path / "ledger.sqlite", tmp_path / "b"
            gateway = machine.gateway()
            for _ in range(2):
                assert searched(gateway, key) == 200
            until(lambda: machine.spend()[0] == 2)
            with closing(sqlite3.connect(path)) as live, closing(sqlite3.connect(backup)) as copy:
                live.backup(copy)
            for _ in range(3):
                assert searched(gateway, key) == 200
            until(lambda: machine.spend()[0] == 5)

            restore(backup, path)
            booked = machine.spend() if is_listed else (2, 0.008)
            assert searched(gateway, key) == 200
            until(lambda: machine.spend()[0] == 3)

            assert booked == (2, 0.008)
            machine.check_files()


class Walk:
    """A walk by chance through commands, kills, reloads and restores, beside what must be so."""

    def __init__(self, machine: Machine, calls: list[Asked], seed: int) -> None:
        self.machine, self.calls = machine, calls
        self.chance = random.Random(seed)  # noqa: S311  chance that can be had again
        self.good: dict[str, str] = {}
        self.revoked: list[str] = []
        self.steps: list[str] = []
        self.names = count()
        self.add()
        self.gateways = [machine.gateway(), machine.gateway("--workers", "2")]

    def add(self) -> None:
        name = f"key{next(self.names)}"
        self.good[name] = self.machine.add_key(name)

    def revoke(self) -> None:
        if len(self.good) > 1:
            name = self.chance.choice(sorted(self.good))
            self.machine.command("keys", "revoke", name)
            self.revoked.append(self.good.pop(name))

    def list(self) -> None:
        records = self.machine.command("keys", "list")["keys"]
        assert {row["name"] for row in records if row["revoked"] is None} == set(self.good)

    def spend(self) -> None:
        # What a gateway booked in this second may not be written yet; never is there too much.
        assert self.machine.spend()[0] <= len(self.calls)

    def cache(self) -> None:
        self.machine.command("cache", self.chance.choice(("stats", "clear")))

    def search(self) -> None:
        for gateway in self.gateways:
            for key in self.good.values():
                assert searched(gateway, key) == 200

    def reload(self) -> None:
        gateway = self.chance.choice(self.gateways)
        before = gateway.count_events("reloaded")
        os.kill(gateway.process.pid, signal.SIGHUP)
        until(lambda: gateway.count_events("reloaded") >= before + max(len(gateway.workers()), 1))

    def kill(self) -> None:
        """Kill a gateway when its money is booked, and start another."""
        until(lambda: self.machine.spend()[0] == len(self.calls))
        gateway = self.gateways.pop(self.chance.randrange(len(self.gateways)))
        gateway.kill()
        assert self.machine.spend()[0] == len(self.calls)
        self.gateways.append(self.machine.gateway())

    def kill_command(self) -> None:
        """Kill a command at any moment of its life."""
        command = self.chance.choice((("keys", "list"), ("spend",), ("cache", "stats")))
        with self.machine.begin(*command) as begun:
            try:
                begun.wait(self.chance.random())
            except TimeoutExpired:
                begun.kill()

    def restore(self) -> None:
        """Put a backup of the keys in place, in which one is revoked."""
        backup, path = self.machine.home / "backup", self.machine.home / "keys.sqlite"
        if len(self.good) > 1:
            name = self.chance.choice(sorted(self.good))
            revoke_elsewhere(self.machine, backup, name)
            self.chance.choice((_move, _copy, _begin_anew))(backup, path)
            self.revoked.append(self.good.pop(name))

    def run(self, steps: int) -> None:
        acts = (self.add, self.revoke, self.list, self.spend, self.cache, self.search, self.reload,
                self.kill, self.kill_command, self.restore)  # fmt: skip
        for _ in range(steps):
            act = self.chance.choice(acts)
            self.steps.append(act.__name__)
            act()
            for gateway in self.gateways:
                for key in self.revoked[-3:]:
                    # Too many wrong keys from one address are refused as such.
                    assert searched(gateway, key) in (401, 429)
                assert searched(gateway, next(iter(self.good.values()))) == 200
            self.machine.check_files()
        until(lambda: self.machine.spend()[0] == len(self.calls))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_revoked_stays_revoked_and_spent_stays_spent_whatever_runs_beside(tmp_path: Path) -> None:
    with one_machine(tmp_path) as (machine, calls):
        walk = Walk(machine, calls, SEED)
        try:
            walk.run(STEPS)
        except AssertionError as error:
            error.add_note(f"seed {SEED}: {', '.join(walk.steps)}")
            raise
