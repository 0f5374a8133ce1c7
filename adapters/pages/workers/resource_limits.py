"""What the operating system keeps a worker from: too much time on the processor, too much memory.

A clock that counts processor time ends the process by itself, also inside a library that never
comes back. Limits on files, programs and messages stand behind the walls of ``sandbox``, which not
every system has. Windows has none of it; there the parent's clock has to do.
"""

import sys
from types import TracebackType

_GROWN = 4

if sys.platform == "win32":  # pragma: no cover  the tests run where there are limits

    class Restraints:
        """Nothing to be had here."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Take what the others take."""

        def __enter__(self) -> None:
            """Begin a conversion."""

        def __exit__(self, *_: object) -> None:
            """End it."""

        def has_grown(self) -> bool:
            """Say no: replacing after a number of conversions has to do."""
            return False

else:
    import os
    import resource
    import signal
    from contextlib import suppress

    _STATM = "/proc/self/statm"
    _STATM_BYTES = 128
    # What a worker needs none of: dumps, files, programs, locked memory, message queues.
    _NOTHING_OF = ("CORE", "FSIZE", "NPROC", "MEMLOCK", "MSGQUEUE")

    class Restraints:
        """Limits on this process: memory from now on, processor time within ``with``."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Limit memory to what is in use already and so much more."""
            self._cpu_seconds = cpu_seconds
            self._memory_bytes = memory_bytes
            # A parent that ignores or blocks the clock's signal hands that down.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
            # Opened once: behind the walls there is nothing to be opened.
            self._statm = _open(_STATM)
            self._at_start = _mapped(self._statm)
            for name in _NOTHING_OF:
                if hasattr(resource, f"RLIMIT_{name}"):
                    _lower(getattr(resource, f"RLIMIT_{name}"), 0)
            if self._at_start:
                _lower(resource.RLIMIT_AS, self._at_start + memory_bytes)

        def __enter__(self) -> None:
            """Start the clock; its signal is fatal."""
            signal.setitimer(signal.ITIMER_PROF, self._cpu_seconds)

        def __exit__(
            self,
            kind: type[BaseException] | None,
            error: BaseException | None,
            trace: TracebackType | None,
        ) -> None:
            """Stop the clock."""
            signal.setitimer(signal.ITIMER_PROF, 0)

        def has_grown(self) -> bool:
            """Tell whether so much was not given back that the next conversion may miss it."""
            return _mapped(self._statm) - self._at_start > self._memory_bytes // _GROWN

    def _lower(limit: int, most: int) -> None:
        """Lower a limit for good: the hard one too, which nobody but root raises again."""
        _, hard = resource.getrlimit(limit)
        lowered = most if hard < 0 else min(most, hard)
        # macOS refuses some of them.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (lowered, lowered))

    def _open(path: str) -> int | None:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError:
            return None

    def _mapped(statm: int | None) -> int:
        """Return the bytes of address space in use, 0 where the system does not tell."""
        if statm is None:
            return 0
        pages = int(os.pread(statm, _STATM_BYTES, 0).split()[0])
        return pages * resource.getpagesize()
