"""Build a gateway from settings."""

from __future__ import annotations

import pkgutil
import ssl
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway import dialects
from webseam.adapters.features.gateway.asks import Dialect
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.errors import InvalidSetting, NotConfigured, StoreAway, WebError
from webseam.ports.keys import KeyStore

from ...settings.entries import Entries
from ...settings.file_locations import FileLocations, path_exists
from ...settings.schema import ServeSettings
from ...settings.settings_folder import CONFIG_VARIABLE, unusable_settings_error
from ...settings.site_settings import page_signer
from ...tools.toolbox import ToolboxOverrides
from ...wiring import store_setup
from ...wiring.root import read_root
from .admission import host_rules, serve_limits
from .callers import CallerIdentifier
from .endpoints import DialectTable
from .gateway import Gateway, GatewayDeps
from .journal import Write
from .listen_sockets import explain_weak_token
from .mcp.application import Application
from .mcp.opening import mcp_application
from .mcp.tenants import tenant_tools_maker
from .shared_clients import SharedClients
from .workers import WorkerTeam, worker_session_prefix


def all_dialects() -> tuple[Dialect, ...]:
    """Return the dialects, one from each module in the dialects folder."""
    names = sorted(file.name for file in pkgutil.iter_modules(dialects.__path__))
    return tuple(import_module(f"{dialects.__name__}.{name}").DIALECT for name in names)


_NO_TLS_WARNING = (
    "keys travel in the clear: set serve.certificate and serve.certificate_key, or name the proxy "
    "that speaks TLS in serve.proxies"
)


def open_gateway(
    parts: ToolboxOverrides, journal: Write, team: WorkerTeam | None = None
) -> Result[Gateway, WebError]:
    """Return a gateway from the settings and from ``parts``, which override them.

    ``team`` is set in one of several workers.
    """
    read = _make_clients_reader(parts)
    if isinstance(webs := read(), Failure):
        return webs
    settings = webs.unwrap().root.settings.serve
    stores = webs.unwrap().root.settings.stores
    shared = store_setup.open_key_store(stores, webs.unwrap().root.files).bind(
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
    entries = webs.unwrap().root.settings.entries
    refusal = _explain_unsafe(settings, keys, entries) or _check_certificate(settings)
    if refusal is not None:
        return Failure(refusal)
    if not (settings.certificate or settings.proxies or is_loopback(settings.host)):
        journal({"level": "warning", "message": _NO_TLS_WARNING})
    mcp = _open_mcp(settings, webs.unwrap(), worker_session_prefix(team))
    if isinstance(mcp, Failure):
        return mcp
    open_here = rules.loopback and not settings.token and not settings.require_key
    return Success(
        Gateway(
            GatewayDeps(
                webs=webs.unwrap(),
                door=CallerIdentifier(
                    keys=store_setup.KeyRing(keys), token=settings.token, open=open_here
                ),
                table=DialectTable(all_dialects()),
                rules=rules,
                limits=serve_limits(settings),
                rates=rates,
                journal=journal,
                read=read,
                mcp=mcp.unwrap(),
                team=team,
                jobs=jobs,
                mcp_admits=webs.unwrap().root.settings.mcp.issuer is not None,
            )
        )
    )


def _make_clients_reader(parts: ToolboxOverrides) -> Callable[[], Result[SharedClients, WebError]]:
    """Return a function that reads the settings, at the start and at each reload."""
    file, was_there, had_settings = FileLocations(parts.environment).config_file, False, False

    def read() -> Result[SharedClients, WebError]:
        nonlocal was_there, had_settings
        if was_there and not path_exists(file):
            # Without the file, everything that it forbids would be allowed.
            return unusable_settings_error(file, CONFIG_VARIABLE, "is not there any more")
        was_there = path_exists(file)
        if isinstance(root := read_root(parts.environment, arguments=parts.settings), Failure):
            return root
        entries = root.unwrap().settings.entries
        has_settings = any(entry.origin.layer == "file" for _, entry in entries)
        if had_settings and not has_settings:
            # An editor may have emptied the file and not written it yet.
            return unusable_settings_error(file, CONFIG_VARIABLE, "sets nothing any more")
        had_settings = has_settings
        signer = page_signer(root.unwrap().settings)
        return signer.map(lambda signer: SharedClients(root.unwrap(), parts, signer))

    return read


def _open_mcp(
    settings: ServeSettings, webs: SharedClients, prefix: str
) -> Result[Application, WebError]:
    """Return the MCP server with the hosts, origins and token of the gateway."""
    mcp_arguments: dict[str, object] = {
        "mcp.host": settings.host,
        "mcp.hosts": list(settings.hosts) or None,
        "mcp.origins": list(settings.origins) or None,
        "mcp.token": settings.token.reveal() or None,
    }
    return mcp_application(
        webs.parts.environment,
        arguments=mcp_arguments,
        make=tenant_tools_maker(webs.parts, webs.root),
        session_prefix=prefix,
        body_bytes=settings.body_kilobytes * 1024,
    )


def _explain_unsafe(settings: ServeSettings, keys: KeyStore, entries: Entries) -> WebError | None:
    """Return why the gateway is unsafe for other machines (no key, weak token); None if safe."""
    if isinstance(records := keys.records(), Failure):
        error: WebError = records.failure()
        # An unreachable store refuses every key, so starting is safe.
        return None if isinstance(error, StoreAway) else error
    if settings.token or is_loopback(settings.host):
        return explain_weak_token("serve", settings, entries)
    if any(record.revoked is None for record in records.unwrap()):
        return None
    return NotConfigured(
        reason=f"{settings.host} can be reached by others, who need a key",
        remedy="Make one with `webseam keys add NAME`, or set WEBSEAM_SERVE_TOKEN.",
    )


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
