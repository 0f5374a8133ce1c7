"""What users test their own code with: fakes, a faulty server, strategies, a contract suite.

Names load on first use; ``strategies`` and ``BackendContract`` need ``webseam[testing]``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .composition.features.testing import strategies
    from .composition.features.testing.clients import (
        FakeTexts,
        fake_blocking_web,
        fake_tools,
        fake_web,
    )
    from .composition.features.testing.contract import BackendContract
    from .composition.features.testing.fakes import (
        FakeBackend,
        FakeClock,
        FakeCompressor,
        FakeModel,
        FakeResults,
        FakeXSearch,
    )
    from .composition.features.testing.faulty_server import (
        FAULTS,
        REFERENCE_LIMITS,
        Fault,
        FaultyServer,
        faulty_server_thread,
    )
    from .composition.features.testing.loopback import loopback_only
    from .composition.features.testing.transports import (
        NotRecorded,
        RecordingTransport,
        ReplayTransport,
        ScriptedTransport,
        ScriptRanOut,
    )

__all__ = [
    "FAULTS",
    "REFERENCE_LIMITS",
    "BackendContract",
    "FakeBackend",
    "FakeClock",
    "FakeCompressor",
    "FakeModel",
    "FakeResults",
    "FakeTexts",
    "FakeXSearch",
    "Fault",
    "FaultyServer",
    "NotRecorded",
    "RecordingTransport",
    "ReplayTransport",
    "ScriptRanOut",
    "ScriptedTransport",
    "fake_blocking_web",
    "fake_tools",
    "fake_web",
    "faulty_server_thread",
    "loopback_only",
    "strategies",
]

_HOMES = {
    "FAULTS": "faulty_server",
    "REFERENCE_LIMITS": "faulty_server",
    "BackendContract": "contract",
    "FakeBackend": "fakes",
    "FakeClock": "fakes",
    "FakeCompressor": "fakes",
    "FakeModel": "fakes",
    "FakeResults": "fakes",
    "FakeTexts": "clients",
    "FakeXSearch": "fakes",
    "Fault": "faulty_server",
    "FaultyServer": "faulty_server",
    "NotRecorded": "transports",
    "RecordingTransport": "transports",
    "ReplayTransport": "transports",
    "ScriptRanOut": "transports",
    "ScriptedTransport": "transports",
    "fake_blocking_web": "clients",
    "fake_tools": "clients",
    "fake_web": "clients",
    "faulty_server_thread": "faulty_server",
    "loopback_only": "loopback",
}


def __getattr__(name: str) -> object:
    if name == "strategies":
        return import_module("webseam.composition.features.testing.strategies")
    if name in _HOMES:
        return getattr(import_module(f"webseam.composition.features.testing.{_HOMES[name]}"), name)
    message = f"module 'webseam.testing' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
