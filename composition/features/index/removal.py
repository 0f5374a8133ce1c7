"""Removal of documents from the index, also on a full disk."""

import os
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.index.contents import ListedDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.features.index.word_folders import drop_index_words
from webseam.adapters.folder_files import (
    OnSkip,
    SkipReason,
    is_web_address,
    path_from_text,
    path_text,
)
from webseam.ports.errors import StoreFailed, WebError

from ...settings.file_locations import path_exists

SPACE_FREED_NOTICE = (
    "the disk was full: the words folder of the index was deleted to free space, "
    "and the next search rebuilds it"
)
READDED_NOTICE = "the next refresh adds what is still in {}"
# Documents that one transaction removes.
_UNLIMITED_BATCH_DOCUMENTS, _SMALL_BATCH_DOCUMENTS = 1 << 60, 20


def is_location_below(location: str, folder: str) -> bool:
    """Tell whether a location is the folder or below it."""
    return location == folder or location.startswith(folder.rstrip("/\\") + os.sep)


def is_named_location(location: str, locations: Collection[str]) -> bool:
    """Tell whether a location is in one of ``locations``; always if there are none."""
    return not locations or any(is_location_below(location, folder) for folder in locations)


def overlaps_named_location(location: str, locations: Collection[str]) -> bool:
    """Tell whether a location is in one of ``locations``, or holds one of them."""
    holds_named = any(is_location_below(name, location) for name in locations)
    return holds_named or is_named_location(location, locations)


def make_named_skip_filter(named: Collection[str], on_skip: OnSkip) -> OnSkip:
    """Return an ``on_skip`` that reports only files related to the named locations."""

    def skip(path: Path, reason: SkipReason) -> None:
        if overlaps_named_location(path_text(path), named):
            on_skip(path, reason)

    return skip


def split_absent_locations(locations: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split locations into present and absent ones; a web address counts as present."""
    present = [
        path for path in locations if is_web_address(path) or path_exists(path_from_text(path))
    ]
    return present, [path for path in locations if path not in present]


def forget_empty_sources(
    index: DocumentIndex, refused: Sequence[str], *, keeps: bool
) -> Result[list[str], WebError]:
    """Return the refused sources without any document; forget them unless ``keeps``."""
    listed = index.documents() if refused else Success(())
    if isinstance(listed, Failure):
        return listed
    locations = {text for row in listed.unwrap() for text in (row.source, row.location)}
    empty_sources = [source for source in refused if source not in locations]
    forgotten = index.forget_sources(empty_sources) if empty_sources and not keeps else Success(0)
    return forgotten.map(lambda _: empty_sources)


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """The number of removed documents and forgotten sources, with notices for the user."""

    count: int
    forgotten: int = 0
    notices: tuple[str, ...] = ()
    is_all: bool = False


def index_removal_hint(forgotten: int) -> str:
    """Return the hint for a removal of no document."""
    if not forgotten:
        return " webseam index list shows what is there."
    sources, it = ("source", "it") if forgotten == 1 else ("sources", "them")
    return f" {forgotten} {sources} forgotten: refresh does not look for {it}."


def remove_index_locations(path: Path, named: Sequence[str]) -> Result[Removal, WebError]:
    """Remove the named locations and everything below them, and free the space.

    SQLite needs space to delete rows. On a full disk, drop the word files, which can be rebuilt,
    and then remove a few documents at a time.
    """
    first = _remove_from_index(path, named, _UNLIMITED_BATCH_DOCUMENTS)
    if not isinstance(first, Failure) or not _is_disk_full(first.failure(), path):
        return first
    has_room = drop_index_words(path)
    again = _remove_from_index(path, named, _SMALL_BATCH_DOCUMENTS)
    if isinstance(again, Failure) or not has_room:
        return again
    done = again.unwrap()
    return Success(msgspec.structs.replace(done, notices=(*done.notices, SPACE_FREED_NOTICE)))


def _remove_from_index(path: Path, named: Sequence[str], at_once: int) -> Result[Removal, WebError]:
    opened = DocumentIndex.open_writer(path)
    if isinstance(opened, Failure):
        return Failure(opened.failure())
    with closing(opened.unwrap()) as index:
        done = _remove_documents(index, named, at_once)
    if isinstance(done, Failure):
        return done
    removal = done.unwrap()
    if removal.is_all:
        drop_index_words(path)
    return Success(removal)


def _remove_documents(
    index: DocumentIndex, named: Sequence[str], at_once: int
) -> Result[Removal, WebError]:
    listed = index.documents()
    if isinstance(listed, Failure):
        return Failure(listed.failure())
    documents = listed.unwrap()
    gone = [
        row for row in documents if any(is_location_below(row.location, name) for name in named)
    ]
    urls = [row.url for row in gone]
    for start in range(0, len(urls), at_once):
        removed = index.remove(urls[start : start + at_once])
        if isinstance(removed, Failure):
            return Failure(removed.failure())
        index.empty_log()
    forgotten = index.forget_sources(named)
    if isinstance(forgotten, Failure):
        return Failure(forgotten.failure())
    index.renew_words()
    index.release_space()
    folders = sorted({row.source for row in gone if _is_document_readded(row, named)})
    notices = tuple(map(READDED_NOTICE.format, folders))
    is_all, count = len(gone) == len(documents), forgotten.unwrap()
    return Success(Removal(count=len(urls), forgotten=count, notices=notices, is_all=is_all))


def _is_disk_full(error: WebError, path: Path) -> bool:
    """Tell whether the disk is full; a quota makes a writable file read-only."""
    if not isinstance(error, StoreFailed):
        return False
    return error.problem == "full" or (error.problem == "read_only" and os.access(path, os.W_OK))


def _is_document_readded(document: ListedDocument, named: Sequence[str]) -> bool:
    return document.source not in (document.location, *named) and path_exists(
        Path(document.location)
    )
