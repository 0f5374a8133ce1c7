"""The runner and the JSON backend over scripted answers."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import msgspec
import pytest
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result, Success

from webseam import json_backend
from webseam.adapters.http.error_mapping import (
    BodyStalled,
    HeadTooLarge,
    NameNotFound,
    NameServerFailed,
    SecureConnectionFailed,
    network_error,
    parse_retry_after,
)
from webseam.adapters.services.calls import Access
from webseam.adapters.services.json_api.plain_api import json_service
from webseam.adapters.services.sender import ServiceDeps, ServiceLimits
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.adapters.user_agent import USER_AGENT
from webseam.kernel import redact, web_search
from webseam.kernel.deps import WebDeps
from webseam.ports import (
    AuthFailed,
    BadEncoding,
    BadPayload,
    BadRedirect,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    HttpStatus,
    InvalidQuery,
    NotConfigured,
    ProtocolError,
    QuotaExhausted,
    RateLimited,
    ResponseTooLarge,
    Timeout,
    TlsFailed,
    UnsupportedCapability,
    UpstreamUnavailable,
    WebBackend,
    WebError,
    WebSearchQuery,
)
from webseam.ports.backends import Served
from webseam.ports.secrets import Secret
from webseam.testing import FakeClock, ScriptedTransport, strategies

KEY = "k-secret-0123456789"
SEARCH_URL, EXTRACT_URL = "https://api.example/v1/search?v=2", "https://api.example/extract"
QUERY = WebSearchQuery(query="q")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def backend_over(
    transport: httpx.AsyncBaseTransport, key: str = KEY, limits: ServiceLimits | None = None
) -> WebBackend:
    return json_backend(
        search_url=SEARCH_URL,
        extract_url=EXTRACT_URL,
        key=key,
        transport=transport,
        limits=limits,
    ).unwrap()


def search(
    *script: httpx.Response | BaseException, limits: ServiceLimits | None = None
) -> Result[object, WebError]:
    return asyncio.run(backend_over(ScriptedTransport(script), limits=limits).search(QUERY))


def extract(*script: httpx.Response | BaseException) -> Result[object, WebError]:
    return asyncio.run(backend_over(ScriptedTransport(script)).extract("https://a.example/"))


def json_response(
    content: bytes, status: int = 200, kind: str = "application/json"
) -> httpx.Response:
    return httpx.Response(status, headers={"content-type": kind}, content=content)


# -- what is sent


def test_a_search_is_one_post_of_the_fields_that_are_set() -> None:
    transport = ScriptedTransport([httpx.Response(200, json={"results": []})])
    query = WebSearchQuery(query="a b", max_results=3, include_domains=("a.example",), country="DE")

    asyncio.run(backend_over(transport).search(query))

    (request,) = transport.requests
    assert (request.method, str(request.url)) == ("POST", SEARCH_URL)
    assert json.loads(request.content) == {
        "query": "a b",
        "max_results": 3,
        "include_domains": ["a.example"],
        "country": "DE",
    }
    assert dict(request.headers) == {
        "host": "api.example",
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
        "user-agent": USER_AGENT,
        "content-type": "application/json",
        "authorization": f"Bearer {KEY}",
        "content-length": str(len(request.content)),
    }


def test_an_extract_is_one_post_of_the_url() -> None:
    page = {"url": "https://a.example/", "content": "c"}
    transport = ScriptedTransport([httpx.Response(200, json=page)])

    asyncio.run(backend_over(transport).extract("https://a.example/"))

    (request,) = transport.requests
    assert (str(request.url), request.content) == (EXTRACT_URL, b'{"url":"https://a.example/"}')


def test_without_a_key_no_authorization_is_sent() -> None:
    transport = ScriptedTransport([httpx.Response(200, json={"results": []})])

    asyncio.run(backend_over(transport, key="").search(QUERY))

    assert "authorization" not in transport.requests[0].headers


# -- what comes back


def test_rows_are_renamed_and_what_is_not_taken_over_is_named() -> None:
    row = {
        "title": "T",
        "url": "https://a.example/",
        "description": "D",
        "published_at": "2026-01-01",
        "score": 0.5,
        "origin": "model",
        "vendor": 1,
    }

    outcome = search(httpx.Response(200, json={"results": [row, "no object"], "more": 1}))

    rows = [
        {
            "title": "T",
            "url": "https://a.example/",
            "snippet": "D",
            "published_at": "2026-01-01",
            "score": 0.5,
            "origin": "model",
        },
        "no object",
    ]
    assert outcome == Success(Served(answer=rows, unread=("vendor",)))


def test_a_document_is_handed_over_with_keys_that_the_kernel_will_name() -> None:
    page = {"url": "https://a.example/", "content": "c", "title": None, "vendor": 1}

    result = extract(httpx.Response(200, json=page))

    assert result == Success({"url": "https://a.example/", "content": "c", "vendor": 1})


def test_foreign_names_are_told_on_their_first_use() -> None:
    row = {"name": "T", "href": "https://a.example/", "body": "D", "published_at": "Mar 5, 2025"}
    reply = {"results": [row]}
    script = [httpx.Response(200, json=reply), httpx.Response(200, json=reply)]
    backend = backend_over(ScriptedTransport(script))

    first = asyncio.run(backend.search(QUERY)).unwrap()
    second = asyncio.run(backend.search(QUERY)).unwrap()

    taken = "`name` as `title`, `href` as `url`, `body` as `snippet`"
    assert isinstance(first, Served)
    assert first.warnings == (f"json has other names: webseam reads {taken}",)
    assert second == first.answer
    assert second == [
        {
            "title": "T",
            "url": "https://a.example/",
            "snippet": "D",
            "published_at": "2025-03-05",
        }
    ]


@pytest.mark.parametrize(
    "kind", ["application/json", "text/json; charset=utf-8", "application/problem+JSON"]
)
def test_json_goes_by_several_names(kind: str) -> None:
    assert search(json_response(b'{"results":[]}', kind=kind)) == Success([])


def test_a_compressed_answer_is_decompressed() -> None:
    response = httpx.Response(
        200,
        headers={"content-type": "application/json", "content-encoding": "gzip"},
        content=gzip.compress(b'{"results":[]}'),
    )

    assert search(response) == Success([])


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (
            json_response(b"<html>", kind="text/html"),
            BadPayload(problem="content_type", status=200, detail="content type text/html"),
        ),
        (
            httpx.Response(200, content=b"{}"),
            BadPayload(problem="content_type", status=200, detail="content type none"),
        ),
        (
            httpx.Response(204),
            BadPayload(problem="content_type", status=204, detail="content type none"),
        ),
        (
            json_response(b"["),
            BadPayload(problem="not_json", status=200, detail="Input data was truncated"),
        ),
        (
            json_response(b"[" * 200_000),
            BadPayload(problem="not_json", status=200, detail="nested too deeply"),
        ),
        (json_response(b"null"), BadPayload(problem="shape", path="$.results", status=200)),
        (
            json_response(b'{"results":{}}'),
            BadPayload(problem="shape", path="$.results", status=200),
        ),
        (
            json_response(b'{"error":"no credit"}'),
            BadPayload(problem="error_object", path="$.error", status=200, detail="no credit"),
        ),
        (
            json_response(b'{"error":{"message":"bad"},"results":[]}'),
            BadPayload(problem="error_object", path="$.error", status=200, detail="bad"),
        ),
        (json_response(b'{"message":"m"}', 400), HttpStatus(status=400, detail="m")),
        (json_response(b'{"detail":{"error":"d"}}', 401), AuthFailed(status=401, detail="d")),
        (json_response(b"<p>", 403, "text/html"), AuthFailed(status=403)),
        (json_response(b'{"error":["e"]}', 402), QuotaExhausted(status=402, detail="e")),
        (json_response(b"", 404), HttpStatus(status=404)),
        (json_response(b"", 304), HttpStatus(status=304)),
        (
            json_response(b"", 307),
            BadRedirect(status=307, reason="a service's redirects are not followed"),
        ),
        (
            httpx.Response(301, headers={"location": "https://www.a.example:8443/s?key=k"}),
            BadRedirect(
                status=301,
                reason="a service's redirects are not followed; "
                "this one leads to https://www.a.example:8443",
            ),
        ),
        (json_response(b"", 408), UpstreamUnavailable(status=408)),
        (json_response(b"", 425), UpstreamUnavailable(status=425)),
        (json_response(b'"slow down"', 429), RateLimited(detail="slow down")),
        (
            json_response(b'{"error":{"error":{"error":{"error":"deep"}}}}', 500),
            UpstreamUnavailable(status=500),
        ),
        (json_response(b"", 522), UpstreamUnavailable(status=522)),
        (httpx.ConnectError("x"), ConnectFailed()),
        (OSError("x"), ConnectFailed()),
    ],
)
def test_each_kind_of_refusal_is_its_own_error(
    response: httpx.Response | BaseException, expected: WebError
) -> None:
    assert search(response) == Failure(msgspec.structs.replace(expected, backend="json"))


def test_a_page_that_is_no_object_is_refused() -> None:
    page = extract(httpx.Response(200, json=[]))

    assert page == Failure(BadPayload(problem="shape", status=200, backend="json"))


def test_a_service_without_an_operation_says_what_it_cannot() -> None:
    only_search = json_backend(search_url=SEARCH_URL, transport=ScriptedTransport()).unwrap()
    only_extract = json_backend(extract_url=EXTRACT_URL, transport=ScriptedTransport()).unwrap()

    page = asyncio.run(only_search.extract("https://a.example/"))
    outcome = asyncio.run(only_extract.search(QUERY))

    assert page == Failure(UnsupportedCapability(capability="extract", backend="json"))
    assert outcome == Failure(UnsupportedCapability(capability="search", backend="json"))


def test_a_backend_without_any_endpoint_is_not_configured() -> None:
    backend = json_backend()

    assert isinstance(backend.failure(), NotConfigured)


@pytest.mark.parametrize("url", ["http://api.example/", "javascript:x", ""])
def test_an_endpoint_where_a_key_must_not_go_is_refused(url: str) -> None:
    assert isinstance(json_backend(search_url=url, key=KEY), Failure)


# -- secrets


@pytest.mark.parametrize("status", [200, 400, 401, 402, 429, 500])
@pytest.mark.parametrize(
    "spelling", [KEY, KEY[::-1], "ay1zZWNyZXQtMDEyMzQ1Njc4OQ", f"Bearer {KEY}"]
)
def test_a_key_that_is_echoed_is_masked_in_every_spelling(status: int, spelling: str) -> None:
    outcome = search(httpx.Response(status, json={"error": {"message": f"bad key {spelling} !"}}))

    shown = f"{outcome!r} {outcome.failure().message}"
    assert spelling not in shown
    assert "***" in shown


def test_a_key_in_the_content_type_is_masked_too() -> None:
    outcome = search(json_response(b"", kind=f"text/{KEY}"))

    assert KEY not in repr(outcome)


def test_neither_the_backend_nor_its_parts_show_the_key() -> None:
    backend = backend_over(ScriptedTransport())

    assert KEY not in f"{backend!r} {vars(backend)!r}"


# -- limits


@pytest.mark.parametrize("size", [100, 101])
def test_a_body_may_have_the_limit_and_not_a_byte_more(size: int) -> None:
    content = b'{"results":[]}'.ljust(size)

    outcome = search(json_response(content), limits=ServiceLimits(bytes=100))

    too_large = Failure(ResponseTooLarge(what="body", limit=100, backend="json"))
    assert outcome == (Success([]) if size == 100 else too_large)


def test_a_body_that_is_too_large_only_after_decompression_is_refused() -> None:
    async def gzipped() -> AsyncIterator[bytes]:
        yield gzip.compress(bytes(100_000))

    headers = {"content-type": "application/json", "content-encoding": "gzip"}

    outcome = search(
        httpx.Response(200, headers=headers, content=gzipped()), limits=ServiceLimits(bytes=5000)
    )

    assert outcome == Failure(ResponseTooLarge(what="decoded", limit=5000, backend="json"))


def test_an_encoding_that_was_not_offered_is_refused() -> None:
    async def nothing() -> AsyncIterator[bytes]:
        yield b""

    headers = {"content-type": "application/json", "content-encoding": "br"}

    outcome = search(httpx.Response(200, headers=headers, content=nothing()))

    assert isinstance(outcome.failure(), BadEncoding)


class Hanging(httpx.AsyncBaseTransport):
    """Answers a head and then nothing; ``closed`` tells whether the answer was closed."""

    closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        outer = self

        class Stream(httpx.AsyncByteStream):
            async def __aiter__(self) -> AsyncIterator[bytes]:
                await asyncio.Event().wait()
                yield b""

            async def aclose(self) -> None:
                outer.closed = True

        headers = {"content-type": "application/json"}
        return httpx.Response(200, headers=headers, stream=Stream(), request=request)


def test_the_deadline_ends_the_call_and_closes_the_answer() -> None:
    transport = Hanging()

    outcome = asyncio.run(backend_over(transport, limits=ServiceLimits(seconds=0.05)).search(QUERY))

    assert outcome == Failure(DeadlineExceeded(deadline=0.05, backend="json"))
    assert transport.closed


def test_cancelling_passes_through_and_closes_the_answer() -> None:
    transport = Hanging()

    async def main() -> bool:
        deps = WebDeps(backend=backend_over(transport))
        task = asyncio.ensure_future(web_search({"query": "q"}, deps))
        for _ in range(10):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        return task.cancelled()

    assert asyncio.run(main())
    assert transport.closed


# -- when to come back


def test_retry_after_is_read_against_the_clock_that_was_injected() -> None:
    clock = FakeClock(NOW.timestamp())
    later = format_datetime(NOW + timedelta(seconds=90), usegmt=True)
    transport = ScriptedTransport([httpx.Response(429, headers={"retry-after": later})])
    backend = ServiceBackend(
        json_service(search_url=SEARCH_URL),
        [Access(values={"api_key": Secret(KEY)})],
        ServiceDeps(transport=transport, now=clock, redact=redact),
    )

    outcome = asyncio.run(backend.search(QUERY))

    assert outcome == Failure(RateLimited(retry_after=90.0, backend="json"))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("99999999999999999999999", 999999999999.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("١٢", None),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60.0),
        ("Thu, 01 Jan 2026 01:01:00 +0100", 60.0),
        ("Thu, 01 Jan 2026 00:01:00 -0000", 60.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("Thu, 99 Jan 2026 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(value: str, seconds: float | None) -> None:
    headers = httpx.Headers([(b"retry-after", value.encode())])

    assert parse_retry_after(headers, NOW.timestamp()) == seconds


@given(
    st.text(max_size=40)
    | st.from_regex(r"[A-Z][a-z]{2}, \d{1,3} [A-Z][a-z]{2} \d{1,25} \d+:\d+:\d+ [+-]?\w*")
)
@example("Mon, 1 Jan 99999999999 00:00:00 GMT")
@example("Mon, 1 Jan 2026 99999999999:00:00 GMT")
@example("Mon, 1 Jan 2026 00:00:00 +9999999999")
def test_retry_after_never_raises_and_is_never_negative(value: str) -> None:
    headers = httpx.Headers([(b"retry-after", value.encode("utf-8", "replace"))])

    wait = parse_retry_after(headers, NOW.timestamp())

    assert wait is None or wait >= 0


# -- what a transport may raise


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NameNotFound("x"), DnsNotFound(host="h")),
        (NameServerFailed("x"), DnsUnavailable(host="h")),
        (SecureConnectionFailed("expired"), TlsFailed(reason="expired")),
        (BodyStalled("x"), Timeout(phase="body")),
        (HeadTooLarge("x"), ResponseTooLarge(what="headers", limit=65536)),
        (httpx.ConnectTimeout("x"), Timeout(phase="connect")),
        (httpx.PoolTimeout("x"), Timeout(phase="connect")),
        (httpx.WriteTimeout("x"), Timeout(phase="write")),
        (httpx.ReadTimeout("x"), Timeout(phase="headers")),
        (httpx.ConnectError("x"), ConnectFailed()),
        (httpx.ReadError("x"), ConnectionLost()),
        (httpx.WriteError("x"), ConnectionLost()),
        (httpx.CloseError("x"), ConnectionLost()),
        (httpx.RemoteProtocolError("x"), ProtocolError()),
        (httpx.LocalProtocolError("x"), ProtocolError()),
        (httpx.UnsupportedProtocol("x"), ProtocolError()),
        (httpx.DecodingError("x"), BadEncoding(reason="x")),
        (httpx.ProxyError("x"), ConnectFailed()),
        (httpx.TooManyRedirects("x"), ConnectFailed()),
    ],
)
def test_whatever_a_transport_raises_becomes_an_error(
    raised: httpx.HTTPError, expected: WebError
) -> None:
    assert network_error(raised, "h") == expected


# -- nothing raises


@given(strategies.json_values(), st.sampled_from([200, 201, 400, 401, 429, 500]))
def test_any_json_with_any_status_ends_in_a_result(payload: object, status: int) -> None:
    answers = [httpx.Response(status, json=payload) for _ in range(2)]

    assert isinstance(search(answers[0]), Result)
    assert isinstance(extract(answers[1]), Result)


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_result(content: bytes) -> None:
    assert isinstance(search(json_response(content)), Result)


@given(strategies.urls())
def test_whatever_endpoint_is_accepted_can_be_called(url: str) -> None:
    transport = ScriptedTransport(lambda _: httpx.Response(200, json={"results": []}))
    backend = json_backend(search_url=url, transport=transport)

    assert isinstance(asyncio.run(backend.unwrap().search(QUERY)), Result)


@pytest.mark.parametrize("key", ["ключ", "a\nb", "a\0b", "\ud800", "a\x7fb"])
def test_a_key_that_no_header_can_carry_is_a_setting_to_mend(key: str) -> None:
    transport = ScriptedTransport()
    backend = backend_over(transport, key=key)

    outcome = asyncio.run(backend.search(QUERY))

    reason = "The key has characters that no header can carry"
    assert outcome == Failure(NotConfigured(reason=reason, backend="json"))
    assert transport.requests == []


def test_a_query_that_is_no_unicode_text_is_refused() -> None:
    outcome = asyncio.run(backend_over(ScriptedTransport()).search(WebSearchQuery(query="a\ud800")))

    reason = "cannot be written as a request"
    assert outcome == Failure(InvalidQuery(field="query", reason=reason, backend="json"))
