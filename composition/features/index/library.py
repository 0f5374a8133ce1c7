"""The document index from Python: ``webseam.index``. Every call opens the index and closes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.index.contents import ListedDocument, Statistics
from webseam.adapters.features.index.ingestion import IngestResult
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.ports.errors import WebError

from ...doors.client.results import WebseamError, unwrap
from ...settings.file_locations import FileLocations, path_exists
from ...wiring.root import read_root
from . import removal
from .document_readers import index_location
from .ingest_work import IngestOptions, IngestTally, add_sources, refresh_sources

if TYPE_CHECKING:
    from os import PathLike

Value = TypeVar("Value")
# A path, or the address of a page.
Source: TypeAlias = "str | PathLike[str]"


class IndexChange(msgspec.Struct, frozen=True, kw_only=True):
    """What a call changed in the index: how many documents, and what could not be taken.

    ``skipped`` counts files by the reason why they were not looked into. ``failures`` are the
    locations that failed; ``unreadable`` are files of a folder that could not be read.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    failed: int
    passages: int
    skipped: Mapping[str, int]
    failures: tuple[tuple[str, WebError], ...]
    unreadable: tuple[tuple[str, WebError], ...]


def add(
    *sources: Source,
    index: Source | None = None,
    follow_links: bool = False,
    include_secrets: bool = False,
    on_document: Callable[[IngestResult], None] | None = None,
) -> IndexChange:
    """Add files, folders and pages, skip unchanged ones, and return the counts.

    The same as ``webseam index add``. ``index`` is the file of the index, instead of the one in the
    settings. ``on_document`` is called with each document that is done with. A document that fails
    is in ``failures``; the call raises ``WebseamError`` only if the index or the settings fail.
    """
    options = IngestOptions(follow_links=follow_links, include_secrets=include_secrets)
    tally = IngestTally(on_document=on_document or _ignore_document)
    root = unwrap(read_root())
    names = [*map(str, sources)]
    _change(index, lambda store: add_sources(store, names, root, tally, options))
    return _index_change(tally)


def refresh(
    *sources: Source,
    index: Source | None = None,
    follow_links: bool = False,
    include_secrets: bool = False,
    on_document: Callable[[IngestResult], None] | None = None,
) -> IndexChange:
    """Read all sources again, or those that are named, and drop documents that are gone.

    The same as ``webseam index refresh``; the options are those of ``add``.
    """
    options = IngestOptions(follow_links=follow_links, include_secrets=include_secrets)
    tally = IngestTally(on_document=on_document or _ignore_document)
    root = unwrap(read_root())
    names = [*map(str, sources)]
    _check_file(index)
    _change(index, lambda store: refresh_sources(store, names, root, tally, options))
    return _index_change(tally)


def remove(*sources: Source, index: Source | None = None) -> int:
    """Remove documents by their own location or by their folder, and return how many.

    The files stay. The same as ``webseam index remove``.
    """
    path = _check_file(index)
    named = [index_location(str(source)) for source in sources]
    return unwrap(removal.remove_index_locations(path, named)).count


def documents(*, index: Source | None = None) -> list[ListedDocument]:
    """Return every document of the index."""
    return list(_read(index, DocumentIndex.documents))


def statistics(*, index: Source | None = None) -> Statistics:
    """Return the counts of the index."""
    return _read(index, DocumentIndex.statistics)


def _ignore_document(_document: IngestResult) -> None:
    """Do nothing."""


def _index_path(index: Source | None) -> Path:
    return Path(FileLocations().index_file if index is None else index)


def _check_file(index: Source | None) -> Path:
    """Return the path of the index; raise if there is no file."""
    path = _index_path(index)
    if not path_exists(path):
        raise WebseamError(INDEX.file_error("missing"))
    return path


def _change(index: Source | None, work: Callable[[DocumentIndex], Result[None, WebError]]) -> None:
    with closing(unwrap(DocumentIndex.open_writer(_index_path(index)))) as store:
        unwrap(work(store))


def _read(index: Source | None, work: Callable[[DocumentIndex], Result[Value, WebError]]) -> Value:
    opened = DocumentIndex.open_reader(_index_path(index))
    if isinstance(opened, Failure):
        raise WebseamError(opened.failure())
    with closing(opened.unwrap()) as store:
        return unwrap(work(store))


def _index_change(tally: IngestTally) -> IndexChange:
    return IndexChange(
        **tally.counts,
        passages=tally.passages,
        skipped={reason: count for reason, count in tally.skipped.items() if count},
        failures=tuple(tally.failures),
        unreadable=tuple(tally.unread),
    )
