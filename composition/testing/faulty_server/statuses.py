"""Statuses that are no success."""

from collections.abc import Sequence

from .conversation import Conversation
from .fault import Group, Play
from .pages import HTML

STATUS = Group("status")
_FAILS_FIRST = 2


def _answers(line: str, *extra: str, body: bytes = b"<p>no</p>") -> Play:
    async def play(talk: Conversation) -> None:
        await talk.reply(line, HTML, body, extra)

    return play


def _plain(name: str, line: str, expect: str, *, api: str = "", extra: Sequence[str] = ()) -> None:
    STATUS.add(name, expect, f"Answer {line}.", play=_answers(line, *extra), api=api)


def _limited(name: str, wait: str, behaviour: str, check: str) -> None:
    play = _answers("429 Too Many Requests", f"Retry-After: {wait}")
    STATUS.add(name, "rate_limited", behaviour, play=play, check=check)


_plain("status_400", "400 Bad Request", "http_status")
STATUS.add(
    "status_401",
    "http_status",
    "Answer 401 with a Basic challenge.",
    play=_answers("401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'),
    api="auth_failed",
    check="no credentials are ever sent in reply",
)
_plain("status_402", "402 Payment Required", "http_status", api="quota_exhausted")
_plain("status_403", "403 Forbidden", "http_status blocked_by_remote", api="auth_failed")
_plain("status_404", "404 Not Found", "http_status")
STATUS.add(
    "status_407",
    "http_status",
    "Answer 407, as only a proxy may.",
    play=_answers("407 Proxy Authentication Required"),
    check="no proxy credentials are sent",
)
_plain("status_410", "410 Gone", "http_status")
_limited("status_429", "1", "Answer 429 with Retry-After: 1.", "error.retry_after == 1.0")
_limited(
    "status_429_date",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Answer 429 with a date in the past as Retry-After.",
    "error.retry_after == 0",
)
_limited(
    "status_429_garbage",
    "soon",
    "Answer 429 with Retry-After: soon.",
    "error.retry_after is None",
)
_limited(
    "status_429_year",
    "31536000",
    "Answer 429 and ask for a year's patience.",
    "returns at once; retry_after reported, not slept",
)
_plain("status_451", "451 Unavailable For Legal Reasons", "http_status")
_plain("status_500", "500 Internal Server Error", "upstream_unavailable")
_plain("status_502", "502 Bad Gateway", "upstream_unavailable")
STATUS.add(
    "status_503",
    "upstream_unavailable",
    "Answer 503 with Retry-After: 2.",
    play=_answers("503 Service Unavailable", "Retry-After: 2"),
    check="error.retry_after == 2.0",
)
_plain("status_504", "504 Gateway Timeout", "upstream_unavailable")
_plain("status_522", "522 Origin Timeout", "upstream_unavailable")
STATUS.add("status_204", "empty_content", "Answer 204.", play=_answers("204 No Content", body=b""))
STATUS.add(
    "status_304",
    "http_status",
    "Answer 304 although nothing was conditional.",
    play=_answers("304 Not Modified", body=b""),
)
STATUS.add(
    "challenge_403",
    "blocked_by_remote http_status",
    "Answer with a bot challenge.",
    play=_answers(
        "403 Forbidden",
        "cf-mitigated: challenge",
        body=b"<title>Just a moment...</title><p>Checking your browser</p>",
    ),
    api="auth_failed bad_payload http_status",
)


@STATUS.fault("ok", check="with retries on: ok after 3 requests; otherwise upstream_unavailable")
async def flaky_503(talk: Conversation) -> None:
    """Answer 503 to the first two requests with a given ?id=, then a page."""
    if talk.turn() <= _FAILS_FIRST:
        await talk.reply("503 Service Unavailable", HTML, b"busy")
    else:
        await talk.reply()
