"""The rows of an Excel sheet, streamed: a small tree of each would take twice as long.

ISO/IEC 29500-1, 18.3.1. What a cell holds is in ``v``, or in the runs ``t`` of its own text; those
in ``rPh`` are reading aids.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final
from xml.parsers import expat

from ..table_limits import MAX_COLUMNS
from .package import BrokenFileError, TooLargeError
from .xml_elements import UNREADABLE

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
