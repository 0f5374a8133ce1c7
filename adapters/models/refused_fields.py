"""Which field of a request is not taken: told by a code, by FastAPI, or in words."""

import re
from collections.abc import Sequence

from ..values.json import listed, mapping, text

_NOT_TAKEN = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# The field stands where ``name`` does. Each is what a provider was seen to say.
_SAID = tuple(
    re.compile(pattern.replace("NAME", r"[`'\"]?(?:body\.)?(?P<name>[A-Za-z_][\w.]*)[`'\"]?"))
    for pattern in (
        r"^NAME: Extra inputs are not permitted",
        r"Extra inputs are not permitted, field: NAME",
        r"Unrecognized request arguments? supplied: NAME",
        r"^NAME is deprecated for this model",
        r"^NAME is not supported with this model",
        r"property NAME is unsupported",
        r"does not support parameter NAME",
        r"Argument not supported on this model: NAME",
        r"Unknown name NAME: Cannot find field",
    )
)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def field_of(error: Sequence[object], codes: frozenset[str], words: str) -> str:
    """Return the top-level field that is not taken; blank if none is named.

    ``error`` are the objects that an error consists of, the outermost first.
    """
    for holder in map(mapping, error):
        fault = mapping(next(iter(listed(holder.get("detail"))), None))
        if fault.get("type") == "extra_forbidden":
            # FastAPI gives the way there: body, then the field.
            return next((part for part in map(text, listed(fault.get("loc"))[1:]) if part), "")
    if codes & _NOT_TAKEN:
        named = (text(mapping(holder).get("param")) for holder in error)
        return _top(next((name for name in named if name), ""))
    found = (pattern.search(words) for pattern in _SAID)
    # xAI speaks of a field in words of its own: reasoningEffort.
    return next((_top(_CAPITAL.sub("_", hit["name"]).lower()) for hit in found if hit), "")


def _top(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]
