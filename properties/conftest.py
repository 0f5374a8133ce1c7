"""How hard to look: a few examples at the desk, more before a change lands.

A failure prints the seed to reproduce it: ``@reproduce_failure`` or ``--hypothesis-seed``.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "default", max_examples=60, deadline=None, suppress_health_check=_SLOW_DATA
)
settings.register_profile(
    "ci",
    max_examples=150,
    deadline=None,
    print_blob=True,
    derandomize=False,
    suppress_health_check=_SLOW_DATA,
)
settings.register_profile(
    "mutation",
    max_examples=30,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=_SLOW_DATA,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _stay_here(loopback_only: list[tuple[str, int]]) -> None:
    """Put every law under the guard of the kit's own plugin: nothing leaves this machine."""
    assert loopback_only == []
