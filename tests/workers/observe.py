"""What is there of this process: its children, its threads, its open files."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import Workers

from .hostile import CONVERTER

T = TypeVar("T")
# Processor time ends a page soon; the clock is for what takes none.
SOON = WorkerLimits(cpu_seconds=0.3, wall_seconds=60.0, memory_bytes=128 << 20)


def hostile(count: int = 1, limits: WorkerLimits = SOON) -> Workers:
    return Workers(count, limits, converter=CONVERTER)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def forks() -> set[int]:
    """Return the children of our children: the workers that fork servers made."""
    return {fork for child in children() for fork in children(str(child))}


def children(of: str = "self") -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{of}/task").iterdir():
        # A thread may end between being listed and being looked at.
        with suppress(FileNotFoundError, ProcessLookupError):
            found.update(map(int, (task / "children").read_text().split()))
    return found


def threads(name: str = "webseam-worker") -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == name]


def pipes() -> int:
    """Count the ends of pipes that are open here; threads of other tests may open sockets."""
    return sum(_target(each).startswith("pipe:") for each in Path("/proc/self/fd").iterdir())


def _target(descriptor: Path) -> str:
    try:
        return os.readlink(descriptor)  # noqa: PTH115  "pipe:[7]" is no path
    except FileNotFoundError:
        return ""
