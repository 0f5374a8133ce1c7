"""The strict parser: what a target holds, and what it says about what it refuses."""

import msgspec
import pytest
from returns.result import Failure, Success

from webseam.kernel.middleware.arguments import check_extract_arguments
from webseam.kernel.policy import parse_target
from webseam.kernel.urls.spelling import canonical_url
from webseam.ports import InvalidUrl
from webseam.ports.targets import Target

HIDDEN = "it has a blank or a control character; write it percent-encoded"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (
            "HTTP://Example.COM.:8080/A?b#c",
            Target(
                scheme="http", host="example.com", port=8080, path="/A?b", literal=False, asked=""
            ),
        ),
        (
            "https://[2606:4700:0:0::1]",
            Target(scheme="https", host="2606:4700::1", port=443, path="/", literal=True, asked=""),
        ),
        (
            "http://1.1.1.1:443?x",
            Target(scheme="http", host="1.1.1.1", port=443, path="/?x", literal=True, asked=""),
        ),
        (
            'https://Bücher.example/üb"<>`{}^|\\'.replace("\\", "?\\"),
            Target(
                scheme="https",
                host="xn--bcher-kva.example",
                port=443,
                path="/%C3%BCb%22%3C%3E%60%7B%7D%5E|?\\",
                literal=False,
                asked="",
            ),
        ),
        (
            "https://example.com/%2e%zz%E4",
            Target(
                scheme="https",
                host="example.com",
                port=443,
                path="/.%25zz%E4",
                literal=False,
                asked="",
            ),
        ),
    ],
)
def test_a_url_is_taken_apart_once_into_what_goes_on_the_wire(url: str, target: Target) -> None:
    assert parse_target(url).unwrap() == msgspec.structs.replace(target, asked=url)


@pytest.mark.parametrize(
    ("url", "spelled"),
    [
        ("https://example.com:443", "https://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://[2606:4700::1]:8443/x", "https://[2606:4700::1]:8443/x"),
        ("https://example.com/open/../closed/./x", "https://example.com/closed/x"),
        ("https://example.com/open/%2E./closed/..?a/../b", "https://example.com/?a/../b"),
        ("https://example.com/../..//a/...", "https://example.com//a/..."),
    ],
)
def test_a_target_has_one_spelling(url: str, spelled: str) -> None:
    assert parse_target(url).unwrap().url == spelled


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (None, "expected text, got a value of type NoneType"),
        (b"https://example.com/", "expected text, got a value of type bytes"),
        ("", "it is blank"),
        ("https://example.com/" + "a" * 8192, "it is longer than 8192 characters"),
        ("https://example.com/\x00", HIDDEN),
        ("\xa0https://example.com/", HIDDEN),
        ("https://example.com/\v", HIDDEN),
        ("https://example.com/a b", HIDDEN),
        ("https://example.com/a\u200bb", HIDDEN),
        ("https://example.com/\ud800", HIDDEN),
        ("example.com/x", "it has no scheme; write it with https:// in front"),
        ("https:///x", "it has no host"),
        ("https://exa mple.com/", HIDDEN),
        ("https://exa!mple.com/", "its host is not valid"),
        ("https://[::g]/", "its IPv6 address is not valid"),
        ("https://example.com:x/", "its port is not valid"),
        ("https://example.com::/", "its port is not valid"),
        ("https://example.com:0443/", "its port is not valid"),
        ("https://example.com:0/", "its port is not valid"),
        ("https://example.com:99999/", "its port is not valid"),
    ],
)
def test_invalid_url_is_refused_with_its_reason(url: object, reason: str) -> None:
    refusal = parse_target(url).failure()

    assert isinstance(refusal, InvalidUrl)
    assert refusal.reason == reason


def test_a_refusal_shows_the_url_without_its_secrets() -> None:
    refusal = parse_target("ftp://me:hunter2@example.com/?token=abc\x1b").failure()
    denied = parse_target("http://me:hunter2@example.com/?token=abc").failure()

    assert "hunter2" not in f"{denied}"
    assert denied.url == "http://***@example.com/?token=***"
    assert "abc" not in f"{refusal}"
    assert "\x1b" not in f"{refusal.url}"


def test_lengths_are_fine_up_to_the_limit() -> None:
    start = "https://example.com/"
    name = ".".join(["a" * 61, *["b" * 63] * 3])

    assert isinstance(parse_target(start + "a" * (8192 - len(start))), Success)
    assert isinstance(parse_target(start + "a" * (8193 - len(start))), Failure)
    assert len(name) == 253
    assert parse_target(f"https://{name}./").unwrap().host == name
    assert isinstance(parse_target(f"https://a{name}/"), Failure)
    assert parse_target("https://example.com:65535/").unwrap().port == 65_535
    assert parse_target("https://example.com:1/").unwrap().port == 1


def test_a_backslash_counts_only_before_the_query_and_the_fragment() -> None:
    assert isinstance(parse_target("https://example.com/?a\\b?c#d"), Success)
    assert isinstance(parse_target("https://example.com/#a?b\\c"), Success)
    assert isinstance(parse_target("https://example.com/a\\b?c"), Failure)


def test_subclass_of_str_is_the_text_that_it_is() -> None:
    liar = type("Liar", (str,), {"__str__": lambda _: "javascript:alert(1)"})

    target = parse_target(liar("https://a.example/")).unwrap()

    assert (type(target.asked), target.asked) == (str, "https://a.example/")
    assert isinstance(parse_target(liar("javascript:alert(1)")), Failure)


def test_a_very_long_url_is_mentioned_in_part() -> None:
    assert parse_target("ftp://" + "x" * 500).failure().url == "ftp://" + "x" * 194 + "…"


@pytest.mark.parametrize("host", ["example.com", "[2001:db8::1]", "192.0.2.7"])
@pytest.mark.parametrize("tail", ["", "/", "/a:/b", "?q=:", "/a?b"])
@pytest.mark.parametrize("blank", ["", " ", "\t", "\r\n", "\f \n"])
def test_blanks_around_a_url_and_a_colon_without_a_port_are_dropped(
    host: str, tail: str, blank: str
) -> None:
    plain = f"https://{host}{tail}"
    for spelling in (f"{blank}{plain}{blank}", f"{blank}https://{host}:{tail}{blank}"):
        assert parse_target(spelling) == parse_target(plain)
        assert canonical_url(spelling) == canonical_url(plain)
        assert check_extract_arguments({"urls": [spelling]}).unwrap().urls == (plain,)
