"""The guarding proxy: the browser's only exit, on loopback, during one rendering.

Each rendering has its own password, so other programs cannot use the proxy. Requests that no page
made are refused before their name is resolved, each target is judged, and only the checked address
is dialled.
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

from webseam.ports.errors import InvalidUrl, UrlDenied, WebError
from webseam.ports.targets import Target

from ...server_shutdown import close_server
from .browser_command import PROXY_USER
from .request_guard import ExpectedHosts, RenderGuard

_REQUEST_LINE_PATTERN = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.[01]")
_AUTHORITY_PATTERN = re.compile(r"[^/?#@\\]+:[0-9]{1,5}")
_HEADER_PATTERN = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH_PATTERN = re.compile(r"[0-9]{1,15}")
# Headers for the proxy only, or written anew.
_HOP_BY_HOP_HEADERS = frozenset({
    "connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
_READ_BYTES = 64 * 1024
_MAX_HEAD_BYTES = 64 * 1024
_HEAD_SECONDS = 10.0
# A browser opens at most 32 connections to one proxy.
_MAX_CONNECTIONS = 64
_TUNNEL_OPEN_STATUS, _PROXY_AUTH_STATUS = 200, 407
_REASON_PHRASES = {
    200: "Connection Established", 400: "Bad Request", 403: "Forbidden",
    407: "Proxy Authentication Required", 502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip


class ProxyRequest(NamedTuple):
    """A browser's request: a tunnel, or one request to a site without TLS.

    Header names are in lower case; ``length`` is the number of body bytes.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    length: int

    def first_header(self, name: str) -> str:
        """Return the first header of that name; blank when there is none."""
        return next((value for key, value in self.headers if key == name), "")


def parse_request_head(head: bytes) -> ProxyRequest | None:
    r"""Parse a request head with its blank line; None when it is not exactly a browser's form.

    >>> parse_request_head(b"CONNECT example.com:443 HTTP/1.1\r\n\r\n").url
    'https://example.com:443/'
    """
    first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    line = _REQUEST_LINE_PATTERN.fullmatch(first)
    headers = _parse_headers(rest)
    if line is None or headers is None:
        return None
    method, target = line.groups()
    url = target if target.startswith("http://") else None
    if method == "CONNECT":
        url = f"https://{target}/" if _AUTHORITY_PATTERN.fullmatch(target) else None
    length = _parse_body_length(headers)
    return None if url is None or length is None else ProxyRequest(method, url, headers, length)


def encode_request_head(request: ProxyRequest, target: Target) -> bytes:
    """Return the head for the site, without the headers and password for the proxy."""
    forwarded = (
        (name, value) for name, value in request.headers if name not in _HOP_BY_HOP_HEADERS
    )
    lines = (
        f"{request.method} {target.path} HTTP/1.1",
        f"host: {target.authority}",
        *(f"{name}: {value}" for name, value in forwarded),
        "connection: close\r\n\r\n",
    )
    return "\r\n".join(lines).encode("latin-1")


def _parse_headers(lines: list[str]) -> tuple[tuple[str, str], ...] | None:
    matches = [_HEADER_PATTERN.fullmatch(line) for line in lines]
    if None in matches:
        return None
    return tuple((match[1].lower(), match[2].rstrip()) for match in matches if match)


def _parse_body_length(headers: tuple[tuple[str, str], ...]) -> int | None:
    """Return the body's length; a browser never sends one of unknown length to a proxy."""
    if any(name == "transfer-encoding" for name, _ in headers):
        return None
    lengths = [value for name, value in headers if name == "content-length"]
    if not lengths:
        return 0
    is_single = len(lengths) == 1 and _LENGTH_PATTERN.fullmatch(lengths[0])
    return int(lengths[0]) if is_single else None


class TransferBudget:
    """A budget of connections and bytes."""

    def __init__(self, connections: int, transfer_bytes: int) -> None:
        self._connections, self._bytes = connections, transfer_bytes

    @property
    def is_overdrawn(self) -> bool:
        """Whether more bytes were transferred than allowed."""
        return self._bytes < 0

    def admit_connection(self) -> bool:
        """Use one connection; return False when connections or bytes are used up."""
        self._connections -= 1
        return self._connections >= 0 and not self.is_overdrawn

    def spend_bytes(self, count: int) -> bool:
        """Use ``count`` bytes; return False when that exceeds the budget."""
        self._bytes -= count
        return not self.is_overdrawn


class BrowserClient(NamedTuple):
    """The browser's end of a connection to the proxy."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def relay_bytes(
    client: BrowserClient, site: socket.socket, allowance: TransferBudget, *, length: int | None
) -> None:
    """Relay bytes both ways until one side ends; the caller closes both.

    ``length`` limits the bytes from the browser; None is no limit. Further bytes are its next
    request, which was not judged: they end the connection, and the browser opens another.
    """
    tasks = (
        asyncio.ensure_future(_relay_to_site(client.reader, site, allowance, length)),
        asyncio.ensure_future(_relay_to_browser(client.writer, site, allowance)),
    )
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        # The caller may close the socket only after both tasks have released it.
        await asyncio.wait(tasks)


async def _relay_to_site(
    reader: asyncio.StreamReader, site: socket.socket, allowance: TransferBudget, length: int | None
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await reader.read(
            _READ_BYTES if length is None else min(_READ_BYTES, length or 1)
        ):
            if length == 0 or not allowance.spend_bytes(len(piece)):
                return
            await loop.sock_sendall(site, piece)
            length = None if length is None else length - len(piece)


async def _relay_to_browser(
    writer: asyncio.StreamWriter, site: socket.socket, allowance: TransferBudget
) -> None:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while piece := await loop.sock_recv(site, _READ_BYTES):
            if not allowance.spend_bytes(len(piece)):
                return
            writer.write(piece)
            await writer.drain()


class GuardingProxy:
    """The proxy of one rendering. The browser must send ``password``."""

    def __init__(
        self, render_guard: RenderGuard, allowance: TransferBudget, expected: ExpectedHosts
    ) -> None:
        """Make a random password; ``serve`` starts the proxy."""
        self.password = secrets.token_urlsafe(32)
        self._render_guard, self._allowance = render_guard, allowance
        self._expected_hosts = expected
        self._credentials = b"Basic " + base64.b64encode(f"{PROXY_USER}:{self.password}".encode())
        self._connections_by_task: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @asynccontextmanager
    async def serve(self, listener: socket.socket) -> AsyncIterator[None]:
        """Serve connections to ``listener``; close all of them afterwards."""
        accept = self._accept_client
        server = await asyncio.start_server(accept, sock=listener, limit=_MAX_HEAD_BYTES)
        try:
            yield
        finally:
            try:
                await close_server(server)
            finally:
                connections = dict(self._connections_by_task)
                for task in connections:
                    task.cancel()
                if connections:
                    await asyncio.wait(connections)
                for writer in connections.values():
                    writer.transport.abort()

    def _accept_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections_by_task) >= _MAX_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.ensure_future(self._serve_connection(BrowserClient(reader, writer)))
        self._connections_by_task[task] = writer
        # Written bytes are still sent before the connection ends.
        task.add_done_callback(lambda task: self._connections_by_task.pop(task).close())

    async def _serve_connection(self, client: BrowserClient) -> None:
        request = await _read_request(client.reader)
        status = await self._check_request(request)
        if request is None or status is not None:
            client.writer.write(_encode_response(status or 400))
            return
        opened = await self._open_site(request.url)
        if isinstance(opened, Failure):
            # The status tells only whether the target is refused or unreachable.
            is_refused = isinstance(opened.failure(), (InvalidUrl, UrlDenied))
            client.writer.write(_encode_response(403 if is_refused else 502))
            return
        target, site = opened.unwrap()
        with site:
            await self._relay_request(client, request, target, site)

    async def _check_request(self, request: ProxyRequest | None) -> int | None:
        if request is None:
            return 400
        credentials = request.first_header("proxy-authorization").encode("latin-1")
        if not hmac.compare_digest(credentials, self._credentials):
            return 407
        if not await self._expected_hosts.is_expected(request.url):
            return 403
        return None if self._allowance.admit_connection() else 503

    async def _open_site(self, url: str) -> Result[tuple[Target, socket.socket], WebError]:
        checked = await self._render_guard.judge_request(url)
        if isinstance(checked, Failure):
            return checked
        reachable = checked.unwrap()
        opened = await self._render_guard.connect(reachable)
        return opened.map(lambda site: (reachable.target, site))

    async def _relay_request(
        self, client: BrowserClient, request: ProxyRequest, target: Target, site: socket.socket
    ) -> None:
        if request.method == "CONNECT":
            client.writer.write(_encode_response(200))
            await relay_bytes(client, site, self._allowance, length=None)
            return
        with contextlib.suppress(OSError):
            head = encode_request_head(request, target)
            await asyncio.get_running_loop().sock_sendall(site, head)
            await relay_bytes(client, site, self._allowance, length=request.length)


async def _read_request(reader: asyncio.StreamReader) -> ProxyRequest | None:
    try:
        async with asyncio.timeout(_HEAD_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    return parse_request_head(head)


def _encode_response(status: int) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASON_PHRASES[status]}"]
    if status == _PROXY_AUTH_STATUS:
        lines.append('Proxy-Authenticate: Basic realm="webseam"')
    if status != _TUNNEL_OPEN_STATUS:
        lines += ["Content-Length: 0", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("ascii")
