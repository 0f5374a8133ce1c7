"""Define the policy: which URLs may be fetched. The default is the public web on web ports.

Every opt-out names exact hosts or ranges, and none of them allows a metadata service.
"""

import ipaddress
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import NotConfigured
from webseam.ports.targets import FILE_HOST, Target
from webseam.ports.text import lazy_pattern

from ..text.display import quote_value
from ..urls.url_parsing import canonical_host, parse_target
from .address_ranges import NumericAddress, read_address

MAX_PORT = 65_535
# A host with colons of its own must be in brackets.
_HOST_PORT_PATTERN = lazy_pattern(r"(?:\[([^\[\]]+)\]|([^:\[\]]+)):([0-9]{1,5})")
WEB_PORTS = (80, 443, 8000, 8008, 8080, 8443, 8888)
# Do not repeat the value: it may hold a password.
_PROXY_REASON = "The proxy is not of the form http://host:port, without a user name"


class AddressRange(msgspec.Struct, frozen=True):
    """Addresses from ``first`` to ``last``, on one port or on every web port."""

    bits: int
    first: int
    last: int
    port: int | None = None

    def contains(self, address: NumericAddress) -> bool:
        """Tell whether ``address`` is in the range."""
        return address.bits == self.bits and self.first <= address.number <= self.last


def read_ip_range(entry: str) -> AddressRange | None:
    """Read a range of addresses with an optional port; None if it is invalid.

    >>> addresses = read_ip_range("[fd00::/8]:8080")
    >>> addresses is not None
    True
    >>> addresses.port
    8080
    >>> read_ip_range("10.0.0.1/8")
    """
    text, port = _split_port(entry)
    if port is not None and read_policy_port(port) is None:
        return None
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        return None
    return AddressRange(network.max_prefixlen, int(network[0]), int(network[-1]), port)


def read_portless_range(entry: str) -> AddressRange | None:
    """Read a range of addresses for every web port; None if it names a port."""
    span = read_ip_range(entry)
    return None if span is None or span.port is not None else span


def read_policy_host(entry: str) -> str | None:
    """Read an exact host with an optional port, in canonical spelling; None if it is invalid.

    >>> tuple(map(read_policy_host, ("Wiki.corp:3000", "*.corp")))
    ('wiki.corp:3000', None)
    """
    text, port = _split_port(entry)
    host = _canonical_entry_host(text.removeprefix("[").removesuffix("]"))
    if host is None or port is None:
        return host
    return None if read_policy_port(port) is None else join_host_port(host, port)


def read_policy_domain(entry: str) -> str | None:
    """Read a domain, which includes its subdomains; None if it is invalid.

    >>> read_policy_domain("*.Example.com")
    'example.com'
    >>> read_policy_domain("https://example.com")
    """
    return _canonical_entry_host(entry.removeprefix("*").removeprefix("."))


def read_policy_port(entry: int) -> int | None:
    """Read a port: 1 to 65535."""
    return entry if 0 < entry <= MAX_PORT else None


def read_policy_proxy(entry: str) -> Target | None:
    """Read a proxy of the form ``http://host:port``; None for anything else.

    >>> proxy = read_policy_proxy("http://proxy.corp:3128")
    >>> proxy is not None
    True
    >>> proxy.port
    3128
    >>> read_policy_proxy("http://me:secret@proxy.corp:3128")
    """
    proxy = parse_target(entry).value_or(None)
    if proxy is None:
        return None
    canonical = f"http://{join_host_port(proxy.host, proxy.port)}"
    return proxy if entry.lower().removesuffix("/") == canonical else None


def join_host_port(host: str, port: int) -> str:
    """Write host and port together.

    >>> join_host_port("fd00::1/128", 80)
    '[fd00::1/128]:80'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _split_port(entry: str) -> tuple[str, int | None]:
    parts = _HOST_PORT_PATTERN.fullmatch(entry)
    return (entry, None) if parts is None else (parts[1] or parts[2], int(parts[3]))


def _canonical_entry_host(text: str) -> str | None:
    if read_address(text) is not None:
        return str(ipaddress.ip_address(text))
    return canonical_host(text)


Nat64: TypeAlias = Literal["deny", "decode"]
Follow: TypeAlias = Literal["any", "seen", "cache"]


class PolicySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``policy`` that say what may be fetched, as the user writes them.

    ``allow_private`` allows ranges that are not public, ``allow_hosts`` exact hosts with any
    address; an entry with a port allows only that port. ``fake_ip_ranges`` are addresses that a VPN
    resolves names to. ``deny_domains`` takes precedence; a nonempty ``allow_domains`` restricts
    fetches to those and ``allow_hosts``. ``nat64 = "decode"`` judges NAT64 addresses by the IPv4
    address inside, for networks whose name server makes them. ``proxy`` is ``http://host:port``,
    which then resolves and dials for us. ``follow = "seen"`` lets a session read only URLs that it
    was shown, and ``"cache"`` reads and searches only what is stored.
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
    follow: Follow = "any"


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed ``PolicySettings``; ``make_policy`` makes one."""

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
    follow: Follow = "any"


_DOMAIN_ENTRY = (read_policy_domain, "a domain such as example.com")
# The reader of each setting's entries, and what an entry must be.
_ENTRY_READERS: dict[str, tuple[Callable[[Any], object | None], str]] = {
    "ports": (read_policy_port, "a port"),
    "allow_private": (
        read_ip_range,
        "a range of addresses such as 10.1.2.0/24 or 10.1.2.0/24:8080",
    ),
    "allow_hosts": (read_policy_host, "a host such as wiki.corp or wiki.corp:3000"),
    "fake_ip_ranges": (read_portless_range, "a range of addresses such as 198.18.0.0/15"),
    "allow_domains": _DOMAIN_ENTRY,
    "deny_domains": _DOMAIN_ENTRY,
}


def make_policy(settings: PolicySettings) -> Result[Policy, NotConfigured]:
    """Parse the settings; an entry that cannot be read is an error and allows nothing.

    >>> make_policy(PolicySettings(allow_private=("10.1.2.0/24:8080",))).unwrap().ports[:2]
    (80, 443)
    >>> make_policy(PolicySettings(deny_domains=("exa mple",))).failure().settings
    ('policy.deny_domains',)
    """
    entries: dict[str, Any] = msgspec.structs.asdict(settings)
    for name, (reader, _) in _ENTRY_READERS.items():
        parsed = tuple(map(reader, entries[name]))
        if None in parsed:
            return Failure(_entry_error(name, entries[name][parsed.index(None)]))
        entries[name] = parsed
    if settings.proxy is not None:
        entries["proxy"] = read_policy_proxy(settings.proxy)
        if entries["proxy"] is None:
            return Failure(NotConfigured(settings=("policy.proxy",), reason=_PROXY_REASON))
    return Success(Policy(**entries))


def allow_files(policy: Policy) -> Policy:
    """Return the policy for a backend that reads this user's files and fetches nothing."""
    return msgspec.structs.replace(policy, allow_hosts=(*policy.allow_hosts, FILE_HOST))


def allows_host(policy: Policy, target: Target) -> bool:
    """Tell whether ``allow_hosts`` has the target's exact host, on its port."""
    if join_host_port(target.host, target.port) in policy.allow_hosts:
        return True
    return target.host in policy.allow_hosts and target.port in policy.ports


def allows_address(policy: Policy, address: NumericAddress, port: int) -> bool:
    """Tell whether ``allow_private`` has ``address``, on that port."""
    return any(
        span.contains(address)
        and (port in policy.ports if span.port is None else port == span.port)
        for span in policy.allow_private
    )


def allows_port(policy: Policy, port: int) -> bool:
    """Tell whether any host may be fetched from ``port``.

    The port of a range counts only without a proxy, because a proxy hides the addresses of names.
    """
    if port in policy.ports:
        return True
    return policy.proxy is None and any(span.port == port for span in policy.allow_private)


def _entry_error(name: str, entry: object) -> NotConfigured:
    quoted = quote_value(entry) if isinstance(entry, str) else str(entry)
    reason = f"{quoted} in policy.{name} is not {_ENTRY_READERS[name][1]}"
    return NotConfigured(settings=(f"policy.{name}",), reason=reason)
