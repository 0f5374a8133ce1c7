"""When two URLs are the same, and which endpoint may be given a key."""

import pytest
from returns.result import Success

from webseam.kernel.urls.service_endpoints import check_endpoint_url, is_loopback
from webseam.kernel.urls.spelling import are_web_urls, canonical_url, is_web_url
from webseam.kernel.urls.url_parsing import url_wire_path


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("https://a.example", "https://a.example/"),
        ("HTTPS://A.Example/X", "https://a.example/X"),
        ("https://a.example:443/", "https://a.example/"),
        ("http://a.example:80/", "http://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("https://a.example:80/", "https://a.example:80/"),
        ("https://a.example/?", "https://a.example/"),
        ("https://a.example/?b=1&a=2#f", "https://a.example/?b=1&a=2"),
        ("https://a.example/%7Eu/%2f%41", "https://a.example/~u/%2FA"),
        ("https://a.example/?q=%7e%2f", "https://a.example/?q=~%2F"),
        ("https://a.example/a/", "https://a.example/a/"),
        ("https://a.example/100%", "https://a.example/100%25"),
        ("https://a.example/%4%31", "https://a.example/%2541"),
    ],
)
def test_one_page_has_one_canonical_url(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


def test_a_url_of_8192_characters_is_usable_and_a_longer_one_is_not() -> None:
    longest = "https://a.example/".ljust(8192, "x")

    assert is_web_url(longest)
    assert not is_web_url(longest + "x")


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/search",
        "http://127.0.0.1:8080/",
        "http://127.9.9.9/",
        "http://localhost/",
        "http://[::1]:80/",
        "HTTPS://a.example/",
    ],
)
def test_a_key_may_travel_over_https_or_to_this_machine(url: str) -> None:
    assert check_endpoint_url(url, with_key=True) == Success(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/?token=abc",
        "http://10.0.0.1/",
        "http://localhost.a.example/",
        "http://127.0.0.1.a.example/",
        "http://0.0.0.0/",
    ],
)
def test_a_key_may_not_travel_in_clear_text_to_another_machine(url: str) -> None:
    failure = check_endpoint_url(url, with_key=True).failure()

    assert failure.reason == "a key is only sent over https or to this machine"
    assert "abc" not in repr(failure)
    assert check_endpoint_url(url, with_key=False) == Success(url)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("a.example", "it has no scheme; write it with https:// in front"),
        ("ftp://a.example/", "only http and https are fetched"),
        ("https://me:hunter2@a.example/", "it carries a user name or a password"),
    ],
)
def test_an_endpoint_that_is_no_url_is_refused_as_such(url: str, reason: str) -> None:
    failure = check_endpoint_url(url, with_key=False).failure()

    assert failure.reason == reason
    assert "hunter2" not in repr(failure)


@pytest.mark.parametrize(("host", "local"), [("", False), ("::1", True), ("::2", False)])
def test_loopback_is_told_by_address(host: str, *, local: bool) -> None:
    assert is_loopback(host) is local


@pytest.mark.parametrize(
    ("urls", "lawful"),
    [
        ([], True),
        (["https://a.example/x", "http://b.example"], True),
        (["https://a.example/x", "https://b.example:8080/é"], True),
        (["https://a.example/x", "ftp://b.example/"], False),
        (["https://a.example/x\nhttps://b.example/"], False),
        (["https://a.example/x", "https://b.example/\n"], False),
        (["https://a..example/"], False),
        (["https://a.example" + "/x" * 4100], False),
    ],
)
def test_many_urls_keep_the_law_if_each_does(urls: list[str], *, lawful: bool) -> None:
    assert are_web_urls(urls) is lawful


@pytest.mark.parametrize("up", ["..", ".%2e", "%2E.", "%2e%2E"])
def test_a_step_up_is_taken_however_it_is_written(up: str) -> None:
    assert url_wire_path(f"/open/{up}/closed") == "/closed"
    assert url_wire_path(f"/open/deep/{up}?x=/{up}/") == "/open/?x=/../"


@pytest.mark.parametrize("here", [".", "%2e", "%2E"])
def test_a_step_to_where_one_is_leads_nowhere(here: str) -> None:
    assert url_wire_path(f"/open/{here}/a") == "/open/a"
