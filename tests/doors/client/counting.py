"""Count the calls and the compiled patterns of a piece of work."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType

import msgspec

import webseam

OURS = str(Path(webseam.__file__).parent)


SNIPPET = "Above the cut-out speed the blades are feathered and the brake holds the rotor. " * 5


ROWS = (10, 20)


def body_of(rows: int) -> bytes:
    results = [
        {"title": f"Part {n}", "url": f"https://a{n}.example/{n}", "content": SNIPPET, "score": 0.5}
        for n in range(rows)
    ]
    return msgspec.json.encode({"results": results})


@asynccontextmanager
async def serving(body: bytes) -> AsyncIterator[str]:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                asked = await reader.readuntil(b"\r\n\r\n")
                length = int(asked.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(head % len(body) + body)
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _count_events(work: Awaitable[object], counts: Callable[..., bool]) -> int:
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += counts(frame, event, argument)

    sys.setprofile(note)
    try:
        await work
    finally:
        sys.setprofile(None)
    return count


async def count_calls(work: Awaitable[object]) -> int:
    """Return how many functions ours called, in Python and in C, and how many were resumed."""

    def counts(frame: FrameType, event: str, _argument: object) -> bool:
        return event in ("call", "c_call") and frame.f_code.co_filename.startswith(OURS)

    return await _count_events(work, counts)


async def count_patterns(work: Awaitable[object]) -> int:
    """Return how many regular expressions were matched: each reads a whole text."""

    def counts(_frame: FrameType, event: str, argument: object) -> bool:
        return event == "c_call" and type(getattr(argument, "__self__", None)) is re.Pattern

    return await _count_events(work, counts)


Count = Callable[[Awaitable[object]], Awaitable[int]]
