"""What a search service's JSON API may answer. ``{{SECRET}}`` becomes the key that was sent."""

from collections.abc import Sequence

from .conversation import Conversation
from .fault import Group, Play
from .pages import HTML, JSON, PAGE

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
