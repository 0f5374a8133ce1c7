"""A Word document before 2007: headings, paragraphs, lists, links, tables and footnotes.

Comments, heads and feet of pages follow the text; hidden and deleted text goes.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..compound import CompoundFile, add_summary_properties
from ..draft import Draft, Source, StepAllowance, corrupt_error, encrypted_error, finish_page
from ..markdown_writing import Cell, emphasised_table
from ..numbering import ListCounts, ListMark, Numbering, marked_item, numbered_heading
from ..office.comments_and_margins import (
    MAX_COMMENTS,
    about_line,
    comment_line,
    comments_section,
    margin_line,
)
from ..office.package import BrokenFileError, EncryptedError
from .doc_fields import CELL_END, MAX_FIELD_SIGNS, FieldParagraph, FieldText
from .formatting import Paragraph, Paragraphs, letter_styles, paragraph_properties, shown_letters
from .pieces import (
    BODY,
    BOXES,
    COMMENT_AUTHORS,
    COMMENT_BEGINS,
    COMMENT_ENDS,
    COMMENT_NUMBERS,
    COMMENT_PLACES,
    COMMENT_TEXTS,
    COMMENTS,
    END_NOTE_PLACES,
    END_NOTE_TEXTS,
    END_NOTES,
    HEADERS,
    MARGINS,
    MAX_LETTERS,
    MAX_LISTS,
    NOTE_PLACES,
    NOTE_TEXTS,
    NOTES,
    STYLES,
    WordText,
    read_lists,
)

# In bytes: what is said of a comment, where in it the author and the number are, the head of the
# table of numbers and one of them, and what is said of a stretch.
_COMMENT, _AUTHOR, _HEAD, _NUMBER, _STRETCH = 30, 20, 6, 12, 4
_MAX_AUTHORS: Final = 5_000
_MAX_ABOUT_CHARS: Final = 2_000


class Comment(NamedTuple):
    """Who wrote a comment, and where its text and the text that it is about are."""

    author: str
    where: range
    about: range


def read_comments(text: WordText) -> Iterator[Comment]:
    """Yield the comments in the order of the text."""
    raw = text.table(COMMENT_PLACES)
    # A place each and one for the end, then what is said of each.
    count = max(0, len(raw) - 4) // (4 + _COMMENT)
    authors, about = _authors(text), _stretches(text)
    texts = text.stretches(COMMENTS, text.table(COMMENT_TEXTS), min(count, MAX_COMMENTS))
    for number, where in enumerate(texts):
        said = 4 * (count + 1) + _COMMENT * number + _AUTHOR
        author, _, _, tag = struct.unpack_from("<HHHi", raw, said)
        name = authors[author] if author < len(authors) else ""
        yield Comment(name, where, about.get(tag, range(0)))


def _authors(text: WordText) -> list[str]:
    raw = text.table(COMMENT_AUTHORS)
    names: list[str] = []
    at = 0
    while at + 2 <= len(raw) and len(names) < _MAX_AUTHORS:
        end = at + 2 + 2 * int.from_bytes(raw[at : at + 2], "little")
        names.append(raw[at + 2 : end].decode("utf-16-le", "replace"))
        at = end
    return names


def _stretches(text: WordText) -> dict[int, range]:
    """Return the stretches that comments are about, by number."""
    numbers, begins, ends = map(text.table, (COMMENT_NUMBERS, COMMENT_BEGINS, COMMENT_ENDS))
    count = min((len(numbers) - _HEAD) // _NUMBER, (len(begins) - 4) // (4 + _STRETCH))
    if count < 1 or len(ends) < 4:  # noqa: PLR2004  a place
        return {}
    starts = struct.unpack_from(f"<{count}I", begins)
    stops = struct.unpack_from(f"<{len(ends) // 4}I", ends)
    body, first = text.part(BODY), 4 * ((len(begins) - 4) // (4 + _STRETCH) + 1)
    found: dict[int, range] = {}
    for number, start in enumerate(starts):
        (tag,) = struct.unpack_from("<i", numbers, _HEAD + _NUMBER * number + 4)
        (end,) = struct.unpack_from("<H", begins, first + _STRETCH * number)
        stop = stops[end] if end < len(stops) else start
        found[tag] = range(start, min(stop, body.stop, start + _MAX_ABOUT_CHARS))
    return found


# The styles of a Word document: which paragraphs are headings, which are items.

_MAX_STYLES: Final = 4096
_MAX_STYLE_CHAIN: Final = 10
_MAX_HEADING_LEVEL: Final = 6
_OF_PARAGRAPHS: Final = 1
# By the numbers that styles have which every Word knows: heading 1 to 9, title, subtitle.
_HEADINGS: Final = {
    **{level: min(level, _MAX_HEADING_LEVEL) for level in range(1, 10)},
    62: 1,
    74: 2,
}
# In bytes: the head of the style sheet, and the least of a style.
_DOC_STYLES_HEAD, _SHORTEST = 6, 4
_NO_LIST: Final = Numbering("", {})


class _Style(NamedTuple):
    heading: int
    base: int
    said: Paragraph


class Styles:
    """Which level of heading a paragraph is, and which mark it has as an item."""

    def __init__(self, text: WordText) -> None:
        """Read the style sheet and the lists; a document without them has plain paragraphs."""
        self._styles = _styles(text.table(STYLES))
        self._lists = read_lists(text)
        self._counts = ListCounts()

    def heading(self, said: Paragraph) -> int:
        """Return the heading's level, 0 when it is none."""
        if said.outline is not None:
            return said.outline + 1 if said.outline < _MAX_HEADING_LEVEL else 0
        return next((style.heading for style in self._chain(said) if style.heading), 0)

    def mark(self, said: Paragraph) -> ListMark | None:
        """Count a paragraph of a list and return its mark; None for no list, or nothing to show."""
        chain = [said, *(style.said for style in self._chain(said))]
        used = next((one.used_list for one in chain if one.used_list is not None), 0)
        if not 0 < used <= MAX_LISTS:
            return None
        level = next((one.level for one in chain if one.level is not None), 0)
        numbering = self._lists.get(used, _NO_LIST)
        label = self._counts.label(str(used), numbering, level)
        return ListMark(level, label) if label else None

    def _chain(self, said: Paragraph) -> list[_Style]:
        """Return the paragraph's style and those it is based on; a circle ends."""
        chain: list[_Style] = []
        style = self._styles.get(said.style)
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self._styles.get(style.base)
        return chain


def _styles(raw: bytes) -> Mapping[int, _Style]:
    size, count, base = struct.unpack_from("<HHH", raw.ljust(_DOC_STYLES_HEAD, b"\0"))
    styles: dict[int, _Style] = {}
    at = 2 + size
    for number in range(min(count, _MAX_STYLES)):
        length = int.from_bytes(raw[at : at + 2], "little")
        one = raw[at + 2 : at + 2 + length]
        if len(one) >= base + 2 and base >= _SHORTEST:
            styles[number] = _style(one, base)
        at += 2 + length
    return styles


def _style(raw: bytes, base: int) -> _Style:
    name, about = struct.unpack_from("<HH", raw)
    (letters,) = struct.unpack_from("<H", raw, base)
    # After the name and its zero come the commands, of paragraphs first.
    at = base + 2 + 2 * letters + 2
    size = int.from_bytes(raw[at : at + 2], "little") if about & 15 == _OF_PARAGRAPHS else 0
    said = paragraph_properties(raw[at + 4 : at + 2 + size], 0) if size else Paragraph()
    outline = said.outline
    heading = _HEADINGS.get(name & 0xFFF, 0)
    if outline is not None and outline < _MAX_HEADING_LEVEL:
        heading = outline + 1
    return _Style(heading, about >> 4, said)


# A Word document before 2007: headings, paragraphs, lists, links, tables and footnotes.

_STREAM: Final = "worddocument"
_TABLES: Final = ("0table", "1table")
_DATA: Final = "data"
_UNSTYLED: Final = Paragraph()
_NOTE, _PARAGRAPH = "\x02", "\r"
_PARTING, _MOST_MARGINS = 6, 200
_MARGINS: Final = {"Header": (0, 1, 4), "Footer": (2, 3, 5)}


def read_doc(source: Source) -> Result[ReadPage, WebError]:
    """Return a document as markdown; one that wants a password says so."""
    try:
        file = CompoundFile(source.body)
        draft = add_summary_properties(file, _draft(file, source.url), source.file_name)
    except EncryptedError:
        return encrypted_error()
    except (BrokenFileError, struct.error, IndexError, MemoryError):
        return corrupt_error("it is not a whole file of Word 6 or later")
    return finish_page(draft)


def _draft(file: CompoundFile, url: str) -> Draft:
    names = {path.lower(): path for path in file.paths}
    stream, first, second, data = (
        file.stream(names.get(name, "")) for name in (_STREAM, *_TABLES, _DATA)
    )
    text = WordText(stream, (first, second))
    places = letter_styles(text, stream)
    letters = shown_letters(text.letters, places)
    notes = _notes(text)
    letters = _marked(letters, [place for place, _ in notes])
    blocks = _Blocks(Paragraphs(text, stream, data), Styles(text), text)
    allowance = StepAllowance(MAX_FIELD_SIGNS)
    emphasis = [one for one in places if one.look.marks]
    fields = FieldText(url, allowance, emphasis)
    for part in (BODY, BOXES):
        where = text.part(part)
        blocks.take(fields.paragraphs(letters[where.start : where.stop], where.start))
    said = [_flat(FieldText(url, allowance, emphasis), letters, where) for _, where in notes]
    lines = "\n".join(f"[^{number}]: {one}" for number, one in enumerate(said, start=1))
    beside = _beside(text, FieldText(url, allowance, emphasis), letters) if blocks.done else ()
    content = "\n\n".join(filter(None, ("".join(blocks.done), lines, *beside)))
    content = content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    first_line = content.partition("\n")[0]
    title = first_line.lstrip("#").strip() if first_line.startswith("#") else ""
    about = (f"truncated: only the first {MAX_LETTERS} characters",) if text.is_cut else ()
    if allowance.is_spent:
        about = (*about, f"only the first {len(blocks.done):,} paragraphs and tables")
    return Draft(content=content, title=title, notes=about)


def _notes(text: WordText) -> list[tuple[int, range]]:
    """Return where the text refers to its notes, and where the text of each is, in order."""
    found: list[tuple[int, range]] = []
    for places, texts, part in (
        (NOTE_PLACES, NOTE_TEXTS, NOTES),
        (END_NOTE_PLACES, END_NOTE_TEXTS, END_NOTES),
    ):
        raw, body = text.table(places), text.part(BODY)
        # A place each and one for the end, then two bytes of each note.
        count = max(0, len(raw) - 4) // 6
        at = struct.unpack_from(f"<{count}I", raw)
        each = zip(at, text.stretches(part, text.table(texts), count), strict=False)
        found += [(place, where) for place, where in each if place in body and where]
    return sorted(found, key=lambda note: note[0])


def _beside(text: WordText, fields: FieldText, letters: str) -> Iterator[str]:
    """Yield what stands beside the text: comments, heads and feet of pages."""
    lines: list[str] = []
    for comment in read_comments(text):
        said = _plain(fields, letters, comment.where)
        if said:
            about = about_line(_plain(fields, letters, comment.about))
            lines.append(comment_line(comment.author, about, said))
    yield comments_section(lines)
    yield from _margins(text, fields, letters)


def _plain(fields: FieldText, letters: str, where: range) -> str:
    """Return a stretch of text in a line, without notes that it refers to."""
    own = letters[where.start : where.stop].replace(_NOTE, "\0")
    return " ".join(one.plain for one in fields.paragraphs(own, where.start) if one.plain)


def _margins(text: WordText, fields: FieldText, letters: str) -> Iterator[str]:
    """Yield the heads and the feet of the pages.

    [MS-DOC] 2.3.3 (read 2026-11-16): first come six lines that part notes from the text, then six
    texts of each section, for even, odd and first pages.
    """
    stretches = text.stretches(HEADERS, text.table(MARGINS), _MOST_MARGINS)
    texts = (fields.paragraphs(letters[one.start : one.stop], one.start) for one in stretches)
    said = [" ".join(one.plain for one in text) for text in texts][_PARTING:]
    for name, places in _MARGINS.items():
        yield margin_line(name, (one for at, one in enumerate(said) if at % _PARTING in places))


def _marked(letters: str, places: list[int]) -> str:
    """Return the letters with one sign where notes are referred to, and nowhere else."""
    pieces: list[str] = []
    done = 0
    for place in places:
        if place >= done:
            pieces += (letters[done:place].replace(_NOTE, "\0"), _NOTE)
            done = place + 1
    return "".join((*pieces, letters[done:].replace(_NOTE, "\0")))


def _flat(fields: FieldText, letters: str, where: range) -> str:
    stretches = fields.paragraphs(letters[where.start : where.stop], where.start)
    return " ".join(one.text for one in stretches if one.text)


class _Blocks:
    """What is written, block by block; a table is written when it is over."""

    def __init__(self, paragraphs: Paragraphs, styles: Styles, text: WordText) -> None:
        self._paragraphs, self._styles, self._text = paragraphs, styles, text
        self.done: list[str] = []
        self._rows: list[list[Cell]] = []
        self._cells: list[Cell] = []
        self._cell: list[FieldParagraph] = []
        self._was_item = False

    def take(self, stretches: Iterable[FieldParagraph]) -> None:
        """Write paragraphs, and the tables among them."""
        for one in stretches:
            said = self._paragraphs.at(self._text.place(one.end))
            if one.sign == CELL_END:
                self._take_cell(one, said)
            elif said is not None and said.in_table:
                self._cell.append(self._labelled(one, said))
            else:
                self._end_table()
                self._write(one, said or _UNSTYLED)
        self._end_table()

    def _take_cell(self, last: FieldParagraph, said: Paragraph | None) -> None:
        # Without formatting, as in Word 95, a sign straight after that of a cell ends the row.
        ends_row = said.ends_row if said else bool(self._cells) and not (last.text or self._cell)
        if ends_row:
            self._rows.append(self._cells)
            self._cells = []
        else:
            self._cells.append(_joined([*self._cell, self._labelled(last, said)]))
        self._cell = []

    def _end_table(self) -> None:
        cells = [*self._cells, *([_joined(self._cell)] if self._cell else [])]
        written = emphasised_table([*self._rows, cells])
        self._rows, self._cells, self._cell = [], [], []
        if written:
            self._put(written, is_item=False)

    def _write(self, one: FieldParagraph, said: Paragraph) -> None:
        mark = self._styles.mark(said) if one.text or one.sign == _PARAGRAPH else None
        if not one.text:
            return
        level = self._styles.heading(said)
        if level:
            words = numbered_heading(mark, " ".join(one.plain.split()))
            self._put(f"{'#' * level} {words}", is_item=False)
        else:
            self._put(marked_item(mark, one.text) if mark else one.text, is_item=mark is not None)

    def _labelled(self, one: FieldParagraph, said: Paragraph | None) -> FieldParagraph:
        """Return what a cell says behind the number that a list gives it."""
        label = numbered_heading(self._styles.mark(said), "") if said else ""
        if not label:
            return one
        return one._replace(text=f"{label} {one.text}", plain=f"{label} {one.plain}")

    def _put(self, block: str, *, is_item: bool) -> None:
        gap = "" if not self.done else "\n" if self._was_item and is_item else "\n\n"
        self.done.append(gap + block)
        self._was_item = is_item


def _joined(paragraphs: list[FieldParagraph]) -> Cell:
    plain = (" ".join(one.plain.split()) for one in paragraphs)
    marked = (" ".join(one.text.split()) for one in paragraphs)
    return Cell(" ".join(filter(None, plain)), " ".join(filter(None, marked)))


READERS: Final = {"doc": read_doc}
