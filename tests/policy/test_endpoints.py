"""Addresses of services and models: public ones, and private ones that the user wrote down."""

import pytest
from returns.result import Success

from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.kernel.policy.judge import judge_endpoint


@pytest.mark.parametrize(
    ("origin", "addresses", "own", "rule"),
    [
        ("https://api.example", ["93.184.216.34"], False, None),
        ("https://api.example:9999", ["93.184.216.34"], False, None),
        ("https://api.example", ["10.0.0.1"], False, "private"),
        ("https://api.example", ["93.184.216.34", "10.0.0.1"], False, "private"),
        ("https://api.example", ["127.0.0.1"], False, "loopback"),
        ("https://api.example", ["100.64.0.1"], False, "shared"),
        ("https://search.corp", ["10.0.0.1"], True, None),
        ("http://searx_ng:8080", ["172.18.0.3"], True, None),
        ("http://192.168.1.5:8080", ["192.168.1.5"], True, None),
        ("http://192.168.1.5:8080", ["192.168.1.5"], False, "private"),
        ("http://localhost:4000", ["127.0.0.1", "::1"], False, None),
        ("http://127.0.0.1:4000", ["127.0.0.1"], False, None),
        ("http://169.254.169.254", ["169.254.169.254"], True, "metadata"),
        ("http://mine.corp", ["169.254.169.254"], True, "metadata"),
        ("http://0x7f.1", ["127.0.0.1"], True, "ambiguous"),
    ],
)
def test_an_endpoint_is_public_unless_the_user_wrote_it_down(
    origin: str, addresses: list[str], rule: str | None, *, own: bool
) -> None:
    judged = judge_endpoint(origin, addresses, Policy(), is_user_written=own)

    if rule is None:
        assert judged == Success(tuple(addresses))
    else:
        denial = judged.failure()
        assert getattr(denial, "rule", None) == rule


def test_the_refusal_names_the_setting_that_opens_the_endpoint() -> None:
    denial = judge_endpoint(
        "https://api.example", ["10.0.0.1"], Policy(), is_user_written=False
    ).failure()
    policy = make_policy(PolicySettings(allow_hosts=("api.example",))).unwrap()

    assert getattr(denial, "setting", None) == "policy.allow_hosts: [api.example]"
    assert judge_endpoint(
        "https://api.example", ["10.0.0.1"], policy, is_user_written=False
    ) == Success(("10.0.0.1",))


def test_a_vpn_that_makes_up_addresses_is_opened_for_services_as_for_pages() -> None:
    policy = make_policy(PolicySettings(fake_ip_ranges=("198.18.0.0/15",))).unwrap()

    judged = judge_endpoint("https://api.example", ["198.18.0.7"], policy, is_user_written=False)

    assert judged == Success(("198.18.0.7",))
