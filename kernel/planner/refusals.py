"""Rest a target for one owner when different queries of it are refused alike, one after another.

A service that means "your plan is used up" by a status of its own (432, or a 400) declares that in
its file. For one that declares nothing, a status is only a hint: the query may be bad. So it counts
when several different queries in a row end with the same status, and only for the owner who asked
them: the bad queries of one key rest no backend for the others. Any answer ends the row.
"""

from msgspec.structs import replace

from webseam.ports.errors import HttpStatus, WebError

from .planner_targets import INFINITY, PROBE_SECONDS, PlannerTarget, RefusalRun

# So many different queries are no accident.
_ALIKE_QUERIES = 5
_MAX_OWNERS = 16


def count_refusal(
    target: PlannerTarget, error: WebError, owner: str, subject: str, now: float
) -> PlannerTarget:
    """Return the target after the query ``subject`` of an owner ended with an error."""
    if not subject or not isinstance(error, HttpStatus):
        return target
    run = _owner_run(target, owner)
    is_alike = run is not None and run.status == error.status
    subjects = run.subjects if run is not None and is_alike else ()
    if subject not in subjects:
        subjects = (*subjects, subject)[-_ALIKE_QUERIES:]
    until = now + PROBE_SECONDS if len(subjects) >= _ALIKE_QUERIES else -INFINITY
    counted = RefusalRun(owner=owner, status=error.status, subjects=subjects, until=until)
    return _put_run(target, counted)


def refusal_rest_end(target: PlannerTarget, owner: str) -> float:
    """Return until when the target rests for an owner; minus infinity if it does not."""
    if not target.refusals:
        return -INFINITY
    run = _owner_run(target, owner)
    return -INFINITY if run is None else run.until


def begin_refusal_probe(target: PlannerTarget, owner: str, now: float) -> PlannerTarget:
    """Return the target as an owner asks it: after a rest, one query a minute tells the news."""
    run = _owner_run(target, owner)
    if run is None or run.until == -INFINITY:
        return target
    return _put_run(target, replace(run, until=now + PROBE_SECONDS))


def _owner_run(target: PlannerTarget, owner: str) -> RefusalRun | None:
    return next((run for run in target.refusals if run.owner == owner), None)


def _put_run(target: PlannerTarget, run: RefusalRun) -> PlannerTarget:
    others = tuple(other for other in target.refusals if other.owner != run.owner)
    return replace(target, refusals=(*others, run)[-_MAX_OWNERS:])
