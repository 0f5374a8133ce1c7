"""Classify addresses: which ones are the public internet.

IPv4 is public except for a table of ranges. IPv6 is public only inside 2000::/3, except for another
table, and never with an embedded IPv4 address: a caller can write that address directly.
"""

import ipaddress
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from webseam.ports.errors import DenialRule

_IPV4_MASK = 0xFFFF_FFFF
_IPV4_BITS, _IPV6_BITS = 32, 128
# The upper half of an ISATAP interface identifier; one bit marks a globally unique address.
_ISATAP_MARKS = (0x0000_5EFE, 0x0200_5EFE)
_6TO4_PREFIX, _TEREDO_PREFIX = 0x2002, 0x2001_0000
# RFC 6052: the prefix lengths that embed an IPv4 address around a byte that must be zero.
_NAT64_PREFIX_BITS = (32, 40, 48, 56, 64)
_NAT64_GAP_BIT = 64


class AddressSpan(NamedTuple):
    """A range of addresses as numbers, both ends included, and the rule that denies it."""

    first: int
    last: int
    rule: DenialRule


def find_denial_rule(spans: tuple[AddressSpan, ...], number: int) -> DenialRule | None:
    """Return the rule of the first span that holds ``number``."""
    return next((rule for first, last, rule in spans if first <= number <= last), None)


def _ip_span(text: str, rule: DenialRule) -> AddressSpan:
    address, _, prefix = text.partition("/")
    first = ipaddress.ip_address(address)
    last = int(first) + 2 ** (first.max_prefixlen - int(prefix)) - 1
    return AddressSpan(int(first), last, rule)


# The first match counts, so special ranges precede general ones.
IPV4_DENIED = (
    _ip_span("0.0.0.0/32", "unspecified"),
    _ip_span("0.0.0.0/8", "reserved"),  # "this network"
    _ip_span("10.0.0.0/8", "private"),
    _ip_span("100.64.0.0/10", "shared"),
    _ip_span("127.0.0.0/8", "loopback"),
    _ip_span("169.254.0.0/16", "link_local"),
    _ip_span("172.16.0.0/12", "private"),
    _ip_span("192.0.0.0/24", "reserved"),  # IETF protocol assignments
    _ip_span("192.0.2.0/24", "documentation"),
    _ip_span("192.88.99.0/24", "reserved"),  # 6to4 relays, withdrawn
    _ip_span("192.168.0.0/16", "private"),
    _ip_span("198.18.0.0/15", "reserved"),  # benchmarking; VPNs hand out fake addresses from it
    _ip_span("198.51.100.0/24", "documentation"),
    _ip_span("203.0.113.0/24", "documentation"),
    _ip_span("224.0.0.0/4", "multicast"),
    _ip_span("240.0.0.0/4", "reserved"),
)
IPV6_DENIED = (
    _ip_span("::/128", "unspecified"),
    _ip_span("::1/128", "loopback"),
    _ip_span("::/96", "embedded"),  # IPv4-compatible
    _ip_span("::ffff:0:0/96", "embedded"),  # IPv4-mapped
    _ip_span("::ffff:0:0:0/96", "embedded"),  # IPv4-translated (SIIT)
    _ip_span("64:ff9b::/96", "embedded"),  # NAT64
    _ip_span("64:ff9b:1::/48", "embedded"),  # NAT64 for local use
    _ip_span("2001::/32", "embedded"),  # Teredo
    _ip_span("2001::/23", "reserved"),  # IETF protocol assignments
    _ip_span("2001:db8::/32", "documentation"),
    _ip_span("2002::/16", "embedded"),  # 6to4
    _ip_span("3fff::/20", "documentation"),
    _ip_span("fc00::/7", "private"),
    _ip_span("fe80::/10", "link_local"),
    _ip_span("fec0::/10", "private"),  # site-local, withdrawn
    _ip_span("ff00::/8", "multicast"),
    # Only 2000::/3 is allocated; everything else outside it is reserved.
    _ip_span("::/3", "reserved"),
    _ip_span("4000::/2", "reserved"),
    _ip_span("8000::/1", "reserved"),
)
# Metadata services, where clouds serve a machine's credentials. Some are public addresses.
IPV4_METADATA = (
    _ip_span("169.254.169.0/24", "metadata"),  # AWS, Azure, Google, Oracle, OpenStack and others
    _ip_span("169.254.170.0/24", "metadata"),  # AWS containers
    _ip_span("169.254.0.23/32", "metadata"),  # Tencent
    _ip_span("169.254.42.42/32", "metadata"),  # Scaleway
    _ip_span("100.100.100.200/32", "metadata"),  # Alibaba
    _ip_span("168.63.129.16/32", "metadata"),  # Azure
    _ip_span("192.0.0.192/32", "metadata"),  # Oracle
)
IPV6_METADATA = (
    _ip_span("fd00:ec2::/32", "metadata"),  # AWS
    _ip_span("fd20:ce::/64", "metadata"),  # Google
    _ip_span("fd00:42::42/128", "metadata"),  # Scaleway
    _ip_span("fd00:c1::/64", "metadata"),  # Oracle
)
NAT64 = _ip_span("64:ff9b::/96", "embedded")


class AddressVerdict(msgspec.Struct, frozen=True):
    """The class of an address: ``rule`` is why it is not public, None when it is."""

    rule: DenialRule | None

    @property
    def public(self) -> bool:
        """Whether it is an address on the public internet."""
        return self.rule is None


class NumericAddress(msgspec.Struct, frozen=True):
    """An address as a number: 32 bits or 128."""

    bits: int
    number: int


def classify_address(text: str) -> AddressVerdict:
    """Tell whether ``text`` is a public address; text that is no plain address is not.

    >>> classify_address("1.1.1.1").public
    True
    >>> classify_address("::ffff:1.1.1.1").rule
    'embedded'
    """
    address = read_address(text)
    return AddressVerdict("ambiguous" if address is None else ip_denial_rule(address))


def read_address(text: str) -> NumericAddress | None:
    """Read an address in its plain spelling; return None for a zone id or a short form."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.scope_id is not None:
        return None
    return NumericAddress(parsed.max_prefixlen, int(parsed))


def ip_denial_rule(address: NumericAddress) -> DenialRule | None:
    """Return why ``address`` is not public, None when it is."""
    if is_metadata_ip(address):
        return "metadata"
    if address.bits == _IPV4_BITS:
        return find_denial_rule(IPV4_DENIED, address.number)
    if (address.number >> 32) & _IPV4_MASK in _ISATAP_MARKS:
        return "embedded"
    return find_denial_rule(IPV6_DENIED, address.number)


def is_metadata_ip(address: NumericAddress) -> bool:
    """Tell whether an address reaches a cloud's metadata service, also embedded in IPv6.

    A network's local NAT64 prefix is unknown, so check every possible prefix.
    """
    if address.bits == _IPV4_BITS:
        return find_denial_rule(IPV4_METADATA, address.number) is not None
    if find_denial_rule(IPV6_METADATA, address.number):
        return True
    return any(find_denial_rule(IPV4_METADATA, ipv4) for ipv4 in _embedded_ipv4(address.number))


def nat64_ipv4(address: NumericAddress) -> NumericAddress | None:
    """Return the IPv4 address inside a well-known NAT64 address, else None."""
    if address.bits == _IPV6_BITS and NAT64.first <= address.number <= NAT64.last:
        return NumericAddress(_IPV4_BITS, address.number & _IPV4_MASK)
    return None


def _embedded_ipv4(number: int) -> Iterator[int]:
    """Yield each IPv4 address that an IPv6 address may embed."""
    yield number & _IPV4_MASK  # mapped, compatible, translated, NAT64, ISATAP
    if number >> 112 == _6TO4_PREFIX:
        yield (number >> 80) & _IPV4_MASK
    if number >> 96 == _TEREDO_PREFIX:
        yield (number >> 64) & _IPV4_MASK  # its server
        yield (number & _IPV4_MASK) ^ _IPV4_MASK
    for prefix in _NAT64_PREFIX_BITS:
        yield from _ipv4_behind_nat64_prefix(number, prefix)


def _ipv4_behind_nat64_prefix(number: int, prefix: int) -> Iterator[int]:
    high_bits = _NAT64_GAP_BIT - prefix
    low_bits = _IPV4_BITS - high_bits
    lower_half = number & ((1 << (_IPV6_BITS - _NAT64_GAP_BIT)) - 1)
    unused_bits = 56 - low_bits
    if lower_half >> 56 == 0 and lower_half & ((1 << unused_bits) - 1) == 0:
        high = (number >> _NAT64_GAP_BIT) & ((1 << high_bits) - 1)
        yield (high << low_bits) | (lower_half >> unused_bits)
