"""How every backend is, as the ledger has it: for people who want to know."""

import time
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Success

from ...kernel.boundary import attempt_call
from ...kernel.planner.planner_targets import INFINITY, PlannerTarget
from ..file_locations import PROCESS_FILES, FileLocations, exists
from ..settings.schema import StoreSettings
from .store_setup import open_ledger, shares_ledger

_DECODER = msgspec.msgpack.Decoder(PlannerTarget)
_REASONS = {
    "limit": "it asked to slow down",
    "load": "it has too much to do",
    "quota": "its plan is used up",
    "key": "it refused the key",
    "forbidden": "it refused the key, or this place",
    "model": "it has no such model",
    "": "it failed",
}


class TargetHealth(msgspec.Struct, frozen=True, kw_only=True):
    """One backend with one key, for one task: how long it takes, and for how long it rests.

    ``cause`` is the kind of trouble that it rests for, ``reason`` says it in words.
    """

    backend: str
    task: str
    key: int
    calls: int
    median: float | None = None
    rests: float | None = None
    cause: str = ""
    reason: str = ""

    @property
    def words(self) -> str:
        """Say how it is in a few words."""
        usual = "" if self.median is None else f"{self.median:.2g} s"
        if not self.reason:
            return usual
        until = "until its key changes" if self.rests is None else f"for {self.rests:.0f} s more"
        return f"left alone {until}: {self.reason}"


def read_target_health(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> tuple[TargetHealth, ...]:
    """Return what is remembered of every target; nothing without a ledger that can be read."""
    if not shares_ledger(settings) and not exists(files.ledger_file):
        return ()
    opened = open_ledger(settings, files)
    if isinstance(opened, Failure):
        return ()
    ledger = opened.unwrap()
    recalled = ledger.recall()
    ledger.close()
    memories = recalled.unwrap()[0] if isinstance(recalled, Success) else []
    targets = [_read(memory.state) for memory in memories]
    return tuple(_health(target, time.time()) for target in targets if target is not None)


def _read(state: bytes) -> PlannerTarget | None:
    return attempt_call(lambda: _DECODER.decode(state)).value_or(None)


def health_text(backend: str, states: Sequence[TargetHealth]) -> str:
    """Say how a backend is: what is wrong first, else how long it usually takes."""
    own = [one for one in states if one.backend == backend]
    ill = [one.words for one in own if one.reason]
    return next(iter(ill or [one.words for one in own]), "")


def _health(target: PlannerTarget, now: float) -> TargetHealth:
    until = max(target.cool_until, target.open_until)
    resting = until > now
    cooled = target.cool_until >= target.open_until
    cause = target.cool_why if cooled else ""
    return TargetHealth(
        backend=target.backend,
        task=target.name.partition(":")[0],
        key=target.key,
        calls=target.used,
        median=target.usual,
        rests=None if until == INFINITY or not resting else round(until - now, 1),
        cause=cause if resting else "",
        reason=_REASONS[cause] if resting else "",
    )
