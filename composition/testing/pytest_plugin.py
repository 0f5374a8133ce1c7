"""Fixtures for pytest. This module loads with every pytest run, so it imports next to nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .faulty_server.server import FaultyServer


@pytest.fixture
def loopback_only() -> Iterator[list[tuple[str, int]]]:
    """Refuse what leaves this machine, and fail a test that tried.

    A test that means to try asserts on the list it is given, and then clears it.
    """
    from .loopback import loopback_only as guard  # noqa: PLC0415  only when asked for

    with guard() as tried:
        yield tried
    if tried:
        pytest.fail(f"the test tried to leave this machine: {tried}")


@pytest.fixture(scope="session")
def _faulty_server_thread() -> Iterator["FaultyServer"]:
    from .faulty_server.server import faulty_server_thread  # noqa: PLC0415  only when asked for

    with faulty_server_thread() as server:
        yield server


@pytest.fixture
def faulty_server(_faulty_server_thread: "FaultyServer") -> "FaultyServer":
    """Give a server with a path for every fault, its counts at zero.

    It runs in a thread of its own, once for the whole session, so plain and async tests can use it.
    """
    _faulty_server_thread.reset()
    return _faulty_server_thread
