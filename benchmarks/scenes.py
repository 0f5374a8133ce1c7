"""What is played and what is measured: the words between the conductor and its workers."""

import msgspec


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Calls for so many rows, so many of them at once, watched for some seconds after a warm-up.

    A client that answers few calls in that time is watched for ``most_seconds``, and no longer.
    """

    rows: int
    at_once: int
    seconds: float
    most_seconds: float


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A worker's first word; with an error it is also its last."""

    error: str = ""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """What one scene cost; ``memory`` is what the process held at its end, in bytes.

    ``calls`` were answered in ``seconds``. After a scene that was ``cut`` some were still under way
    when patience ran out; the process is then at its end.
    """

    calls: int
    cut: bool
    failures: int
    failure: str
    cpu_seconds: float
    seconds: float
    memory: int
