"""Open the MCP application from settings: authentication, host rules and tools."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.http.transport import FastTransport, TransportTimes
from webseam.composition.doors.mcp import json_rpc
from webseam.composition.doors.mcp.json_rpc import Json
from webseam.composition.doors.mcp.mcp_server import mcp_server_info
from webseam.composition.doors.mcp.mcp_tasks import McpTasks
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.schema import McpSettings, Settings
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.egress import dial_rules
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.store_setup import KeyRates, open_key_store, open_rate_store
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.errors import InvalidSetting, NotConfigured, StoreAway, WebError

from ..listen_sockets import explain_weak_token
from .application import Application, ApplicationDeps
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
    tenant_tools_maker,
)

if TYPE_CHECKING:
    from jwt import PyJWK, PyJWKSet


# Returns the JWKS document.
FetchJwks: TypeAlias = Callable[[], Awaitable[Result[bytes, WebError]]]
RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource"
# Asymmetric only: with a shared secret, each verifier could also sign tokens.
_SIGNATURE_ALGORITHMS = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_TOKEN_LEEWAY_SECONDS = 30.0
_MAX_KEYS_AGE_SECONDS = 600.0
_MIN_REFETCH_SECONDS = 30.0
INSTALL_COMMAND = "pip install 'webseam[mcp]'"
_JWKS_TIMEOUT_SECONDS = 10.0
_MAX_JWKS_BYTES = 1_000_000


class ResourceServer(msgspec.Struct, frozen=True, kw_only=True):
    """The server as an OAuth resource: its address, the token issuer, the required scopes."""

    resource: str
    issuer: str
    scopes: tuple[str, ...] = ()

    @property
    def metadata_url(self) -> str:
        """The URL of the metadata: the well-known path followed by the path of the resource."""
        parts = urlsplit(self.resource)
        return f"{parts.scheme}://{parts.netloc}{RESOURCE_METADATA_PATH}{parts.path}"

    def metadata(self, head: McpHead) -> Json | None:
        """Return the OAuth metadata at the well-known path; None at other paths."""
        if head.path not in (
            RESOURCE_METADATA_PATH,
            RESOURCE_METADATA_PATH + urlsplit(self.resource).path,
        ):
            return None
        metadata: Json = {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
        }
        return {**metadata, "scopes_supported": list(self.scopes)} if self.scopes else metadata

    def challenge(self, status: int, message: str, error: str = "") -> Challenge:
        """Return a refusal whose header links to the metadata."""
        fields = {"error": error, "scope": " ".join(self.scopes)}
        named = [f'{name}="{value}"' for name, value in fields.items() if value]
        parameters = ", ".join([*named, f'resource_metadata="{self.metadata_url}"'])
        headers = (("www-authenticate", f"Bearer {parameters}"),)
        return Challenge(status=status, message=message, headers=headers)


def oauth_resource_server(settings: McpSettings) -> Result[ResourceServer | None, InvalidSetting]:
    """Return the OAuth resource in the settings; None without an issuer."""
    if settings.issuer is None:
        return Success(None)
    for name in ("resource", "jwks"):
        if getattr(settings, name) is None:
            return _invalid_setting(f"mcp.{name}", "is needed beside mcp.issuer")
    resource = str(settings.resource)
    parts = urlsplit(resource)
    # RFC 8707, section 2, forbids a fragment.
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.fragment:
        return _invalid_setting(
            "mcp.resource", "must be the address of this server, https://HOST/mcp"
        )
    return Success(
        ResourceServer(
            resource=resource.rstrip("/"), issuer=settings.issuer, scopes=settings.scopes
        )
    )


def mcp_server_card(resource: str | None) -> Json | None:
    """Return the card for strangers (SEP-2127, read 2026-11-18); None without a public address."""
    host = urlsplit(resource or "").hostname
    if not host or is_loopback(host):
        return None
    versions = [*json_rpc.MODERN_REVISIONS, *json_rpc.LEGACY_REVISIONS]
    remote = {"type": "streamable-http", "url": resource, "supportedProtocolVersions": versions}
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        **mcp_server_info(),
        "name": f"{'.'.join(reversed(host.split('.')))}/webseam",
        "description": "Search the web and read pages as markdown",
        "remotes": [remote],
    }


def _invalid_setting(setting: str, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting=setting, place="the settings", reason=reason))


class KeySet:
    """The keys that sign tokens, fetched again when they are old or a key is missing."""

    def __init__(self, fetch: FetchJwks, now: Callable[[], float] = time.monotonic) -> None:
        """Fetch keys with ``fetch`` on first use."""
        self._fetch = fetch
        self._now = now
        self._lock = asyncio.Lock()
        self._keys: PyJWKSet | None = None
        self._fetched = float("-inf")

    async def find(self, name: str | None) -> Result[PyJWK | None, WebError]:
        """Return the key with an id, or the only key if there is no id; None without a match."""
        async with self._lock:
            age = self._now() - self._fetched
            key = self._match_key(name)
            if age > _MAX_KEYS_AGE_SECONDS or (key is None and age > _MIN_REFETCH_SECONDS):
                if isinstance(fetched := await self._fetch(), Failure):
                    return Success(key) if key is not None else fetched
                self._keys = _parse_jwks(fetched.unwrap()) or self._keys
                self._fetched = self._now()
            return Success(self._match_key(name))

    def _match_key(self, name: str | None) -> PyJWK | None:
        keys = [] if self._keys is None else self._keys.keys
        named = [key for key in keys if name is None or key.key_id == name]
        return named[0] if len(named) == 1 or (named and name is not None) else None


def _parse_jwks(document: bytes) -> PyJWKSet | None:
    import jwt  # an extra

    try:
        return jwt.PyJWKSet.from_dict(msgspec.json.decode(document, type=dict[str, Any]))
    except (jwt.PyJWTError, ValueError):
        return None


class OAuthAuthenticator:
    """Admits callers whose token has our audience and issuer, is valid now, and has the scopes."""

    def __init__(self, server: ResourceServer, keys: KeySet) -> None:
        """Verify tokens with ``keys``."""
        self._server = server
        self._keys = keys

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return the principal of the token, or a challenge."""
        token = bearer_token(head)
        if token is None:
            return self._server.challenge(401, "A token is needed, and there is none.")
        claims = await self._verify_token_claims(token)
        if isinstance(claims, Challenge):
            return claims
        missing = set(self._server.scopes) - _token_scopes(claims)
        if missing:
            message = f"The token does not allow {', '.join(sorted(missing))}."
            return self._server.challenge(403, message, "insufficient_scope")
        return Principal(id=f"{claims['iss']} {claims['sub']}")

    async def _verify_token_claims(self, token: str) -> Json | Challenge:
        import jwt  # an extra

        invalid_token = self._server.challenge(401, "The token is not good here.", "invalid_token")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            return invalid_token
        if isinstance(key_lookup := await self._keys.find(header.get("kid")), Failure):
            return Challenge(status=503, message="The keys to check tokens with are out of reach.")
        key = key_lookup.unwrap()
        if key is None or key.algorithm_name not in _SIGNATURE_ALGORITHMS:
            return invalid_token
        try:
            claims: Json = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm_name],
                audience=[self._server.resource, f"{self._server.resource}/"],
                issuer=self._server.issuer,
                leeway=_TOKEN_LEEWAY_SECONDS,
                options={"require": ["exp", "aud", "iss", "sub"]},
            )
        except jwt.PyJWTError:
            return invalid_token
        return claims


def _token_scopes(claims: Json) -> set[str]:
    scope = claims.get("scope", claims.get("scp", ""))
    names = scope.split() if isinstance(scope, str) else scope
    return {str(name) for name in names} if isinstance(names, list) else set()


def jwks_file_fetcher(path: Path) -> FetchJwks:
    """Return a function that reads the keys from a file."""

    async def fetch() -> Result[bytes, WebError]:
        try:
            return Success(await asyncio.to_thread(path.read_bytes))
        except OSError as error:
            reason = f"cannot be read: {(error.strerror or 'no reason given').lower()}"
            return Failure(InvalidSetting(setting="mcp.jwks", place=str(path), reason=reason))

    return fetch


def mcp_application(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    parts: ToolboxOverrides | None = None,
    make: MakeToolset | None = None,
    root: Root | None = None,
    session_prefix: str = "",
    body_bytes: int = MAX_BODY_BYTES,
) -> Result[Application, WebError]:
    """Return an ASGI application, to be served alone or mounted at ``/mcp`` of another.

    Off loopback it needs a token, a key or OAuth. ``arguments`` override settings by name,
    ``parts`` override the tools, and ``make`` replaces them. Settings are read once; a ``root``
    holds them already, and whoever passes it has judged who may call.
    """
    overrides = parts or ToolboxOverrides()
    is_judged = root is not None
    if root is None:
        read = read_root(environment, arguments={**(arguments or {}), **overrides.settings})
        if isinstance(read, Failure):
            return read
        root = read.unwrap()
    settings = root.settings
    if isinstance(server := oauth_resource_server(settings.mcp), Failure):
        return server
    refusal = None if is_judged or server.unwrap() else _explain_unsafe(settings, root.files)
    if refusal is not None:
        return Failure(refusal)
    door = _open_authenticator(settings, server.unwrap(), root.files)
    if isinstance(door, Failure):
        return door
    if isinstance(rates := open_rate_store(settings.stores), Failure):
        return rates
    tenants = TenantServers(
        make or tenant_tools_maker(overrides, root),
        rates=KeyRates(rates.unwrap()),
        tasks=McpTasks(session_prefix),
    )
    oauth = server.unwrap()
    return Success(
        Application(
            ApplicationDeps(
                tenants=tenants,
                door=door.unwrap(),
                rules=_host_rules(settings.mcp, oauth),
                metadata=None if oauth is None else oauth.metadata,
                card=mcp_server_card(settings.mcp.resource),
                session_prefix=session_prefix,
                body_bytes=body_bytes,
            )
        )
    )


def _host_rules(settings: McpSettings, server: ResourceServer | None) -> HostRules:
    loopback = is_loopback(settings.host)
    resource_hosts = () if server is None else (server.resource.split("/")[2].lower(),)
    bound_hosts = () if loopback else (settings.host.lower(),)
    return HostRules(
        hosts=(*(host.lower() for host in settings.hosts), *resource_hosts, *bound_hosts),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        loopback=loopback,
    )


def _open_authenticator(
    settings: Settings, server: ResourceServer | None, files: FileLocations
) -> Result[Authenticator, WebError]:
    if server is not None:
        return _open_oauth_authenticator(settings, server)
    loopback = is_loopback(settings.mcp.host)
    return open_key_store(settings.stores, files).map(
        lambda keys: KeyAuthenticator(settings.mcp.token, keys, open_=loopback)
    )


def _explain_unsafe(settings: Settings, files: FileLocations) -> WebError | None:
    """Return why the server is unsafe for other machines (no key, weak token); None if safe."""
    weak_token = explain_weak_token("mcp", settings.mcp, settings.entries)
    if weak_token is not None:
        return weak_token
    if is_loopback(settings.mcp.host) or settings.mcp.token:
        return None
    if isinstance(key_store := open_key_store(settings.stores, files), Failure):
        error: WebError = key_store.failure()
        return error
    with closing(key_store.unwrap()) as keys:
        records = keys.records()
    # An unreachable store refuses every key, so starting is safe.
    is_store_away = isinstance(records, Failure) and isinstance(records.failure(), StoreAway)
    if is_store_away or any(record.revoked is None for record in records.value_or([])):
        return None
    return NotConfigured(
        reason=f"{settings.mcp.host} can be reached by others, who need a key",
        remedy="Make a key with `webseam keys add NAME`, or set WEBSEAM_MCP_TOKEN, or "
        "mcp.issuer for OAuth.",
    )


def _open_oauth_authenticator(
    settings: Settings, server: ResourceServer
) -> Result[Authenticator, WebError]:
    try:
        import jwt  # noqa: F401  an extra
    except ImportError:
        reason = "tokens of an OAuth server are checked with PyJWT, which is not installed"
        return Failure(NotConfigured(reason=reason, remedy=f"Run `{INSTALL_COMMAND}`."))
    location = str(settings.mcp.jwks)
    if not location.startswith(("http://", "https://")):
        return Success(
            OAuthAuthenticator(server, KeySet(jwks_file_fetcher(Path(location).expanduser())))
        )
    if location.startswith("http://") and not is_loopback(location.split("/")[2].partition(":")[0]):
        reason = "keys are fetched over https"
        return Failure(InvalidSetting(setting="mcp.jwks", place="the settings", reason=reason))
    return Success(OAuthAuthenticator(server, KeySet(_jwks_url_fetcher(location, settings))))


def _jwks_url_fetcher(url: str, settings: Settings) -> FetchJwks:
    """Return a function that fetches the keys from the URL in the settings."""
    times = TransportTimes(
        connect=_JWKS_TIMEOUT_SECONDS, head=_JWKS_TIMEOUT_SECONDS, idle=_JWKS_TIMEOUT_SECONDS
    )
    transport = FastTransport(times=times, rules=dial_rules(settings, is_user_written=True))

    async def fetch() -> Result[bytes, WebError]:
        try:
            request = httpx.Request("GET", url, headers={"accept": "application/json"})
            response = await transport.handle_async_request(request)
            content = await _read_jwks_response(response)
        except (httpx.HTTPError, httpx.InvalidURL):
            return Failure(_jwks_unreachable(url))
        is_usable = response.status_code == httpx.codes.OK and content is not None
        return Success(content) if is_usable and content else Failure(_jwks_unreachable(url))

    return fetch


async def _read_jwks_response(response: httpx.Response) -> bytes | None:
    """Return the body; None if it is longer than the limit."""
    content = b""
    try:
        async for part in response.aiter_raw():
            content += part
            if len(content) > _MAX_JWKS_BYTES:
                return None
    finally:
        await response.aclose()
    return content


def _jwks_unreachable(url: str) -> InvalidSetting:
    return InvalidSetting(setting="mcp.jwks", place=url, reason="no keys came from there")
