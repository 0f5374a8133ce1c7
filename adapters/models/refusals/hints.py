"""What a refusal hints at: the field to leave out, and how long to wait."""

import re
from collections.abc import Sequence

import httpx

from ...http.error_mapping import parse_retry_after
from ...values.json_values import as_list, as_mapping, as_objects, text

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
        r"^Unsupported (?:parameter|value): NAME ",
        r"property NAME is unsupported",
        r"does not support parameter NAME",
        r"Argument not supported on this model: NAME",
        r"Unknown name NAME: Cannot find field",
    )
)
# Sentences of OpenAI's that name no field, though they mean one.
_MEANT = (("Encrypted content is not supported", "include"),)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def rejected_field(error: Sequence[object], codes: frozenset[str], message: str) -> str:
    """Return the top-level field that is not taken; blank if none is named.

    ``error`` are the objects that an error consists of, the outermost first.
    """
    for holder in map(as_mapping, error):
        fault = as_mapping(next(iter(as_list(holder.get("detail"))), None))
        if fault.get("type") == "extra_forbidden":
            # FastAPI gives the way there: body, then the field.
            return next((part for part in map(text, as_list(fault.get("loc"))[1:]) if part), "")
    if codes & _NOT_TAKEN:
        named = (text(as_mapping(holder).get("param")) for holder in error)
        return _top(next((name for name in named if name), ""))
    meant = next((field for sentence, field in _MEANT if message.startswith(sentence)), "")
    if meant:
        return meant
    matches = (pattern.search(message) for pattern in _SAID)
    # xAI speaks of a field in words of its own: reasoningEffort.
    return next((_top(_CAPITAL.sub("_", hit["name"]).lower()) for hit in matches if hit), "")


def _top(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


_ASKED = re.compile(
    r"(?:try again|retry) (?:in|after) (?P<time>(?:\d+(?:\.\d+)?\s?(?:ms|[hms]|seconds?)){1,3})\b",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|[hms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def header_wait(headers: httpx.Headers, now: float) -> float | None:
    """Return how many seconds the headers ask us to wait, in any of the spellings they use."""
    for name in ("retry-after-ms", "x-amz-retry-after"):
        milliseconds = _number(headers.get(name, ""))
        if milliseconds is not None:
            return milliseconds / 1000
    # RFC 9110 section 10.2.3 has whole seconds or a date; providers write fractions, too.
    seconds = _number(headers.get("retry-after", ""))
    return seconds if seconds is not None else parse_retry_after(headers, now)


def stated_wait(error: object, message: str) -> float | None:
    """Return how many seconds an error asks us to wait, in Google's way or in words.

    >>> stated_wait({}, "Rate limit reached. Please try again in 1m2.5s.")
    62.5
    """
    delays = (
        text(detail.get("retryDelay")) for detail in as_objects(as_mapping(error).get("details"))
    )
    delay_text = next((delay for delay in delays if delay.endswith("s")), "").removesuffix("s")
    if (seconds := _number(delay_text)) is not None:
        return seconds
    match = _ASKED.search(message)
    if match is None:
        return None
    return sum(float(size) * _SECONDS[unit.lower()] for size, unit in _PART.findall(match["time"]))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
