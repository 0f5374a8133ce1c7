"""Hooks: what they are told and shown, and which of their answers count."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from returns.result import Failure, Result, Success

from ...ports.errors import CallRefused, WebError
from ...ports.middleware import OBSERVER_VERSION, Caller, Hook, Log, Mishap
from ..boundary import attempt_callback
from ..text.redaction import MASK, redact
from .call_context import deep_copy
from .directives import explain_odd_answer
from .failures import describe_mishap, error_from_exception, mishap_from_exception

MAX_OBSERVED_CHARS = 20_000
MAX_OBSERVED_ITEMS = 1000
_MAX_OBSERVED_DEPTH = 20
_SECRET_NAMES = re.compile(
    r"(?i)authorization|api[_-]?key|password|passwd|secret|credential|cookie|(?:^|_)token$"
)


async def notify_hooks(
    hooks: Sequence[Hook], event: Mapping[str, object], call: Caller, log: Log
) -> Result[tuple[tuple[Hook, object], ...], WebError]:
    """Tell each hook of ``event``, in copies of its own, and return the answers that are not None.

    Only a hook that was registered as closed can fail the call: by raising, or by an answer that
    nobody understands. An open one is left out, and the log says so.
    """
    answers: list[tuple[Hook, object]] = []
    for hook in hooks:
        arguments = {"telemetry_schema_version": OBSERVER_VERSION, **deep_copy(dict(event))}
        answered = await attempt_callback(call(hook.callback, arguments))
        refused = _refused(hook, answered)
        if refused is None:
            answers.append((hook, answered.value_or(None)))
        elif hook.on_error == "closed":
            return Failure(refused.error)
        else:
            log(refused.mishap)
    return Success(tuple((hook, answer) for hook, answer in answers if answer is not None))


class _Refused(NamedTuple):
    """Why an answer is not taken: a closed hook's failure, and an open one's line in the log."""

    error: WebError
    mishap: Mishap


def _refused(hook: Hook, answered: Result[object, Exception]) -> _Refused | None:
    if isinstance(answered, Failure):
        raised = answered.failure()
        return _Refused(
            error_from_exception(raised, hook, hook.name),
            mishap_from_exception(raised, hook, hook.name),
        )
    answer = answered.unwrap()
    oddity = None if answer is None else explain_odd_answer(hook.name, answer)
    if oddity is None:
        return None
    what = f"it answered {oddity}, which {hook.name} does not know"
    return _Refused(
        CallRefused(by=hook.plugin, reason=what), describe_mishap(what, hook, hook.name)
    )


def observable_value(value: object, depth: int = 0) -> object:
    """Return ``value`` as JSON values, texts redacted and cut, what is named a secret masked.

    >>> observable_value({"api_key": "x", "q": ("a", 1)})
    {'api_key': '***', 'q': ['a', 1]}
    """
    if isinstance(value, str):
        return redact(value[:MAX_OBSERVED_CHARS])
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= _MAX_OBSERVED_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(name): MASK
            if _SECRET_NAMES.search(str(name))
            else observable_value(part, depth + 1)
            for name, part in list(value.items())[:MAX_OBSERVED_ITEMS]
        }
    if isinstance(value, list | tuple):
        return [observable_value(part, depth + 1) for part in value[:MAX_OBSERVED_ITEMS]]
    return f"<{type(value).__name__[:100]}>"
