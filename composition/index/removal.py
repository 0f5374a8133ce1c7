"""Documents taken out of the index, also where no room is left on the disk."""

import os
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.folder_files import OnSkip, SkipReason, is_web_address, path_from_text, path_text
from ...adapters.index.index_contents import ListedDocument
from ...adapters.index.store import DocumentIndex
from ...adapters.index.words.folders import drop_words
from ...ports.errors import StoreFailed, WebError
from ..file_locations import exists


def is_below(location: str, folder: str) -> bool:
    """Tell whether something is at a place, or below it."""
    return location == folder or location.startswith(folder.rstrip("/\\") + os.sep)


def matches_any_named(location: str, locations: Collection[str]) -> bool:
    """Tell whether a user means something; where nothing is named, all of it."""
    return not locations or any(is_below(location, each) for each in locations)


def overlaps_any_named(location: str, locations: Collection[str]) -> bool:
    """Tell whether a user means something, or what is below it."""
    return matches_any_named(location, locations) or any(
        is_below(name, location) for name in locations
    )


def only_meant(named: Collection[str], on_skip: OnSkip) -> OnSkip:
    """Return what is told of skipped files: of those alone that have to do with what is named."""

    def skip(path: Path, reason: SkipReason) -> None:
        if overlaps_any_named(path_text(path), named):
            on_skip(path, reason)

    return skip


def split_absent(locations: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part what is there, as far as can be told without reading it, from what is not."""
    there = [each for each in locations if is_web_address(each) or exists(path_from_text(each))]
    return there, [each for each in locations if each not in there]


def never_productive(
    index: DocumentIndex, refused: Sequence[str], *, keeps: bool
) -> Result[list[str], WebError]:
    """Return which of the sources that gave nothing this time never did.

    They are forgotten unless ``keeps``: each later refresh would fail by them.
    """
    listed = index.documents() if refused else Success(())
    if isinstance(listed, Failure):
        return listed
    known = {place for each in listed.unwrap() for place in (each.source, each.location)}
    barren = [each for each in refused if each not in known]
    forgotten = index.forget_sources(barren) if barren and not keeps else Success(0)
    return forgotten.map(lambda _: barren)


# Documents taken out of the index, also where no room is left on the disk.

MADE_ROOM = (
    "the disk was full: the words beside the index were dropped to make room, and the next search "
    "makes them anew"
)
COMES_BACK = "the next refresh adds what is still in {}"
# How many documents are taken out in one transaction.
_ALL_DOCUMENTS, _FEW_DOCUMENTS = 1 << 60, 20


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """How many documents were taken out, whether all, and what users should know about it.

    ``forgotten`` counts what was asked to be added, once, and is not looked for any more.
    """

    count: int
    forgotten: int = 0
    notices: tuple[str, ...] = ()
    is_all: bool = False


def removal_hint(forgotten: int) -> str:
    """Return what to say when no document was taken out."""
    if not forgotten:
        return " webseam index list shows what is there."
    sources, it = ("source", "it") if forgotten == 1 else ("sources", "them")
    return f" {forgotten} {sources} forgotten: refresh does not look for {it}."


def remove_below(path: Path, named: Sequence[str]) -> Result[Removal, WebError]:
    """Take out what is named, and what is below it, and give back the room.

    To take something out, SQLite must first write it down. Where there is no room for that, the
    words go, which can be made anew out of the file, and then the documents, a few at a time.
    """
    first = _remove_and_drop_words(path, named, _ALL_DOCUMENTS)
    if not isinstance(first, Failure) or not _is_index_disk_full(first.failure(), path):
        return first
    has_room = drop_words(path)
    again = _remove_and_drop_words(path, named, _FEW_DOCUMENTS)
    if isinstance(again, Failure) or not has_room:
        return again
    done = again.unwrap()
    return Success(msgspec.structs.replace(done, notices=(*done.notices, MADE_ROOM)))


def _remove_and_drop_words(
    path: Path, named: Sequence[str], at_once: int
) -> Result[Removal, WebError]:
    opened = DocumentIndex.writing(path)
    if isinstance(opened, Failure):
        return Failure(opened.failure())
    with closing(opened.unwrap()) as index:
        done = _remove_documents(index, named, at_once)
    if isinstance(done, Failure):
        return done
    removal = done.unwrap()
    if removal.is_all:
        drop_words(path)
    return Success(removal)


def _remove_documents(
    index: DocumentIndex, named: Sequence[str], at_once: int
) -> Result[Removal, WebError]:
    known = index.documents()
    if isinstance(known, Failure):
        return Failure(known.failure())
    gone = [each for each in known.unwrap() if any(is_below(each.location, at) for at in named)]
    urls = [each.url for each in gone]
    for start in range(0, len(urls), at_once):
        removed = index.remove(urls[start : start + at_once])
        if isinstance(removed, Failure):
            return Failure(removed.failure())
        index.empty_log()
    forgotten = index.forget_sources(named)
    if isinstance(forgotten, Failure):
        return Failure(forgotten.failure())
    index.give_back()
    folders = sorted({each.source for each in gone if _is_document_readded(each, named)})
    notices = tuple(map(COMES_BACK.format, folders))
    is_all = len(gone) == len(known.unwrap())
    return Success(
        Removal(count=len(urls), forgotten=forgotten.unwrap(), notices=notices, is_all=is_all)
    )


def _is_index_disk_full(error: WebError, path: Path) -> bool:
    """Tell whether room is what lacks; by a quota, what may be written to cannot be."""
    if not isinstance(error, StoreFailed):
        return False
    return error.problem == "full" or (error.problem == "read_only" and os.access(path, os.W_OK))


def _is_document_readded(document: ListedDocument, named: Sequence[str]) -> bool:
    """Tell whether a folder that is refreshed still holds what was taken out."""
    return document.source not in (document.location, *named) and exists(Path(document.location))
