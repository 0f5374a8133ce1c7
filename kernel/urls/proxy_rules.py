"""Which proxy a call goes through: one that the user named, unless the host is exempt.

``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` as curl reads them, in both cases;
a setting of our own comes first. Loopback is never proxied.
"""

import base64
import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured
from ...ports.proxies import Proxy
from ...ports.secrets import Secret
from .service_endpoints import is_loopback

PROXY_SETTING = "proxy"
NO_PROXY = "none"
_NO_PROXY = "no_proxy"
# A web server hands a request's "Proxy:" header to its scripts as HTTP_PROXY (CVE-2016-5385).
_IN_A_SCRIPT = "REQUEST_METHOD"
_DEFAULT_PROXY_PORT = 80
_OTHER_KIND = "Only proxies that are spoken to by http:// can be used here, not this one"
_UNREADABLE = "The proxy's address cannot be read; it is http://host:port"


class NamedProxy(NamedTuple):
    """A proxy as it was written, and where. The text may hold a password."""

    setting: str
    text: Secret


class ProxyRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which proxy is for which scheme, and who is exempt."""

    http: NamedProxy | None = None
    https: NamedProxy | None = None
    exempt: tuple[str, ...] = ()


def read_proxy_rules(setting: Secret, variables: Mapping[str, str]) -> ProxyRules:
    """Return the rules: the setting for everything, else the variables; ``none`` is no proxy."""
    exempt = _variable(variables, _NO_PROXY)
    hosts = tuple(part for part in (exempt.text.reveal() if exempt else "").split(",") if part)
    written = setting.reveal().strip()
    if written.lower() == NO_PROXY:
        return ProxyRules()
    if written:
        own = NamedProxy(PROXY_SETTING, Secret(written))
        return ProxyRules(http=own, https=own, exempt=hosts)
    return ProxyRules(
        http=_variable(variables, "http_proxy") or _variable(variables, "all_proxy"),
        https=_variable(variables, "https_proxy") or _variable(variables, "all_proxy"),
        exempt=hosts,
    )


def proxy_for(
    rules: ProxyRules, scheme: str, host: str, port: int
) -> Result[Proxy | None, NotConfigured]:
    """Return the proxy for a call, None when it goes there by itself, or what is wrong with it."""
    named = rules.https if scheme == "https" else rules.http
    if named is None or is_loopback(host) or _is_exempt(host, port, rules.exempt):
        return Success(None)
    return _parsed(named)


def _variable(variables: Mapping[str, str], name: str) -> NamedProxy | None:
    for spelling in (name, name.upper()):
        text = variables.get(spelling, "").strip()
        if text and not (spelling == "HTTP_PROXY" and _IN_A_SCRIPT in variables):
            return NamedProxy(spelling, Secret(text))
    return None


def _parsed(named: NamedProxy) -> Result[Proxy | None, NotConfigured]:
    text = named.text.reveal()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return _unusable(named, _UNREADABLE)
    if parts.scheme.lower() != "http":
        return _unusable(named, _OTHER_KIND)
    if not host:
        return _unusable(named, _UNREADABLE)
    credentials = Secret(_basic(parts.username, parts.password))
    return Success(
        Proxy(
            host=host,
            port=port or _DEFAULT_PROXY_PORT,
            credentials=credentials,
            setting=named.setting,
        )
    )


def _unusable(named: NamedProxy, reason: str) -> Failure[NotConfigured]:
    remedy = f"Change {named.setting}, which names it."
    return Failure(NotConfigured(settings=(named.setting,), reason=reason, remedy=remedy))


def _basic(user: str | None, password: str | None) -> str:
    """Return what the header says: RFC 7617, in UTF-8."""
    if not user and not password:
        return ""
    pair = f"{unquote(user or '')}:{unquote(password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _is_exempt(host: str, port: int, exempt: tuple[str, ...]) -> bool:
    return any(_matches(entry.strip().lower(), host.lower(), port) for entry in exempt)


def _matches(entry: str, host: str, port: int) -> bool:
    """Tell whether an entry means a host: itself, all below it, a range of addresses, or all.

    >>> [_matches("a.example", host, 443) for host in ("a.example", "b.a.example", "ba.example")]
    [True, True, False]
    >>> _matches("10.0.0.0/8", "10.1.2.3", 80), _matches("a.example:8080", "a.example", 443)
    (True, False)
    """
    name, colon, wanted = entry.rpartition(":")
    if colon and wanted.isdecimal() and name.count(":") == 0:
        return wanted == str(port) and _matches(name, host, port)
    if entry == "*":
        return True
    try:
        address = ipaddress.ip_address(host)
        return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        name = entry.removeprefix("*").removeprefix(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
