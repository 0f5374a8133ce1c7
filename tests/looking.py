"""How hard to look: a few examples, more before a change lands, or as many new ones as you like.

What lands is tried with the same examples everywhere, so that a change that passes passes
everywhere. New ones are looked for by ``make fuzz``; what it finds becomes an ``@example``. A
failure prints the line that reproduces it.
"""

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

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
settings.register_profile("ci", settings.get_profile("default"), max_examples=120)
# Which lines run is seen with few examples; that the laws hold is tried without coverage.
settings.register_profile("lines", settings.get_profile("default"), max_examples=20)
# While one writes: what is wrong in most cases is found with a few.
settings.register_profile("quick", settings.get_profile("default"), max_examples=10)
settings.register_profile(
    "fuzz", settings.get_profile("default"), max_examples=_FUZZ, derandomize=False
)
settings.register_profile(
    "mutation",
    settings.get_profile("default"),
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")
settings.load_profile(_PROFILE)
if _PROFILE != "fuzz":
    # Hypothesis also tries constants of our code: of the modules that happen to be loaded by then,
    # so that a law would be tried differently in another process, order or clone.
    providers.is_local_module_file = lambda _: False  # type: ignore[attr-defined,assignment]  # it has no setting
