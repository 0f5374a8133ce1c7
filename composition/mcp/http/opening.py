"""The application as the settings describe it: who may call, under which names, which tools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import httpx
from returns.result import Failure, Result, Success

from ....adapters.http.transport import FastTransport, Times
from ....kernel.urls.service_endpoints import is_loopback
from ....ports.errors import InvalidSetting, NotConfigured, StoreAway, WebError
from ...listen_sockets import explain_weak_token
from ...settings.schema import McpSettings, Settings
from ...tools.toolbox import ToolboxOverrides
from ...wiring.backends.backend_rows import Root
from ...wiring.egress import dial_rules
from ...wiring.rates import KeyRates
from ...wiring.root import make_root
from ...wiring.store_setup import open_keys, open_rates
from ..toolset import UsersTools
from .application import Application, HttpParts
from .asgi import MAX_BODY_BYTES
from .authentication import Authenticator, KeyAuthenticator
from .heads import HostRules
from .oauth import Fetch, KeySet, OAuthAuthenticator, ResourceServer, fetch_file, resource_server
from .tenants import MakeToolset, TenantServers

EXTRA = "pip install 'webseam[mcp]'"
_JWKS_SECONDS = 10.0
_MAX_JWKS_BYTES = 1_000_000


def mcp_application(  # noqa: PLR0913  each is one thing of its own, all by name
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    parts: ToolboxOverrides | None = None,
    make: MakeToolset | None = None,
    session_prefix: str = "",
    body_bytes: int = MAX_BODY_BYTES,
) -> Result[Application, WebError]:
    """Return an ASGI application, to be served alone or mounted at ``/mcp`` of another.

    Off loopback it needs a token, a key or OAuth; ``arguments`` are settings by name, which win,
    and ``parts`` stand in for what the settings say of the tools, or ``make`` makes these. The
    settings are read now, and not again. No message is longer than ``body_bytes``.
    """
    own_parts = parts or ToolboxOverrides()
    root = make_root(environment, arguments={**(arguments or {}), **own_parts.settings})
    if isinstance(root, Failure):
        return root
    settings = root.unwrap().settings
    server = resource_server(settings.mcp)
    if isinstance(server, Failure):
        return server
    door = _door(settings, server.unwrap(), environment)
    if isinstance(door, Failure):
        return door
    rates = open_rates(settings.stores)
    if isinstance(rates, Failure):
        return rates
    tenants = TenantServers(
        make or tools_maker(environment, own_parts, root.unwrap()), rates=KeyRates(rates.unwrap())
    )
    known = server.unwrap()
    return Success(
        Application(
            HttpParts(
                tenants=tenants,
                door=door.unwrap(),
                rules=_rules(settings.mcp, known),
                metadata=None if known is None else known.metadata,
                session_prefix=session_prefix,
                body_bytes=body_bytes,
            )
        )
    )


def tools_maker(
    environment: Mapping[str, str] | None, parts: ToolboxOverrides, root: Root
) -> MakeToolset:
    """Return what makes the tools of anybody who calls, with one reading of the settings."""
    return lambda principal: UsersTools(environment, parts, principal.record, root)


def _rules(settings: McpSettings, server: ResourceServer | None) -> HostRules:
    loopback = is_loopback(settings.host)
    own = () if server is None else (server.resource.split("/")[2].lower(),)
    bound = () if loopback else (settings.host.lower(),)
    return HostRules(
        hosts=(*(host.lower() for host in settings.hosts), *own, *bound),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        loopback=loopback,
    )


def _door(
    settings: Settings, server: ResourceServer | None, environment: Mapping[str, str] | None
) -> Result[Authenticator, WebError]:
    if server is not None:
        return _oauth_door(settings, server)
    opened = open_keys(settings.stores, environment)
    if isinstance(opened, Failure):
        return opened
    weak = explain_weak_token("mcp", settings.mcp, settings.entries)
    if weak is not None:
        return Failure(weak)
    keys, loopback = opened.unwrap(), is_loopback(settings.mcp.host)
    if not loopback and not settings.mcp.token:
        records = keys.records()
        # While nobody can look a key up, nobody is let in; that needs no other start.
        away = isinstance(records, Failure) and isinstance(records.failure(), StoreAway)
        if not away and all(record.revoked is not None for record in records.value_or([])):
            return Failure(
                NotConfigured(
                    reason=f"{settings.mcp.host} can be reached by others, and nobody could tell "
                    "them from you",
                    remedy="Make a key with `webseam keys add NAME`, or set WEBSEAM_MCP_TOKEN, or "
                    "mcp.issuer for OAuth.",
                )
            )
    return Success(KeyAuthenticator(settings.mcp.token, keys, open_=loopback))


def _oauth_door(settings: Settings, server: ResourceServer) -> Result[Authenticator, WebError]:
    try:
        import jwt  # noqa: F401, PLC0415  an extra
    except ImportError:
        reason = "tokens of an OAuth server are checked with PyJWT, which is not installed"
        return Failure(NotConfigured(reason=reason, remedy=f"Run `{EXTRA}`."))
    place = str(settings.mcp.jwks)
    if not place.startswith(("http://", "https://")):
        return Success(OAuthAuthenticator(server, KeySet(fetch_file(Path(place).expanduser()))))
    if place.startswith("http://") and not is_loopback(place.split("/")[2].partition(":")[0]):
        reason = "keys are fetched over https"
        return Failure(InvalidSetting(setting="mcp.jwks", place="the settings", reason=reason))
    return Success(OAuthAuthenticator(server, KeySet(_fetch_url(place, settings))))


def _fetch_url(url: str, settings: Settings) -> Fetch:
    """Return what fetches the keys from where the owner of this server says they are."""
    times = Times(connect=_JWKS_SECONDS, head=_JWKS_SECONDS, idle=_JWKS_SECONDS)
    transport = FastTransport(times=times, way=dial_rules(settings, is_user_written=True))

    async def fetch() -> Result[bytes, WebError]:
        try:
            request = httpx.Request("GET", url, headers={"accept": "application/json"})
            response = await transport.handle_async_request(request)
            content = await _content(response)
        except (httpx.HTTPError, httpx.InvalidURL):
            return Failure(_unreachable(url))
        fine = response.status_code == httpx.codes.OK and content is not None
        return Success(content) if fine and content else Failure(_unreachable(url))

    return fetch


async def _content(response: httpx.Response) -> bytes | None:
    """Return the body; None for one that no set of keys is as long as."""
    content = b""
    try:
        async for part in response.aiter_raw():
            content += part
            if len(content) > _MAX_JWKS_BYTES:
                return None
    finally:
        await response.aclose()
    return content


def _unreachable(url: str) -> InvalidSetting:
    return InvalidSetting(setting="mcp.jwks", place=url, reason="no keys came from there")
