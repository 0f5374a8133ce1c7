"""Hints in a refusal: the field to drop, and the time to wait."""

import re
from collections.abc import Sequence
from datetime import datetime

import httpx

from ...http.error_mapping import parse_retry_after
from ...values.json_values import as_list, as_mapping, as_objects, text

_UNSUPPORTED_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
# Sentences seen in providers' answers; the group ``name`` is the field.
_REFUSED_FIELD_PATTERNS = tuple(
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
# Sentences of OpenAI that mean a field without naming it.
_IMPLIED_FIELDS = (("Encrypted content is not supported", "include"),)
# The code of sealed thoughts that a model refuses; no field of a request has that name.
SEALED_THOUGHTS = "encrypted_content"
_SEALED_THOUGHTS_CODE = "invalid_encrypted_content"
_CAMEL_PATTERN = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WAIT_PATTERN = re.compile(
    r"(?:try again|retry) (?:in|after) (?P<time>(?:\d+(?:\.\d+)?\s?(?:ms|[hms]|seconds?)){1,3})\b",
    re.IGNORECASE,
)
_DURATION_PATTERN = re.compile(r"(?<!\d)(\d++(?:\.\d++)?+)\s?(ms|[hms])", re.IGNORECASE)
_DURATIONS_PATTERN = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[hms])){1,4}", re.IGNORECASE)
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# A number of seconds is small; a larger one is a time since 1970, in seconds or milliseconds.
_FIRST_TIMESTAMP, _FIRST_MILLISECONDS = 1e8, 1e11


def refused_model_field(error: Sequence[object], codes: frozenset[str], message: str) -> str:
    """Return the top-level field that the provider refuses; blank if none is named.

    ``error`` has the nested objects of an error, the outermost first.
    """
    for part in map(as_mapping, error):
        problem = as_mapping(next(iter(as_list(part.get("detail"))), None))
        if problem.get("type") == "extra_forbidden":
            # FastAPI's ``loc`` is "body", then the field.
            return next((part for part in map(text, as_list(problem.get("loc"))[1:]) if part), "")
    if _SEALED_THOUGHTS_CODE in codes:
        return SEALED_THOUGHTS
    if codes & _UNSUPPORTED_CODES:
        names = (text(as_mapping(part).get("param")) for part in error)
        return _top_field(next((name for name in names if name), ""))
    implied_field = next((name for start, name in _IMPLIED_FIELDS if message.startswith(start)), "")
    if implied_field:
        return implied_field
    matches = (pattern.search(message) for pattern in _REFUSED_FIELD_PATTERNS)
    # xAI writes fields in camel case: reasoningEffort.
    return next(
        (_top_field(_CAMEL_PATTERN.sub("_", match["name"]).lower()) for match in matches if match),
        "",
    )


def _top_field(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


def refusal_header_wait(headers: httpx.Headers, now: float) -> float | None:
    """Return the seconds to wait from any of the headers that providers use, or None."""
    for name in ("retry-after-ms", "x-amz-retry-after"):
        milliseconds = _parse_wait(headers.get(name, ""))
        if milliseconds is not None:
            return milliseconds / 1000
    # RFC 9110 section 10.2.3 allows whole seconds or a date; providers also send fractions.
    seconds = _parse_wait(headers.get("retry-after", ""))
    return seconds if seconds is not None else parse_retry_after(headers, now)


def reset_header_wait(headers: httpx.Headers, now: float) -> float | None:
    """Return the seconds until every limit that is used up begins again, or None.

    Providers state each limit in headers of its own: ``x-ratelimit-reset-tokens: 6m0s`` (OpenAI,
    Groq), ``anthropic-ratelimit-requests-reset`` with a date (RFC 3339), ``x-ratelimit-reset`` with
    a number (OpenRouter). A limit of which something remains is not the reason.
    """
    waits: list[float] = []
    for name, value in headers.items():
        if "ratelimit" not in name or "reset" not in name:
            continue
        remaining = headers.get(name.replace("reset", "remaining"))
        if remaining is None or _parse_wait(remaining) == 0:
            wait = _reset_wait(value.strip(), now)
            waits += [] if wait is None else [max(wait, 0.0)]
    return max(waits, default=None)


def _reset_wait(value: str, now: float) -> float | None:
    number = _parse_wait(value)
    if number is not None and number >= _FIRST_MILLISECONDS:
        return number / 1000 - now
    if number is not None:
        return number if number < _FIRST_TIMESTAMP else number - now
    if _DURATIONS_PATTERN.fullmatch(value):
        parts = _DURATION_PATTERN.findall(value)
        return sum(float(size) * _UNIT_SECONDS[unit.lower()] for size, unit in parts)
    try:
        return datetime.fromisoformat(value).timestamp() - now
    except (ValueError, OverflowError):
        return None


def stated_refusal_wait(error: object, message: str) -> float | None:
    """Return the seconds to wait from Google's ``retryDelay`` or from the message, or None."""
    delays = (text(item.get("retryDelay")) for item in as_objects(as_mapping(error).get("details")))
    delay_text = next((delay for delay in delays if delay.endswith("s")), "").removesuffix("s")
    if (seconds := _parse_wait(delay_text)) is not None:
        return seconds
    match = _WAIT_PATTERN.search(message)
    if match is None:
        return None
    return sum(
        float(size) * _UNIT_SECONDS[unit.lower()]
        for size, unit in _DURATION_PATTERN.findall(match["time"])
    )


def _parse_wait(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
