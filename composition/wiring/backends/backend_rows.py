"""A row of the table of backends, and what the table is made from."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from returns.result import Result, Success

from ....adapters.service.declaration import Capability, Service
from ....kernel.deps import RowPolicy
from ....kernel.laws.filters import FilterPolicy
from ....kernel.planner.money import SpendingAllowance
from ....kernel.planner.selection import SelectionCandidate
from ....kernel.policy.policy_rules import Policy
from ....ports.backends import Abilities
from ....ports.errors import WebError
from ...calls.open_backends import OpenBackend
from ...calls.session import Session
from ...features import load_parts
from ...file_locations import FileLocations
from ...settings.json_endpoints import Endpoints
from ...settings.schema import Settings
from ...settings.services import ServiceSettings

if TYPE_CHECKING:
    import httpx

    from ...settings.json_services import CustomService


BOTH_CAPABILITIES: tuple[Capability, ...] = ("search", "extract")
Open = Callable[[], Result[OpenBackend, WebError]]
OpenSession = Callable[[], Result[Session, WebError]]
Watch = Callable[[OpenBackend], OpenBackend]


class BackendRow(msgspec.Struct, frozen=True, kw_only=True):
    """One backend. ``place`` tells two of one name apart, ``problem`` is why it cannot be used.

    ``abilities`` are those of a model that searches, which is no service. ``open_each`` opens it
    once for each key, without any trying again. ``numbers`` are prices and limits of the user's.
    ``risk`` is what the user allowed it, and should know about; ``begun`` says that it is set up in
    part: somebody means to use it.
    """

    candidate: SelectionCandidate
    title: str
    open: Open
    open_each: "Callable[[], Result[list[OpenBackend], WebError]] | None" = None
    place: str = ""
    service: Service | None = None
    settings: ServiceSettings | None = None
    problem: WebError | None = None
    abilities: Abilities | None = None
    numbers: Mapping[str, float] = {}
    risk: str = ""
    begun: bool = False


class CallRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller wants of rows and filters."""

    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"


class BackendSource(NamedTuple):
    """The backends that a feature brings.

    ``names`` are known without loading any of them; ``installed`` also counts other packages.
    ``broken`` maps a name that cannot be loaded to the reason. ``has_settings`` says that each may
    have a block in the settings.
    """

    names: Callable[[], Collection[str]]
    rows: "Callable[[Root], Iterable[BackendRow]]"
    find: "Callable[[str, Root], BackendRow | None]"
    installed: Callable[[], Mapping[str, object]] = dict
    broken: Callable[[], Mapping[str, str]] = dict
    has_settings: bool = True


def feature_backends() -> Iterator[BackendSource]:
    """Yield the backends of each feature that brings some."""
    yield from load_parts("backends")


def _open_session_without_plugins() -> Result[Session, WebError]:
    return Success(Session())


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """What a door was opened with, read once: settings, environment, transport and plugins.

    ``files`` holds the environment. ``transport`` carries requests in place of one of our own.

    Models are asked with what ``session`` puts around them. Where several share a machine,
    ``allowance`` is what one of them may spend, and ``cache_scope`` whose answers are kept apart.
    ``watch`` stands around every backend that is opened, for whoever wants to see what is sent.
    """

    settings: Settings
    policy: Policy
    endpoints: Endpoints = Endpoints()
    described: "Mapping[str, CustomService]" = {}
    files: FileLocations = FileLocations()
    index: Path = msgspec.field(default_factory=lambda: FileLocations().index_file)
    transport: "httpx.AsyncBaseTransport | None" = None
    session: OpenSession = _open_session_without_plugins
    allowance: SpendingAllowance | None = None
    cache_scope: str = ""
    watch: Watch | None = None


def watch_backend(backend: OpenBackend, root: Root) -> OpenBackend:
    """Return a backend as it is asked: through whoever watches, if anybody does."""
    return backend if root.watch is None else root.watch(backend)
