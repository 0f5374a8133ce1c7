"""Requests that are written beforehand: for everybody who looks, httpx's own."""

import asyncio

import httpx
import pytest

from tests.http.servers import Server, closing
from webseam.adapters.http.request_writing import HttpOrigin, WrittenRequest, write_request_head
from webseam.adapters.http.transport import FastTransport

URL = httpx.URL("http://127.0.0.1:8080/search?v=2")
HEADERS = (("host", "127.0.0.1:8080"), ("x-one", "1"))


def request_to(url: httpx.URL, body: bytes = b"{}", method: str = "POST") -> WrittenRequest:
    return WrittenRequest(write_request_head(method, url, HEADERS), body)


def test_its_bytes_are_ready() -> None:
    message = (
        b"POST /search?v=2 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nx-one: 1\r\n"
        b"content-length: 2\r\n\r\n{}"
    )

    assert request_to(URL).ready() == (message, HttpOrigin("http", "127.0.0.1", 8080))


def test_a_get_without_a_body_has_no_length() -> None:
    ready = request_to(URL, b"", "GET").ready()

    assert ready is not None
    assert ready[0].endswith(b"x-one: 1\r\n\r\n")
    assert "content-length" not in request_to(URL, b"", "GET").headers


def test_whoever_looks_at_it_sees_an_httpx_request() -> None:
    request = request_to(URL)

    assert (request.method, request.url, request.read()) == ("POST", URL, b"{}")
    assert request.headers.multi_items() == [*HEADERS, ("content-length", "2")]
    assert request.extensions == {}
    assert repr(request) == "<WrittenRequest('POST', 'http://127.0.0.1:8080/search?v=2')>"


def test_a_letterhead_shows_no_key() -> None:
    shown = repr(write_request_head("POST", URL, [("authorization", "Bearer hunter2!")]))

    assert "hunter2" not in shown
    assert "127.0.0.1" in shown


def test_once_somebody_looked_its_bytes_are_no_longer_ready() -> None:
    request = request_to(URL)
    _ = request.url

    assert request.ready() is None


def test_headers_set_on_a_lazy_request_stay() -> None:
    request = request_to(URL)
    request.headers = httpx.Headers({"x-two": "2"})

    assert request.method == "POST"
    assert dict(request.headers) == {"x-two": "2"}


def test_lazy_request_has_no_unknown_attributes() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = request_to(URL).nonsense


def test_a_letterhead_that_would_break_out_of_its_line_is_refused() -> None:
    with pytest.raises(httpx.LocalProtocolError):
        write_request_head("POST", URL, [("x", "1\r\ny: 2")])


def test_a_header_that_was_changed_on_the_way_is_what_is_sent() -> None:
    async def main() -> bytes:
        async with Server() as server, closing(FastTransport()) as transport:
            request = request_to(httpx.URL(server.url()))
            request.headers["x-one"] = "changed"
            response = await transport.handle_async_request(request)
            await response.aread()
            await response.aclose()
            return server.requests[0]

    assert b"\r\nx-one: changed\r\n" in asyncio.run(main())
