"""A presentation before 2007: each slide as a section."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from webseam.ports.text import disarm_pictures

from ..compound import CompoundFile, read_compound_document
from ..draft import Cut, Draft
from ..markdown_writing import markdown_table
from ..office.package import BrokenFileError, EncryptedError
from ..slides import Slide, slides_draft
from .ppt_records import Record, RecordStream

_TEXT_HEADER, _WIDE_TEXT, _NARROW_TEXT, _TEXT_STYLES = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1
_LETTER_RECORDS: Final = (_WIDE_TEXT, _NARROW_TEXT)
_TEXT_RECORDS: Final = (_TEXT_HEADER, _TEXT_STYLES, *_LETTER_RECORDS)
TITLE_ROLES: Final = (0, 6)
NOTES_ROLE, OTHER_ROLE = 2, 4
_MAX_INDENT_DEPTH: Final = 8
_TABS_BIT: Final = 20
# The parts of a paragraph's style in order: the mask of each, and its length in bytes.
_STYLE_PARTS: Final = (
    (0x0000000F, 2), (0x00000080, 2), (0x00000010, 2), (0x00000040, 2), (0x00000020, 4),
    (0x00000800, 2), (0x00001000, 2), (0x00002000, 2), (0x00004000, 2), (0x00000100, 2),
    (0x00000400, 2), (0x00008000, 2), (1 << _TABS_BIT, 0), (0x00010000, 2), (0x000E0000, 2),
    (0x00200000, 2),
)  # fmt: skip


class SlideText(NamedTuple):
    """A text with its role, its paragraphs and their levels."""

    role: int
    paragraphs: tuple[str, ...]
    levels: tuple[int, ...] = ()

    @property
    def slide_line(self) -> str:
        """The text on one line."""
        return " ".join(paragraph for paragraph in self.paragraphs if paragraph)

    @property
    def slide_items(self) -> str:
        """The paragraphs as items of a list, indented by their level."""
        levels = (*self.levels, *repeat(0, len(self.paragraphs)))
        pairs = zip(self.paragraphs, levels, strict=False)
        return "\n".join(
            f"{'  ' * min(level, _MAX_INDENT_DEPTH)}- {text}" for text, level in pairs if text
        )


def read_slide_texts(source: RecordStream, records: Iterable[Record]) -> Iterator[SlideText]:
    """Yield the texts among records: each has a header with its role, letters, and styles."""
    groups: list[dict[int, bytes]] = [{}]
    for record in records:
        if record.sort == _TEXT_HEADER:
            groups.append({})
        if record.sort in _TEXT_RECORDS:
            groups[-1][record.sort] = source.record_data(record)
    return (_slide_text(item) for item in groups if not item.keys().isdisjoint(_LETTER_RECORDS))


def _slide_text(group: dict[int, bytes]) -> SlideText:
    header = group.get(_TEXT_HEADER)
    role = OTHER_ROLE if header is None else int.from_bytes(header[:4], "little")
    wide = group.get(_WIDE_TEXT, b"").decode("utf-16-le", "replace")
    lines = (wide or group.get(_NARROW_TEXT, b"").decode("latin-1")).split("\r")
    levels = _paragraph_levels(lines, group.get(_TEXT_STYLES, b""))
    return SlideText(role, tuple(map(_line, lines)), tuple(levels))


def _line(line: str) -> str:
    return disarm_pictures(" ".join(line.split()))


def _paragraph_levels(lines: list[str], styles: bytes) -> Iterator[int]:
    """Yield the level of each paragraph, from runs of letters."""
    runs = _level_runs(styles)
    left, level = 0, 0
    for line in lines:
        while left <= 0:
            run = next(runs, None)
            if run is None:
                return
            left, level = left + run[0], run[1]
        yield level
        left -= len(line) + 1


def _level_runs(styles: bytes) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset + 10 <= len(styles):
        count, level, mask = struct.unpack_from("<IHI", styles, offset)
        if not count:
            return
        yield count, level
        offset += 10
        for bits, size in _STYLE_PARTS:
            if mask & bits:
                offset += size
                if bits == 1 << _TABS_BIT:
                    offset += 2 + 4 * int.from_bytes(styles[offset : offset + 2], "little")


_DOCUMENT, SLIDE = 0x03E8, 0x03EE
_SLIDE_LIST_WITH_TEXT, _SLIDE_PERSIST_ATOM = 0x0FF0, 0x03F3
_USER_EDIT_ATOM: Final = 0x0FF5
_SLIDE_LIST_INSTANCE, _NOTES_LIST_INSTANCE = 0, 2
_ENCRYPTED_TOKEN: Final = 0xF3D1C4DF
_ENCRYPTED_EDIT_BYTES, _CURRENT_USER_BYTES = 32, 20
_MAX_USER_EDITS: Final = 2000


class ListedSlide(msgspec.Struct, frozen=True):
    """A slide or a notes page: its record, its number, and its texts in the slide list."""

    record: Record | None
    number: int
    texts: tuple[SlideText, ...] = ()


class Deck(msgspec.Struct, frozen=True):
    """The document, its slides in order, and its notes by their numbers."""

    document: Record | None
    slides: tuple[ListedSlide, ...]
    notes: Mapping[int, ListedSlide]


def read_deck(source: RecordStream, current: bytes) -> Deck:
    """Read a presentation; the stream ``current`` has the offset of the last save."""
    token, edit = struct.unpack_from("<II", current.ljust(_CURRENT_USER_BYTES, b"\0"), 12)
    if token == _ENCRYPTED_TOKEN:
        raise EncryptedError
    offsets, document = _object_offsets(source, edit)
    main = source.record_at(offsets[document]) if document in offsets else None
    if main is None or main.sort != _DOCUMENT:
        # Without a directory, the slides stand in file order.
        records = [record for record in source.outermost_records() if record.sort == SLIDE]
        return Deck(None, tuple(ListedSlide(record, 0) for record in records), {})
    notes = _listed_slides(source, main, offsets, _NOTES_LIST_INSTANCE)
    slides = tuple(_listed_slides(source, main, offsets, _SLIDE_LIST_INSTANCE))
    return Deck(main, slides, {page.number: page for page in notes})


def _object_offsets(source: RecordStream, edit: int) -> tuple[dict[int, int], int]:
    """Return the last offset of each object, and the number of the document."""
    offsets: dict[int, int] = {}
    document, visited = 0, set[int]()
    while edit and edit not in visited and len(visited) < _MAX_USER_EDITS:
        visited.add(edit)
        record = source.record_at(edit)
        if record is None or record.sort != _USER_EDIT_ATOM:
            break
        raw = source.record_data(record)
        if len(raw) >= _ENCRYPTED_EDIT_BYTES:
            raise EncryptedError
        edit, directory, main = struct.unpack_from("<III", raw, 8)
        document = document or main
        data = source.record_data(source.record_at(directory))
        for number, offset in _directory_offsets(data):
            offsets.setdefault(number, offset)
    return offsets, document


def _directory_offsets(raw: bytes) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset + 4 <= len(raw):
        (entry,) = struct.unpack_from("<I", raw, offset)
        first, count = entry & 0xFFFFF, min(entry >> 20, (len(raw) - offset) // 4 - 1)
        yield from enumerate(struct.unpack_from(f"<{count}I", raw, offset + 4), start=first)
        offset += 4 + 4 * count


def _listed_slides(
    source: RecordStream, main: Record, offsets: Mapping[int, int], instance: int
) -> Iterator[ListedSlide]:
    """Yield the slides of a list, each with its texts, which follow it there."""
    lists = (
        record
        for record in source.records_inside(main, _SLIDE_LIST_WITH_TEXT)
        if record.number == instance
    )
    groups: list[list[Record]] = []
    for record in chain.from_iterable(map(source.records_inside, lists)):
        if record.sort == _SLIDE_PERSIST_ATOM:
            groups.append([])
        if groups:
            groups[-1].append(record)
    for listed, *following in groups:
        key, number = struct.unpack_from("<I8xI", source.record_data(listed))
        slide = source.record_at(offsets[key]) if key in offsets else None
        yield ListedSlide(slide, number, tuple(read_slide_texts(source, following)))


_DOCUMENT_STREAM, _CURRENT_USER_STREAM = "powerpoint document", "current user"
# The folder of PowerPoint 97 in a file that PowerPoint 95 can read too.
_PPT_97_FOLDER: Final = "pp97_dualstorage/"
_MAX_SLIDES: Final = 500
_SLIDE_ATOM, _SHOW_INFO_ATOM, _HEADERS_FOOTERS, _CSTRING = 0x03EF, 0x03F9, 0x0FD9, 0x0FBA
_FOOTER_INSTANCE, _SLIDE_FOOTERS_INSTANCE, _HIDDEN_FLAG, _LINE_SHAPE = 2, 3, 4, 20
_DRAWING, _ART_DRAWING, _GROUP, _SHAPE = 0x040C, 0xF002, 0xF003, 0xF004
_TEXTBOX, _OUTLINE_TEXT_REF, _CLIENT_DATA, _PLACEHOLDER = 0xF00D, 0x0F9E, 0xF011, 0x0BC3
_SHAPE_ATOM, _CHILD_ANCHOR = 0xF00A, 0xF00F
_PROPERTIES, _MORE_PROPERTIES = 0xF00B, 0xF122
_DESCRIPTION_PROPERTY, _TABLE_PROPERTY = 0x0381, 0x039F
_PROPERTY_ID_MASK, _COMPLEX_FLAG = 0x3FFF, 0x8000
# Date, number, footer and header, which the master puts on every slide.
_MASTER_PLACEHOLDERS: Final = range(7, 11)
_MAX_SHAPE_DEPTH: Final = 12
_ANCHOR_LAYOUT: Final = struct.Struct("<ii8x")


def _draft(file: CompoundFile) -> Draft:
    names = {path.lower(): path for path in file.paths}
    folder = _PPT_97_FOLDER if f"{_PPT_97_FOLDER}{_DOCUMENT_STREAM}" in names else ""
    stream = file.read_stream(names.get(f"{folder}{_DOCUMENT_STREAM}", ""))
    if not stream:
        raise BrokenFileError
    source = RecordStream(stream)
    deck = read_deck(source, file.read_stream(names.get(f"{folder}{_CURRENT_USER_STREAM}", "")))
    if deck.document is None and not deck.slides:
        raise BrokenFileError
    listed = [
        (_is_hidden_slide(source, slide), number, slide)
        for number, slide in enumerate(deck.slides[:_MAX_SLIDES], start=1)
    ]
    # Read visible slides first: hidden slides only get what is left of the budget.
    listed.sort(key=itemgetter(0))
    slides = [
        _read_slide(source, deck, slide, number, is_hidden=is_hidden)
        for is_hidden, number, slide in listed
    ]
    slides.sort(key=lambda slide: slide.number)
    cuts: list[Cut] = []
    if len(deck.slides) > _MAX_SLIDES:
        note = f"only the first {_MAX_SLIDES} of {len(deck.slides)} slides"
        cuts.append(Cut("slides", note))
    if source.allowance.is_spent:
        cuts.append(Cut("work", "only the first slides: it is too large"))
    return slides_draft(slides, footer=_footer(source, deck.document), cuts=cuts)


def _footer(source: RecordStream, document: Record | None) -> str:
    for footers in source.records_inside(document, _HEADERS_FOOTERS):
        if footers.number == _SLIDE_FOOTERS_INSTANCE:
            for text in source.records_inside(footers, _CSTRING):
                if text.number == _FOOTER_INSTANCE:
                    return _line(source.record_data(text).decode("utf-16-le", "replace"))
    return ""


def _is_hidden_slide(source: RecordStream, slide: ListedSlide) -> bool:
    showing = source.record_data(source.first_record(slide.record, _SHOW_INFO_ATOM))
    return bool(showing[10:11]) and bool(showing[10] & _HIDDEN_FLAG)


def _read_slide(
    source: RecordStream, deck: Deck, slide: ListedSlide, number: int, *, is_hidden: bool
) -> Slide:
    shapes = list(_group_texts(source, _top_group(source, slide.record), slide.texts))
    used = {id(text) for text in shapes}
    # Of a broken slide, the list of slides still has the texts.
    pieces = [*(text for text in slide.texts if id(text) not in used), *shapes]
    texts = (piece for piece in pieces if isinstance(piece, SlideText))
    title = next((text for text in texts if text.role in TITLE_ROLES), None)
    others = (piece for piece in pieces if piece is not title)
    bodies = [piece if isinstance(piece, str) else piece.slide_items for piece in others]
    atom = source.record_data(source.first_record(slide.record, _SLIDE_ATOM))
    notes = _speaker_notes(source, deck, int.from_bytes(atom[16:20], "little"))
    return Slide(number, title.slide_line if title else "", [*bodies, notes], is_hidden)


def _speaker_notes(source: RecordStream, deck: Deck, number: int) -> str:
    page = deck.notes.get(number) if number else None
    if page is None:
        return ""
    shapes = _group_texts(source, _top_group(source, page.record), page.texts)
    texts = (text for text in shapes if isinstance(text, SlideText) and text.role == NOTES_ROLE)
    notes = " ".join(text.slide_line for text in texts)
    return f"Notes: {notes}" if notes else ""


def _top_group(source: RecordStream, slide: Record | None) -> Record | None:
    return source.first_record(slide, _DRAWING, _ART_DRAWING, _GROUP)


def _group_texts(
    source: RecordStream, group: Record | None, outline: tuple[SlideText, ...], depth: int = 0
) -> Iterator[SlideText | str]:
    inner = list(source.records_inside(group, _SHAPE, _GROUP))
    if depth and inner and _shape_properties(source, inner[0]).get(_TABLE_PROPERTY, b"\0")[0] & 1:
        yield _table(source, inner[1:], outline)
        return
    for record in inner:
        if record.sort == _SHAPE:
            text = _shape_text(source, record, outline)
            yield text or _picture_description(source, record)
        elif depth < _MAX_SHAPE_DEPTH:
            yield from _group_texts(source, record, outline, depth + 1)


def _picture_description(source: RecordStream, shape: Record) -> str:
    raw = _shape_properties(source, shape).get(_DESCRIPTION_PROPERTY, b"")
    description = _line(raw.decode("utf-16-le", "replace")).strip("\0 ")
    return f"[IMAGE: {description}]" if description else ""


def _shape_text(
    source: RecordStream, shape: Record, outline: tuple[SlideText, ...]
) -> SlideText | None:
    """Return the text of a shape, from the shape or from the list of slides."""
    mark = source.record_data(source.first_record(shape, _CLIENT_DATA, _PLACEHOLDER))
    if mark[4:5] and mark[4] in _MASTER_PLACEHOLDERS:
        return None
    box = list(source.records_inside(source.first_record(shape, _TEXTBOX)))
    for record in box:
        if record.sort == _OUTLINE_TEXT_REF:
            number = int.from_bytes(source.record_data(record)[:4], "little")
            return outline[number] if number < len(outline) else None
    return next(read_slide_texts(source, box), None)


def _table(source: RecordStream, shapes: list[Record], outline: tuple[SlideText, ...]) -> str:
    """Return a table; its cells are shapes, and shapes with one top are a row."""
    rows: dict[int, dict[int, str]] = {}
    for shape in shapes:
        kind = source.first_record(shape, _SHAPE_ATOM)
        anchor = source.record_data(source.first_record(shape, _CHILD_ANCHOR))
        if kind is not None and kind.number != _LINE_SHAPE and len(anchor) >= _ANCHOR_LAYOUT.size:
            left, top = _ANCHOR_LAYOUT.unpack_from(anchor)
            text = _shape_text(source, shape, outline)
            rows.setdefault(top, {})[left] = text.slide_line if text else ""
    columns = sorted({left for row in rows.values() for left in row})
    ordered = (row for _, row in sorted(rows.items()))
    return markdown_table([[row.get(left, "") for left in columns] for row in ordered])


def _shape_properties(source: RecordStream, shape: Record) -> dict[int, bytes]:
    """Return the properties of a shape by number; long values follow the list in order."""
    properties: dict[int, bytes] = {}
    for record in source.records_inside(shape, _PROPERTIES, _MORE_PROPERTIES):
        raw = source.record_data(record)
        offset = 6 * record.number
        for number in range(min(record.number, len(raw) // 6)):
            name, value = struct.unpack_from("<HI", raw, 6 * number)
            if name & _COMPLEX_FLAG:
                properties[name & _PROPERTY_ID_MASK] = raw[offset : offset + value]
                offset += value
            else:
                properties[name & _PROPERTY_ID_MASK] = value.to_bytes(4, "little")
    return properties


READERS: Final = {
    "ppt": lambda source: read_compound_document(source, _draft, "PowerPoint 97 or later")
}
