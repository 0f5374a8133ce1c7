"""Open the listening socket and check the length of a token."""

import errno
import os
import socket

from returns.result import Failure, Result, Success

from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.ports.errors import InvalidSetting

from ...settings.entries import Entries
from ...settings.schema import McpSettings
from .settings import ServeSettings

_BACKLOG = 2048
_MIN_TOKEN_CHARS = 16
# Errors of the port; all others are about the host.
_PORT_ERRORS = (errno.EADDRINUSE, errno.EACCES)


def open_listener(
    block: str, settings: ServeSettings | McpSettings, entries: Entries
) -> Result[socket.socket, InvalidSetting]:
    """Return the listening socket, or an error that names the setting in ``block``."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return Success(socket.create_server((host, port), family=family, backlog=_BACKLOG))
    except OSError as error:
        name = "port" if error.errno in _PORT_ERRORS else "host"
        # Errors of name resolution have other numbers, without a system text.
        has_text = error.errno in errno.errorcode
        why = os.strerror(error.errno or 0).lower() if has_text else "there is no such address"
        reason = f"{url_authority(host, port)} cannot be had: {why}"
        return Failure(_invalid_setting(block, name, reason, entries))


def explain_weak_token(
    block: str, settings: ServeSettings | McpSettings, entries: Entries
) -> InvalidSetting | None:
    """Return an error if a token is too short off loopback; None if it is long enough."""
    token = settings.token.reveal()
    if not token or len(token) >= _MIN_TOKEN_CHARS or is_loopback(settings.host):
        return None
    reason = f"off this machine a token has at least {_MIN_TOKEN_CHARS} characters"
    return _invalid_setting(block, "token", reason, entries)


def url_authority(host: str, port: int) -> str:
    """Return an address as it stands in a URL.

    >>> url_authority("::1", 80)
    '[::1]:80'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _invalid_setting(block: str, name: str, reason: str, entries: Entries) -> InvalidSetting:
    origin = str(entries.origin((block, name)))
    return InvalidSetting(setting=f"{block}.{name}", place=origin, reason=reason)
