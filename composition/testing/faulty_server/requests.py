"""Reading a request off a connection."""

from asyncio import StreamReader, StreamWriter
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from .conversation import Conversation

if TYPE_CHECKING:
    from .server import FaultyServer


async def read_request(
    server: "FaultyServer", reader: StreamReader, writer: StreamWriter
) -> Conversation:
    """Return the request that stands on the connection; what is no HTTP ends in ValueError."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.split("\r\n")
    method, target, _version = line.split(" ", 2)
    named = (header.partition(":") for header in rest if header)
    headers = [(name.strip().lower(), value.strip()) for name, _, value in named]
    length = next((value for name, value in headers if name == "content-length"), "0")
    parts = urlsplit(target)
    return Conversation(
        server=server,
        reader=reader,
        writer=writer,
        method=method,
        target=target,
        path=parts.path,
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
        headers=headers,
        body=await reader.readexactly(int(length)),
    )
