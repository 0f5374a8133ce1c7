"""The application as the settings describe it: who may call, under which names, which tools."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....adapters.http.transport import FastTransport, TransportTimes
from ....kernel.urls.service_endpoints import is_loopback
from ....ports.errors import InvalidSetting, NotConfigured, StoreAway, WebError
from ...file_locations import FileLocations
from ...mcp.json_rpc import Json
from ...settings.schema import McpSettings, Settings
from ...tools.toolbox import ToolboxOverrides
from ...wiring.egress import dial_rules
from ...wiring.root import make_root
from ...wiring.store_setup import KeyRates, open_keys, open_rates
from ..listen_sockets import explain_weak_token
from .application import Application, HttpParts
from .delivery import MAX_BODY_BYTES
from .heads import HostRules, McpHead
from .tenants import (
    Authenticator,
    Challenge,
    KeyAuthenticator,
    MakeToolset,
    Principal,
    TenantServers,
    bearer_token,
    tools_maker,
)

if TYPE_CHECKING:
    from jwt import PyJWK, PyJWKSet


# Returns the document with the keys.
Fetch: TypeAlias = Callable[[], Awaitable[Result[bytes, WebError]]]
WELL_KNOWN = "/.well-known/oauth-protected-resource"
# Signed with a pair of keys: with a shared secret whoever can check a token can make one.
_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_LEEWAY = 30.0
_FRESH = 600.0
_SOONEST = 30.0


class ResourceServer(msgspec.Struct, frozen=True, kw_only=True):
    """What this server is to OAuth: its own address, who makes tokens for it, what they allow."""

    resource: str
    issuer: str
    scopes: tuple[str, ...] = ()

    @property
    def metadata_url(self) -> str:
        """Where a client learns about it: the path of the resource behind the well-known one."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}"

    def metadata(self, head: McpHead) -> Json | None:
        """Return what a client is told at the well-known path, with that of the resource or not."""
        if head.path not in (WELL_KNOWN, WELL_KNOWN + urlsplit(self.resource).path):
            return None
        metadata: Json = {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
        }
        return {**metadata, "scopes_supported": list(self.scopes)} if self.scopes else metadata

    def challenge(self, status: int, message: str, error: str = "") -> Challenge:
        """Return a refusal that leads to the metadata."""
        fields = {"error": error, "scope": " ".join(self.scopes)}
        named = [f'{name}="{value}"' for name, value in fields.items() if value]
        words = ", ".join([*named, f'resource_metadata="{self.metadata_url}"'])
        headers = (("www-authenticate", f"Bearer {words}"),)
        return Challenge(status=status, message=message, headers=headers)


def resource_server(settings: McpSettings) -> Result[ResourceServer | None, InvalidSetting]:
    """Return what the settings say of OAuth; None when they say nothing."""
    if settings.issuer is None:
        return Success(None)
    for name in ("resource", "jwks"):
        if getattr(settings, name) is None:
            return _wrong(f"mcp.{name}", "is needed beside mcp.issuer")
    resource = str(settings.resource)
    parts = urlsplit(resource)
    # RFC 8707, section 2: no fragment; one spelling, so that it can be compared.
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.fragment:
        return _wrong("mcp.resource", "must be the address of this server, https://HOST/mcp")
    return Success(
        ResourceServer(
            resource=resource.rstrip("/"), issuer=settings.issuer, scopes=settings.scopes
        )
    )


def _wrong(setting: str, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting=setting, place="the settings", reason=reason))


class KeySet:
    """The keys that tokens are signed with, fetched again when they are old or one is missing."""

    def __init__(self, fetch: Fetch, now: Callable[[], float] = time.monotonic) -> None:
        """Fetch them with ``fetch``, when one is first needed."""
        self._fetch = fetch
        self._now = now
        self._lock = asyncio.Lock()
        self._keys: PyJWKSet | None = None
        self._fetched = float("-inf")

    async def find(self, name: str | None) -> Result[PyJWK | None, WebError]:
        """Return the key of a name, or the only one there is; None when there is none."""
        async with self._lock:
            age = self._now() - self._fetched
            key = self._named(name)
            if age > _FRESH or (key is None and age > _SOONEST):
                fetched = await self._fetch()
                if isinstance(fetched, Failure):
                    return Success(key) if key is not None else fetched
                self._keys = _key_set(fetched.unwrap()) or self._keys
                self._fetched = self._now()
            return Success(self._named(name))

    def _named(self, name: str | None) -> PyJWK | None:
        keys = [] if self._keys is None else self._keys.keys
        named = [key for key in keys if name is None or key.key_id == name]
        return named[0] if len(named) == 1 or (named and name is not None) else None


def _key_set(document: bytes) -> PyJWKSet | None:
    import jwt  # noqa: PLC0415  an extra

    try:
        return jwt.PyJWKSet.from_dict(msgspec.json.decode(document, type=dict[str, Any]))
    except (jwt.PyJWTError, ValueError):
        return None


class OAuthAuthenticator:
    """Lets in who has a token that is for us, by our issuer, in time, and wide enough."""

    def __init__(self, server: ResourceServer, keys: KeySet) -> None:
        """Check tokens with ``keys``."""
        self._server = server
        self._keys = keys

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return whose the token is."""
        token = bearer_token(head)
        if token is None:
            return self._server.challenge(401, "A token is needed, and there is none.")
        claims = await self._claims(token)
        if isinstance(claims, Challenge):
            return claims
        missing = set(self._server.scopes) - _scopes(claims)
        if missing:
            what = f"The token does not allow {', '.join(sorted(missing))}."
            return self._server.challenge(403, what, "insufficient_scope")
        return Principal(id=f"{claims['iss']} {claims['sub']}")

    async def _claims(self, token: str) -> Json | Challenge:
        import jwt  # noqa: PLC0415  an extra

        bad = self._server.challenge(401, "The token is not good here.", "invalid_token")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            return bad
        known = await self._keys.find(header.get("kid"))
        if isinstance(known, Failure):
            return Challenge(status=503, message="The keys to check tokens with are out of reach.")
        key = known.unwrap()
        if key is None or key.algorithm_name not in _ALGORITHMS:
            return bad
        try:
            claims: Json = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm_name],
                audience=[self._server.resource, f"{self._server.resource}/"],
                issuer=self._server.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "aud", "iss", "sub"]},
            )
        except jwt.PyJWTError:
            return bad
        return claims


def _scopes(claims: Json) -> set[str]:
    scope = claims.get("scope", claims.get("scp", ""))
    words = scope.split() if isinstance(scope, str) else scope
    return {str(each) for each in words} if isinstance(words, list) else set()


def fetch_file(path: Path) -> Fetch:
    """Return what reads the keys from a file."""

    async def fetch() -> Result[bytes, WebError]:
        try:
            return Success(await asyncio.to_thread(path.read_bytes))
        except OSError as error:
            reason = f"cannot be read: {(error.strerror or 'no reason given').lower()}"
            return Failure(InvalidSetting(setting="mcp.jwks", place=str(path), reason=reason))

    return fetch


# The application as the settings describe it: who may call, under which names, which tools.

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
    door = _door(settings, server.unwrap(), root.unwrap().files)
    if isinstance(door, Failure):
        return door
    rates = open_rates(settings.stores)
    if isinstance(rates, Failure):
        return rates
    tenants = TenantServers(
        make or tools_maker(own_parts, root.unwrap()), rates=KeyRates(rates.unwrap())
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
    settings: Settings, server: ResourceServer | None, files: FileLocations
) -> Result[Authenticator, WebError]:
    if server is not None:
        return _oauth_door(settings, server)
    opened = open_keys(settings.stores, files)
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
    times = TransportTimes(connect=_JWKS_SECONDS, head=_JWKS_SECONDS, idle=_JWKS_SECONDS)
    transport = FastTransport(times=times, rules=dial_rules(settings, is_user_written=True))

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
