"""The policy: which URLs may be fetched. The default is the public web on its usual ports.

Every opt-out names exact hosts or ranges, and none of them opens a metadata service.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured
from ...ports.targets import Target
from ..text import shown
from .addresses import Address
from .openings import (
    AddressRange,
    join_port,
    read_domain,
    read_host,
    read_port,
    read_portless_range,
    read_proxy,
    read_range,
)

WEB_PORTS = (80, 443, 8000, 8008, 8080, 8443, 8888)

Nat64: TypeAlias = Literal["deny", "decode"]


class PolicySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``fetch`` that say what may be fetched, as people write them.

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
    >>> make_policy(PolicySettings(deny_domains=("exa mple",))).failure().setting
    'policy.deny_domains'
    """
    given: dict[str, Any] = msgspec.structs.asdict(settings)
    for name, reader in _READERS.items():
        read = tuple(map(reader, given[name]))
        if None in read:
            return Failure(_unreadable(name, given[name][read.index(None)]))
        given[name] = read
    if settings.proxy is not None:
        given["proxy"] = read_proxy(settings.proxy)
        if given["proxy"] is None:
            return Failure(NotConfigured(setting="policy.proxy", reason=_NO_PROXY))
    return Success(Policy(**given))


def opens_host(policy: Policy, target: Target) -> bool:
    """Tell whether the target's exact host is allowed, on its port."""
    if join_port(target.host, target.port) in policy.allow_hosts:
        return True
    return target.host in policy.allow_hosts and target.port in policy.ports


def opens_address(policy: Policy, address: Address, port: int) -> bool:
    """Tell whether ``address`` is in a range that is allowed, on that port."""
    return any(
        span.holds(address) and (port in policy.ports if span.port is None else port == span.port)
        for span in policy.allow_private
    )


def opens_port(policy: Policy, port: int) -> bool:
    """Tell whether anything at all may be fetched from ``port``.

    A range's own port counts only where the addresses of a name are seen, so not behind a proxy.
    """
    if port in policy.ports:
        return True
    return policy.proxy is None and any(span.port == port for span in policy.allow_private)


def _unreadable(name: str, entry: object) -> NotConfigured:
    quoted = shown(entry) if isinstance(entry, str) else str(entry)
    reason = f"{quoted} in policy.{name} is not {_EXPECTED[name]}"
    return NotConfigured(setting=f"policy.{name}", reason=reason)


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
