"""Choose the proxy of a call: the configured one, unless the host is exempt.

``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY`` work as in curl, in both cases; the
``proxy`` setting takes precedence. Loopback is never proxied.
"""

import base64
import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import NotConfigured
from webseam.ports.secrets import Secret
from webseam.ports.targets import Proxy

from .service_endpoints import is_loopback

PROXY_SETTING = "proxy"
NO_PROXY = "none"
# A web server passes a request's "Proxy:" header to CGI scripts as HTTP_PROXY (CVE-2016-5385).
_CGI_VARIABLE = "REQUEST_METHOD"
_DEFAULT_PORT = 80
_SCHEME_REASON = "The address of a proxy must begin with http://"
_ADDRESS_REASON = "The proxy's address is not of the form http://host:port"


class NamedProxy(NamedTuple):
    """A proxy as written, and the setting it is from. The text may hold a password."""

    setting: str
    text: Secret


class ProxyRules(msgspec.Struct, frozen=True, kw_only=True):
    """The proxy for each scheme, and the exempt hosts."""

    http: NamedProxy | None = None
    https: NamedProxy | None = None
    exempt: tuple[str, ...] = ()


def read_proxy_rules(setting: Secret, variables: Mapping[str, str]) -> ProxyRules:
    """Return the rules: the setting for all schemes, else the variables; ``none`` is no proxy."""
    exempt = _find_variable(variables, "no_proxy")
    hosts = tuple(part for part in (exempt.text.reveal() if exempt else "").split(",") if part)
    written = setting.reveal().strip()
    if written.lower() == NO_PROXY:
        return ProxyRules()
    if written:
        named = NamedProxy(PROXY_SETTING, Secret(written))
        return ProxyRules(http=named, https=named, exempt=hosts)
    return ProxyRules(
        http=_find_variable(variables, "http_proxy") or _find_variable(variables, "all_proxy"),
        https=_find_variable(variables, "https_proxy") or _find_variable(variables, "all_proxy"),
        exempt=hosts,
    )


def choose_proxy(
    rules: ProxyRules, scheme: str, host: str, port: int
) -> Result[Proxy | None, NotConfigured]:
    """Return the proxy for a call, None for a direct connection, or the proxy's error."""
    named = rules.https if scheme == "https" else rules.http
    if named is None or is_loopback(host):
        return Success(None)
    if any(_is_exempt(entry.strip().lower(), host.lower(), port) for entry in rules.exempt):
        return Success(None)
    return _parse_proxy(named)


def _find_variable(variables: Mapping[str, str], name: str) -> NamedProxy | None:
    for spelling in (name, name.upper()):
        text = variables.get(spelling, "").strip()
        if text and not (spelling == "HTTP_PROXY" and _CGI_VARIABLE in variables):
            return NamedProxy(spelling, Secret(text))
    return None


def _parse_proxy(named: NamedProxy) -> Result[Proxy | None, NotConfigured]:
    text = named.text.reveal()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return _unusable_proxy(named, _ADDRESS_REASON)
    if parts.scheme.lower() != "http":
        return _unusable_proxy(named, _SCHEME_REASON)
    if not host:
        return _unusable_proxy(named, _ADDRESS_REASON)
    port = port or _DEFAULT_PORT
    credentials = Secret(_proxy_authorization(parts.username, parts.password))
    return Success(Proxy(host=host, port=port, credentials=credentials, setting=named.setting))


def _unusable_proxy(named: NamedProxy, reason: str) -> Failure[NotConfigured]:
    remedy = f"Change {named.setting}, which names it."
    return Failure(NotConfigured(settings=(named.setting,), reason=reason, remedy=remedy))


def _proxy_authorization(user: str | None, password: str | None) -> str:
    """Return the value of the Proxy-Authorization header (RFC 7617, in UTF-8)."""
    if not user and not password:
        return ""
    pair = f"{unquote(user or '')}:{unquote(password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _is_exempt(entry: str, host: str, port: int) -> bool:
    """Tell whether an entry matches a host: exactly, as a parent domain, as a range, or ``*``.

    >>> [_is_exempt("a.example", host, 443) for host in ("a.example", "b.a.example", "c.a")]
    [True, True, False]
    >>> [_is_exempt(entry, "10.1.2.3", 80) for entry in ("10.0.0.0/8", "10.1.2.3:8080")]
    [True, False]
    """
    name, colon, entry_port = entry.rpartition(":")
    if colon and entry_port.isdecimal() and name.count(":") == 0:
        return entry_port == str(port) and _is_exempt(name, host, port)
    if entry == "*":
        return True
    try:
        address = ipaddress.ip_address(host)
        return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        name = entry.removeprefix("*").removeprefix(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
