"""The address table: every range that is not the public internet, and why.

Our own, because the standard library's properties differ between its patch levels and call 6to4,
NAT64 and site-local addresses global. From the IANA special-purpose registries, and stricter where
a range is assigned but serves no pages (192.0.0.0/24, 2001::/23).
"""

from ipaddress import ip_network
from typing import NamedTuple

from ...ports.errors import DenialRule


class Span(NamedTuple):
    """A range of addresses as numbers, both ends included, and what it is for."""

    first: int
    last: int
    rule: DenialRule


def find(spans: tuple[Span, ...], number: int) -> DenialRule | None:
    """Return the rule of the first span that holds ``number``."""
    return next((rule for first, last, rule in spans if first <= number <= last), None)


def _span(text: str, rule: DenialRule) -> Span:
    network = ip_network(text)
    return Span(int(network[0]), int(network[-1]), rule)


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
