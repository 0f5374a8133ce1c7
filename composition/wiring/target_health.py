"""Read the health of backends from the ledger, for display, and end a rest that is over."""

import time
from collections.abc import Sequence

import msgspec
from returns.result import Failure, Success

from webseam.kernel.boundary import attempt_call
from webseam.kernel.planner.answer_effects import clear_target_failures
from webseam.kernel.planner.planner_targets import (
    INFINITY,
    PlannerRules,
    PlannerTarget,
    adopt_stored_times,
)
from webseam.ports.errors.planner import REST_WORDS
from webseam.ports.planning import Merge, TargetMemory

from ..settings.file_locations import PROCESS_FILES, FileLocations, path_exists
from ..settings.schema import StoreSettings
from .backend_rows import BackendRow, access_fingerprints
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
    settings: StoreSettings,
    files: FileLocations = PROCESS_FILES,
    rows: Sequence[BackendRow] = (),
) -> tuple[TargetHealth, ...]:
    """Return the stored health of all targets; empty without a readable ledger.

    Of the backends in ``rows``, only the health with a key that they have now.
    """
    if not is_ledger_shared(settings) and not path_exists(files.ledger_file):
        return ()
    if isinstance(opened := open_ledger(settings, files), Failure):
        return ()
    ledger = opened.unwrap()
    recalled = ledger.recall()
    ledger.close()
    memories = recalled.unwrap()[0] if isinstance(recalled, Success) else []
    now = time.time()
    fingerprints = {row.candidate.name: access_fingerprints(row) for row in rows}
    states: list[TargetHealth] = []
    for memory in memories:
        target = _decode_target(memory.state)
        if target is None:
            continue
        if target.fingerprint in fingerprints.get(target.backend, (target.fingerprint,)):
            states.append(_target_health(adopt_stored_times(target, now), now))
    return tuple(states)


def end_rests(row: BackendRow, settings: StoreSettings, files: FileLocations) -> None:
    """End the rests of a backend that has just answered, if it has one key.

    Which of several keys answered is not known here.
    """
    fingerprints = access_fingerprints(row)
    is_ledger_here = is_ledger_shared(settings) or path_exists(files.ledger_file)
    if len(fingerprints) > 1 or not is_ledger_here:
        return
    if isinstance(opened := open_ledger(settings, files), Failure):
        return
    ledger = opened.unwrap()
    if isinstance(recalled := ledger.recall(), Success):
        memories, hedges = recalled.unwrap()
        merges: list[tuple[str, Merge]] = []
        for memory in memories:
            target = _decode_target(memory.state)
            if target is not None and target.fingerprint in fingerprints:
                merges.append((memory.name, _make_rest_end(target)))
        ledger.remember(merges, PlannerRules().hedge_burst if hedges is None else hedges)
    ledger.close()


def _make_rest_end(target: PlannerTarget) -> Merge:
    rested = clear_target_failures(target)
    memory = TargetMemory(
        name=target.name,
        state=msgspec.msgpack.encode(rested),
        open_until=rested.open_until,
        probe_until=0.0,
    )
    return lambda _: memory


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
