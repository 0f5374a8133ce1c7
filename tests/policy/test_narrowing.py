"""Somebody who may see a part of the web sees never more than the user may."""

import pytest

from webseam.kernel.policy.judge import judge_url
from webseam.kernel.policy.narrowing import narrow_policy
from webseam.kernel.policy.policy_rules import PolicySettings, make_policy


def allowed(url: str, domains: list[str], **settings: tuple[str, ...]) -> bool:
    policy = narrow_policy(make_policy(PolicySettings(**settings)).unwrap(), domains)  # type: ignore[arg-type]
    return judge_url(url, policy).value_or(None) is not None


@pytest.mark.parametrize(
    ("url", "domains", "settings", "verdict"),
    [
        ("https://a.example.com/", [], {}, True),
        ("https://a.example.com/", ["a.example.com"], {}, True),
        ("https://b.a.example.com/", ["*.A.example.com"], {}, True),
        ("https://nota.example.com/", ["a.example.com"], {}, False),
        ("https://a.example.com/", ["a.example.com"], {"deny_domains": ("a.example.com",)}, False),
        (
            "https://a.example.com/",
            ["b.a.example.com"],
            {"allow_domains": ("a.example.com",)},
            False,
        ),
        (
            "https://b.a.example.com/",
            ["b.a.example.com"],
            {"allow_domains": ("a.example.com",)},
            True,
        ),
        (
            "https://b.a.example.com/",
            ["a.example.com"],
            {"allow_domains": ("b.a.example.com",)},
            True,
        ),
        (
            "https://c.a.example.com/",
            ["a.example.com"],
            {"allow_domains": ("b.a.example.com",)},
            False,
        ),
        ("https://a.example.com/", ["a.example.com"], {"allow_domains": ("b.example.com",)}, False),
        ("https://b.example.com/", ["a.example.com"], {"allow_domains": ("b.example.com",)}, False),
        ("http://wiki.corp/", ["a.example.com"], {"allow_hosts": ("wiki.corp",)}, False),
        ("http://wiki.corp:3000/", ["a.example.com"], {"allow_hosts": ("wiki.corp:3000",)}, False),
        ("http://wiki.corp:3000/", ["wiki.corp"], {"allow_hosts": ("wiki.corp:3000",)}, True),
        ("http://10.0.0.1/", ["10.0.0.1"], {}, False),
    ],
)
def test_a_narrowed_policy_lets_through_what_both_do(
    url: str, domains: list[str], settings: dict[str, tuple[str, ...]], *, verdict: bool
) -> None:
    assert allowed(url, domains, **settings) is verdict
