"""The limits of one conversion and of a worker."""

import msgspec


class WorkerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits per conversion; ``idle_seconds`` is how long a worker waits for the next one.

    The operating system enforces ``cpu_seconds`` (not on Windows) and ``memory_bytes`` (on Linux);
    the pool enforces ``wall_seconds`` everywhere.
    """

    cpu_seconds: float = 2.0
    wall_seconds: float = 10.0
    memory_bytes: int = 256 * 1024 * 1024
    idle_seconds: float = 60.0
    start_seconds: float = 600.0
    """Ends a start that hangs. It is not short: a busy machine takes long to start a process, and a
    caller has a deadline of its own."""
    conversions: int = 1000
    """A worker is replaced after so many, so that no leak grows in it."""
