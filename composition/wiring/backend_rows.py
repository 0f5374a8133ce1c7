"""A row of the backend table, and the root that the table is built from."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from returns.result import Result

from webseam.adapters.services.declaration import Capability, Service
from webseam.kernel.deps import RowPolicy
from webseam.kernel.laws.filters import FilterPolicy
from webseam.kernel.planner.selection import SelectionCandidate
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.backends import Abilities
from webseam.ports.errors import WebError

from ..feature_table import SharedPart, load_each
from ..planning.open_backends import OpenBackend
from ..settings.file_locations import FileLocations
from ..settings.json_endpoints import Endpoints
from ..settings.services import ServiceSettings
from ..settings.settings_root import SettingsRoot

if TYPE_CHECKING:
    from ..settings.json_services import CustomService
    from ..settings.site_settings import PageFiles


BOTH_CAPABILITIES: tuple[Capability, ...] = ("search", "extract")
Open = Callable[[], Result[OpenBackend, WebError]]
Watch = Callable[[OpenBackend], OpenBackend]


class BackendRow(msgspec.Struct, frozen=True, kw_only=True):
    """One backend. ``problem`` explains a missing setup.

    ``address`` is the URL that is asked; None where there is none, as for the page reader and the
    index. ``cache_identity`` tells two backends of one name apart: it is part of the keys of cached
    answers and, with the key of the account, of health. Stored answers live as long as it stays.
    ``generation`` is asked before each call: it changes with the documents of a backend that knows
    when they change, and no answer of an earlier generation is served.
    ``request_settings`` are the other settings that change a request, what is read from its answer,
    or who asks: with another one, a stored answer is another question's. They hold secrets, and
    only their digest is stored. They are empty where nothing is set.

    Only a search model has ``abilities`` and a ``model``. ``open_each`` opens the backend once for
    each key, without retries. ``numbers`` are prices and limits of the user. ``risk`` describes a
    risk that the user accepted. ``is_begun`` means that the user set the backend up in part.
    """

    candidate: SelectionCandidate
    title: str
    open: Open
    open_each: "Callable[[], Result[list[OpenBackend], WebError]] | None" = None
    cache_identity: str
    generation: Callable[[], str] | None = None
    request_settings: Callable[[], object] = tuple
    address: str | None = None
    service: Service | None = None
    settings: ServiceSettings | None = None
    problem: WebError | None = None
    abilities: Abilities | None = None
    model: str | None = None
    numbers: Mapping[str, float] = {}
    risk: str = ""
    is_begun: bool = False


class CallRules(msgspec.Struct, frozen=True, kw_only=True):
    """How strictly a call treats invalid rows and unsupported filters."""

    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"


class BackendSource(msgspec.Struct, frozen=True):
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


BACKENDS = SharedPart[BackendSource]("backends")


def feature_backends() -> Iterator[BackendSource]:
    """Yield the backends of each feature that brings some."""
    yield from load_each(BACKENDS)


class Root(SettingsRoot, frozen=True, kw_only=True):
    """The composition root, read once: what backends, models and plugins are opened from.

    ``cache_scope`` separates the cached answers of several users. ``watch`` wraps every open
    backend. ``page_files`` holds cookies and the signing key; without it, who opens the page reader
    reads their files.
    """

    policy: Policy
    endpoints: Endpoints = Endpoints()
    described: "Mapping[str, CustomService]" = msgspec.field(default_factory=dict)
    index: Path = msgspec.field(default_factory=lambda: FileLocations().index_file)
    cache_scope: str = ""
    watch: Watch | None = None
    page_files: "PageFiles | None" = None


def watch_backend(backend: OpenBackend, root: Root) -> OpenBackend:
    """Wrap a backend with the watcher of the root, if there is one."""
    return backend if root.watch is None else root.watch(backend)


def access_fingerprint(row: BackendRow, number: int) -> str:
    """Return the fingerprint of one key of a backend, counted from 1."""
    key = "" if row.settings is None else row.settings.accesses[number - 1].key
    return key_fingerprint(row.cache_identity, key)


def access_fingerprints(row: BackendRow) -> AbstractSet[str]:
    """Return the fingerprints of all keys that a backend has now."""
    count = 1 if row.settings is None else len(row.settings.accesses)
    return {access_fingerprint(row, number) for number in range(1, count + 1)}


def key_fingerprint(identity: str, secret: str) -> str:
    """Return a BLAKE2b digest of what is asked and with which key."""
    import hashlib  # noqa: PLC0415  a search of the index needs none

    text = f"{identity}\n{secret}".encode()
    return hashlib.blake2b(text, digest_size=8, person=b"webseam").hexdigest()
