"""A browser's memory, bounded over all its processes, by somebody who looks often.

A cgroup does the same where one may be made: see ``cgroup``. No limit of a process would do: V8
reserves far more than it uses, and a page has as many processes as it has sites.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_POLL_SECONDS: Final = 0.02
# Finding new processes is most of the cost, and one that is new has little yet.
_LOOKS_PER_SEARCH: Final = 5
_PROCESSES: Final = Path("/proc")
_SESSION_FIELD: Final = 3


class MemoryWatch:
    """Kills a browser whose processes together take more than ``limit`` bytes.

    In a thread: an event loop that is busy for a tenth of a second lets a page take 160 MiB more.
    Where there is no ``/proc`` nothing is watched.
    """

    def __init__(self, leader: int, limit: int) -> None:
        """Watch the session that the process ``leader`` leads; not before ``with``."""
        self.exceeded = False
        self._leader = leader
        self._limit = limit
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webseam-memory", daemon=True)

    def __enter__(self) -> Self:
        """Begin to look."""
        if is_watchable():
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop looking, before the process's number can belong to another."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        looks, processes = 0, [self._leader]
        while not self._over.wait(_POLL_SECONDS):
            if looks % _LOOKS_PER_SEARCH == 0:
                processes = list(session_processes(self._leader))
            looks += 1
            if resident_bytes(processes) > self._limit:
                self.exceeded = True
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._leader, signal.SIGKILL)
                return


def is_watchable() -> bool:
    """Tell whether this system says what a process takes."""
    return (_PROCESSES / "self" / "statm").exists()


def session_processes(leader: int) -> Iterator[int]:
    """Yield the processes of a session: those of a browser may have other parents than it."""
    for folder in _PROCESSES.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            status = (folder / "stat").read_bytes()
        except OSError:
            continue
        # The program's name is in parentheses and may hold anything.
        fields = status.rpartition(b")")[2].split()
        if int(fields[_SESSION_FIELD]) == leader:
            yield int(folder.name)


def resident_bytes(processes: Iterable[int]) -> int:
    """Return what processes of one program take together, about as their PSS would say.

    What each has for itself, and of what is shared as much as the largest holder has: they map the
    same program. Exact figures (smaps_rollup) take a hundred times as long.
    """
    own, shared = 0, 0
    for process in processes:
        try:
            with (_PROCESSES / str(process) / "statm").open("rb", buffering=0) as file:
                _, resident, of_files, *_ = map(int, file.read(128).split())
        except (OSError, ValueError):
            continue
        own += resident - of_files
        shared = max(shared, of_files)
    return (own + shared) * os.sysconf("SC_PAGE_SIZE")
