"""A presentation before 2007: each slide as a section, as those of today are."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec
from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..compound import CompoundFile, add_summary_properties
from ..draft import Draft, Source, corrupt_error, encrypted_error, finish_page
from ..markdown_writing import disarm_pictures, markdown_table
from ..office.package import BrokenFileError, EncryptedError
from ..slides import Slide, presentation_draft
from .ppt_records import PptRecord, PptRecords

_HEADER, _WIDE, _NARROW, _PPT_TEXTS_LOOKS = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1
_LETTERS: Final = (_WIDE, _NARROW)
_OF_TEXTS: Final = (_HEADER, _PPT_TEXTS_LOOKS, *_LETTERS)
TITLES: Final = (0, 6)
SPOKEN: Final = 2
OTHER: Final = 4
_MAX_INDENT_DEPTH: Final = 8
_TABS: Final = 20
# What a paragraph's look is made of, in order: the bits that say it is there, and its length.
_PARTS: Final = (
    (0x0000000F, 2), (0x00000080, 2), (0x00000010, 2), (0x00000040, 2), (0x00000020, 4),
    (0x00000800, 2), (0x00001000, 2), (0x00002000, 2), (0x00004000, 2), (0x00000100, 2),
    (0x00000400, 2), (0x00008000, 2), (1 << _TABS, 0), (0x00010000, 2), (0x000E0000, 2),
    (0x00200000, 2),
)  # fmt: skip


class SlideText(NamedTuple):
    """A text by what it is for, its paragraphs, and how deep they stand."""

    role: int
    paragraphs: tuple[str, ...]
    levels: tuple[int, ...] = ()

    @property
    def flat(self) -> str:
        """The text on one line."""
        return " ".join(one for one in self.paragraphs if one)

    @property
    def items(self) -> str:
        """The paragraphs as items of a list, indented by their level."""
        deep = (*self.levels, *repeat(0, len(self.paragraphs)))
        pairs = zip(self.paragraphs, deep, strict=False)
        return "\n".join(
            f"{'  ' * min(level, _MAX_INDENT_DEPTH)}- {text}" for text, level in pairs if text
        )


def read_slide_texts(source: PptRecords, records: Iterable[PptRecord]) -> Iterator[SlideText]:
    """Yield the texts among records: each begins with what it is for, and ends with its look."""
    groups: list[dict[int, bytes]] = [{}]
    for record in records:
        if record.sort == _HEADER:
            groups.append({})
        if record.sort in _OF_TEXTS:
            groups[-1][record.sort] = source.data(record)
    return (_ppt_texts_text(group) for group in groups if not group.keys().isdisjoint(_LETTERS))


def _ppt_texts_text(group: dict[int, bytes]) -> SlideText:
    role = int.from_bytes(group[_HEADER][:4], "little") if _HEADER in group else OTHER
    wide = group.get(_WIDE, b"").decode("utf-16-le", "replace")
    lines = (wide or group.get(_NARROW, b"").decode("latin-1")).split("\r")
    return SlideText(
        role, tuple(map(_words, lines)), tuple(_levels(lines, group.get(_PPT_TEXTS_LOOKS, b"")))
    )


def _words(line: str) -> str:
    return disarm_pictures(" ".join(line.replace("\x0b", " ").split()))


def _levels(lines: list[str], looks: bytes) -> Iterator[int]:
    """Yield how deep each paragraph stands: runs of letters, with a level and a look."""
    runs = _runs(looks)
    left, level = 0, 0
    for line in lines:
        while left <= 0:
            run = next(runs, None)
            if run is None:
                return
            left, level = left + run[0], run[1]
        yield level
        left -= len(line) + 1


def _runs(looks: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 10 <= len(looks):
        count, level, mask = struct.unpack_from("<IHI", looks, at)
        if not count:
            return
        yield count, level
        at += 10
        for bits, size in _PARTS:
            if mask & bits:
                at += size
                if bits == 1 << _TABS:
                    at += 2 + 4 * int.from_bytes(looks[at : at + 2], "little")


# Where the slides of a presentation are: what was changed last is written at the end of the file.

_DOCUMENT, SLIDE = 0x03E8, 0x03EE
_LIST, _LISTED = 0x0FF0, 0x03F3
_EDIT: Final = 0x0FF5
_SLIDES, _NOTES = 0, 2
_LOCKED: Final = 0xF3D1C4DF
_LOCKED_EDIT: Final = 32
_MAX_USER_EDITS: Final = 2000
_SLIDES_CURRENT: Final = 20


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
    token, edit = struct.unpack_from("<II", current.ljust(_SLIDES_CURRENT, b"\0"), 12)
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


# A presentation before 2007: each slide as a section, as those of today are.

_STREAM, _CURRENT = "powerpoint document", "current user"
# Where PowerPoint 97 wrote its own beside what PowerPoint 95 can read.
_NEWER: Final = "pp97_dualstorage/"
_MAX_SLIDES: Final = 500
_SLIDE_ATOM, _SHOWING, _FOOTERS, _WORDS = 0x03EF, 0x03F9, 0x0FD9, 0x0FBA
_FOOTER: Final = 2
_OF_SLIDES: Final = 3
_HIDDEN: Final = 4
_DRAWING, _DRAWN, _GROUP, _SHAPE = 0x040C, 0xF002, 0xF003, 0xF004
_TEXTBOX, _REFERENCE, _CLIENT, _PLACEHOLDER = 0xF00D, 0x0F9E, 0xF011, 0x0BC3
_KIND, _CHILD_ANCHOR = 0xF00A, 0xF00F
_LOOKS, _MORE_LOOKS = 0xF00B, 0xF122
_DESCRIPTION, _TABLE = 0x0381, 0x039F
_NUMBER, _LONG = 0x3FFF, 0x8000
_LINE: Final = 20
# Date, number, footer and header: what the master puts on every slide.
_FURNITURE: Final = range(7, 11)
_MAX_SHAPE_DEPTH: Final = 12
_ANCHOR: Final = struct.Struct("<ii8x")


def read_ppt(source: Source) -> Result[ReadPage, WebError]:
    """Return a presentation as markdown, its hidden slides too."""
    try:
        file = CompoundFile(source.body)
        draft = add_summary_properties(file, _draft(file), source.file_name)
    except EncryptedError:
        return encrypted_error()
    except (BrokenFileError, struct.error, MemoryError):
        return corrupt_error("it is not a whole file of PowerPoint 97 or later")
    return finish_page(draft)


def _draft(file: CompoundFile) -> Draft:
    names = {path.lower(): path for path in file.paths}
    above = _NEWER if f"{_NEWER}{_STREAM}" in names else ""
    stream = file.stream(names.get(f"{above}{_STREAM}", ""))
    if not stream:
        raise BrokenFileError
    source = PptRecords(stream)
    found = read_deck(source, file.stream(names.get(f"{above}{_CURRENT}", "")))
    if found.document is None and not found.slides:
        raise BrokenFileError
    listed = [
        (_is_hidden(source, slide), at, slide)
        for at, slide in enumerate(found.slides[:_MAX_SLIDES], start=1)
    ]
    # What is hidden has the room that the others leave.
    listed.sort(key=itemgetter(0))
    slides = [_slide(source, found, slide, at, is_hidden=so) for so, at, slide in listed]
    slides.sort(key=lambda slide: slide.number)
    notes: tuple[str, ...] = ()
    if len(found.slides) > _MAX_SLIDES:
        notes = (*notes, f"only the first {_MAX_SLIDES} of {len(found.slides)} slides")
    if source.allowance.is_spent:
        notes = (*notes, "only the first slides: it is too large")
    return presentation_draft(slides, footer=_footer(source, found.document), notes=notes)


def _footer(source: PptRecords, document: PptRecord | None) -> str:
    """Return what somebody wrote for the foot of all slides."""
    for about in source.inside(document, _FOOTERS):
        if about.number == _OF_SLIDES:
            for words in source.inside(about, _WORDS):
                if words.number == _FOOTER:
                    return _line(source.data(words))
    return ""


def _line(raw: bytes) -> str:
    return disarm_pictures(" ".join(raw.decode("utf-16-le", "replace").split()))


def _is_hidden(source: PptRecords, slide: ListedSlide) -> bool:
    showing = source.data(source.first(slide.record, _SHOWING))
    return bool(showing[10:11]) and bool(showing[10] & _HIDDEN)


def _slide(
    source: PptRecords, found: Deck, slide: ListedSlide, number: int, *, is_hidden: bool
) -> Slide:
    shapes = list(_shapes(source, _top(source, slide.record), slide.texts))
    used = {id(text) for text in shapes if isinstance(text, SlideText)}
    # A slide may be broken where the list of all slides still has its texts.
    found_too = [text for text in slide.texts if id(text) not in used]
    pieces = [*found_too, *shapes]
    title = next((one for one in pieces if isinstance(one, SlideText) and one.role in TITLES), None)
    bodies = [one if isinstance(one, str) else one.items for one in pieces if one is not title]
    about = source.data(source.first(slide.record, _SLIDE_ATOM))
    spoken = _spoken(source, found, int.from_bytes(about[16:20], "little"))
    return Slide(number, title.flat if title else "", [*bodies, spoken], is_hidden)


def _spoken(source: PptRecords, found: Deck, number: int) -> str:
    """Return what the speaker wrote for herself, empty when there is nothing."""
    page = found.notes.get(number) if number else None
    if page is None:
        return ""
    shapes = _shapes(source, _top(source, page.record), page.texts)
    text = " ".join(one.flat for one in shapes if isinstance(one, SlideText) and one.role == SPOKEN)
    return f"Notes: {text}" if text else ""


def _top(source: PptRecords, slide: PptRecord | None) -> PptRecord | None:
    return source.first(slide, _DRAWING, _DRAWN, _GROUP)


def _shapes(
    source: PptRecords, group: PptRecord | None, outline: tuple[SlideText, ...], deep: int = 0
) -> Iterator[SlideText | str]:
    """Yield the texts of a group's shapes, its tables, and what was said of its pictures."""
    inner = list(source.inside(group, _SHAPE, _GROUP))
    if deep and inner and _looks(source, inner[0]).get(_TABLE, b"\0")[0] & 1:
        yield _table(source, inner[1:], outline)
        return
    for one in inner:
        if one.sort == _SHAPE:
            yield _text(source, one, outline) or _picture(source, one)
        elif deep < _MAX_SHAPE_DEPTH:
            yield from _shapes(source, one, outline, deep + 1)


def _picture(source: PptRecords, shape: PptRecord) -> str:
    """Return what somebody wrote about a picture, for those who do not see it."""
    words = _line(_looks(source, shape).get(_DESCRIPTION, b"")).strip("\0 ")
    return f"[IMAGE: {words}]" if words else ""


def _text(source: PptRecords, shape: PptRecord, outline: tuple[SlideText, ...]) -> SlideText | None:
    """Return the text of a shape: its own, or one that the list of slides has."""
    mark = source.data(source.first(shape, _CLIENT, _PLACEHOLDER))
    if mark[4:5] and mark[4] in _FURNITURE:
        return None
    box = list(source.inside(source.first(shape, _TEXTBOX)))
    for record in box:
        if record.sort == _REFERENCE:
            number = int.from_bytes(source.data(record)[:4], "little")
            return outline[number] if number < len(outline) else None
    return next(read_slide_texts(source, box), None)


def _table(source: PptRecords, shapes: list[PptRecord], outline: tuple[SlideText, ...]) -> str:
    """Return a table: cells are shapes, and those that begin at one height are a row."""
    rows: dict[int, dict[int, str]] = {}
    for shape in shapes:
        kind = source.first(shape, _KIND)
        anchor = source.data(source.first(shape, _CHILD_ANCHOR))
        if kind is not None and kind.number != _LINE and len(anchor) >= _ANCHOR.size:
            left, top = _ANCHOR.unpack_from(anchor)
            text = _text(source, shape, outline)
            rows.setdefault(top, {})[left] = text.flat if text else ""
    columns = sorted({left for row in rows.values() for left in row})
    return markdown_table(
        [[row.get(left, "") for left in columns] for _, row in sorted(rows.items())]
    )


def _looks(source: PptRecords, shape: PptRecord) -> dict[int, bytes]:
    """Return the looks of a shape by number; long ones follow the list, in its order."""
    looks: dict[int, bytes] = {}
    for record in source.inside(shape, _LOOKS, _MORE_LOOKS):
        raw = source.data(record)
        at = 6 * record.number
        for number in range(min(record.number, len(raw) // 6)):
            name, value = struct.unpack_from("<HI", raw, 6 * number)
            if name & _LONG:
                looks[name & _NUMBER] = raw[at : at + value]
                at += value
            else:
                looks[name & _NUMBER] = value.to_bytes(4, "little")
    return looks


READERS: Final = {"ppt": read_ppt}
