"""What the operating system keeps a worker from: too much time on the processor, too much memory.

A clock that counts processor time ends the process by itself, also inside a library that never
comes back. Windows has neither; there the parent's clock has to do.
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
    import resource
    import signal
    from pathlib import Path

    _STATM = Path("/proc/self/statm")

    class Restraints:
        """Limits on this process: memory from now on, processor time within ``with``."""

        def __init__(self, cpu_seconds: float, memory_bytes: int) -> None:
            """Limit memory to what is in use already and so much more."""
            self._cpu_seconds = cpu_seconds
            self._memory_bytes = memory_bytes
            # A parent that ignores or blocks the clock's signal hands that down.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
            self._at_start = _mapped()
            _lower(resource.RLIMIT_CORE, 0)
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
            return _mapped() - self._at_start > self._memory_bytes // _GROWN

    def _lower(limit: int, most: int) -> None:
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))

    def _mapped() -> int:
        """Return the bytes of address space in use, 0 where the system does not tell."""
        try:
            pages = int(_STATM.read_text(encoding="ascii").split()[0])
        except OSError:
            return 0
        return pages * resource.getpagesize()
