"""The ledger: money is held, settled, charged when its holder died; one caller probes at a time."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from returns.result import Failure, Success

from tests.ledgers import reserve_one
from webseam.adapters.stores.ledger import HOLD_MARGIN_SECONDS, Ledger
from webseam.ports.errors import StoreFailed
from webseam.ports.planning import Booking, Purse, Settlement, Shortage, Spending, TargetMemory

DAY = Purse("all", "2026-01-31", 1000, "budgets.day")
KEY = Purse("key:a#1", "2026-01", None)


def ledger(folder: Path) -> Ledger:
    return Ledger(folder / "ledger.sqlite")


def test_held_money_counts_until_it_is_settled(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    held = reserve_one(book, 600, [DAY, KEY], until=10.0, now=0.0).unwrap()
    assert isinstance(held, int)

    short = reserve_one(book, 500, [KEY, DAY], until=10.0, now=0.0).unwrap()
    settled = book.book([], [Settlement(held, 100)])
    fits = reserve_one(book, 900, [DAY], until=10.0, now=0.0).unwrap()

    assert short == Shortage(purse=DAY, remaining=400)
    assert isinstance(settled, Success)
    assert isinstance(fits, int)
    assert book.spendings(0.0).unwrap() == [
        Spending(scope="all", period="2026-01-31", spent=100, held=900, calls=1),
        Spending(scope="key:a#1", period="2026-01", spent=100, held=0, calls=1),
    ]


def test_the_hold_of_one_that_never_came_back_is_charged(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    held = reserve_one(book, 600, [DAY], until=10.0, now=0.0).unwrap()
    assert isinstance(held, int)

    later = reserve_one(book, 600, [DAY], until=99.0, now=10.0 + HOLD_MARGIN_SECONDS + 1).unwrap()

    assert later == Shortage(purse=DAY, remaining=400)
    book.book([], [Settlement(held, 0)])
    assert book.spendings(0.0).unwrap()[0].spent == 600


def test_calls_without_a_cap_are_counted(tmp_path: Path) -> None:
    book = ledger(tmp_path)

    book.book([Booking(5, 1, (KEY,)), Booking(7, 1, (KEY,))])

    assert book.spendings(0.0).unwrap()[0].spent == 12


def test_one_caller_of_all_probes_at_a_time(tmp_path: Path) -> None:
    first, second = ledger(tmp_path), ledger(tmp_path)
    memory = TargetMemory(name="a", state=b"", open_until=5.0, probe_until=0.0)
    first.remember([("a", lambda _: memory)], 3.0)

    granted = [one.claim("a", until=20.0, now=10.0).unwrap() for one in (first, second, first)]
    reopened = TargetMemory(name="a", state=b"x", open_until=30.0, probe_until=0.0)
    first.remember([("a", lambda _: reopened)], 3.0)

    assert granted == [True, False, False]
    assert second.claim("a", until=40.0, now=11.0).unwrap()
    assert second.claim("stranger", until=40.0, now=11.0).unwrap()
    assert second.recall().unwrap()[1] == 3.0


def test_another_process_is_noticed(tmp_path: Path) -> None:
    first, second = ledger(tmp_path), ledger(tmp_path)
    assert first.is_changed()
    assert not first.is_changed()

    second.book([Booking(1, 1, (KEY,))])

    assert first.is_changed()
    first.close()


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"something else" * 20)

    refused = reserve_one(ledger(tmp_path), 1, [DAY], until=1.0, now=0.0)

    assert isinstance(refused, Failure)
    assert not ledger(tmp_path).is_changed()


@pytest.mark.parametrize("is_open", [True, False])
def test_an_emptied_ledger_is_an_error_and_stays_as_it_is(tmp_path: Path, *, is_open: bool) -> None:
    path, book = tmp_path / "ledger.sqlite", ledger(tmp_path)
    book.book([Booking(5, 1, (DAY,))]).unwrap()
    if not is_open:
        book.close()
    path.write_bytes(b"")

    for again in (book, Ledger(path)):
        refused = reserve_one(again, 600, [DAY], until=10.0, now=0.0).failure()
        assert isinstance(refused, StoreFailed)
        assert refused.problem in ("emptied", "corrupt")
    assert path.read_bytes() == b""


def test_a_deleted_ledger_begins_anew_whatever_log_it_left(tmp_path: Path) -> None:
    path, book = tmp_path / "ledger.sqlite", ledger(tmp_path)
    book.book([Booking(5, 1, (DAY,))]).unwrap()
    log = path.with_name("ledger.sqlite-wal")
    old_log = log.read_bytes()
    book.close()
    path.unlink()
    log.write_bytes(old_log)

    assert ledger(tmp_path).spendings(0.0).unwrap() == []


def test_a_ledger_is_made_where_no_file_can_have_two_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refuse)
    book = ledger(tmp_path)

    book.book([Booking(5, 1, (DAY,))]).unwrap()

    assert book.spendings(0.0).unwrap()[0].spent == 5


RACER = """
import sys
from pathlib import Path
from webseam.adapters.stores.ledger import Ledger
from webseam.ports.planning import Hold, Purse, Settlement
book, bill = Ledger(Path(sys.argv[1])), open(sys.argv[2], "ab", buffering=0)
request = Hold(5, (Purse("all", "2026-01-31", 400 * 5),), 1e12)
settled = []
print("ready", flush=True)
while True:
    holds = book.reserve([request] * 3, now=0.0, settled=settled).unwrap()
    held = [one for one in holds if isinstance(one, int)]
    for _ in held:
        bill.write(b".")
    settled = [Settlement(one, 5) for one in held]
    if len(held) < 3:
        book.book((), settled)
        break
"""


def test_racing_processes_never_spend_a_cent_too_much_not_even_when_they_are_killed(
    tmp_path: Path,
) -> None:
    path, bill = tmp_path / "ledger.sqlite", tmp_path / "bill"
    bill.touch()
    command = [sys.executable, "-c", RACER, str(path), str(bill)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    for racer in racers:
        assert racer.stdout is not None
        racer.stdout.readline()
    # Killed in the middle of whatever it does; the others go on.
    os.kill(racers[0].pid, signal.SIGKILL)
    for racer in racers:
        racer.communicate(timeout=60)

    booked = Ledger(path).spendings(0.0).unwrap()[0]

    assert bill.stat().st_size <= 400
    assert booked.spent + booked.held == 2000
    assert booked.spent + booked.held - bill.stat().st_size * 5 in (0, 5, 10, 15)
