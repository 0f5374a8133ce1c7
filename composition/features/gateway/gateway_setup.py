"""Build a gateway from settings."""

from __future__ import annotations

import pkgutil
import ssl
from contextlib import closing
from importlib import import_module
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway import dialects
from webseam.adapters.features.gateway.asks import Dialect
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.errors import InvalidSetting, NotConfigured, StoreAway, WebError
from webseam.ports.keys import KeyRecord, KeyStore

from ...tools.toolbox import ToolboxOverrides
from ...wiring import store_setup
from ...wiring.backend_rows import Root
from .admission import host_rules, serve_limits
from .callers import CallerIdentifier
from .endpoints import DialectTable
from .gateway import Gateway, GatewayDeps
from .gateway_settings import SettingsReader, pack_settings
from .journal import Write
from .listen_sockets import explain_weak_token
from .mcp.application import Application
from .mcp.opening import mcp_application
from .mcp.tenants import tenant_tools_maker
from .settings import ServeSettings
from .shared_clients import SharedClients
from .worker_channel import TeamBoard
from .workers import WorkerTeam, worker_session_prefix

_NO_TLS_WARNING = (
    "keys travel in the clear: set serve.certificate and serve.certificate_key, or name the proxy "
    "that speaks TLS in serve.proxies"
)


def all_dialects() -> tuple[Dialect, ...]:
    """Return the dialects, one from each module in the dialects folder."""
    names = sorted(file.name for file in pkgutil.iter_modules(dialects.__path__))
    return tuple(import_module(f"{dialects.__name__}.{name}").DIALECT for name in names)


class WorkerPlace(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a worker in its gateway.

    ``settings`` are those that were accepted last. The settings of the start go on saying where the
    gateway listens and who may call, which no reload changes. A worker that is started again has
    both from its supervisor, and reads no file.
    """

    team: WorkerTeam
    board: TeamBoard
    settings: Root


def open_gateway(parts: ToolboxOverrides, journal: Write) -> Result[Gateway, WebError]:
    """Return a gateway from the settings and from ``parts``, which override them."""
    reader = SettingsReader(parts)
    if isinstance(root := reader.read(), Failure):
        return root
    if (refusal := judge_start(root.unwrap(), journal)) is not None:
        return Failure(refusal)
    return build_gateway(parts, journal, reader, root.unwrap())


def judge_start(root: Root, journal: Write) -> WebError | None:
    """Return why no gateway may start with these settings; None if one may."""
    settings = root.settings.of(ServeSettings)
    if (refusal := _explain_unsafe(root) or _check_certificate(settings)) is not None:
        return refusal
    if not (settings.certificate or settings.proxies or is_loopback(settings.host)):
        journal({"level": "warning", "message": _NO_TLS_WARNING})
    return None


def build_gateway(
    parts: ToolboxOverrides,
    journal: Write,
    reader: SettingsReader,
    first: Root,
    place: WorkerPlace | None = None,
) -> Result[Gateway, WebError]:
    """Return a gateway that starts with ``first``, which ``judge_start`` has judged.

    A worker, which has a ``place``, is not judged again: what keeps a gateway from starting, such
    as that the last key was revoked, must not keep a worker from starting again.
    """
    settings, stores = first.settings.of(ServeSettings), first.settings.stores
    webs = SharedClients(first if place is None else place.settings, parts)
    shared = store_setup.open_key_store(stores, first.files).bind(
        lambda keys: store_setup.open_rate_store(stores).bind(
            lambda rates: store_setup.open_job_store(stores).map(
                lambda jobs: (keys, store_setup.KeyRates(rates), jobs)
            )
        )
    )
    if isinstance(shared, Failure):
        return shared
    keys, rates, jobs = shared.unwrap()
    rules = host_rules(settings)
    team = None if place is None else place.team
    mcp = _open_mcp(first, webs, worker_session_prefix(team))
    if isinstance(mcp, Failure):
        return mcp
    open_here = rules.loopback and not settings.token and not settings.require_key
    return Success(
        Gateway(
            GatewayDeps(
                webs=webs,
                door=CallerIdentifier(
                    keys=store_setup.KeyRing(keys), token=settings.token, open=open_here
                ),
                table=DialectTable(all_dialects()),
                rules=rules,
                limits=serve_limits(settings),
                rates=rates,
                journal=journal,
                read=reader.read,
                mcp=mcp.unwrap(),
                team=team,
                board=None if place is None else place.board,
                jobs=jobs,
                mcp_admits=first.settings.mcp.issuer is not None,
            )
        )
    )


class WorkerSettings:
    """The settings that the workers of a gateway start with: a ``SettingsSource``."""

    def __init__(self, reader: SettingsReader, first: Root) -> None:
        """Begin with ``first``, which ``reader`` has read."""
        self.reader = reader
        self.first = self.current = self._next = first

    def read(self) -> Result[bytes, WebError]:
        """Read the settings anew, as bytes for a worker; they do not count yet."""
        if isinstance(root := self.reader.read(), Failure):
            return root
        self._next = root.unwrap()
        return Success(pack_settings(self._next))

    def accept(self) -> None:
        """Start workers with the settings that were read last."""
        self.current = self._next


def _open_mcp(first: Root, webs: SharedClients, prefix: str) -> Result[Application, WebError]:
    """Return the MCP server with the hosts, origins and token of the gateway."""
    serve, own = first.settings.of(ServeSettings), first.settings.mcp
    mcp = msgspec.structs.replace(
        own,
        host=serve.host,
        hosts=serve.hosts or own.hosts,
        origins=serve.origins or own.origins,
        token=serve.token or own.token,
    )
    settings = msgspec.structs.replace(first.settings, mcp=mcp)
    return mcp_application(
        root=msgspec.structs.replace(first, settings=settings),
        make=tenant_tools_maker(webs.parts, webs.root),
        session_prefix=prefix,
        body_bytes=serve.body_kilobytes * 1024,
    )


def _explain_unsafe(root: Root) -> WebError | None:
    """Return why the gateway is unsafe for other machines (no key, weak token); None if safe."""
    settings = root.settings.of(ServeSettings)
    records = store_setup.open_key_store(root.settings.stores, root.files).bind(_list_keys)
    if isinstance(records, Failure):
        error: WebError = records.failure()
        # An unreachable store refuses every key, so starting is safe.
        return None if isinstance(error, StoreAway) else error
    if settings.token or is_loopback(settings.host):
        return explain_weak_token("serve", settings, root.settings.entries)
    if any(record.revoked is None for record in records.unwrap()):
        return None
    return NotConfigured(
        reason=f"{settings.host} can be reached by others, who need a key",
        remedy="Make one with `webseam keys add NAME`, or set WEBSEAM_SERVE_TOKEN.",
    )


def _list_keys(keys: KeyStore) -> Result[list[KeyRecord], WebError]:
    """Return every key; the store is closed again, before anything forks."""
    with closing(keys):
        return keys.records()


def _check_certificate(settings: ServeSettings) -> InvalidSetting | None:
    files = {
        "serve.certificate": settings.certificate,
        "serve.certificate_key": settings.certificate_key,
    }
    if settings.certificate is None:
        return None
    for setting, file in files.items():
        problem = None if file is None else _explain_unreadable(file)
        if file is not None and problem is not None:
            return InvalidSetting(setting=setting, place=file, reason=problem)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(settings.certificate, settings.certificate_key)
    except (OSError, ValueError) as error:
        # The reason from OpenSSL names no file and no secret; it is often missing.
        cause = getattr(error, "reason", None)
        detail = f" ({cause.lower().replace('_', ' ')})" if isinstance(cause, str) else ""
        key = settings.certificate_key or settings.certificate
        reason = f"is no PEM certificate whose key is in {key}{detail}"
        certificate = settings.certificate
        return InvalidSetting(setting="serve.certificate", place=certificate, reason=reason)
    return None


def _explain_unreadable(file: str) -> str | None:
    try:
        Path(file).read_bytes()
    except OSError as error:
        return f"cannot be read: {(error.strerror or type(error).__name__).lower()}"
    return None
