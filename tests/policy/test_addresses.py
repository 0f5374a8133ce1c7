"""Addresses: what is not plainly an address is not public."""

import pytest

from webseam.kernel.policy import AddressVerdict, classify_address


@pytest.mark.parametrize("text", ["1.1.1.1", "2606:4700::1", "2606:4700::ABCD"])
def test_an_address_outside_every_range_is_public(text: str) -> None:
    assert classify_address(text) == AddressVerdict(None)
    assert classify_address(text).public


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.1.1",
        "01.1.1.1",
        "1.1.1.1 ",
        "0x1.1.1.1",
        "::1%lo",
        "2606:4700::1%1",
        "[::1]",
        "a",
        "1.1.1.1/32",
    ],
)
def test_ambiguous_addresses_are_not_public(text: str) -> None:
    assert classify_address(text).rule == "ambiguous"
    assert not classify_address(text).public


def test_a_metadata_service_is_known_even_at_a_public_address() -> None:
    assert classify_address("168.63.129.16").rule == "metadata"
    assert classify_address("168.63.129.17").public
