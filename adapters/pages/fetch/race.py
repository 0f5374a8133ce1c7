"""Connecting to the first of several addresses that answers (RFC 8305)."""

import asyncio
import contextlib
import socket
from collections.abc import Sequence
from typing import NamedTuple

# How long the next address waits for the one before it.
STAGGER = 0.25


class Opened(NamedTuple):
    """A connected socket, and the address that was dialled for it."""

    address: str
    socket: socket.socket


async def dial_first(addresses: Sequence[str], port: int) -> Opened:
    """Connect to literal addresses, one more every quarter second; raise OSError if none answers.

    Whatever is still on its way when one has answered, or when we are cancelled, is closed.
    """
    if len(addresses) == 1:
        return await _dial(addresses[0], port)
    running: set[asyncio.Task[Opened]] = set()
    try:
        return await _race(list(addresses), port, running)
    finally:
        for task in running:
            task.add_done_callback(_discard)
            task.cancel()


async def _race(waiting: list[str], port: int, running: set[asyncio.Task[Opened]]) -> Opened:
    failed: list[BaseException] = []
    while waiting or running:
        if waiting:
            running.add(asyncio.ensure_future(_dial(waiting.pop(0), port)))
        patience = STAGGER if waiting else None
        done, _ = await asyncio.wait(running, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            running.remove(task)
            error = task.exception()
            if error is None:
                return task.result()
            failed.append(error)
    raise failed[0]


async def _dial(address: str, port: int) -> Opened:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.settimeout(0)
    try:
        await asyncio.get_running_loop().sock_connect(opened, (address, port))
    except BaseException:
        opened.close()
        raise
    return Opened(address, opened)


def _discard(task: "asyncio.Task[Opened]") -> None:
    """Close what a loser of the race may have opened after all."""
    with contextlib.suppress(OSError, asyncio.CancelledError):
        task.result().socket.close()
