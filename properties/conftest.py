"""No law leaves this machine, or asks who tries it."""

import pytest

from tests import looking
from tests.run_alone import pytest_runtest_makereport
from tests.surroundings import _bare

__all__ = ["_bare", "looking", "pytest_runtest_makereport"]


@pytest.fixture(autouse=True)
def _stay_here(loopback_only: list[tuple[str, int]]) -> None:
    """Put every law under the guard of the kit's own plugin: nothing leaves this machine."""
    assert loopback_only == []
