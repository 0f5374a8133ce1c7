"""How a server of asyncio stops without forgetting whoever comes at that moment."""

import asyncio
from contextlib import suppress

# A task connects, the protocol hears of it, and the task that attends begins.
_TURNS_TO_CONNECT = 3


async def close_server(server: asyncio.Server) -> None:
    """Let nobody in any more; whoever was let in is a connection afterwards, and is attended.

    A server that is closed in between forgets the socket, and it stays open until it is collected
    (https://github.com/python/cpython/issues/109564, read 2026-11-17).
    """
    loop = asyncio.get_running_loop()
    try:
        for listener in server.sockets:
            # Not every loop has listeners that can be taken from it: there the gap is left.
            with suppress(NotImplementedError, RuntimeError):
                loop.remove_reader(listener)
        for _ in range(_TURNS_TO_CONNECT):
            await asyncio.sleep(0)
    finally:
        server.close()
