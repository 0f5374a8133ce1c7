"""A service's call becomes a request, or a reason why it cannot be sent."""

import httpx
import pytest

from webseam.adapters.services.calls import Access, ServiceCall
from webseam.adapters.services.sender import RequestWriter
from webseam.ports import InvalidQuery, NotConfigured, ProtocolError, WebError

HOME = Access(base_url="https://api.example/v1")


def written(call: ServiceCall, access: Access = HOME) -> httpx.Request:
    request = RequestWriter().write(call, access)
    assert isinstance(request, httpx.Request)
    return request


def test_a_body_is_sent_as_json() -> None:
    request = written(ServiceCall(path="/search", body={"q": "ü"}))

    assert (request.method, str(request.url)) == ("POST", "https://api.example/v1/search")
    assert request.read() == '{"q":"ü"}'.encode()
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == "api.example"


def test_a_form_is_sent_as_a_form() -> None:
    request = written(ServiceCall(form=(("q", "a b"), ("n", "1"))))

    assert request.read() == b"q=a+b&n=1"
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"


def test_parameters_join_those_of_the_address() -> None:
    request = written(ServiceCall(method="GET", path="?v=2", parameters=(("q", "a&b"),)))

    assert str(request.url) == "https://api.example/v1?v=2&q=a%26b"
    assert "content-length" not in request.headers


def test_a_services_own_header_stands_in_place_of_ours() -> None:
    request = written(ServiceCall(headers=(("accept", "text/plain"),)))

    assert request.headers.get_list("accept") == ["text/plain"]


def test_another_address_of_the_service_gives_way_to_the_users() -> None:
    elsewhere = ServiceCall(base="https://other.example", path="/x")
    users = Access(base_url="https://mine.example", overridden=True)

    assert str(written(elsewhere).url) == "https://other.example/x"
    assert str(written(elsewhere, users).url) == "https://mine.example/x"


def test_no_call_is_sent_with_what_another_call_had() -> None:
    desk = RequestWriter()
    calls = [
        ServiceCall(path=f"/{number % 70}", headers=(("x-n", str(number)),), body={"n": number})
        for number in range(200)
    ]

    requests = [desk.write(call, HOME) for call in calls]

    assert [
        (request.url.path, request.headers["x-n"], request.read())
        for request in requests
        if isinstance(request, httpx.Request)
    ] == [(f"/v1/{number % 70}", str(number), b'{"n":%d}' % number) for number in range(200)]


@pytest.mark.parametrize(
    ("call", "access", "error"),
    [
        (ServiceCall(headers=(("x-key", "k\n"),)), HOME, NotConfigured),
        (ServiceCall(headers=(("x-key", "é"),)), HOME, NotConfigured),
        (ServiceCall(headers=(("x key", "k"),)), HOME, ProtocolError),
        (ServiceCall(body={"q": "\ud800"}), HOME, InvalidQuery),
        (ServiceCall(path="/a\nb"), HOME, InvalidQuery),
        (ServiceCall(), Access(base_url="ftp://api.example"), ProtocolError),
    ],
)
def test_invalid_service_call_is_an_error(
    call: ServiceCall, access: Access, error: type[WebError]
) -> None:
    assert isinstance(RequestWriter().write(call, access), error)
