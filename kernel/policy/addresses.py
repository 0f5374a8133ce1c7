"""Addresses: which ones are the public internet.

IPv4 is public but for a table of ranges. IPv6 is public only inside 2000::/3, but for another, and
never with an IPv4 address inside: who means that address can write it.
"""

import ipaddress
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ...ports.errors import DenialRule
from .ranges import IPV4_DENIED, IPV4_METADATA, IPV6_DENIED, IPV6_METADATA, NAT64, find

_LOW_32 = 0xFFFF_FFFF
_IPV4_BITS, _IPV6_BITS = 32, 128
# The upper half of an ISATAP interface identifier; one bit says whether the address is unique.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
_6TO4, _TEREDO = 0x2002, 0x2001_0000
# RFC 6052: an address inside a prefix of that many bits, around a byte that must be zero.
_NAT64_PREFIXES = (32, 40, 48, 56, 64)
_NAT64_GAP = 64


class Verdict(msgspec.Struct, frozen=True):
    """What an address is: ``rule`` is why it is not public, None when it is."""

    rule: DenialRule | None

    @property
    def public(self) -> bool:
        """Whether it is an address on the public internet."""
        return self.rule is None


class Address(NamedTuple):
    """An address as a number: 32 bits or 128."""

    bits: int
    number: int


def classify_address(text: str) -> Verdict:
    """Say whether ``text`` is a public address. What is not plainly an address is not public.

    >>> classify_address("1.1.1.1").public, classify_address("::ffff:1.1.1.1").rule
    (True, 'embedded')
    """
    address = read_address(text)
    return Verdict("ambiguous" if address is None else rule_against(address))


def read_address(text: str) -> Address | None:
    """Read an address in its plain spelling; a zone id or a short form is None."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.scope_id is not None:
        return None
    return Address(parsed.max_prefixlen, int(parsed))


def rule_against(address: Address) -> DenialRule | None:
    """Return why ``address`` is not public, None when it is."""
    if is_metadata(address):
        return "metadata"
    if address.bits == _IPV4_BITS:
        return find(IPV4_DENIED, address.number)
    if (address.number >> 32) & _LOW_32 in _ISATAP:
        return "embedded"
    return find(IPV6_DENIED, address.number)


def is_metadata(address: Address) -> bool:
    """Tell whether a cloud's metadata service answers there, under any IPv6 disguise.

    A network's own NAT64 prefix cannot be known, so the disguises are looked for under all.
    """
    if address.bits == _IPV4_BITS:
        return find(IPV4_METADATA, address.number) is not None
    if find(IPV6_METADATA, address.number):
        return True
    return any(find(IPV4_METADATA, inside) for inside in _disguised(address.number))


def inside_nat64(address: Address) -> Address | None:
    """Return the IPv4 address that a well-known NAT64 address stands for."""
    if address.bits == _IPV6_BITS and NAT64.first <= address.number <= NAT64.last:
        return Address(_IPV4_BITS, address.number & _LOW_32)
    return None


def _disguised(number: int) -> Iterator[int]:
    """Yield each IPv4 address that an IPv6 address may carry."""
    yield number & _LOW_32  # mapped, compatible, translated, NAT64, ISATAP
    if number >> 112 == _6TO4:
        yield (number >> 80) & _LOW_32
    if number >> 96 == _TEREDO:
        yield (number >> 64) & _LOW_32  # its server
        yield (number & _LOW_32) ^ _LOW_32
    for prefix in _NAT64_PREFIXES:
        yield from _behind_prefix(number, prefix)


def _behind_prefix(number: int, prefix: int) -> Iterator[int]:
    before = _NAT64_GAP - prefix
    after = _IPV4_BITS - before
    rest = number & ((1 << (_IPV6_BITS - _NAT64_GAP)) - 1)
    unused = 56 - after
    if rest >> 56 == 0 and rest & ((1 << unused) - 1) == 0:
        high = (number >> _NAT64_GAP) & ((1 << before) - 1)
        yield (high << after) | (rest >> unused)
