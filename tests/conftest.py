"""No test leaves this machine, or asks who runs it."""

import gc
import sys
from collections.abc import Iterator

import pytest

from tests import looking
from tests.run_alone import pytest_runtest_makereport
from tests.surroundings import _bare
from webseam.adapters.pages.workers.pool import close_shared_workers

__all__ = ["_bare", "looking", "pytest_runtest_makereport"]

# A thread that coverage follows installs a trace function, which calls the guard's audit hook. If
# another thread gets its turn in the hook and installs one, too, Python 3.11 refuses that
# (``_PyEval_SetTrace``): on a busy machine servers of tests lost their threads.
if sys.gettrace() is not None:
    sys.setswitchinterval(0.1)


@pytest.fixture(autouse=True)
def _stay_here(loopback_only: list[tuple[str, int]]) -> None:
    """Put every test under the guard of the kit's own plugin."""
    assert loopback_only == []


@pytest.fixture(autouse=True)
def _end_shared_workers() -> Iterator[None]:
    """Leave no process of a pool that all clients share to the next test, which may count them."""
    yield
    close_shared_workers()


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of every later collection: they are most of the heap."""
    gc.collect()
    gc.freeze()
