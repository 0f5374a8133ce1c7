"""What users test their own code with: fakes, a faulty server, strategies, a contract suite.

Names load on first use; ``strategies`` and ``BackendContract`` need ``webseam[testing]``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .composition.testing.fakes import FakeBackend, FakeClock, FakeCompressor
    from .composition.testing.loopback import loopback_only
    from .composition.testing.scripted_transport import ScriptedTransport, ScriptRanOut

__all__ = [
    "FakeBackend",
    "FakeClock",
    "FakeCompressor",
    "ScriptRanOut",
    "ScriptedTransport",
    "loopback_only",
]

_HOMES = {
    "FakeBackend": "fakes",
    "FakeClock": "fakes",
    "FakeCompressor": "fakes",
    "ScriptRanOut": "scripted_transport",
    "ScriptedTransport": "scripted_transport",
    "loopback_only": "loopback",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"webseam.composition.testing.{_HOMES[name]}"), name)
    message = f"module 'webseam.testing' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
