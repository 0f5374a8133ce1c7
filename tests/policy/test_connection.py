"""A connection is judged by its two ends before a byte is sent."""

import pytest

from webseam.kernel.policy import (
    Policy,
    PolicySettings,
    judge_connection,
    make_policy,
    parse_target,
)
from webseam.ports import UrlDenied

PUBLIC = parse_target("https://example.com/").unwrap()
LITERAL = parse_target("https://1.1.1.1/").unwrap()


def test_a_connection_to_the_checked_address_is_fine() -> None:
    ends = ("192.168.1.2", "1.1.1.1")

    assert judge_connection(PUBLIC, "1.1.1.1", ends, Policy()) is None


def test_the_same_address_in_another_spelling_is_the_same() -> None:
    ends = ("fd00::2", "2606:4700:0:0::1")

    assert judge_connection(PUBLIC, "2606:4700::1", ends, Policy()) is None


@pytest.mark.parametrize("theirs", ["10.0.0.1", "1.1.1.2", "", "fe80::1%eth0"])
def test_a_connection_to_any_other_address_is_denied(theirs: str) -> None:
    refusal = judge_connection(PUBLIC, "1.1.1.1", ("192.168.1.2", theirs), Policy())

    assert refusal == UrlDenied(rule="ambiguous", stage="dns", url="https://example.com/")


def test_an_address_that_is_no_address_is_denied() -> None:
    assert judge_connection(PUBLIC, "x", ("y", "x"), Policy()) is not None


def test_this_machines_own_public_address_is_denied() -> None:
    ends = ("1.1.1.1", "1.1.1.1")

    by_name = judge_connection(PUBLIC, "1.1.1.1", ends, Policy())
    literal = judge_connection(LITERAL, "1.1.1.1", ends, Policy())

    assert by_name == UrlDenied(
        rule="self_connection",
        stage="dns",
        setting="policy.allow_hosts: [example.com]",
        url="https://example.com/",
    )
    assert literal is not None
    assert literal.setting == "policy.allow_private: [1.1.1.1/32:443]"


@pytest.mark.parametrize(
    "settings",
    [
        PolicySettings(allow_private=("1.1.1.1/32:443",)),
        PolicySettings(allow_hosts=("example.com",)),
    ],
)
def test_this_machine_may_be_allowed(settings: PolicySettings) -> None:
    policy = make_policy(settings).unwrap()

    assert judge_connection(PUBLIC, "1.1.1.1", ("1.1.1.1", "1.1.1.1"), policy) is None


@pytest.mark.parametrize("ours", ["1.0.0.1", "93.184.216.35", "fd00::1"])
def test_any_other_end_of_ours_is_fine(ours: str) -> None:
    ends = (ours, "93.184.216.34")

    assert judge_connection(PUBLIC, "93.184.216.34", ends, Policy()) is None
