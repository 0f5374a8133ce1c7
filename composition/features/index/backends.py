"""The index as a backend of the core."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from returns.result import Failure, Result, Success

from webseam.kernel.planner.selection import SelectionCandidate
from webseam.kernel.urls.spelling import canonical_url
from webseam.ports.errors import NotConfigured, WebError

from ...planning.open_backends import OpenBackend
from ...settings import remedies
from ...settings.file_locations import path_exists
from ...wiring.backend_rows import BOTH_CAPABILITIES, BackendRow, BackendSource, Root

if TYPE_CHECKING:
    from webseam.adapters.features.index.backend import QueryEmbedder


def index_row(root: Root) -> BackendRow:
    """Return the row of the index, ready where its file exists."""
    has_index = path_exists(root.index)
    problem = None
    if not has_index:
        reason = "Nothing is indexed yet"
        problem = NotConfigured(reason=reason, remedy=remedies.INDEX_REMEDY, backend="index")
    return BackendRow(
        candidate=SelectionCandidate(
            name="index",
            can=BOTH_CAPABILITIES,
            ready=("search",) if has_index else (),
            embedded=True,
            rank=10,
        ),
        title="Your own documents, offline",
        open=lambda: open_index(root),
        cache_identity=str(root.index),
        generation=lambda: index_generation(root.index),
        problem=problem,
    )


def index_generation(path: Path) -> str:
    """Return a text that changes with every change of an index, also by another process.

    SQLite writes a change to the end of its log, or moves the log into the file: one of the two has
    another time or size then. Reading leaves both as they are; an empty log is as good as none.
    """
    real_path = os.path.realpath(path)
    states: list[tuple[int, int, int]] = []
    for file in (real_path, f"{real_path}-wal"):
        with suppress(OSError):
            status = os.stat(file)  # noqa: PTH116  a text, as SQLite names its log
            if status.st_size:
                states.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return repr(states)


def open_index(root: Root) -> Result[OpenBackend, WebError]:
    """Return the backend over the index of ``root``, which must be there."""
    from webseam.adapters.features.index.backend import IndexBackend  # SQLite, on first use
    from webseam.adapters.features.index.store import DocumentIndex

    opened = DocumentIndex.open_reader(root.index)
    if isinstance(opened, Failure):
        return opened

    def open_embedder() -> "QueryEmbedder":
        from .index_vectors import SettingsEmbedder  # models, where the file has vectors

        return SettingsEmbedder(root)

    return Success(IndexBackend(opened.unwrap(), canonical_url, open_embedder))


BACKENDS = BackendSource(
    names=lambda: ("index",),
    rows=lambda root: (index_row(root),),
    find=lambda name, root: index_row(root) if name == "index" else None,
    has_settings=False,
)
