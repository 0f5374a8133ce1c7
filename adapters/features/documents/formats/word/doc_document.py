"""Word documents before 2007; comments, headers and footers follow the text.

Hidden and deleted text is left out.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from webseam.adapters.pages.safe_text import one_line

from .. import draft
from ..compound import CompoundFile, read_compound_document
from ..markdown_writing import Cell, emphasised_table, join_blocks, leading_heading
from ..numbering import ListCounts, ListMark, Numbering, marked_item, numbered_heading
from ..office.comments_and_margins import (
    MAX_ABOUT_CHARS,
    MAX_COMMENTS,
    comment_line,
    comments_list,
    margin_line,
)
from .doc_fields import CELL_END, MAX_FIELD_SIGNS, FieldParagraph, FieldText
from .formatting import (
    Paragraph,
    Paragraphs,
    find_styled_letters,
    hidden_letters,
    paragraph_properties,
    show_letters,
)
from .pieces import MAX_LETTERS, MAX_LISTS, DocPart, DocTable, WordText, read_lists

# A record of a comment, the author in it, the head of the table of numbers and a number, a range.
_COMMENT_BYTES, _AUTHOR_OFFSET, _NUMBERS_HEAD_BYTES, _NUMBER_BYTES, _RANGE_BYTES = 30, 20, 6, 12, 4
_MAX_AUTHORS: Final = 5_000
_MAX_COMMENTED_LETTERS: Final = 2_000


class DocComment(NamedTuple):
    """The author of a comment, and the ranges of its text and of the text that it is on."""

    author: str
    where: range
    about: range


def read_comments(text: WordText) -> Iterator[DocComment]:
    """Yield the comments in the order of the text."""
    raw = text.table(DocTable.COMMENT_OFFSETS)
    # The table has an offset for each comment and one for the end, then a record for each.
    count = max(0, len(raw) - 4) // (4 + _COMMENT_BYTES)
    authors, about = _comment_authors(text), _commented_ranges(text)
    texts = text.text_ranges(
        DocPart.COMMENTS, text.table(DocTable.COMMENT_TEXTS), min(count, MAX_COMMENTS)
    )
    for number, where in enumerate(texts):
        offset = 4 * (count + 1) + _COMMENT_BYTES * number + _AUTHOR_OFFSET
        author, _, _, tag = struct.unpack_from("<HHHi", raw, offset)
        name = authors[author] if author < len(authors) else ""
        yield DocComment(name, where, about.get(tag, range(0)))


def _comment_authors(text: WordText) -> list[str]:
    raw = text.table(DocTable.COMMENT_AUTHORS)
    names: list[str] = []
    offset = 0
    while offset + 2 <= len(raw) and len(names) < _MAX_AUTHORS:
        end = offset + 2 + 2 * int.from_bytes(raw[offset : offset + 2], "little")
        names.append(raw[offset + 2 : end].decode("utf-16-le", "replace"))
        offset = end
    return names


def _commented_ranges(text: WordText) -> dict[int, range]:
    """Return the ranges that comments are on, by number."""
    numbers, begins, ends = (
        text.table(table)
        for table in (DocTable.COMMENT_NUMBERS, DocTable.COMMENT_BEGINS, DocTable.COMMENT_ENDS)
    )
    listed = (len(begins) - 4) // (4 + _RANGE_BYTES)
    count = min((len(numbers) - _NUMBERS_HEAD_BYTES) // _NUMBER_BYTES, listed)
    if count < 1 or len(ends) < 4:  # noqa: PLR2004  bytes of an offset
        return {}
    starts = struct.unpack_from(f"<{count}I", begins)
    stops = struct.unpack_from(f"<{len(ends) // 4}I", ends)
    body, first = text.part_range(DocPart.BODY), 4 * (listed + 1)
    ranges: dict[int, range] = {}
    for number, start in enumerate(starts):
        (tag,) = struct.unpack_from("<i", numbers, _NUMBERS_HEAD_BYTES + _NUMBER_BYTES * number + 4)
        (end,) = struct.unpack_from("<H", begins, first + _RANGE_BYTES * number)
        stop = stops[end] if end < len(stops) else start
        ranges[tag] = range(start, min(stop, body.stop, start + _MAX_COMMENTED_LETTERS))
    return ranges


_MAX_STYLES: Final = 4096
_MAX_STYLE_CHAIN: Final = 10
_MAX_HEADING_LEVEL: Final = 6
_PARAGRAPH_STYLE: Final = 1
# The heading levels of built-in styles: heading 1 to 9, title, subtitle.
_STYLE_HEADINGS: Final = {
    **{level: min(level, _MAX_HEADING_LEVEL) for level in range(1, 10)},
    62: 1,
    74: 2,
}
# In bytes: the head of the style sheet, and the least of a style.
_STYLE_SHEET_HEAD_BYTES, _MIN_STYLE_BYTES = 6, 4
_NO_LIST: Final = Numbering("", {})


class _Style(NamedTuple):
    heading: int
    base: int
    properties: Paragraph


class DocStyles:
    """The heading levels and list marks of paragraphs."""

    def __init__(self, text: WordText) -> None:
        """Read the style sheet and the lists; a document without them has plain paragraphs."""
        self._styles = _read_style_sheet(text.table(DocTable.STYLES))
        self._lists = read_lists(text)
        self._counts = ListCounts()

    def heading_level(self, properties: Paragraph) -> int:
        """Return the level of a heading, 0 for another paragraph."""
        if properties.outline is not None:
            return properties.outline + 1 if properties.outline < _MAX_HEADING_LEVEL else 0
        headings = (style.heading for style in self._style_chain(properties))
        return next(filter(None, headings), 0)

    def list_mark(self, properties: Paragraph) -> ListMark | None:
        """Count a list paragraph and return its mark; None for no list or an empty label."""
        chain = [properties, *(style.properties for style in self._style_chain(properties))]
        lists = (styled.used_list for styled in chain if styled.used_list is not None)
        list_number = next(lists, 0)
        if not 0 < list_number <= MAX_LISTS:
            return None
        level = next((properties.level for properties in chain if properties.level is not None), 0)
        numbering = self._lists.get(list_number, _NO_LIST)
        label = self._counts.count_list_label(str(list_number), numbering, level)
        return ListMark(level, label) if label else None

    def _style_chain(self, properties: Paragraph) -> list[_Style]:
        """Return the paragraph's style and those it is based on; a cycle ends at the limit."""
        chain: list[_Style] = []
        style = self._styles.get(properties.style)
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self._styles.get(style.base)
        return chain


def _read_style_sheet(raw: bytes) -> Mapping[int, _Style]:
    size, count, base = struct.unpack_from("<HHH", raw.ljust(_STYLE_SHEET_HEAD_BYTES, b"\0"))
    styles: dict[int, _Style] = {}
    offset = 2 + size
    for number in range(min(count, _MAX_STYLES)):
        length = int.from_bytes(raw[offset : offset + 2], "little")
        style = raw[offset + 2 : offset + 2 + length]
        if len(style) >= base + 2 and base >= _MIN_STYLE_BYTES:
            styles[number] = _read_style(style, base)
        offset += 2 + length
    return styles


def _read_style(raw: bytes, base: int) -> _Style:
    name, flags = struct.unpack_from("<HH", raw)
    (letters,) = struct.unpack_from("<H", raw, base)
    # The commands follow the name and its zero, those of paragraphs first.
    offset = base + 2 + 2 * letters + 2
    is_paragraph = flags & 15 == _PARAGRAPH_STYLE
    size = int.from_bytes(raw[offset : offset + 2], "little") if is_paragraph else 0
    sprms = raw[offset + 4 : offset + 2 + size]
    properties = paragraph_properties(sprms, 0) if size else Paragraph()
    outline = properties.outline
    heading = _STYLE_HEADINGS.get(name & 0xFFF, 0)
    if outline is not None and outline < _MAX_HEADING_LEVEL:
        heading = outline + 1
    return _Style(heading, flags >> 4, properties)


_WORD_STREAM: Final = "worddocument"
_TABLE_STREAMS: Final = ("0table", "1table")
_DATA_STREAM: Final = "data"
_UNSTYLED_PARAGRAPH: Final = Paragraph()
_NOTE_SIGN, _PARAGRAPH_END = "\x02", "\r"
_MARGINS_PER_SECTION, _MAX_MARGINS = 6, 200
_MARGIN_KINDS: Final = {"Header": (0, 1, 4), "Footer": (2, 3, 5)}


def read_doc(source: draft.Source) -> draft.PageResult:
    """Return a document as markdown."""
    make_draft = partial(_make_draft, url=source.url)
    return read_compound_document(source, make_draft, "Word 6 or later")


def _make_draft(file: CompoundFile, url: str) -> draft.Draft:
    names = {path.lower(): path for path in file.paths}
    stream, first, second, data = (
        file.read_stream(names.get(name, ""))
        for name in (_WORD_STREAM, *_TABLE_STREAMS, _DATA_STREAM)
    )
    text = WordText(stream, (first, second))
    styled = find_styled_letters(text, stream)
    letters = show_letters(text.letters, styled)
    notes = _notes(text)
    letters = _mark_notes(letters, [offset for offset, _ in notes])
    blocks = _Blocks(Paragraphs(text, stream, data), DocStyles(text), text)
    allowance = draft.StepAllowance(MAX_FIELD_SIGNS)
    emphasis = [letters_run for letters_run in styled if letters_run.look.marks]
    fields = FieldText(url, allowance, emphasis)
    for part in (DocPart.BODY, DocPart.BOXES):
        span = text.part_range(part)
        shown = letters[span.start : span.stop]
        blocks.take_paragraphs(fields.split_paragraphs(shown, span.start))
    fields = FieldText(url, allowance, emphasis)
    note_lines = "\n".join(
        f"[^{number}]: {_range_line(fields, letters, span)}"
        for number, (_, span) in enumerate(notes, start=1)
    )
    fields = FieldText(url, allowance, emphasis)
    additions = _comments_and_margins(text, fields, letters)
    content = "\n\n".join(filter(None, (join_blocks(blocks.done), note_lines, *additions)))
    content = content.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    cuts: tuple[draft.Cut, ...] = ()
    if text.is_cut:
        cuts = (draft.Cut("characters", f"truncated: only the first {MAX_LETTERS} characters"),)
    if allowance.is_spent:
        note = f"only the first {len(blocks.done):,} paragraphs and tables"
        cuts = (*cuts, draft.Cut("work", note))
    parts = draft.left_out_parts("hidden", hidden_letters(text.letters, styled))
    return draft.Draft(content=content, title=leading_heading(content), cuts=cuts, parts=parts)


def _notes(text: WordText) -> list[tuple[int, range]]:
    """Return the offsets of references to notes, and the range of each note's text, in order."""
    notes: list[tuple[int, range]] = []
    for references, texts, part in (
        (DocTable.NOTE_OFFSETS, DocTable.NOTE_TEXTS, DocPart.NOTES),
        (DocTable.END_NOTE_OFFSETS, DocTable.END_NOTE_TEXTS, DocPart.END_NOTES),
    ):
        raw, body = text.table(references), text.part_range(DocPart.BODY)
        # The table has an offset for each note and one for the end, then two bytes for each.
        count = max(0, len(raw) - 4) // 6
        offsets = struct.unpack_from(f"<{count}I", raw)
        pairs = zip(offsets, text.text_ranges(part, text.table(texts), count), strict=False)
        notes += [(offset, span) for offset, span in pairs if offset in body and span]
    return sorted(notes, key=lambda note: note[0])


def _comments_and_margins(text: WordText, fields: FieldText, letters: str) -> Iterator[str]:
    lines: list[str] = []
    for comment in read_comments(text):
        comment_text = _plain_range(fields, letters, comment.where)
        if comment_text:
            about = one_line(_plain_range(fields, letters, comment.about), MAX_ABOUT_CHARS)
            lines.append(comment_line(comment.author, about, comment_text))
    yield comments_list(lines, "## Comments")
    yield from _margins(text, fields, letters)


def _plain_range(fields: FieldText, letters: str, span: range) -> str:
    """Return a range of text on one line, without references to notes."""
    shown = letters[span.start : span.stop].replace(_NOTE_SIGN, "\0")
    lines = (paragraph.plain for paragraph in fields.split_paragraphs(shown, span.start))
    return " ".join(filter(None, lines))


def _margins(text: WordText, fields: FieldText, letters: str) -> Iterator[str]:
    """Yield the headers and the footers of the pages.

    [MS-DOC] 2.3.3 (read 2026-11-16): first come six note separators, then six texts of each
    section, for even, odd and first pages.
    """
    stretches = text.text_ranges(DocPart.HEADERS, text.table(DocTable.MARGINS), _MAX_MARGINS)
    texts = (
        fields.split_paragraphs(letters[span.start : span.stop], span.start) for span in stretches
    )
    lines = [" ".join(span.plain for span in text) for text in texts][_MARGINS_PER_SECTION:]
    for name, kinds in _MARGIN_KINDS.items():
        yield margin_line(
            name,
            (span for index, span in enumerate(lines) if index % _MARGINS_PER_SECTION in kinds),
        )


def _mark_notes(letters: str, offsets: list[int]) -> str:
    """Return the letters with a note mark at the references to notes, and nowhere else."""
    pieces: list[str] = []
    done = 0
    for offset in offsets:
        if offset >= done:
            pieces += (letters[done:offset].replace(_NOTE_SIGN, "\0"), _NOTE_SIGN)
            done = offset + 1
    return "".join((*pieces, letters[done:].replace(_NOTE_SIGN, "\0")))


def _range_line(fields: FieldText, letters: str, span: range) -> str:
    stretches = fields.split_paragraphs(letters[span.start : span.stop], span.start)
    return " ".join(paragraph.text for paragraph in stretches if paragraph.text)


class _Blocks:
    """The blocks of a document; a table is written at its end."""

    def __init__(self, paragraphs: Paragraphs, styles: DocStyles, text: WordText) -> None:
        self._paragraphs, self._styles, self._text = paragraphs, styles, text
        self.done: list[tuple[str, bool]] = []
        self._rows: list[list[Cell]] = []
        self._cells: list[Cell] = []
        self._cell: list[FieldParagraph] = []

    def take_paragraphs(self, stretches: Iterable[FieldParagraph]) -> None:
        """Write paragraphs, and the tables among them."""
        for paragraph in stretches:
            properties = self._paragraphs.properties_at(self._text.stream_offset(paragraph.end))
            if paragraph.sign == CELL_END:
                self._take_cell(paragraph, properties)
            elif properties is not None and properties.in_table:
                self._cell.append(self._label_paragraph(paragraph, properties))
            else:
                self._end_table()
                self._write_paragraph(paragraph, properties or _UNSTYLED_PARAGRAPH)
        self._end_table()

    def _take_cell(self, last: FieldParagraph, properties: Paragraph | None) -> None:
        # Without formatting, as in Word 95, a second cell end directly after one ends the row.
        is_second_end = bool(self._cells) and not (last.text or self._cell)
        if properties.ends_row if properties else is_second_end:
            self._rows.append(self._cells)
            self._cells = []
        else:
            paragraphs = [*self._cell, self._label_paragraph(last, properties)]
            self._cells.append(_make_cell(paragraphs))
        self._cell = []

    def _end_table(self) -> None:
        cells = [*self._cells, *([_make_cell(self._cell)] if self._cell else [])]
        table = emphasised_table([*self._rows, cells])
        self._rows, self._cells, self._cell = [], [], []
        if table:
            self.done.append((table, False))

    def _write_paragraph(self, paragraph: FieldParagraph, properties: Paragraph) -> None:
        is_counted = paragraph.text or paragraph.sign == _PARAGRAPH_END
        mark = self._styles.list_mark(properties) if is_counted else None
        if not paragraph.text:
            return
        level = self._styles.heading_level(properties)
        if level:
            title = numbered_heading(mark, " ".join(paragraph.plain.split()))
            self.done.append((f"{'#' * level} {title}", False))
        else:
            text = marked_item(mark, paragraph.text) if mark else paragraph.text
            self.done.append((text, mark is not None))

    def _label_paragraph(
        self, paragraph: FieldParagraph, properties: Paragraph | None
    ) -> FieldParagraph:
        """Return a paragraph of a cell with its list number before it."""
        label = numbered_heading(self._styles.list_mark(properties), "") if properties else ""
        if not label:
            return paragraph
        text, plain = f"{label} {paragraph.text}", f"{label} {paragraph.plain}"
        return paragraph._replace(text=text, plain=plain)


def _make_cell(paragraphs: list[FieldParagraph]) -> Cell:
    plain = (" ".join(paragraph.plain.split()) for paragraph in paragraphs)
    marked = (" ".join(paragraph.text.split()) for paragraph in paragraphs)
    return Cell(" ".join(filter(None, plain)), " ".join(filter(None, marked)))


READERS: Final = {"doc": read_doc}
