"""Answers that say nothing: a failure, never an empty success."""

from collections.abc import Iterable
from itertools import islice

from returns.result import Failure, Success

from webseam.adapters.values.json_values import as_mapping, as_objects, text
from webseam.ports.errors import EmptyContent
from webseam.ports.models import NormalizedResponse

from ..declaration.wire import AnswerResult
from .unread_fields import UNREAD_FIELD

_MAX_NAMED_FIELDS, _MAX_SHOWN_CHARS = 10, 300
# Where each wire keeps the parts of an answer for a replay.
_PARTS_FIELDS = ("content_parts", "output", "bedrock_content_blocks", "gemini_parts")


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
    data = response.provider_data or {}
    unread = as_mapping(data.get(UNREAD_FIELD))
    parts = [part for name in _PARTS_FIELDS for part in as_objects(data.get(name))]
    if parts:
        found.append(f"parts: {_join_names(map(_part_kind, parts))}")
    if unread:
        names = [f"{name} {_part_kind(part)}".rstrip() for name, part in unread.items()]
        found.append(f"not understood: {_join_names(names)}")
    return "; ".join(found)


def _join_names(names: Iterable[str]) -> str:
    return ", ".join(islice(names, _MAX_NAMED_FIELDS))[:_MAX_SHOWN_CHARS]


def _part_kind(part: object) -> str:
    """Return the type of a part, which Bedrock and Gemini write as its only name."""
    fields = as_mapping(part)
    return text(fields.get("type")) or next(iter(fields), "")
