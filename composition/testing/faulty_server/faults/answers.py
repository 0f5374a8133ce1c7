"""Answers of an API that lie or break off, and statuses that are no success."""

from collections.abc import Sequence

from ..conversation import HTML, JSON, PAGE, Conversation, Group, Play

API = Group("api")
_AS_A_PAGE = "ok unsupported_content http_status bad_redirect url_denied rate_limited"
_KEY_HEADERS = frozenset({"authorization", "x-api-key", "x-subscription-token"})
_ROW = b'{"title":"T","url":"https://example.com/","snippet":"S"}'


def _fault(name: str, expect: str, behaviour: str, body: bytes, check: str = "") -> None:
    API.add(name, _AS_A_PAGE, behaviour, play=_answers(body), api=expect, check=check)


def _answers(
    body: bytes, status: str = "200 OK", kind: str = JSON, extra: Sequence[str] = ()
) -> Play:
    async def play(talk: Conversation) -> None:
        key = next((value for name, value in talk.headers if name in _KEY_HEADERS), "")
        await talk.reply(status, kind, body.replace(b"{{SECRET}}", key.encode()), extra)

    return play


_fault("api_ok", "ok", "Answer well.", b'{"results":[' + _ROW + b"]}")
_fault("api_empty", "ok", "Find nothing: a success without rows.", b'{"results":[]}')
API.add(
    "api_html",
    _AS_A_PAGE,
    "Send HTML with status 200.",
    play=_answers(PAGE, kind=HTML),
    api="bad_payload",
)
_fault(
    "api_truncated",
    "bad_payload",
    "Cut the JSON short, with a length that agrees.",
    b'{"results":[' + _ROW,
)
_fault("api_wrong_shape", "bad_payload", "Send JSON of another shape.", b'{"results":{"a":1}}')
_fault("api_null", "bad_payload", "Send JSON null.", b"null")
_fault("api_nan", "bad_payload ok", "Send NaN, which is not JSON.", b'{"results":[],"score":NaN}')
_fault(
    "api_deep",
    "bad_payload",
    "Nest 200,000 arrays.",
    b"[" * 200_000,
    "no RecursionError, no crash",
)
_fault(
    "api_big_int",
    "bad_payload ok",
    "Write a number of 100,000 digits.",
    b'{"results":[],"n":' + b"9" * 100_000 + b"}",
    "CPU < 0.5 s",
)
_fault(
    "api_bad_utf8",
    "bad_payload ok",
    "Put invalid UTF-8 into a string.",
    b'{"results":[{"title":"\xff\xfe","url":"https://example.com/","snippet":""}]}',
)
_fault(
    "api_bad_rows",
    "ok",
    "Give rows whose URLs nobody should follow.",
    b'{"results":[{"title":"x","url":"javascript:alert(1)","snippet":""},'
    b'{"title":"y","url":"http://169.254.169.254/","snippet":""},' + _ROW + b"]}",
    "bad rows are dropped or flagged, the good row stays",
)
_fault(
    "api_error_200",
    "bad_payload auth_failed",
    "Send an error object with status 200 that echoes the key.",
    b'{"error":{"code":"invalid_key","message":"bad key {{SECRET}}"}}',
    "the key is not in the error message, log or traceback",
)
API.add(
    "api_key_echo",
    _AS_A_PAGE,
    "Answer 401 and echo the key.",
    play=_answers(b'{"message":"bad key {{SECRET}}"}', "401 Unauthorized"),
    api="auth_failed",
    check="the key is redacted everywhere",
)
API.add(
    "api_quota",
    _AS_A_PAGE,
    "Answer 402.",
    play=_answers(b'{"message":"credits used up"}', "402 Payment Required"),
    api="quota_exhausted",
)
API.add(
    "api_redirect",
    _AS_A_PAGE,
    "Redirect to another origin, which an API's client does not follow.",
    play=_answers(b"", "307 Temporary Redirect", extra=["Location: http://localhost/steal"]),
    api="bad_redirect http_status",
    check="the key is never sent to the other origin",
)
API.add(
    "api_429",
    _AS_A_PAGE,
    "Answer 429 with Retry-After: 1.",
    play=_answers(b'{"message":"slow down"}', "429 Too Many Requests", extra=["Retry-After: 1"]),
    api="rate_limited",
)


# Statuses that are no success.

STATUS = Group("status")
_FAILS_FIRST = 2


def _statuses_answers(line: str, *extra: str, body: bytes = b"<p>no</p>") -> Play:
    async def play(talk: Conversation) -> None:
        await talk.reply(line, HTML, body, extra)

    return play


def _plain(name: str, line: str, expect: str, *, api: str = "", extra: Sequence[str] = ()) -> None:
    STATUS.add(name, expect, f"Answer {line}.", play=_statuses_answers(line, *extra), api=api)


def _limited(name: str, wait: str, behaviour: str, check: str) -> None:
    play = _statuses_answers("429 Too Many Requests", f"Retry-After: {wait}")
    STATUS.add(name, "rate_limited", behaviour, play=play, check=check)


_plain("status_400", "400 Bad Request", "http_status")
STATUS.add(
    "status_401",
    "http_status",
    "Answer 401 with a Basic challenge.",
    play=_statuses_answers("401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'),
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
    play=_statuses_answers("407 Proxy Authentication Required"),
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
    play=_statuses_answers("503 Service Unavailable", "Retry-After: 2"),
    check="error.retry_after == 2.0",
)
_plain("status_504", "504 Gateway Timeout", "upstream_unavailable")
_plain("status_522", "522 Origin Timeout", "upstream_unavailable")
STATUS.add(
    "status_204", "empty_content", "Answer 204.", play=_statuses_answers("204 No Content", body=b"")
)
STATUS.add(
    "status_304",
    "http_status",
    "Answer 304 although nothing was conditional.",
    play=_statuses_answers("304 Not Modified", body=b""),
)
STATUS.add(
    "challenge_403",
    "blocked_by_remote http_status",
    "Answer with a bot challenge.",
    play=_statuses_answers(
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
