"""Fixtures for pytest. Every pytest run loads this module, so it imports next to nothing."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .faulty_server.server import FaultyServer


@pytest.fixture
def loopback_only() -> Iterator[list[tuple[str, int]]]:
    """Refuse connections that leave this machine, and fail a test that tried one.

    A test that tries on purpose asserts on the list, and then clears it.
    """
    from .loopback import loopback_only as guard  # only when asked for

    with guard() as tried:
        yield tried
    if tried:
        pytest.fail(f"the test tried to leave this machine: {tried}")


@pytest.fixture(scope="session")
def _faulty_server_thread() -> Iterator["FaultyServer"]:
    from .faulty_server.server import faulty_server_thread  # only when asked for

    with faulty_server_thread() as server:
        yield server


@pytest.fixture
def faulty_server(_faulty_server_thread: "FaultyServer") -> "FaultyServer":
    """Return a server with a path for every fault, its counts at zero.

    One server runs in its own thread for the whole session; plain and async tests can use it.
    """
    _faulty_server_thread.reset()
    return _faulty_server_thread
