"""A Word document before 2007: headings, paragraphs, lists, links, tables and footnotes.

Comments, heads and feet of pages follow the text; hidden and deleted text goes.
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..compound.compound_file import CompoundFile
from ..compound.summary import add_summary_properties
from ..draft import Draft, Source, StepAllowance, corrupt_error, encrypted_error, finish_page
from ..markdown_writing import Cell, emphasised_table
from ..numbering.counting import marked_item, numbered_heading
from ..office.comments_and_margins import about_line, comment_line, comments_section, margin_line
from ..office.package import BrokenFileError, EncryptedError
from .comments import read_comments
from .doc_fields import CELL, MAX_FIELD_SIGNS, FieldParagraph, FieldText
from .doc_styles import Styles
from .formatting import Paragraph, Paragraphs, letter_styles, shown_letters
from .pieces import (
    BODY,
    BOXES,
    END_NOTE_PLACES,
    END_NOTE_TEXTS,
    END_NOTES,
    HEADERS,
    MARGINS,
    MAX_LETTERS,
    NOTE_PLACES,
    NOTE_TEXTS,
    NOTES,
    WordText,
)

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
            if one.sign == CELL:
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
