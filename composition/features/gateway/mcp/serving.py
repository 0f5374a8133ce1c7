"""Serve the MCP application on one port with uvicorn."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import sys
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from webseam.composition.settings.loader import load_settings
from webseam.ports.errors import NotConfigured, WebError

from ..listen_sockets import open_listener, url_authority
from .opening import INSTALL_COMMAND, mcp_application

_GRACE_SECONDS = 5


def serve_http(arguments: Mapping[str, object]) -> Result[None, WebError]:
    """Serve until interrupted. ``arguments`` override settings by name."""
    try:
        import uvicorn  # an extra
    except ImportError:
        reason = "--http needs a web server, uvicorn, which is not installed"
        return Failure(NotConfigured(reason=reason, remedy=f"Run `{INSTALL_COMMAND}`."))
    if isinstance(loaded := load_settings(arguments=arguments), Failure):
        return loaded
    if isinstance(application := mcp_application(arguments=arguments), Failure):
        return application
    settings = loaded.unwrap()
    if isinstance(bound := open_listener("mcp", settings.mcp, settings.entries), Failure):
        return bound
    from ..protocol import KEEP_ALIVE_SECONDS, BoundedProtocol  # it needs uvicorn

    config = uvicorn.Config(
        application.unwrap(),
        http=BoundedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    address = url_authority(*bound.unwrap().getsockname()[:2])
    sys.stderr.write(f"webseam mcp: http://{address}/mcp (Ctrl-C ends)\n")
    server.run(sockets=[bound.unwrap()])
    return Success(None)
