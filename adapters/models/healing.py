"""Requests without the fields that a model does not take: better than no answer at all."""

from collections.abc import Sequence

from ...ports.errors import ParameterRefused, WebError
from .wire import Json

# None of these changes what is asked, only how it is answered.
_DISPENSABLE = frozenset(
    {
        "cachePoint",
        "frequency_penalty",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "reasoning",
        "reasoning_effort",
        "redactedContent",
        "seed",
        "service_tier",
        "stop",
        "stream_options",
        "temperature",
        "topP",
        "top_p",
    }
)
# One and the same thing, of which a model knows one name.
_OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
# Where effort is an object, it is refused by the name that it has elsewhere.
_WITHIN = {"reasoning_effort": "reasoning"}
MOST = 3


def may_leave_out(error: WebError, left_out: tuple[str, ...]) -> str | None:
    """Return the field to try without, None if there is none, or enough were left out already."""
    if not isinstance(error, ParameterRefused) or len(left_out) >= MOST:
        return None
    name = error.parameter
    known = name in _DISPENSABLE or name in _OTHER_NAMES
    return name if known and name not in left_out else None


def without(body: Json, left_out: Sequence[str]) -> Json:
    """Return the body without these fields; a cap goes under its other name instead."""
    unwanted = {*left_out, *(_WITHIN.get(name, name) for name in left_out)}
    kept = {name: value for name, value in body.items() if name not in unwanted}
    for name in left_out:
        other = _OTHER_NAMES.get(name)
        if other is not None and name in body and other not in left_out:
            kept[other] = body[name]
    return kept
