"""Where the slides of a presentation are: what was changed last is written at the end of the file.

[MS-PPT] 2.1.2 and 2.4.14 (read 2026-11-16).
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from ..office.package import EncryptedError
from .ppt_records import PptRecord, PptRecords
from .ppt_texts import SlideText, read_slide_texts

_DOCUMENT, SLIDE = 0x03E8, 0x03EE
_LIST, _LISTED = 0x0FF0, 0x03F3
_EDIT: Final = 0x0FF5
_SLIDES, _NOTES = 0, 2
_LOCKED: Final = 0xF3D1C4DF
_LOCKED_EDIT: Final = 32
_MAX_USER_EDITS: Final = 2000
_CURRENT: Final = 20


class ListedSlide(msgspec.Struct, frozen=True):
    """A slide or a page of notes: its record, its number, and the texts that the list has of it."""

    record: PptRecord | None
    number: int
    texts: tuple[SlideText, ...] = ()


class Deck(msgspec.Struct, frozen=True):
    """The document, its slides in order, and its notes by their numbers."""

    document: PptRecord | None
    slides: tuple[ListedSlide, ...]
    notes: Mapping[int, ListedSlide]


def read_deck(source: PptRecords, current: bytes) -> Deck:
    """Return what is in a presentation; ``current`` is the stream that says where it was saved."""
    token, edit = struct.unpack_from("<II", current.ljust(_CURRENT, b"\0"), 12)
    if token == _LOCKED:
        raise EncryptedError
    places, document = _places(source, edit)
    main = source.at(places[document]) if document in places else None
    if main is None or main.sort != _DOCUMENT:
        return _scanned(source)
    notes = _listed(source, main, places, _NOTES)
    slides = tuple(_listed(source, main, places, _SLIDES))
    return Deck(main, slides, {one.number: one for one in notes})


def _places(source: PptRecords, edit: int) -> tuple[dict[int, int], int]:
    """Return where each object was saved last, and the number of the document."""
    places: dict[int, int] = {}
    document, seen = 0, set[int]()
    while edit and edit not in seen and len(seen) < _MAX_USER_EDITS:
        seen.add(edit)
        record = source.at(edit)
        if record is None or record.sort != _EDIT:
            break
        raw = source.data(record)
        if len(raw) >= _LOCKED_EDIT:
            raise EncryptedError
        edit, directory, main = struct.unpack_from("<III", raw, 8)
        document = document or main
        for number, place in _directory(source.data(source.at(directory))):
            places.setdefault(number, place)
    return places, document


def _directory(raw: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 4 <= len(raw):
        (about,) = struct.unpack_from("<I", raw, at)
        first, count = about & 0xFFFFF, min(about >> 20, (len(raw) - at) // 4 - 1)
        yield from enumerate(struct.unpack_from(f"<{count}I", raw, at + 4), start=first)
        at += 4 + 4 * count


def _listed(
    source: PptRecords, main: PptRecord, places: Mapping[int, int], which: int
) -> Iterator[ListedSlide]:
    """Yield what a list names, each with the records that follow it: its texts."""
    lists = [one for one in source.inside(main, _LIST) if one.number == which]
    groups: list[list[PptRecord]] = []
    for record in (record for one in lists for record in source.inside(one)):
        if record.sort == _LISTED:
            groups.append([])
        if groups:
            groups[-1].append(record)
    for named, *following in groups:
        place, number = struct.unpack_from("<I8xI", source.data(named))
        found = source.at(places[place]) if place in places else None
        yield ListedSlide(found, number, tuple(read_slide_texts(source, following)))


def _scanned(source: PptRecords) -> Deck:
    """Return the slides as they lie in the file, where nothing says which of them count."""
    found = [record for record in source.every() if record.sort == SLIDE]
    return Deck(None, tuple(ListedSlide(record, 0) for record in found), {})
