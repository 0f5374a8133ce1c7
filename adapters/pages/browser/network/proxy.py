"""The guarding proxy: the browser's only way out, on loopback, for as long as a rendering lasts.

It has a password of its own for each rendering, so nobody else on this machine can use it. What no
page has asked for is refused before its name is looked up, each target is judged, and the address
that was checked is the one that is dialled.
"""

import asyncio
import base64
import contextlib
import hmac
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from returns.result import Failure, Result

from .....ports.errors import InvalidUrl, UrlDenied, WebError
from .....ports.targets import Target
from ....server_shutdown import close_server
from ..browser_command import USER
from .expected_hosts import ExpectedHosts
from .heads import ProxyRequest, read_request, write_request
from .relay import BrowserClient, ByteAllowance, relay_bytes
from .render_guard import RenderGuard

_MAX_HEAD_BYTES = 64 * 1024
_HEAD_SECONDS = 10.0
# A browser keeps to 32 connections to one proxy.
_MAX_CONNECTIONS = 64
_TUNNEL_OPEN, _PASSWORD_WANTED = 200, 407
_REASONS = {
    200: "Connection Established",
    400: "Bad Request",
    403: "Forbidden",
    407: "Proxy Authentication Required",
    502: "Bad Gateway",
    503: "Service Unavailable",
}


class GuardingProxy:
    """Serves one rendering. ``password`` is what the browser must know."""

    def __init__(
        self, reach: RenderGuard, allowance: ByteAllowance, expected: ExpectedHosts
    ) -> None:
        """Make up a password; nobody is served before ``serve``."""
        self._expected_places = expected
        self.password = secrets.token_urlsafe(32)
        self._reach = reach
        self._allowance = allowance
        pair = base64.b64encode(f"{USER}:{self.password}".encode())
        self._credentials = b"Basic " + pair
        self._attending: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @asynccontextmanager
    async def serve(self, listener: socket.socket) -> AsyncIterator[None]:
        """Serve whoever comes to ``listener``; afterwards every connection is gone."""
        server = await asyncio.start_server(self._accept, sock=listener, limit=_MAX_HEAD_BYTES)
        try:
            yield
        finally:
            try:
                await close_server(server)
            finally:
                await self._send_away()

    async def _send_away(self) -> None:
        attending = dict(self._attending)
        for task in attending:
            task.cancel()
        if attending:
            await asyncio.wait(attending)
        for writer in attending.values():
            writer.transport.abort()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._attending) >= _MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.ensure_future(self._attend(BrowserClient(reader, writer)))
        self._attending[task] = writer
        task.add_done_callback(self._part)

    def _part(self, task: asyncio.Task[None]) -> None:
        # What was written is still sent, then the connection ends.
        self._attending.pop(task).close()

    async def _attend(self, client: BrowserClient) -> None:
        request = await _read_head(client.reader)
        status = await self._refusal(request)
        if request is None or status is not None:
            client.writer.write(_answer(status or 400))
            return
        opened = await self._open(request.url)
        if isinstance(opened, Failure):
            client.writer.write(_answer(_status_of(opened.failure())))
            return
        target, site = opened.unwrap()
        with site:
            await self._carry(client, request, target, site)

    async def _refusal(self, request: ProxyRequest | None) -> int | None:
        if request is None:
            return 400
        credentials = request.header("proxy-authorization").encode("latin-1")
        if not hmac.compare_digest(credentials, self._credentials):
            return 407
        if not await self._expected_places.holds(request.url):
            return 403
        return None if self._allowance.admit() else 503

    async def _open(self, url: str) -> Result[tuple[Target, socket.socket], WebError]:
        checked = await self._reach.check(url)
        if isinstance(checked, Failure):
            return checked
        place = checked.unwrap()
        opened = await self._reach.open(place)
        return opened.map(lambda site: (place.target, site))

    async def _carry(
        self, client: BrowserClient, request: ProxyRequest, target: Target, site: socket.socket
    ) -> None:
        if request.tunnel:
            client.writer.write(_answer(200))
            await relay_bytes(client, site, self._allowance, length=None)
            return
        with contextlib.suppress(OSError):
            head = write_request(request, target)
            await asyncio.get_running_loop().sock_sendall(site, head)
            await relay_bytes(client, site, self._allowance, length=request.length)


async def _read_head(reader: asyncio.StreamReader) -> ProxyRequest | None:
    try:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    return read_request(head)


def _answer(status: int) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS[status]}"]
    if status == _PASSWORD_WANTED:
        lines.append('Proxy-Authenticate: Basic realm="webseam"')
    if status != _TUNNEL_OPEN:
        lines += ["Content-Length: 0", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def _status_of(error: WebError) -> int:
    """Tell the browser no more than whether it was refused or did not get through."""
    return 403 if isinstance(error, (InvalidUrl, UrlDenied)) else 502
