"""How hard to look: a few examples at the desk, more before a change lands, as many as you like.

What lands is tried with the same examples everywhere, so that a change that passes passes
everywhere. New ones are looked for by ``make fuzz``; what it finds becomes an ``@example``. A
failure prints the line that reproduces it.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.surroundings import _bare

__all__ = ["_bare"]

_SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_FUZZ = int(os.environ.get("WEBSEAM_EXAMPLES", "1000"))

settings.register_profile(
    "default",
    max_examples=60,
    deadline=None,
    print_blob=True,
    derandomize=True,
    suppress_health_check=_SLOW_DATA,
)
settings.register_profile("ci", settings.get_profile("default"), max_examples=150)
settings.register_profile(
    "fuzz", settings.get_profile("default"), max_examples=_FUZZ, derandomize=False
)
settings.register_profile(
    "mutation",
    settings.get_profile("default"),
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _stay_here(loopback_only: list[tuple[str, int]]) -> None:
    """Put every law under the guard of the kit's own plugin: nothing leaves this machine."""
    assert loopback_only == []
