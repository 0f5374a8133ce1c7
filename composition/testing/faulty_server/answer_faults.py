"""Faults: wrong answers of a JSON API, and HTTP error statuses."""

from collections.abc import Sequence

from .conversation import HTML, JSON, PAGE, Conversation, FaultGroup, FaultPlay

API = FaultGroup("api")
_PAGE_KINDS = "ok unsupported_content http_status bad_redirect url_denied rate_limited"
_KEY_HEADERS = frozenset({"authorization", "x-api-key", "x-subscription-token"})
_ROW_JSON = b'{"title":"T","url":"https://example.com/","snippet":"S"}'


def _add_api_fault(name: str, expect: str, behaviour: str, body: bytes, check: str = "") -> None:
    API.add(name, _PAGE_KINDS, behaviour, play=_api_play(body), api=expect, check=check)


def _api_play(
    body: bytes, status: str = "200 OK", kind: str = JSON, extra: Sequence[str] = ()
) -> FaultPlay:
    async def play(talk: Conversation) -> None:
        key = next((value for name, value in talk.headers if name in _KEY_HEADERS), "")
        await talk.reply(status, kind, body.replace(b"{{SECRET}}", key.encode()), extra)

    return play


_add_api_fault("api_ok", "ok", "Answer well.", b'{"results":[' + _ROW_JSON + b"]}")
_add_api_fault("api_empty", "ok", "Find nothing: a success without rows.", b'{"results":[]}')
API.add(
    "api_html",
    _PAGE_KINDS,
    "Send HTML with status 200.",
    play=_api_play(PAGE, kind=HTML),
    api="bad_payload",
)
_add_api_fault(
    "api_truncated",
    "bad_payload",
    "Cut the JSON short, with a length that agrees.",
    b'{"results":[' + _ROW_JSON,
)
_add_api_fault(
    "api_wrong_shape", "bad_payload", "Send JSON of another shape.", b'{"results":{"a":1}}'
)
_add_api_fault("api_null", "bad_payload", "Send JSON null.", b"null")
_add_api_fault(
    "api_nan", "bad_payload ok", "Send NaN, which is not JSON.", b'{"results":[],"score":NaN}'
)
_add_api_fault(
    "api_deep", "bad_payload", "Nest 200,000 arrays.", b"[" * 200_000, "no RecursionError, no crash"
)
_add_api_fault(
    "api_big_int",
    "bad_payload ok",
    "Write a number of 100,000 digits.",
    b'{"results":[],"n":' + b"9" * 100_000 + b"}",
    "CPU < 0.5 s",
)
_add_api_fault(
    "api_bad_utf8",
    "bad_payload ok",
    "Put invalid UTF-8 into a string.",
    b'{"results":[{"title":"\xff\xfe","url":"https://example.com/","snippet":""}]}',
)
_add_api_fault(
    "api_bad_rows",
    "ok",
    "Give rows whose URLs nobody should follow.",
    b'{"results":[{"title":"x","url":"javascript:alert(1)","snippet":""},'
    b'{"title":"y","url":"http://169.254.169.254/","snippet":""},' + _ROW_JSON + b"]}",
    "bad rows are dropped or flagged, the good row stays",
)
_add_api_fault(
    "api_error_200",
    "bad_payload auth_failed",
    "Send an error object with status 200 that echoes the key.",
    b'{"error":{"code":"invalid_key","message":"bad key {{SECRET}}"}}',
    "the key is not in the error message, log or traceback",
)
API.add(
    "api_key_echo",
    _PAGE_KINDS,
    "Answer 401 and echo the key.",
    play=_api_play(b'{"message":"bad key {{SECRET}}"}', "401 Unauthorized"),
    api="auth_failed",
    check="the key is redacted everywhere",
)
API.add(
    "api_quota",
    _PAGE_KINDS,
    "Answer 402.",
    play=_api_play(b'{"message":"credits used up"}', "402 Payment Required"),
    api="quota_exhausted",
)
API.add(
    "api_redirect",
    _PAGE_KINDS,
    "Redirect to another origin, which an API's client does not follow.",
    play=_api_play(b"", "307 Temporary Redirect", extra=["Location: http://localhost/steal"]),
    api="bad_redirect http_status",
    check="the key is never sent to the other origin",
)
API.add(
    "api_429",
    _PAGE_KINDS,
    "Answer 429 with Retry-After: 1.",
    play=_api_play(b'{"message":"slow down"}', "429 Too Many Requests", extra=["Retry-After: 1"]),
    api="rate_limited",
)


STATUS = FaultGroup("status")
_FIRST_FAILURES = 2


def _status_play(line: str, *extra: str, body: bytes = b"<p>no</p>") -> FaultPlay:
    async def play(talk: Conversation) -> None:
        await talk.reply(line, HTML, body, extra)

    return play


def _add_status_fault(
    name: str, line: str, expect: str, *, api: str = "", extra: Sequence[str] = ()
) -> None:
    STATUS.add(name, expect, f"Answer {line}.", play=_status_play(line, *extra), api=api)


def _add_rate_limit_fault(name: str, wait: str, behaviour: str, check: str) -> None:
    play = _status_play("429 Too Many Requests", f"Retry-After: {wait}")
    STATUS.add(name, "rate_limited", behaviour, play=play, check=check)


_add_status_fault("status_400", "400 Bad Request", "http_status")
STATUS.add(
    "status_401",
    "http_status",
    "Answer 401 with a Basic challenge.",
    play=_status_play("401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'),
    api="auth_failed",
    check="no credentials are ever sent in reply",
)
_add_status_fault("status_402", "402 Payment Required", "http_status", api="quota_exhausted")
_add_status_fault("status_403", "403 Forbidden", "http_status blocked_by_remote", api="auth_failed")
_add_status_fault("status_404", "404 Not Found", "http_status")
STATUS.add(
    "status_407",
    "http_status",
    "Answer 407, as only a proxy may.",
    play=_status_play("407 Proxy Authentication Required"),
    check="no proxy credentials are sent",
)
_add_status_fault("status_410", "410 Gone", "http_status")
_add_rate_limit_fault(
    "status_429", "1", "Answer 429 with Retry-After: 1.", "error.retry_after == 1.0"
)
_add_rate_limit_fault(
    "status_429_date",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Answer 429 with a date in the past as Retry-After.",
    "error.retry_after == 0",
)
_add_rate_limit_fault(
    "status_429_garbage", "soon", "Answer 429 with Retry-After: soon.", "error.retry_after is None"
)
_add_rate_limit_fault(
    "status_429_year",
    "31536000",
    "Answer 429 and ask for a year's patience.",
    "returns at once; retry_after reported, not slept",
)
_add_status_fault("status_451", "451 Unavailable For Legal Reasons", "http_status")
_add_status_fault("status_500", "500 Internal Server Error", "upstream_unavailable")
_add_status_fault("status_502", "502 Bad Gateway", "upstream_unavailable")
STATUS.add(
    "status_503",
    "upstream_unavailable",
    "Answer 503 with Retry-After: 2.",
    play=_status_play("503 Service Unavailable", "Retry-After: 2"),
    check="error.retry_after == 2.0",
)
_add_status_fault("status_504", "504 Gateway Timeout", "upstream_unavailable")
_add_status_fault("status_522", "522 Origin Timeout", "upstream_unavailable")
STATUS.add(
    "status_204", "empty_content", "Answer 204.", play=_status_play("204 No Content", body=b"")
)
STATUS.add(
    "status_304",
    "http_status",
    "Answer 304 although nothing was conditional.",
    play=_status_play("304 Not Modified", body=b""),
)
STATUS.add(
    "challenge_403",
    "blocked_by_remote http_status",
    "Answer with a bot challenge.",
    play=_status_play(
        "403 Forbidden",
        "cf-mitigated: challenge",
        body=b"<title>Just a moment...</title><p>Checking your browser</p>",
    ),
    api="auth_failed bad_payload http_status",
)


@STATUS.fault("ok", check="with retries on: ok after 3 requests; otherwise upstream_unavailable")
async def flaky_503(talk: Conversation) -> None:
    """Answer 503 to the first two requests with a given ?id=, then a page."""
    if talk.turn() <= _FIRST_FAILURES:
        await talk.reply("503 Service Unavailable", HTML, b"busy")
    else:
        await talk.reply()
