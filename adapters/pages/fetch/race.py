"""Connecting to the first of several addresses that answers (RFC 8305)."""

import asyncio
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
    waiting = list(addresses)
    running: set[asyncio.Task[Opened]] = set()
    failed: list[BaseException] = []
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.ensure_future(_dial(waiting.pop(0), port)))
            patience = STAGGER if waiting else None
            done, running = await asyncio.wait(
                running, timeout=patience, return_when=asyncio.FIRST_COMPLETED
            )
            winner = _take_winner(done, failed)
            if winner is not None:
                return winner
    finally:
        for task in running:
            task.add_done_callback(_discard)
            task.cancel()
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


def _take_winner(done: set[asyncio.Task[Opened]], failed: list[BaseException]) -> Opened | None:
    """Return one connection of those that were made and close the rest; keep what failed."""
    winner: Opened | None = None
    for task in done:
        error = task.exception()
        if error is not None:
            failed.append(error)
        elif winner is None:
            winner = task.result()
        else:
            task.result().socket.close()
    return winner


def _discard(task: "asyncio.Task[Opened]") -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().socket.close()
