"""What the browser sends to the proxy is read strictly, and written anew for the site."""

import pytest

from webseam.adapters.features.browser.proxy import (
    ProxyRequest,
    encode_request_head,
    parse_request_head,
)
from webseam.ports.targets import Target

TARGET = Target(scheme="http", host="a.example", port=80, path="/p?q=1", literal=False, asked="")


def head(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def test_a_tunnel_is_judged_by_the_url_it_leads_to() -> None:
    request = parse_request_head(head("CONNECT [2606:4700::1]:8443 HTTP/1.1", "Host: x:8443"))

    assert request == ProxyRequest(
        "CONNECT", "https://[2606:4700::1]:8443/", (("host", "x:8443"),), 0
    )


def test_a_request_keeps_its_headers_and_says_how_long_its_body_is() -> None:
    request = parse_request_head(
        head("POST http://a.example/p?q=1 HTTP/1.1", "Content-Length: 12", "X-A:b c ")
    )

    expected = (("content-length", "12"), ("x-a", "b c"))
    assert request == ProxyRequest("POST", "http://a.example/p?q=1", expected, 12)


@pytest.mark.parametrize(
    "lines",
    [
        ("GET / HTTP/1.1",),
        ("GET /path HTTP/1.1", "Host: a.example"),
        ("GET https://a.example/ HTTP/1.1",),
        ("GET ftp://a.example/ HTTP/1.1",),
        ("GET http://a.example/ HTTP/2.0",),
        ("GET http://a.example/ b HTTP/1.1",),
        ("GET  http://a.example/ HTTP/1.1",),
        ("GET http://a.example/",),
        ("CONNECT a.example HTTP/1.1",),
        ("CONNECT a.example/x:443 HTTP/1.1",),
        ("CONNECT user@a.example:443 HTTP/1.1",),
        ("CONNECT a.example\\b:443 HTTP/1.1",),
        ("CONNECT http://a.example:443 HTTP/1.1",),
        ("GET http://a.example/ HTTP/1.1", "no colon"),
        ("GET http://a.example/ HTTP/1.1", " folded: x"),
        ("GET http://a.example/ HTTP/1.1", "a b: c"),
        ("GET http://a.example/ HTTP/1.1", "a: b\nc: d"),
        ("GET http://a.example/ HTTP/1.1", "a: b\x00"),
        ("POST http://a.example/ HTTP/1.1", "Content-Length: -1"),
        ("POST http://a.example/ HTTP/1.1", "Content-Length: 1", "Content-Length: 1"),
        ("POST http://a.example/ HTTP/1.1", "Transfer-Encoding: chunked"),
    ],
)
def test_malformed_proxy_head_is_not_read(lines: tuple[str, ...]) -> None:
    assert parse_request_head(head(*lines)) is None


def test_the_site_is_told_neither_of_the_proxy_nor_its_password() -> None:
    request = parse_request_head(
        head(
            "GET http://a.example/ignored HTTP/1.1",
            "Host: forged.example",
            "Proxy-Authorization: Basic c2VjcmV0",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive, x-a",
            "Upgrade: h2c",
            "Accept: */*",
        )
    )

    assert request is not None
    assert encode_request_head(request, TARGET) == head(
        "GET /p?q=1 HTTP/1.1", "host: a.example", "accept: */*", "connection: close"
    )
