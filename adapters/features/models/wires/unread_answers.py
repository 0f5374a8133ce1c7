"""Answers that say nothing: a failure, never an empty success."""

from collections.abc import Mapping

from returns.result import Failure, Success

from webseam.ports.errors import EmptyContent
from webseam.ports.models import NormalizedResponse

from ..declaration.wire import AnswerResult
from .unread_fields import UNREAD_FIELD

_MAX_NAMED_FIELDS, _MAX_SHOWN_CHARS = 10, 300


def refuse_empty_answer(
    response: NormalizedResponse, path: str, *, is_kept: bool = False
) -> AnswerResult:
    """Return the answer; a failure if it has no text and no call and says that it is complete.

    ``is_kept`` says that ``provider_data`` holds an answer of another kind: media, sources, or a
    request that the caller has to decide about. ``path`` is where a text would have been.
    """
    is_complete = response.finish_reason in ("stop", "tool_calls")
    if response.content or response.tool_calls or is_kept or not is_complete:
        return Success(response)
    return Failure(EmptyContent(reason="no_answer", detail=_describe_rest(response, path)))


def _describe_rest(response: NormalizedResponse, path: str) -> str:
    """Say what an answer without an answer had instead."""
    found = [f"no text and no call at {path}"]
    thoughts = response.reasoning or response.reasoning_content or ""
    if thoughts:
        found.append(f"reasoning: {thoughts[:_MAX_SHOWN_CHARS]}")
    if response.usage is not None:
        found.append(f"{response.usage.output_tokens} tokens written")
    unread = (response.provider_data or {}).get(UNREAD_FIELD)
    if isinstance(unread, Mapping):
        found.append(f"not understood: {', '.join(list(unread)[:_MAX_NAMED_FIELDS])}")
    return "; ".join(found)
