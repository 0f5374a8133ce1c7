"""Fixtures for pytest. This module loads with every pytest run, so it imports next to nothing."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def loopback_only() -> Iterator[list[tuple[str, int]]]:
    """Refuse what leaves this machine, and fail the test that tried; see the guard's own words."""
    from .loopback import loopback_only as guard  # noqa: PLC0415  only when asked for

    with guard() as tried:
        yield tried
    if tried:
        pytest.fail(f"the test tried to leave this machine: {tried}")
