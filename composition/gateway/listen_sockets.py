"""Where a server of ours listens, and what a token that others call with must be."""

import errno
import os
import socket

from returns.result import Failure, Result, Success

from ...kernel.urls.service_endpoints import is_loopback
from ...ports.errors import InvalidSetting
from ..settings.entries import Entries
from ..settings.schema import McpSettings, ServeSettings

_BACKLOG = 2048
_MIN_TOKEN_CHARS = 16
# What another port would mend; all else is about the host.
_OF_PORTS = (errno.EADDRINUSE, errno.EACCES)


def open_listener(
    block: str, settings: ServeSettings | McpSettings, entries: Entries
) -> Result[socket.socket, InvalidSetting]:
    """Return the socket to serve on, or which setting of ``block`` keeps it from being had."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return Success(socket.create_server((host, port), family=family, backlog=_BACKLOG))
    except OSError as error:
        name = "port" if error.errno in _OF_PORTS else "host"
        # Names that are not found have numbers of their own, which the system has no words for.
        known = error.errno in errno.errorcode
        why = os.strerror(error.errno or 0).lower() if known else "there is no such address"
        reason = f"{shown_address(host, port)} cannot be had: {why}"
        return Failure(_wrong(block, name, reason, entries))


def explain_weak_token(
    block: str, settings: ServeSettings | McpSettings, entries: Entries
) -> InvalidSetting | None:
    """Return why a token does not keep others out, where others can come."""
    token = settings.token.reveal()
    if not token or len(token) >= _MIN_TOKEN_CHARS or is_loopback(settings.host):
        return None
    reason = f"off this machine a token has at least {_MIN_TOKEN_CHARS} characters"
    return _wrong(block, "token", reason, entries)


def shown_address(host: str, port: int) -> str:
    """Return an address as it stands in a URL.

    >>> shown_address("::1", 80)
    '[::1]:80'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _wrong(block: str, name: str, reason: str, entries: Entries) -> InvalidSetting:
    place = str(entries.origin((block, name)))
    return InvalidSetting(setting=f"{block}.{name}", place=place, reason=reason)
