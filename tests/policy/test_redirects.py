"""Redirects are judged like URLs, from where they start."""

import pytest
from returns.result import Failure, Success

from webseam.kernel.policy import Policy, PolicySettings, judge_redirect, make_policy, parse_target
from webseam.ports import BadRedirect, UrlDenied

SOURCE = parse_target("https://example.com/a/b?c").unwrap()


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("https://other.example/", "https://other.example/"),
        ("HTTPS://Other.Example:443", "https://other.example/"),
        ("//other.example/x", "https://other.example/x"),
        ("/x", "https://example.com/x"),
        ("x", "https://example.com/a/x"),
        ("../x", "https://example.com/x"),
        ("../../../x", "https://example.com/x"),
        ("./", "https://example.com/a/"),
        ("?d=e", "https://example.com/a/b?d=e"),
        ("#f", "https://example.com/a/b?c"),
        ("  /x\t", "https://example.com/x"),
        ("/a b/ü", "https://example.com/a%20b/%C3%BC"),
        ("https://other.example:/x", "https://other.example/x"),
        ("//other.example/a b?c d", "https://other.example/a%20b?c%20d"),
        ("https://other.example/a\u200bb", "https://other.example/a%E2%80%8Bb"),
        ("/x?back=\\", "https://example.com/x?back=\\"),
    ],
)
def test_a_location_is_read_from_where_it_stands(location: str, leads_to: str) -> None:
    judged = judge_redirect(SOURCE, 302, location, Policy())

    assert judged.map(lambda target: target.url) == Success(leads_to)


@pytest.mark.parametrize(
    ("location", "rule"),
    [
        ("http://other.example/", "downgrade"),
        ("//localhost/", "local_name"),
        ("//10.0.0.1/", "private"),
        ("http://127.1/", "ambiguous"),
        ("https://u@other.example/", "userinfo"),
        ("ftp://other.example/", "scheme"),
        ("data:text/html,x", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("/\\other.example", "backslash"),
        ("\\\\other.example", "backslash"),
        ("//other.example\\@localhost/", "backslash"),
        ("https:\\\\other.example", "backslash"),
        ("https://[::ffff:a9fe:a9fe]/", "metadata"),
        ("https://other.example:22/", "port"),
    ],
)
def test_a_location_that_the_policy_refuses_is_denied(location: str, rule: str) -> None:
    refusal = judge_redirect(SOURCE, 302, location, Policy()).failure()

    assert isinstance(refusal, UrlDenied)
    assert refusal.rule == rule


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("", "the Location is blank"),
        (" \t", "the Location is blank"),
        ("/" + "a" * 8192, "the Location is longer than 8192 characters"),
        ("/a\x00b", "the Location has a control character"),
        ("/a\r\nSet-Cookie: x", "the Location has a control character"),
        ("///other.example", "the Location has no host"),
        ("https:", "the Location is not a usable URL: it has no host"),
        ("https:x", "the Location is not a usable URL: it has no host"),
        ("//[::1", "the Location is not a usable URL: its IPv6 address is not valid"),
        (
            "//exa mple/",
            (
                "the Location is not a usable URL: it has a blank or a control character; "
                "write it percent-encoded"
            ),
        ),
    ],
)
def test_a_location_that_is_no_url_is_a_bad_redirect(location: str, reason: str) -> None:
    judged = judge_redirect(SOURCE, 307, location, Policy())

    bad = BadRedirect(status=307, reason=reason, url="https://example.com/a/b?c")
    assert judged.failure() == bad


def test_the_way_from_https_to_http_is_open_only_when_it_is_allowed() -> None:
    allowing = make_policy(PolicySettings(allow_downgrade=True)).unwrap()
    plain = parse_target("http://example.com/").unwrap()

    refusal = judge_redirect(SOURCE, 302, "http://example.com/?token=abc", Policy()).failure()

    assert refusal == UrlDenied(
        rule="downgrade",
        stage="parse",
        setting="policy.allow_downgrade: true",
        url="http://example.com/?token=***",
    )
    assert isinstance(judge_redirect(SOURCE, 302, "http://example.com/", allowing), Success)
    assert isinstance(judge_redirect(plain, 302, "http://example.com/x", Policy()), Success)


def test_a_location_may_be_as_long_as_a_url() -> None:
    start = "https://example.com/"

    assert isinstance(
        judge_redirect(SOURCE, 302, start + "a" * (8192 - len(start)), Policy()), Success
    )
    assert isinstance(
        judge_redirect(SOURCE, 302, start + "a" * (8193 - len(start)), Policy()), Failure
    )
