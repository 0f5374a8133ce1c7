"""Read the health of backends from the ledger, for display."""

import time
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Success

from webseam.kernel.boundary import attempt_call
from webseam.kernel.planner.planner_targets import INFINITY, PlannerTarget, adopt_stored_times
from webseam.ports.errors.planner import REST_WORDS

from ..settings.file_locations import PROCESS_FILES, FileLocations, path_exists
from ..settings.schema import StoreSettings
from .store_setup import is_ledger_shared, open_ledger

_TARGET_DECODER = msgspec.msgpack.Decoder(PlannerTarget)


class TargetHealth(msgspec.Struct, frozen=True, kw_only=True):
    """A backend with one key for one task: its latency, cooldown, and the cooldown's cause."""

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
        """The state in a few words."""
        median_text = "" if self.median is None else f"{self.median:.2g} s"
        if not self.reason:
            return median_text
        until = "until its key changes" if self.rests is None else f"for {self.rests:.0f} s more"
        return f"left alone {until}: {self.reason}"


def read_target_health(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> tuple[TargetHealth, ...]:
    """Return the stored health of all targets; empty without a readable ledger."""
    if not is_ledger_shared(settings) and not path_exists(files.ledger_file):
        return ()
    if isinstance(opened := open_ledger(settings, files), Failure):
        return ()
    ledger = opened.unwrap()
    recalled = ledger.recall()
    ledger.close()
    memories = recalled.unwrap()[0] if isinstance(recalled, Success) else []
    targets, now = [_decode_target(memory.state) for memory in memories], time.time()
    return tuple(
        _target_health(adopt_stored_times(target, now), now)
        for target in targets
        if target is not None
    )


def _decode_target(state: bytes) -> PlannerTarget | None:
    return attempt_call(lambda: _TARGET_DECODER.decode(state)).value_or(None)


def backend_health_text(backend: str, states: Sequence[TargetHealth]) -> str:
    """Return the first problem of a backend, else its usual latency."""
    backend_states = [state for state in states if state.backend == backend]
    problems = [state.words for state in backend_states if state.reason]
    return next(iter(problems or [state.words for state in backend_states]), "")


def _target_health(target: PlannerTarget, now: float) -> TargetHealth:
    refused_until = max((run.until for run in target.refusals), default=-INFINITY)
    until = max(target.cool_until, target.open_until, refused_until)
    is_resting = until > now
    cause: str = target.cool_why if target.cool_until >= target.open_until else ""
    if refused_until > max(target.cool_until, target.open_until):
        cause = "refused"
    return TargetHealth(
        backend=target.backend,
        task=target.name.partition(":")[0],
        key=target.key,
        calls=target.used,
        median=target.usual,
        rests=None if until == INFINITY or not is_resting else round(until - now, 1),
        cause=cause if is_resting else "",
        reason=REST_WORDS[cause or "failed"] if is_resting else "",
    )
