"""Excel: each sheet as a table under its name; only as many rows are unpacked as are shown."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from xml.parsers import expat

import msgspec

from ....values.numbers import parse_whole_number
from ..draft import Draft
from ..excel.number_formats import (
    BUILT_IN_FORMATS,
    DAY_ZERO,
    DAY_ZERO_1904,
    PLAIN_NUMBER,
    NumberForm,
    number_form,
    number_text,
)
from ..sheets import MAX_COLUMNS, Sheet, TableRoom, take_rows, workbook_draft
from .cell_comments import CellComments
from .package import BrokenFileError, Package, TooLargeError
from .package_parts import main_part, part_relations
from .xml_elements import UNREADABLE, XmlNode, part_elements

# Far more than the cells that are shown: texts are kept in the order in which cells first had them.
_MAX_SHARED_TEXTS: Final = 1_000_000


def shared_texts(chunks: Iterable[bytes]) -> list[str]:
    """Return the texts; ``BrokenFileError`` where the part is not whole."""
    reader = _SharedTextsReader()
    begun = False
    for chunk in chunks:
        begun = True
        reader.feed(chunk)
        if len(reader.texts) >= _MAX_SHARED_TEXTS:
            return reader.texts
    if begun:
        reader.feed(b"", last=True)
    return reader.texts


class _SharedTextsReader:
    """Turns expat's calls into texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._runs: list[str] = []
        self._is_run = False
        self._is_aid = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        try:
            self._parser.Parse(chunk, last)
        except UNREADABLE as error:
            raise BrokenFileError from error

    def _doctype(self, *_: object) -> None:
        raise BrokenFileError

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = not self._is_aid
        elif local == "rPh":
            self._is_aid = True

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = False
        elif local == "si":
            self.texts.append("".join(self._runs))
            self._runs = []
        elif local == "rPh":
            self._is_aid = False

    def _data(self, text: str) -> None:
        if self._is_run:
            self._runs.append(text)


# The rows of an Excel sheet, streamed: a small tree of each would take twice as long.

_MAX_CELLS: Final = 300_000
_DIGITS: Final = "0123456789"
_MAX_COLUMN_LETTERS: Final = 3
# What a cell shows: by its kind, what it holds, and its style.
Shown = Callable[[str, str, str], str]


def xlsx_sheet_rows(chunks: Iterable[bytes], shown: Shown) -> Iterator[list[str]]:
    """Yield the rows, each value in its column; the one past the last shown is for the note.

    Stop asking and nothing more is unpacked or parsed.
    """
    reader = _Reader(shown)
    begun = False
    for chunk in chunks:
        begun = True
        try:
            reader.feed(chunk)
        except BrokenFileError:
            yield from reader.done
            raise
        yield from reader.done
        reader.done.clear()
    if begun:
        reader.feed(b"", last=True)


def column_index(letters: str, default_column: int) -> int:
    """Return the column that a reference names, from 0; ``default_column`` when it names none.

    >>> column_index("A", 5), column_index("AB", 0), column_index("", 5), column_index("a", 5)
    (0, 27, 5, 5)
    """
    if not 0 < len(letters) <= _MAX_COLUMN_LETTERS:
        return default_column
    column = 0
    for letter in letters:
        if not "A" <= letter <= "Z":
            return default_column
        column = column * 26 + ord(letter) - 64
    return column - 1


class _Reader:
    """Turns expat's calls into finished rows."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._names: dict[str, str] = {}
        self._columns: dict[str, int] = {}
        self._row: list[str] = []
        self._count = 0
        self._cell: dict[str, str] | None = None
        self._held: list[str] = []
        self._is_text = False
        self._is_aid = False
        self.done: list[list[str]] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        try:
            self.parser.Parse(chunk, last)
        except UNREADABLE as error:
            raise BrokenFileError from error

    def _doctype(self, *_: object) -> None:
        raise BrokenFileError

    def _local(self, name: str) -> str:
        """Return a name without its prefix; there are few, so each is cut once."""
        short = self._names.get(name)
        if short is None:
            short = self._names[name] = name.rpartition(":")[2]
        return short

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = self._local(name)
        if local == "c":
            self._cell = attributes
            self._held = []
        elif local in ("v", "t"):
            self._is_text = self._cell is not None and not self._is_aid
        elif local == "rPh":
            self._is_aid = True
        elif local == "row":
            self._row = []
            self._count = 0

    def _end(self, name: str) -> None:
        local = self._local(name)
        if local in ("v", "t"):
            self._is_text = False
        elif local == "c":
            self._keep()
        elif local == "rPh":
            self._is_aid = False
        elif local == "row":
            while self._row and not self._row[-1]:
                self._row.pop()
            self.done.append(self._row)

    def _data(self, text: str) -> None:
        if self._is_text:
            self._held.append(text)

    def _keep(self) -> None:
        cell = self._cell or {}
        self._cell = None
        column = min(self._column(cell.get("r", "")), MAX_COLUMNS)
        self._count += 1
        if self._count > _MAX_CELLS:
            raise TooLargeError
        row = self._row
        if column >= len(row):
            row.extend([""] * (column + 1 - len(row)))
        if self._held:
            row[column] = self._shown(cell.get("t", ""), "".join(self._held), cell.get("s", ""))

    def _column(self, reference: str) -> int:
        letters = reference.rstrip(_DIGITS)
        column = self._columns.get(letters)
        if column is None:
            column = column_index(letters, -1)
            self._columns[letters] = column
        return self._count if column < 0 else column


# Excel: each sheet as a table under its name; only as many rows are unpacked as are shown.

_TEXTS: Final = "xl/sharedStrings.xml"
_WRITTEN: Final = frozenset({"inlineStr", "str", "e", "d"})


class Cells(msgspec.Struct, frozen=True):
    """What cells refer to: the texts, and how styles show numbers, where it is not as they are."""

    texts: Sequence[str]
    forms: Mapping[int | None, NumberForm]
    day_zero: datetime

    def value(self, kind: str, text: str, style: str) -> str:
        """Return what a cell shows that holds a text."""
        if kind == "s":
            return self._shared(text)
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        return text if kind in _WRITTEN else self._number(text, style)

    def _shared(self, index: str) -> str:
        place = parse_whole_number(index)
        return self.texts[place] if place is not None and place < len(self.texts) else ""

    def _number(self, text: str, style: str) -> str:
        try:
            number = float(text)
        except ValueError:
            return text
        form = self.forms.get(parse_whole_number(style))
        return number_text(number, form, self.day_zero) if form else _plain(number, text)


def read_cells(package: Package) -> Cells:
    """Read the shared texts and the styles of a workbook."""
    book = next(part_elements(package, "xl/workbook.xml", "workbookPr"), None)
    is_1904 = book is not None and book.get("date1904") in ("1", "true")
    return Cells(_texts(package), _forms(package), DAY_ZERO_1904 if is_1904 else DAY_ZERO)


def _texts(package: Package) -> list[str]:
    """Return the texts that cells share, as far as they can be told."""
    try:
        return shared_texts(package.chunks(_TEXTS))
    except BrokenFileError:
        return [_rich_text(item) for item in part_elements(package, _TEXTS, "si")]


def _forms(package: Package) -> dict[int | None, NumberForm]:
    """Return how the cell styles show numbers, by their numbers; not those that do it plainly."""
    told: dict[int | None, NumberForm] = dict(BUILT_IN_FORMATS)
    forms: list[NumberForm] = []
    for node in part_elements(package, "xl/styles.xml", "numFmt", "cellXfs"):
        if node.name == "numFmt":
            told.setdefault(
                parse_whole_number(node.get("numFmtId")), number_form(node.get("formatCode"))
            )
        else:
            named = (parse_whole_number(style.get("numFmtId")) for style in node.nodes("xf"))
            forms = [told.get(name, PLAIN_NUMBER) for name in named]
    return {place: form for place, form in enumerate(forms) if form != PLAIN_NUMBER}


def _rich_text(node: XmlNode) -> str:
    """Return text without the reading aids that Japanese sheets have above it."""
    return "".join(
        child.words() if child.name == "t" else _rich_text(child)
        for child in node.nodes()
        if child.name != "rPh"
    )


def _plain(number: float, text: str) -> str:
    """Write a number as people do: no trailing zeros, no noise of binary fractions.

    >>> _plain(0.1 + 0.2, "0.30000000000000004"), _plain(3.0, "3")
    ('0.3', '3')
    """
    return text if text.lstrip("-").isdecimal() else number_text(number, PLAIN_NUMBER, DAY_ZERO)


_PART: Final = "xl/workbook.xml"
_OTHER_KINDS: Final = re.compile(r"/(?:chart|dialog|macro)sheets/")


def read_xlsx(package: Package, _url: str) -> Draft:
    """Return a workbook as markdown, its hidden sheets too."""
    return workbook_draft(list(_sheets(package, read_cells(package))))


def _sheets(package: Package, cells: Cells) -> Iterator[Sheet]:
    book = main_part(package, _PART)
    parts = part_relations(package, book)
    comments = CellComments(package)
    for node in part_elements(package, book, "sheet"):
        part = parts.get(node.get("id"), "")
        # Of the other kinds are charts and dialogues; one that is not there is not empty either.
        if _OTHER_KINDS.search(part) is None and package.has(part):
            is_hidden = node.get("state") in ("hidden", "veryHidden")
            name = " ".join(node.get("name").split())
            read = partial(_rows, package, part, cells)
            yield Sheet(name, is_hidden, read, partial(comments.of, part))


def _rows(package: Package, part: str, cells: Cells, most: int) -> list[list[str]]:
    return take_rows(
        _so_far(xlsx_sheet_rows(package.chunks(part), cells.value), package), TableRoom(cells=most)
    )


def _so_far(whole: Iterator[list[str]], package: Package) -> Iterator[list[str]]:
    """Yield rows until one is broken; it must not be the first."""
    given = 0
    try:
        for row in whole:
            yield row
            given += 1
    except BrokenFileError:
        if not given:
            raise
        package.is_damaged = True


PACKAGE_READERS: Final = {"xlsx": read_xlsx}
