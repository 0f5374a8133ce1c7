"""The guarding proxy: the browser's only way out, on loopback, for as long as a rendering lasts.

It has a password of its own for each rendering, so nobody else on this machine can use it. What no
page has asked for is refused before its name is looked up, each target is judged, and the address
that was checked is the one that is dialled.
"""

import asyncio
import base64
import contextlib
import hmac
import re
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from returns.result import Failure, Result

from ....ports.errors import InvalidUrl, UrlDenied, WebError
from ....ports.targets import Target
from ...server_shutdown import close_server
from ..browser_command import USER
from .render_guard import RenderGuard
from .request_guard import ExpectedHosts

_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.[01]")
_AUTHORITY = re.compile(r"[^/?#@\\]+:[0-9]{1,5}")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH = re.compile(r"[0-9]{1,15}")
# Between the browser and us alone, or written anew.
_NOT_FORWARDED = frozenset(
    {
        "connection",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class ProxyRequest(NamedTuple):
    """What the browser wants: a tunnel, or one request to a site without TLS.

    Header names are in lower case; ``length`` is how many bytes of body follow.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    length: int

    @property
    def tunnel(self) -> bool:
        """Whether it asks for a connection rather than for an answer."""
        return self.method == "CONNECT"

    def header(self, name: str) -> str:
        """Return the first header of that name, blank when there is none."""
        return next((value for key, value in self.headers if key == name), "")


def read_request(head: bytes) -> ProxyRequest | None:
    r"""Read a head with its blank line; None when it is not exactly what a browser sends.

    >>> read_request(b"CONNECT example.com:443 HTTP/1.1\r\n\r\n").url
    'https://example.com:443/'
    """
    first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    headers = _read_headers(rest)
    if line is None or headers is None:
        return None
    url, length = _read_url(line[1], line[2]), _read_length(headers)
    if url is None or length is None:
        return None
    return ProxyRequest(line[1], url, headers, length)


def write_request(request: ProxyRequest, target: Target) -> bytes:
    """Write the head for the site itself. It is not told of the proxy, nor given its password."""
    forwarded = ((name, value) for name, value in request.headers if name not in _NOT_FORWARDED)
    lines = (
        f"{request.method} {target.path} HTTP/1.1",
        f"host: {target.authority}",
        *(f"{name}: {value}" for name, value in forwarded),
        "connection: close",
        "",
        "",
    )
    return "\r\n".join(lines).encode("latin-1")


def _read_headers(lines: list[str]) -> tuple[tuple[str, str], ...] | None:
    matches = [_HEADER.fullmatch(line) for line in lines]
    if None in matches:
        return None
    return tuple((match[1].lower(), match[2].rstrip()) for match in matches if match)


def _read_url(method: str, target: str) -> str | None:
    if method == "CONNECT":
        return f"https://{target}/" if _AUTHORITY.fullmatch(target) else None
    return target if target.startswith("http://") else None


def _read_length(headers: tuple[tuple[str, str], ...]) -> int | None:
    """Return the body's length; a browser never sends one of unknown length to a proxy."""
    if any(name == "transfer-encoding" for name, _ in headers):
        return None
    lengths = [value for name, value in headers if name == "content-length"]
    if not lengths:
        return 0
    known = len(lengths) == 1 and _LENGTH.fullmatch(lengths[0])
    return int(lengths[0]) if known else None


# Bytes between the browser and a site, counted, until either side has had enough.


class ByteAllowance:
    """Counts down, and says so when there is nothing left."""

    def __init__(self, connections: int, transfer_bytes: int) -> None:
        """Begin with everything unspent."""
        self._connections = connections
        self._bytes = transfer_bytes

    @property
    def overdrawn(self) -> bool:
        """Whether more bytes came or went than were allowed."""
        return self._bytes < 0

    def admit(self) -> bool:
        """Take one connection; False when there is none left, or no bytes for it."""
        self._connections -= 1
        return self._connections >= 0 and not self.overdrawn

    def spend(self, count: int) -> bool:
        """Take ``count`` bytes; False when there were not as many."""
        self._bytes -= count
        return not self.overdrawn


_READ_BYTES = 64 * 1024


class BrowserClient(NamedTuple):
    """The browser's end of a connection to the proxy."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def relay_bytes(
    client: BrowserClient, site: socket.socket, allowance: ByteAllowance, *, length: int | None
) -> None:
    """Carry bytes both ways until one side ends; who calls this closes both.

    ``length`` is how many bytes the browser may send, None when it may send what it likes. More
    than that is its next request, which was not judged: it ends the connection, and the browser
    asks again on another.
    """
    ways = (
        asyncio.ensure_future(_to_site(client.reader, site, allowance, length)),
        asyncio.ensure_future(_to_browser(client.writer, site, allowance)),
    )
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        # Only when both have let go of the socket may it be closed.
        await asyncio.wait(ways)


async def _to_site(
    reader: asyncio.StreamReader, site: socket.socket, allowance: ByteAllowance, length: int | None
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await reader.read(
            _READ_BYTES if length is None else min(_READ_BYTES, length or 1)
        ):
            if length == 0 or not allowance.spend(len(piece)):
                return
            await loop.sock_sendall(site, piece)
            length = None if length is None else length - len(piece)


async def _to_browser(
    writer: asyncio.StreamWriter, site: socket.socket, allowance: ByteAllowance
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await loop.sock_recv(site, _READ_BYTES):
            if not allowance.spend(len(piece)):
                return
            writer.write(piece)
            await writer.drain()


# The guarding proxy: the browser's only way out, on loopback, for as long as a rendering lasts.

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
