"""Answers that say something which no field holds: a failure, never an empty success."""

from collections.abc import Mapping

from returns.result import Failure, Success

from webseam.ports.errors import BadPayload
from webseam.ports.models import NormalizedResponse

from ..declaration.wire import AnswerResult

# Fields that name a part of an answer, and say nothing themselves.
_LABEL_FIELDS = frozenset({"type", "role", "id", "call_id", "index", "status", "phase"})


def refuse_unread_answer(
    response: NormalizedResponse, said: object, path: str, *, is_kept: bool = False
) -> AnswerResult:
    """Return the answer; a failure if it is empty though ``said``, at ``path``, has a text.

    ``is_kept`` says that ``provider_data`` holds the rest.
    """
    is_read = response.content or response.tool_calls or response.reasoning
    is_complete = response.finish_reason in ("stop", "tool_calls")
    if is_read or response.reasoning_content or is_kept or not is_complete or not _has_text(said):
        return Success(response)
    return Failure(BadPayload(problem="shape", path=path, detail="it has no text and no call"))


def _has_text(value: object) -> bool:
    # Not recursive: JSON may be nested as deep as Python's limit.
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            pending += (item[name] for name in item if name not in _LABEL_FIELDS)
        elif isinstance(item, list | tuple):
            pending += item
        elif isinstance(item, str) and item.strip():
            return True
    return False
