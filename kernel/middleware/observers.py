"""What observers are shown of a payload: JSON, of bounded size, without secrets."""

import re
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ...ports.middleware import OBSERVER_VERSION, Caller, Hook, Log
from ..boundary import attempt_callback
from ..text.redaction import MASK, redact
from .failures import error_of, mishap_of
from .situation import fresh


async def notify(
    hooks: Sequence[Hook], event: Mapping[str, object], call: Caller, log: Log
) -> Result[tuple[tuple[Hook, object], ...], WebError]:
    """Tell each hook of ``event``, in copies of its own, and return the answers that are not None.

    Only a hook that was registered as closed can fail the call.
    """
    answers: list[tuple[Hook, object]] = []
    for hook in hooks:
        arguments = {"telemetry_schema_version": OBSERVER_VERSION, **fresh(dict(event))}
        answered = await attempt_callback(call(hook.callback, arguments))
        if isinstance(answered, Success):
            answers.append((hook, answered.unwrap()))
            continue
        raised = answered.failure()
        if hook.on_error == "closed":
            return Failure(error_of(raised, hook, hook.name))
        log(mishap_of(raised, hook, hook.name))
    return Success(tuple((hook, answer) for hook, answer in answers if answer is not None))


MOST_CHARACTERS = 20_000
MOST_ITEMS = 1000
_DEEPEST = 20
_SECRET_NAMES = re.compile(
    r"(?i)authorization|api[_-]?key|password|passwd|secret|credential|cookie|(?:^|_)token$"
)


def observed(value: object, depth: int = 0) -> object:
    """Return ``value`` as JSON values, texts redacted and cut, what is named a secret masked.

    >>> observed({"api_key": "x", "q": ("a", 1)})
    {'api_key': '***', 'q': ['a', 1]}
    """
    if isinstance(value, str):
        return redact(value[:MOST_CHARACTERS])
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(name): MASK if _SECRET_NAMES.search(str(name)) else observed(part, depth + 1)
            for name, part in list(value.items())[:MOST_ITEMS]
        }
    if isinstance(value, list | tuple):
        return [observed(part, depth + 1) for part in value[:MOST_ITEMS]]
    return f"<{type(value).__name__[:100]}>"
