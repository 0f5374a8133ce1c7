"""Shutdown of an asyncio server that serves connections which arrive at that moment."""

import asyncio
from contextlib import suppress

# A task accepts, ``connection_made`` is called, and the handler's task begins.
_CONNECT_LOOP_TURNS = 3


async def close_server(server: asyncio.Server) -> None:
    """Accept no more connections; hand those already accepted to their handlers.

    ``Server.close`` between these steps leaks the socket until it is garbage-collected
    (https://github.com/python/cpython/issues/109564, read 2026-11-17).
    """
    loop = asyncio.get_running_loop()
    try:
        for listener in server.sockets:
            # Some event loops cannot remove a reader; there the leak remains.
            with suppress(NotImplementedError, RuntimeError):
                loop.remove_reader(listener)
        for _ in range(_CONNECT_LOOP_TURNS):
            await asyncio.sleep(0)
    finally:
        server.close()
