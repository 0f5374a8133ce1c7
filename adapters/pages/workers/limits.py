"""How much one conversion may cost, and how long a worker waits for the next."""

import msgspec


class WorkerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Per conversion, but for ``idle_seconds``.

    ``cpu_seconds`` and ``memory_bytes`` are kept by the operating system, where it can (memory on
    Linux; neither on Windows); ``wall_seconds`` by us, everywhere.
    """

    cpu_seconds: float = 2.0
    wall_seconds: float = 10.0
    memory_bytes: int = 256 * 1024 * 1024
    idle_seconds: float = 60.0
    start_seconds: float = 30.0
    conversions: int = 1000
    """After so many a worker is replaced, so that nothing piles up in it."""
