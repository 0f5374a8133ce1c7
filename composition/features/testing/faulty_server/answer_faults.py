"""Faults: wrong answers of a JSON API, and HTTP error statuses."""

from collections.abc import Sequence

from .conversation import HTML, JSON, PAGE, Conversation, FaultGroup, fault_reply

API = FaultGroup("api")
_PAGE_KINDS = (
    "ok unsupported_content http_status payment_required bad_redirect url_denied rate_limited"
)
_KEY_HEADERS = frozenset({"authorization", "x-api-key", "x-subscription-token"})
_ROW_JSON = b'{"title":"T","url":"https://example.com/","snippet":"S"}'


def _add_api(
    name: str,
    expect: str,
    behaviour: str,
    body: bytes,
    check: str = "",
    *,
    status: str = "200 OK",
    kind: str = JSON,
    extra: Sequence[str] = (),
) -> None:
    async def play(talk: Conversation) -> None:
        key = next((value for name, value in talk.headers if name in _KEY_HEADERS), "")
        await talk.reply(status, kind, body.replace(b"{{SECRET}}", key.encode()), extra)

    API.add(name, _PAGE_KINDS, behaviour, play, api=expect, check=check)


_add_api("api_ok", "ok", "Answer well.", b'{"results":[' + _ROW_JSON + b"]}")
_add_api("api_empty", "ok", "Find nothing: a success without rows.", b'{"results":[]}')
_add_api("api_html", "bad_payload", "Send HTML with status 200.", PAGE, kind=HTML)
_add_api(
    "api_truncated",
    "bad_payload",
    "Cut the JSON short, with a length that agrees.",
    b'{"results":[' + _ROW_JSON,
)
_add_api("api_wrong_shape", "bad_payload", "Send JSON of another shape.", b'{"results":{"a":1}}')
_add_api("api_null", "bad_payload", "Send JSON null.", b"null")
_add_api("api_nan", "bad_payload ok", "Send NaN, which is not JSON.", b'{"results":[],"score":NaN}')
_add_api(
    "api_deep", "bad_payload", "Nest 200,000 arrays.", b"[" * 200_000, "no RecursionError, no crash"
)
_add_api(
    "api_big_int",
    "bad_payload ok",
    "Write a number of 100,000 digits.",
    b'{"results":[],"n":' + b"9" * 100_000 + b"}",
    "CPU < 0.5 s",
)
_add_api(
    "api_bad_utf8",
    "bad_payload ok",
    "Put invalid UTF-8 into a string.",
    b'{"results":[{"title":"\xff\xfe","url":"https://example.com/","snippet":""}]}',
)
_add_api(
    "api_bad_rows",
    "ok",
    "Give rows whose URLs no client should follow.",
    b'{"results":[{"title":"x","url":"javascript:alert(1)","snippet":""},'
    b'{"title":"y","url":"http://169.254.169.254/","snippet":""},' + _ROW_JSON + b"]}",
    "bad rows are dropped or flagged, the good row stays",
)
_add_api(
    "api_error_200",
    "bad_payload auth_failed",
    "Send an error object with status 200 that echoes the key.",
    b'{"error":{"code":"invalid_key","message":"bad key {{SECRET}}"}}',
    "the key is not in the error message, log or traceback",
)
_add_api(
    "api_key_echo",
    "auth_failed",
    "Answer 401 and echo the key.",
    b'{"message":"bad key {{SECRET}}"}',
    "the key is redacted everywhere",
    status="401 Unauthorized",
)
_add_api(
    "api_quota",
    "quota_exhausted",
    "Answer 402.",
    b'{"message":"credits used up"}',
    status="402 Payment Required",
)
_add_api(
    "api_redirect",
    "bad_redirect http_status",
    "Redirect to another origin, which an API's client does not follow.",
    b"",
    "the key is never sent to the other origin",
    status="307 Temporary Redirect",
    extra=["Location: http://localhost/steal"],
)
_add_api(
    "api_429",
    "rate_limited",
    "Answer 429 with Retry-After: 1.",
    b'{"message":"slow down"}',
    status="429 Too Many Requests",
    extra=["Retry-After: 1"],
)


STATUS = FaultGroup("status")
_FIRST_FAILURES = 2


def _add_status(
    name: str,
    line: str,
    expect: str,
    behaviour: str = "",
    *,
    api: str = "",
    extra: Sequence[str] = (),
    body: bytes = b"<p>no</p>",
    check: str = "",
) -> None:
    play = fault_reply(line, HTML, body, extra)
    STATUS.add(name, expect, behaviour or f"Answer {line}.", play, api=api, check=check)


def _add_rate_limit(name: str, wait: str, behaviour: str, check: str) -> None:
    line, extra = "429 Too Many Requests", [f"Retry-After: {wait}"]
    _add_status(name, line, "rate_limited", behaviour, extra=extra, check=check)


_add_status("status_400", "400 Bad Request", "http_status")
_add_status(
    "status_401",
    "401 Unauthorized",
    "http_status",
    "Answer 401 with a Basic challenge.",
    api="auth_failed",
    extra=['WWW-Authenticate: Basic realm="x"'],
    check="no credentials are ever sent in reply",
)
_add_status("status_402", "402 Payment Required", "payment_required", api="quota_exhausted")
_add_status("status_403", "403 Forbidden", "http_status blocked_by_remote", api="auth_failed")
_add_status("status_404", "404 Not Found", "http_status")
_add_status(
    "status_407",
    "407 Proxy Authentication Required",
    "http_status",
    "Answer 407, as only a proxy may.",
    check="no proxy credentials are sent",
)
_add_status("status_410", "410 Gone", "http_status")
_add_rate_limit("status_429", "1", "Answer 429 with Retry-After: 1.", "error.retry_after == 1.0")
_add_rate_limit(
    "status_429_date",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Answer 429 with a date in the past as Retry-After.",
    "error.retry_after == 0",
)
_add_rate_limit(
    "status_429_garbage", "soon", "Answer 429 with Retry-After: soon.", "error.retry_after is None"
)
_add_rate_limit(
    "status_429_year",
    "31536000",
    "Answer 429 and ask for a year's patience.",
    "returns at once; retry_after reported, not slept",
)
_add_status("status_451", "451 Unavailable For Legal Reasons", "http_status")
_add_status("status_500", "500 Internal Server Error", "upstream_unavailable")
_add_status("status_502", "502 Bad Gateway", "upstream_unavailable")
_add_status(
    "status_503",
    "503 Service Unavailable",
    "upstream_unavailable",
    "Answer 503 with Retry-After: 2.",
    extra=["Retry-After: 2"],
    check="error.retry_after == 2.0",
)
_add_status("status_504", "504 Gateway Timeout", "upstream_unavailable")
_add_status("status_522", "522 Origin Timeout", "upstream_unavailable")
_add_status("status_204", "204 No Content", "empty_content", "Answer 204.", body=b"")
_add_status(
    "status_304",
    "304 Not Modified",
    "http_status",
    "Answer 304 although nothing was conditional.",
    body=b"",
)
_add_status(
    "challenge_403",
    "403 Forbidden",
    "blocked_by_remote http_status",
    "Answer with a bot challenge.",
    api="auth_failed bad_payload http_status",
    extra=["cf-mitigated: challenge"],
    body=b"<title>Just a moment...</title><p>Checking your browser</p>",
)


@STATUS.fault("ok", check="with retries on: ok after 3 requests; otherwise upstream_unavailable")
async def flaky_503(talk: Conversation) -> None:
    """Answer 503 to the first two requests with a given ?id=, then a page."""
    if talk.turn() <= _FIRST_FAILURES:
        await talk.reply("503 Service Unavailable", HTML, b"busy")
    else:
        await talk.reply()
