"""Addresses: which ones are the public internet.

IPv4 is public but for a table of ranges. IPv6 is public only inside 2000::/3, but for another, and
never with an IPv4 address inside: who means that address can write it.
"""

import ipaddress
from collections.abc import Iterator
from ipaddress import ip_network
from typing import NamedTuple

import msgspec

from ...ports.errors import DenialRule


class AddressSpan(NamedTuple):
    """A range of addresses as numbers, both ends included, and what it is for."""

    first: int
    last: int
    rule: DenialRule


def find_rule(spans: tuple[AddressSpan, ...], number: int) -> DenialRule | None:
    """Return the rule of the first span that holds ``number``."""
    return next((rule for first, last, rule in spans if first <= number <= last), None)


def _span(text: str, rule: DenialRule) -> AddressSpan:
    network = ip_network(text)
    return AddressSpan(int(network[0]), int(network[-1]), rule)


# The first match counts, so the special stands before the general.
IPV4_DENIED = (
    _span("0.0.0.0/32", "unspecified"),
    _span("0.0.0.0/8", "reserved"),  # "this network"
    _span("10.0.0.0/8", "private"),
    _span("100.64.0.0/10", "shared"),
    _span("127.0.0.0/8", "loopback"),
    _span("169.254.0.0/16", "link_local"),
    _span("172.16.0.0/12", "private"),
    _span("192.0.0.0/24", "reserved"),  # IETF protocol assignments
    _span("192.0.2.0/24", "documentation"),
    _span("192.88.99.0/24", "reserved"),  # 6to4 relays, withdrawn
    _span("192.168.0.0/16", "private"),
    _span("198.18.0.0/15", "reserved"),  # benchmarking; VPNs hand out fake addresses from it
    _span("198.51.100.0/24", "documentation"),
    _span("203.0.113.0/24", "documentation"),
    _span("224.0.0.0/4", "multicast"),
    _span("240.0.0.0/4", "reserved"),
)
IPV6_DENIED = (
    _span("::/128", "unspecified"),
    _span("::1/128", "loopback"),
    _span("::/96", "embedded"),  # IPv4-compatible
    _span("::ffff:0:0/96", "embedded"),  # IPv4-mapped
    _span("::ffff:0:0:0/96", "embedded"),  # IPv4-translated (SIIT)
    _span("64:ff9b::/96", "embedded"),  # NAT64
    _span("64:ff9b:1::/48", "embedded"),  # NAT64 for local use
    _span("2001::/32", "embedded"),  # Teredo
    _span("2001::/23", "reserved"),  # IETF protocol assignments
    _span("2001:db8::/32", "documentation"),
    _span("2002::/16", "embedded"),  # 6to4
    _span("3fff::/20", "documentation"),
    _span("fc00::/7", "private"),
    _span("fe80::/10", "link_local"),
    _span("fec0::/10", "private"),  # site-local, withdrawn
    _span("ff00::/8", "multicast"),
    # Only 2000::/3 is handed out; whatever is not named above and lies outside it is reserved.
    _span("::/3", "reserved"),
    _span("4000::/2", "reserved"),
    _span("8000::/1", "reserved"),
)
# Where clouds serve a machine its own credentials. Some are public addresses.
IPV4_METADATA = (
    _span("169.254.169.0/24", "metadata"),  # AWS, Azure, Google, Oracle, OpenStack and others
    _span("169.254.170.0/24", "metadata"),  # AWS containers
    _span("169.254.0.23/32", "metadata"),  # Tencent
    _span("169.254.42.42/32", "metadata"),  # Scaleway
    _span("100.100.100.200/32", "metadata"),  # Alibaba
    _span("168.63.129.16/32", "metadata"),  # Azure
    _span("192.0.0.192/32", "metadata"),  # Oracle
)
IPV6_METADATA = (
    _span("fd00:ec2::/32", "metadata"),  # AWS
    _span("fd20:ce::/64", "metadata"),  # Google
    _span("fd00:42::42/128", "metadata"),  # Scaleway
    _span("fd00:c1::/64", "metadata"),  # Oracle
)
NAT64 = _span("64:ff9b::/96", "embedded")


_LOW_32 = 0xFFFF_FFFF
_IPV4_BITS, _IPV6_BITS = 32, 128
# The upper half of an ISATAP interface identifier; one bit says whether the address is unique.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
_6TO4, _TEREDO = 0x2002, 0x2001_0000
# RFC 6052: an address inside a prefix of that many bits, around a byte that must be zero.
_NAT64_PREFIXES = (32, 40, 48, 56, 64)
_NAT64_GAP = 64


class AddressVerdict(msgspec.Struct, frozen=True):
    """What an address is: ``rule`` is why it is not public, None when it is."""

    rule: DenialRule | None

    @property
    def public(self) -> bool:
        """Whether it is an address on the public internet."""
        return self.rule is None


class NumericAddress(NamedTuple):
    """An address as a number: 32 bits or 128."""

    bits: int
    number: int


def classify_address(text: str) -> AddressVerdict:
    """Say whether ``text`` is a public address. What is not plainly an address is not public.

    >>> classify_address("1.1.1.1").public, classify_address("::ffff:1.1.1.1").rule
    (True, 'embedded')
    """
    address = read_address(text)
    return AddressVerdict("ambiguous" if address is None else rule_against(address))


def read_address(text: str) -> NumericAddress | None:
    """Read an address in its plain spelling; a zone id or a short form is None."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.scope_id is not None:
        return None
    return NumericAddress(parsed.max_prefixlen, int(parsed))


def rule_against(address: NumericAddress) -> DenialRule | None:
    """Return why ``address`` is not public, None when it is."""
    if is_metadata(address):
        return "metadata"
    if address.bits == _IPV4_BITS:
        return find_rule(IPV4_DENIED, address.number)
    if (address.number >> 32) & _LOW_32 in _ISATAP:
        return "embedded"
    return find_rule(IPV6_DENIED, address.number)


def is_metadata(address: NumericAddress) -> bool:
    """Tell whether a cloud's metadata service answers there, under any IPv6 disguise.

    A network's own NAT64 prefix cannot be known, so the disguises are looked for under all.
    """
    if address.bits == _IPV4_BITS:
        return find_rule(IPV4_METADATA, address.number) is not None
    if find_rule(IPV6_METADATA, address.number):
        return True
    return any(find_rule(IPV4_METADATA, inside) for inside in _disguised(address.number))


def inside_nat64(address: NumericAddress) -> NumericAddress | None:
    """Return the IPv4 address that a well-known NAT64 address stands for."""
    if address.bits == _IPV6_BITS and NAT64.first <= address.number <= NAT64.last:
        return NumericAddress(_IPV4_BITS, address.number & _LOW_32)
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
