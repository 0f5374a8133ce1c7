"""Observers: told what happens. What one raises is written down; what it answers is collected."""

from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.middleware import OBSERVER_VERSION, Caller, Hook, Log
from ..boundary import attempt_callback
from .copies import fresh
from .failures import error_of, mishap_of


async def notify(
    hooks: Sequence[Hook], event: Mapping[str, object], call: Caller, log: Log
) -> Result[tuple[tuple[Hook, object], ...], WebError]:
    """Tell each hook of ``event``, in copies of its own, and return the answers that are not None.

    Only a hook that was registered as closed can fail the call.
    """
    answers: list[tuple[Hook, object]] = []
    for hook in hooks:
        told = {"telemetry_schema_version": OBSERVER_VERSION, **fresh(dict(event))}
        answered = await attempt_callback(call(hook.callback, told))
        if isinstance(answered, Success):
            answers.append((hook, answered.unwrap()))
            continue
        raised = answered.failure()
        if hook.on_error == "closed":
            return Failure(error_of(raised, hook, hook.name))
        log(mishap_of(raised, hook, hook.name))
    return Success(tuple((hook, answer) for hook, answer in answers if answer is not None))
