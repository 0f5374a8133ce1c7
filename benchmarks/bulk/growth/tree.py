"""A command with all its processes: how long they took, and how much memory they held together."""

import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

_EVERY: Final = 0.2
# 4 says that every row is a failure, as is the point of some inputs.
_DONE: Final = frozenset({0, 4})


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a command cost: seconds on the clock, of processors, and bytes at the most."""

    seconds: float
    cpu_seconds: float
    bytes: int


def run(command: Sequence[str], *, cores: frozenset[int] | None = None) -> Cost:
    """Run a command to its end, on these cores alone; raises when it fails."""
    began, spent = os.times().elapsed, _children_cpu_seconds()
    with (
        _pin_to_cores(cores),
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process,
    ):
        over, peak = threading.Event(), [0]
        watching = threading.Thread(target=_watch, args=(process.pid, over, peak))
        watching.start()
        _, problem = process.communicate()
        over.set()
        watching.join()
    if process.returncode not in _DONE:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=problem)
    return Cost(
        seconds=os.times().elapsed - began,
        cpu_seconds=_children_cpu_seconds() - spent,
        bytes=peak[0],
    )


@contextmanager
def _pin_to_cores(cores: frozenset[int] | None) -> Iterator[None]:
    """Stay on some cores: what is started meanwhile stays there."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or usual)
    try:
        yield
    finally:
        os.sched_setaffinity(0, usual)


def _watch(root: int, over: threading.Event, peak: list[int]) -> None:
    while not over.wait(_EVERY):
        peak[0] = max(peak[0], sum(map(_memory_bytes, _descendants(root))))


def _descendants(root: int) -> set[int]:
    parents = _parents()
    tree, new = set[int](), {root}
    while new:
        tree |= new
        new = {pid for pid, parent in parents.items() if parent in new} - tree
    return tree


def _parents() -> dict[int, int]:
    table = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            table[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    return table


def _memory_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def _children_cpu_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system
