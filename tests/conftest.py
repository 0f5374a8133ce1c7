"""No test leaves this machine, or asks who runs it."""

import gc

import pytest

from tests import looking
from tests.surroundings import _bare

__all__ = ["_bare", "looking"]


@pytest.fixture(autouse=True)
def _stay_here(loopback_only: list[tuple[str, int]]) -> None:
    """Put every test under the guard of the kit's own plugin."""
    assert loopback_only == []


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of every later collection: they are most of the heap."""
    gc.collect()
    gc.freeze()
