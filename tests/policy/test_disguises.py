"""IPv4 addresses inside IPv6 ones: a cloud's metadata service is seen under each disguise."""

import ipaddress

import pytest

from webseam.kernel.policy.address_ranges import is_metadata_ip, nat64_ipv4, read_address

PUBLIC = int(ipaddress.ip_address("93.184.216.34"))
METADATA = int(ipaddress.ip_address("169.254.169.254"))
OPERATOR = 0x2A00_1234_5678_9ABC << 64  # somebody's own prefix, of 64 bits at most
PREFIXES = (32, 40, 48, 56, 64)


def behind(prefix: int, address: int = METADATA) -> int:
    """Write an IPv4 address behind a prefix of so many bits, as RFC 6052 does: around a gap."""
    high_bits = 64 - prefix
    low_bits = 32 - high_bits
    kept = OPERATOR >> (128 - prefix) << (128 - prefix)
    low = address & ((1 << low_bits) - 1)
    return kept | (address >> low_bits << 64) | (low << (56 - low_bits))


def is_disguise(number: int) -> bool:
    address = read_address(str(ipaddress.IPv6Address(number)))
    assert address is not None
    return is_metadata_ip(address)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_behind_a_prefix_of_any_allowed_length_it_is_seen(prefix: int) -> None:
    assert is_disguise(behind(prefix))
    assert not is_disguise(behind(prefix, PUBLIC))


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("bit", [56, 63])
def test_without_the_gap_that_must_be_zero_it_is_another_address(prefix: int, bit: int) -> None:
    assert not is_disguise(behind(prefix) | (1 << bit))


@pytest.mark.parametrize("prefix", PREFIXES)
def test_with_anything_behind_it_it_is_another_address(prefix: int) -> None:
    last = 56 - (32 - (64 - prefix))  # the bits that are left over

    for bit in {0, 1, last - 1}:
        assert not is_disguise(behind(prefix) | (1 << bit))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("2002:a9fe:a9fe::", True),
        ("2001:a9fe:a9fe::", False),
        ("2003:a9fe:a9fe::", False),
        ("2001:0:a9fe:a9fe::", True),
        ("2001:0:102:304:0:0:5601:5601", True),  # the client, with its bits turned over
        ("2001:1:a9fe:a9fe:ffff::", False),
        ("2000:ffff:a9fe:a9fe:ffff::", False),
        ("2000::ffff:5601:5601", False),
        ("2001:1::ffff:5601:5601", False),
    ],
)
def test_6to4_and_teredo_carry_it_under_their_own_prefixes_only(text: str, seen: bool) -> None:  # noqa: FBT001
    assert is_disguise(int(ipaddress.IPv6Address(text))) is seen


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("64:ff9b::", "0.0.0.0"),  # noqa: S104  nothing is bound
        ("64:ff9b::ffff:ffff", "255.255.255.255"),
        ("64:ff9b::1:203", "0.1.2.3"),
        ("64:ff9b::1:0:0", None),
        ("64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", None),
        ("1.1.1.1", None),
    ],
)
def test_a_well_known_nat64_address_stands_for_exactly_one(text: str, inside: str | None) -> None:
    address = read_address(text)
    assert address is not None

    assert nat64_ipv4(address) == (None if inside is None else read_address(inside))
