"""The policy: which URLs may be fetched. The default is the public web on its usual ports.

Every opt-out names exact hosts or ranges, and none of them opens a metadata service.
"""

import ipaddress
import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured
from ...ports.targets import FILE_HOST, Target
from ..text.display import quote_value
from ..urls.url_parsing import canonical_name, parse_target
from .address_ranges import NumericAddress, read_address

MAX_PORT = 65_535
# What stands before the port has colons of its own only inside brackets.
_WITH_PORT = re.compile(r"(?:\[([^\[\]]+)\]|([^:\[\]]+)):([0-9]{1,5})")


class AddressRange(msgspec.Struct, frozen=True):
    """Addresses from ``first`` to ``last``, on one port or on every web port."""

    bits: int
    first: int
    last: int
    port: int | None = None

    def holds(self, address: NumericAddress) -> bool:
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
    return entry if 0 < entry <= MAX_PORT else None


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


WEB_PORTS = (80, 443, 8000, 8008, 8080, 8443, 8888)
Nat64: TypeAlias = Literal["deny", "decode"]


class PolicySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``policy`` that say what may be fetched, as people write them.

    ``allow_private`` opens ranges that are not public, ``allow_hosts`` exact hosts, whatever their
    addresses are; an entry of either with a port opens that port and no other. ``fake_ip_ranges``
    is what a VPN answers names with. ``deny_domains`` wins over everything; when ``allow_domains``
    is not empty, only those and ``allow_hosts`` are fetched. ``nat64 = "decode"`` is for networks
    whose name server makes NAT64 addresses: they are judged by the IPv4 address inside. ``proxy``
    is ``http://host:port``, which then looks up and dials in our stead.
    """

    ports: tuple[int, ...] = WEB_PORTS
    allow_private: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    fake_ip_ranges: tuple[str, ...] = ()
    allow_domains: tuple[str, ...] = ()
    deny_domains: tuple[str, ...] = ()
    nat64: Nat64 = "deny"
    allow_downgrade: bool = False
    allow_credential_urls: bool = False
    proxy: str | None = None


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """``PolicySettings``, read. ``make_policy`` makes one."""

    ports: tuple[int, ...] = WEB_PORTS
    allow_private: tuple[AddressRange, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    fake_ip_ranges: tuple[AddressRange, ...] = ()
    allow_domains: tuple[str, ...] = ()
    deny_domains: tuple[str, ...] = ()
    nat64: Nat64 = "deny"
    allow_downgrade: bool = False
    allow_credential_urls: bool = False
    proxy: Target | None = None


_READERS: dict[str, Callable[[Any], object | None]] = {
    "ports": read_port,
    "allow_private": read_range,
    "allow_hosts": read_host,
    "fake_ip_ranges": read_portless_range,
    "allow_domains": read_domain,
    "deny_domains": read_domain,
}


def make_policy(settings: PolicySettings) -> Result[Policy, NotConfigured]:
    """Read the settings. An entry that cannot be read is an error, never an opening.

    >>> make_policy(PolicySettings(allow_private=("10.1.2.0/24:8080",))).unwrap().ports[:2]
    (80, 443)
    >>> make_policy(PolicySettings(deny_domains=("exa mple",))).failure().settings
    ('policy.deny_domains',)
    """
    entries: dict[str, Any] = msgspec.structs.asdict(settings)
    for name, reader in _READERS.items():
        parsed = tuple(map(reader, entries[name]))
        if None in parsed:
            return Failure(_unreadable(name, entries[name][parsed.index(None)]))
        entries[name] = parsed
    if settings.proxy is not None:
        entries["proxy"] = read_proxy(settings.proxy)
        if entries["proxy"] is None:
            return Failure(NotConfigured(settings=("policy.proxy",), reason=_NO_PROXY))
    return Success(Policy(**entries))


def allow_files(policy: Policy) -> Policy:
    """Return the policy for a backend that reads files of this user, and fetches nothing."""
    return msgspec.structs.replace(policy, allow_hosts=(*policy.allow_hosts, FILE_HOST))


def allows_host(policy: Policy, target: Target) -> bool:
    """Tell whether the target's exact host is allowed, on its port."""
    if join_port(target.host, target.port) in policy.allow_hosts:
        return True
    return target.host in policy.allow_hosts and target.port in policy.ports


def allows_address(policy: Policy, address: NumericAddress, port: int) -> bool:
    """Tell whether ``address`` is in a range that is allowed, on that port."""
    return any(
        span.holds(address) and (port in policy.ports if span.port is None else port == span.port)
        for span in policy.allow_private
    )


def allows_port(policy: Policy, port: int) -> bool:
    """Tell whether anything at all may be fetched from ``port``.

    A range's own port counts only where the addresses of a name are seen, so not behind a proxy.
    """
    if port in policy.ports:
        return True
    return policy.proxy is None and any(span.port == port for span in policy.allow_private)


def _unreadable(name: str, entry: object) -> NotConfigured:
    quoted = quote_value(entry) if isinstance(entry, str) else str(entry)
    reason = f"{quoted} in policy.{name} is not {_EXPECTED[name]}"
    return NotConfigured(settings=(f"policy.{name}",), reason=reason)


# What was written is not repeated: it may hold a password.
_NO_PROXY = "The proxy is not of the form http://host:port, without a user name"
_EXPECTED = {
    "ports": "a port",
    "allow_private": "a range of addresses such as 10.1.2.0/24 or 10.1.2.0/24:8080",
    "allow_hosts": "a host such as wiki.corp or wiki.corp:3000",
    "fake_ip_ranges": "a range of addresses such as 198.18.0.0/15",
    "allow_domains": "a domain such as example.com",
    "deny_domains": "a domain such as example.com",
}
