"""What answers on the ports that do not speak HTTP properly."""

import asyncio
import contextlib
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Coroutine
from typing import TypeAlias

from .conversation import reset

Handler: TypeAlias = Callable[[StreamReader, StreamWriter], Coroutine[None, None, None]]

_SECRET = b"<p>INTERNAL-SECRET!!</p>"


async def never_answer(reader: StreamReader, _writer: StreamWriter) -> None:
    """Take whatever comes and say nothing."""
    while await reader.read(65536):
        pass


async def close_at_once(_reader: StreamReader, _writer: StreamWriter) -> None:
    """Close before a byte is read."""


async def reset_at_once(_reader: StreamReader, writer: StreamWriter) -> None:
    """Reset before a byte is read."""
    reset(writer)


async def answer_in_clear(reader: StreamReader, writer: StreamWriter) -> None:
    """Answer a TLS hello in plain HTTP."""
    await reader.read(512)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


async def close_after_hello(reader: StreamReader, _writer: StreamWriter) -> None:
    """Read a TLS hello and close."""
    await reader.read(512)


async def tell_secret(reader: StreamReader, writer: StreamWriter) -> None:
    """Be the internal service that nobody may reach."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(2):
            await reader.readuntil(b"\r\n\r\n")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(_SECRET)
    writer.write(head + b"Connection: close\r\n\r\n" + _SECRET)
    await writer.drain()


PORTS: dict[str, Handler] = {
    "accept_hang": never_answer,
    "accept_close": close_at_once,
    "accept_reset": reset_at_once,
    "tls_plain": answer_in_clear,
    "tls_close": close_after_hello,
}
