"""Excel workbooks: each sheet as a table under its name; only shown rows are unpacked."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from typing import Final
from xml.parsers import expat

import msgspec

from webseam.adapters.values.json_values import parse_whole_number

from ..draft import Draft
from ..excel.number_formats import (
    DAY_ZERO,
    DAY_ZERO_1904,
    PLAIN_NUMBER,
    NumberForm,
    number_text,
    style_number_form,
)
from ..sheets import MAX_COLUMNS, HiddenCells, Sheet, take_sheet_rows, workbook_draft
from .cell_colours import CellColours
from .cell_comments import CellComments
from .package import BrokenFileError, Package, TooLargeError
from .package_parts import main_part, part_relations
from .xml_elements import XmlNode, parse_xml_chunks, part_elements

# Far more than the cells that are shown; shared texts are in the order of their first use.
_MAX_SHARED_TEXTS: Final = 1_000_000
_MAX_CELLS: Final = 300_000
_DIGITS: Final = "0123456789"
_TRUE_VALUES: Final = ("1", "true")
_MAX_COLUMN_LETTERS: Final = 3
_SHARED_TEXTS_PART: Final = "xl/sharedStrings.xml"
_TEXT_KINDS: Final = frozenset({"inlineStr", "str", "e", "d"})
_OTHER_SHEETS_PATTERN: Final = re.compile(r"/(?:chart|dialog|macro)sheets/")


def shared_texts(chunks: Iterable[bytes]) -> list[str]:
    """Return the shared texts; raise ``BrokenFileError`` where the part is damaged."""
    reader = _SharedTextsReader()
    for _ in parse_xml_chunks(reader.parser, chunks):
        if len(reader.texts) >= _MAX_SHARED_TEXTS:
            break
    return reader.texts


def _make_parser(reader: "_SharedTextsReader | _SheetReader") -> expat.XMLParserType:
    """Return a parser that sends its events to a reader, and refuses document types."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.on_start
    parser.EndElementHandler = reader.on_end
    parser.CharacterDataHandler = reader.on_text
    return parser


def _refuse_doctype(*_: object) -> None:
    raise BrokenFileError


class _SharedTextsReader:
    """Builds texts from expat's events."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._runs: list[str] = []
        self._is_run = self._is_phonetic = False
        self.parser = _make_parser(self)

    def on_start(self, name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = not self._is_phonetic
        elif local == "rPh":
            self._is_phonetic = True

    def on_end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = False
        elif local == "si":
            self.texts.append("".join(self._runs))
            self._runs = []
        elif local == "rPh":
            self._is_phonetic = False

    def on_text(self, text: str) -> None:
        if self._is_run:
            self._runs.append(text)


# The rows of a sheet are streamed: building a small tree of each takes twice as long.

# The text of a cell by its kind, its content and its style.
ShowCell = Callable[[str, str, str], str]


def sheet_rows(
    chunks: Iterable[bytes],
    shown: ShowCell,
    hidden: HiddenCells,
    hiding_styles: frozenset[int] = frozenset(),
) -> Iterator[list[str]]:
    """Yield the visible rows, each value in its column; unpacking and parsing are lazy.

    Cells of ``hiding_styles`` are empty; their words are counted.
    """
    reader = _SheetReader(shown, hidden, hiding_styles)
    try:
        for _ in parse_xml_chunks(reader.parser, chunks):
            yield from reader.done
            reader.done.clear()
    except BrokenFileError:
        yield from reader.done
        raise


@lru_cache(maxsize=1_000)
def column_index(letters: str, default_column: int) -> int:
    """Return the column of a reference, from 0; ``default_column`` when it has none.

    >>> column_index("A", 5)
    0
    >>> column_index("AB", 0)
    27
    >>> column_index("", 5)
    5
    >>> column_index("a", 5)
    5
    """
    if not 0 < len(letters) <= _MAX_COLUMN_LETTERS:
        return default_column
    column = 0
    for letter in letters:
        if not "A" <= letter <= "Z":
            return default_column
        column = column * 26 + ord(letter) - 64
    return column - 1


class _SheetReader:
    """Builds rows from expat's events."""

    def __init__(self, shown: ShowCell, hidden: HiddenCells, hiding_styles: frozenset[int]) -> None:
        self._shown, self._hidden, self._hiding_styles = shown, hidden, hiding_styles
        self._is_hidden_row = self._is_text = self._is_phonetic = False
        self._row: list[str] = []
        self._count = 0
        self._cell: dict[str, str] | None = None
        self._cell_texts: list[str] = []
        self.done: list[list[str]] = []
        self.parser = _make_parser(self)

    def on_start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "c":
            self._cell, self._cell_texts = attributes, []
        elif local in ("v", "t"):
            self._is_text = self._cell is not None and not self._is_phonetic
        elif local == "rPh":
            self._is_phonetic = True
        elif local == "row":
            self._row, self._count = [], 0
            self._is_hidden_row = attributes.get("hidden") in _TRUE_VALUES
        elif local == "col" and attributes.get("hidden") in _TRUE_VALUES:
            first, last = (parse_whole_number(attributes.get(name, "")) for name in ("min", "max"))
            self._hidden.hide_columns((first or 1) - 1, (last or first or 1) - 1)

    def on_end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local in ("v", "t"):
            self._is_text = False
        elif local == "c":
            self._end_cell()
        elif local == "rPh":
            self._is_phonetic = False
        elif local == "row":
            while self._row and not self._row[-1]:
                self._row.pop()
            self.done += self._hidden.visible_rows(self._row, is_hidden=self._is_hidden_row)

    def on_text(self, text: str) -> None:
        if self._is_text:
            self._cell_texts.append(text)

    def _end_cell(self) -> None:
        cell = self._cell or {}
        self._cell = None
        column = column_index(cell.get("r", "").rstrip(_DIGITS), -1)
        column = min(self._count if column < 0 else column, MAX_COLUMNS)
        self._count += 1
        if self._count > _MAX_CELLS:
            raise TooLargeError
        row = self._row
        if column >= len(row):
            row.extend([""] * (column + 1 - len(row)))
        if self._cell_texts:
            text = "".join(self._cell_texts)
            style = cell.get("s", "")
            row[column] = self._shown(cell.get("t", ""), text, style)
            if self._hiding_styles and parse_whole_number(style or "0") in self._hiding_styles:
                self._hidden.texts.append(row[column])
                row[column] = ""


class XlsxCells(msgspec.Struct, frozen=True):
    """The shared texts, and the number forms of styles that are not plain."""

    texts: Sequence[str]
    forms: Mapping[int | None, NumberForm]
    day_zero: datetime

    def cell_text(self, kind: str, text: str, style: str) -> str:
        """Return the text that a cell shows."""
        if kind == "s":
            index = parse_whole_number(text)
            return self.texts[index] if index is not None and index < len(self.texts) else ""
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        return text if kind in _TEXT_KINDS else self._number_text(text, style)

    def _number_text(self, text: str, style: str) -> str:
        try:
            number = float(text)
        except ValueError:
            return text
        form = self.forms.get(parse_whole_number(style))
        if form is None and text.lstrip("-").isdecimal():
            return text
        # This also drops trailing zeros and the noise of binary fractions.
        return number_text(number, form or PLAIN_NUMBER, self.day_zero)


def read_cells(package: Package) -> XlsxCells:
    """Read the shared texts and the styles of a workbook."""
    book = next(part_elements(package, "xl/workbook.xml", "workbookPr"), None)
    is_1904 = book is not None and book.attribute("date1904") in _TRUE_VALUES
    texts, forms = _read_shared_texts(package), _number_forms(package)
    return XlsxCells(texts, forms, DAY_ZERO_1904 if is_1904 else DAY_ZERO)


def _read_shared_texts(package: Package) -> list[str]:
    """Return the shared texts, as many as a damaged part has."""
    try:
        return shared_texts(package.part_chunks(_SHARED_TEXTS_PART))
    except BrokenFileError:
        return [_rich_text(item) for item in part_elements(package, _SHARED_TEXTS_PART, "si")]


def _number_forms(package: Package) -> dict[int | None, NumberForm]:
    codes: dict[int, str] = {}
    forms: list[NumberForm] = []
    for node in part_elements(package, "xl/styles.xml", "numFmt", "cellXfs"):
        if node.name == "numFmt":
            format_id = parse_whole_number(node.attribute("numFmtId")) or 0
            codes.setdefault(format_id, node.attribute("formatCode"))
        else:
            styles = (style.attribute("numFmtId") for style in node.elements("xf"))
            ids = [parse_whole_number(style) or 0 for style in styles]
            forms = [style_number_form(style_id, codes.get(style_id, "")) for style_id in ids]
    return {style: form for style, form in enumerate(forms) if form != PLAIN_NUMBER}


def _rich_text(node: XmlNode) -> str:
    """Return the text without the phonetic guides of Japanese sheets."""
    return "".join(
        child.inner_text() if child.name == "t" else _rich_text(child)
        for child in node.elements()
        if child.name != "rPh"
    )


def read_xlsx(package: Package, _url: str) -> Draft:
    """Return a workbook as markdown, its hidden sheets too."""
    return workbook_draft(list(_read_sheets(package, read_cells(package))))


def _read_sheets(package: Package, cells: XlsxCells) -> Iterator[Sheet]:
    book = main_part(package, "xl/workbook.xml")
    parts = part_relations(package, book)
    comments, colours = CellComments(package), CellColours(package)
    for node in part_elements(package, book, "sheet"):
        part = parts.get(node.attribute("id"), "")
        # Skip sheets of charts and dialogues, and those whose part is missing.
        if _OTHER_SHEETS_PATTERN.search(part) is None and package.has_part(part):
            is_hidden = node.attribute("state") in ("hidden", "veryHidden")
            name = " ".join(node.attribute("name").split())
            hidden = HiddenCells()
            hiding = colours.hiding_styles(part)
            rows = sheet_rows(package.part_chunks(part), cells.cell_text, hidden, hiding)
            read_rows = partial(take_sheet_rows, _rows_until_broken(rows, package))
            read_comments = partial(comments.sheet_comments, part)
            yield Sheet(name, is_hidden, read_rows, read_comments, hidden)


def _rows_until_broken(rows: Iterator[list[str]], package: Package) -> Iterator[list[str]]:
    """Yield rows until one is broken; raise where the first is."""
    count = 0
    try:
        for row in rows:
            yield row
            count += 1
    except BrokenFileError:
        if not count:
            raise
        package.is_damaged = True


PACKAGE_READERS: Final = {"xlsx": read_xlsx}
