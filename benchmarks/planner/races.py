"""Races for real: processes that reserve money from one ledger, some of them killed.

python -m benchmarks.planner.races [--processes 8] [--tries 100000] [--kills 24]

Each process reserves, writes one byte to a bill of its own (that is the call that costs money), and
settles. The cap is below what all want. What was billed may never be more than the cap, nor more
than what is booked; what a killed process held is booked when its time is over.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from webseam.adapters.stores.ledger import Ledger
from webseam.ports.planning import Hold, Purse, Settlement, Shortage

PRICE = 5
_HOLD = 1_000_000.0


class RaceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What a race came to, in calls: ``overspent`` are those beyond the cap, which must be none."""

    processes: int
    kills: int
    tries: int
    cap: int
    billed: int
    booked: int
    overspent: int
    seconds: float


def race(folder: Path, processes: int, tries: int, kills: int, cap: int) -> RaceFigures:
    """Let processes race for ``cap`` calls with ``tries`` in all; kill and restart some."""
    began = time.monotonic()
    share = tries // processes
    racers = [_start(folder, place, share, cap) for place in range(processes)]
    draw = random.Random(7)
    for number in range(1, kills + 1):
        # In the middle of it: after so much was billed, whoever it hits, whatever it does.
        while _billed(folder) < cap * number // (kills + 1):
            time.sleep(0.001)
        place = draw.randrange(processes)
        racers[place].send_signal(signal.SIGKILL)
        racers[place].wait()
        racers[place] = _start(folder, place, share, cap)
    for racer in racers:
        racer.wait()
    billed = _billed(folder)
    book = Ledger(folder / "ledger.sqlite")
    # The time of every hold is over.
    booked = sum(one.spent + one.held for one in book.spendings(2 * _HOLD).unwrap()) // PRICE
    book.close()
    return RaceFigures(
        processes=processes,
        kills=kills,
        tries=tries,
        cap=cap,
        billed=billed,
        booked=booked,
        overspent=max(billed - cap, booked - cap, billed - booked, 0),
        seconds=time.monotonic() - began,
    )


def _billed(folder: Path) -> int:
    return sum(bill.stat().st_size for bill in folder.glob("bill-*"))


def _start(folder: Path, place: int, tries: int, cap: int) -> "subprocess.Popen[bytes]":
    words = ("--racer", str(folder), str(place), str(tries), str(cap))
    return subprocess.Popen([sys.executable, "-m", "benchmarks.planner.races", *words])


def run_racer(folder: Path, place: int, tries: int, cap: int) -> None:
    """Reserve, call and settle so many times, or until nothing is left."""
    book = Ledger(folder / "ledger.sqlite")
    purse = Purse("all", "2026-11", cap * PRICE, "budgets.month")
    request = Hold(PRICE, (purse,), _HOLD)
    settled: list[Settlement] = []
    with (folder / f"bill-{place}").open("ab", buffering=0) as bill:
        for _ in range(tries):
            # What the last call came to rides with the next reservation, as in the planner.
            (held,) = book.reserve([request], now=0.0, settled=settled).unwrap()
            settled = []
            if isinstance(held, Shortage):
                break
            bill.write(b".")
            settled = [Settlement(held, PRICE)]
    book.book((), settled)
    book.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.races", description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--tries", type=int, default=100_000, help="reservations in all")
    parser.add_argument("--kills", type=int, default=24, help="in the second race")
    parser.add_argument("--racer", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.racer:
        folder, *numbers = options.racer
        run_racer(Path(folder), *map(int, numbers))
        return 0
    worst = 0
    print("processes  kills    tries      cap   billed   booked  overspent  seconds")
    for kills in (0, options.kills):
        with tempfile.TemporaryDirectory() as folder:
            one = race(
                Path(folder), options.processes, options.tries, kills, options.tries * 6 // 10
            )
        worst = max(worst, one.overspent)
        print(
            f"{one.processes:9d} {one.kills:6d} {one.tries:8d} {one.cap:8d} {one.billed:8d}"
            f" {one.booked:8d} {one.overspent:10d} {one.seconds:8.1f}",
            flush=True,
        )
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
