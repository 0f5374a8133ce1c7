"""A gateway put together from settings, or why it cannot be."""

from __future__ import annotations

from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting, WebError
from ..mcp.http.application import Application
from ..mcp.http.opening import mcp_application
from ..settings.schema import ServeSettings
from ..tools.toolbox import Parts
from ..wiring.keys import key_file
from ..wiring.root import make_root
from .app import Gateway, GatewayParts
from .callers import Door
from .dialects import all_dialects
from .journal import Write
from .limits import host_rules, limits_of
from .routing import Table
from .webs import Webs

_SHORTEST_TOKEN = 16


def open_gateway(
    environment: Mapping[str, str] | None,
    arguments: Mapping[str, object],
    journal: Write,
    parts: Parts | None = None,
) -> Result[Gateway, WebError]:
    """Return a gateway as the settings say; ``arguments`` are settings by name, which win.

    ``parts`` stand in for what the settings say about answering.
    """

    def read() -> Result[Webs, WebError]:
        return make_root(environment, arguments=arguments).map(
            lambda root: Webs(root, environment, parts)
        )

    webs = read()
    if isinstance(webs, Failure):
        return webs
    settings = webs.unwrap().root.settings.serve
    keys = key_file(environment)
    rules = host_rules(settings)
    records = keys.records()
    if isinstance(records, Failure):
        return Failure(records.failure())
    many = any(record.revoked is None for record in records.unwrap())
    place = str(webs.unwrap().root.settings.entries.origin(("serve", "host")))
    refusal = _unsafe(settings.token.reveal(), place, loopback=rules.loopback, many=many)
    if refusal is not None:
        return Failure(refusal)
    mcp = _mcp(environment, settings, parts)
    if isinstance(mcp, Failure):
        return mcp
    open_here = rules.loopback and not settings.token and not settings.require_key
    return Success(
        Gateway(
            GatewayParts(
                webs=webs.unwrap(),
                door=Door(keys=keys, token=settings.token, open=open_here),
                table=Table(all_dialects()),
                rules=rules,
                limits=limits_of(settings),
                journal=journal,
                read=read,
                mcp=mcp.unwrap(),
                mcp_admits=webs.unwrap().root.settings.mcp.issuer is not None,
            )
        )
    )


def _mcp(
    environment: Mapping[str, str] | None, settings: ServeSettings, parts: Parts | None
) -> Result[Application, WebError]:
    """Return the MCP server at the gateway's own address: its names, its pages, its token."""
    own: dict[str, object] = {
        "mcp.host": settings.host,
        "mcp.hosts": list(settings.hosts) or None,
        "mcp.origins": list(settings.origins) or None,
        "mcp.token": settings.token.reveal() or None,
    }
    return mcp_application(environment, arguments=own, parts=parts)


def _unsafe(token: str, place: str, *, loopback: bool, many: bool) -> InvalidSetting | None:
    """Return why others may not be let at it: they need keys, and keys nobody can guess."""
    if loopback:
        return None
    if token and len(token) < _SHORTEST_TOKEN:
        reason = f"off this machine a token has at least {_SHORTEST_TOKEN} characters"
        return InvalidSetting(setting="serve.token", place=place, reason=reason)
    if token or many:
        return None
    reason = (
        "others than this machine need a key: set serve.token, or make one with webseam keys add"
    )
    return InvalidSetting(setting="serve.host", place=place, reason=reason)
