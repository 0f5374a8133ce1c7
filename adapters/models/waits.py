"""How long a provider asks us to wait: in a header, in the body, or in words."""

import re

import httpx

from ..http.failures import retry_after
from ..values.json import mapping, objects, text

_ASKED = re.compile(
    r"(?:try again|retry) (?:in|after) (?P<time>(?:\d+(?:\.\d+)?\s?(?:ms|[hms]|seconds?)){1,3})\b",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|[hms])", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def wait_of(headers: httpx.Headers, now: float) -> float | None:
    """Return how many seconds the headers ask us to wait, in any of the spellings they use."""
    for name in ("retry-after-ms", "x-amz-retry-after"):
        milliseconds = _number(headers.get(name, ""))
        if milliseconds is not None:
            return milliseconds / 1000
    seconds = _number(headers.get("retry-after", ""))
    return seconds if seconds is not None else retry_after(headers, now)


def told_wait(error: object, words: str) -> float | None:
    """Return how many seconds an error asks us to wait, in Google's way or in words.

    >>> told_wait({}, "Rate limit reached. Please try again in 1m2.5s.")
    62.5
    """
    delays = (text(detail.get("retryDelay")) for detail in objects(mapping(error).get("details")))
    told = next((delay for delay in delays if delay.endswith("s")), "").removesuffix("s")
    if (seconds := _number(told)) is not None:
        return seconds
    asked = _ASKED.search(words)
    if asked is None:
        return None
    return sum(float(size) * _SECONDS[unit.lower()] for size, unit in _PART.findall(asked["time"]))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
