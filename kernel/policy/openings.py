"""The policy's entries, as people write them: ranges, hosts, domains, ports, the proxy."""

import ipaddress
import re

import msgspec

from ...ports.targets import Target
from .addresses import Address, read_address
from .names import canonical_name
from .parse import parse_target

LARGEST_PORT = 65_535

# What stands before the port has colons of its own only inside brackets.
_WITH_PORT = re.compile(r"(?:\[([^\[\]]+)\]|([^:\[\]]+)):([0-9]{1,5})")


class AddressRange(msgspec.Struct, frozen=True):
    """Addresses from ``first`` to ``last``, on one port or on every web port."""

    bits: int
    first: int
    last: int
    port: int | None = None

    def holds(self, address: Address) -> bool:
        """Tell whether ``address`` is in the range."""
        return address.bits == self.bits and self.first <= address.number <= self.last


def read_range(entry: str) -> AddressRange | None:
    """Read a range of addresses with an optional port.

    >>> read_range("[fd00::/8]:8080").port, read_range("10.0.0.1/8")
    (8080, None)
    """
    text, port = _split(entry)
    if port is not None and read_port(port) is None:
        return None
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        return None
    return AddressRange(network.max_prefixlen, int(network[0]), int(network[-1]), port)


def read_portless_range(entry: str) -> AddressRange | None:
    """Read a range of addresses that holds for every web port."""
    span = read_range(entry)
    return None if span is None or span.port is not None else span


def read_host(entry: str) -> str | None:
    """Read an exact host with an optional port, in the spelling that targets have.

    >>> read_host("Wiki.corp:3000"), read_host("[FD00::1]:80"), read_host("*.corp")
    ('wiki.corp:3000', '[fd00::1]:80', None)
    """
    text, port = _split(entry)
    host = _canonical_host(text.removeprefix("[").removesuffix("]"))
    if host is None or port is None:
        return host
    return None if read_port(port) is None else join_port(host, port)


def read_domain(entry: str) -> str | None:
    """Read a domain; it stands for itself and everything below it.

    >>> read_domain("*.Example.com"), read_domain("https://example.com")
    ('example.com', None)
    """
    return _canonical_host(entry.removeprefix("*").removeprefix("."))


def read_port(entry: int) -> int | None:
    """Read a port: 1 to 65535."""
    return entry if 0 < entry <= LARGEST_PORT else None


def read_proxy(entry: str) -> Target | None:
    """Read a proxy, which is ``http://host:port`` and nothing more.

    >>> read_proxy("http://proxy.corp:3128").port, read_proxy("http://me:secret@proxy.corp:3128")
    (3128, None)
    """
    proxy = parse_target(entry).value_or(None)
    if proxy is None:
        return None
    plain = f"http://{join_port(proxy.host, proxy.port)}"
    return proxy if entry.lower().removesuffix("/") == plain else None


def join_port(host: str, port: int) -> str:
    """Write host and port together.

    >>> join_port("fd00::1/128", 80)
    '[fd00::1/128]:80'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _split(entry: str) -> tuple[str, int | None]:
    parts = _WITH_PORT.fullmatch(entry)
    return (entry, None) if parts is None else (parts[1] or parts[2], int(parts[3]))


def _canonical_host(text: str) -> str | None:
    if read_address(text) is not None:
        return str(ipaddress.ip_address(text))
    return canonical_name(text)
