"""What is played and what is measured: the words between the conductor and its workers."""

import msgspec


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """So many calls for so many rows, so many of them at once, after a warm-up."""

    rows: int
    at_once: int
    calls: int
    warm_up: int


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's first word; with an error it is also its last."""

    error: str = ""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What one scene cost; ``memory`` is what the process held at its end, in bytes."""

    calls: int
    failures: int
    failure: str
    cpu_seconds: float
    seconds: float
    memory: int
