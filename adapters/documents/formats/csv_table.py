"""CSV and TSV as a table, with the lines that somebody wrote above it."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .detection.charset import MAX_PAGE_CHARS, decode_source
from .draft import Draft, Source, finish_page
from .markdown_writing import disarm_pictures, markdown_table
from .plain_text_page import read_text
from .sheets import MAX_COLUMNS, TableRoom, cut_rows, take_rows

# How much is read twice because of marks that are not closed; what is left is read as it stands.
_MAX_REREAD_CHARS: Final = 4_000_000
_CSV_RECORDS_SAMPLE_CHARS: Final = 65_536
# A quotation mark inside of a cell, as MySQL writes it; others double it.
_ESCAPED: Final = re.compile(r'[^\\,;\t|\n"]\\"[^,;\t|\r\n"]')
# A cell that is closed, and blanks: not after the rules, but meant so.
_CLOSED: Final = re.compile(r'"[ \t]++[,;|\r\n]')


def read_csv_records(text: str, delimiter: str) -> Iterator[list[str]]:
    r"""Yield the rows that are not blank; ``csv.Error`` where a cell is longer than any.

    >>> list(read_csv_records('a,"b\nc"\n1,"x\n2,y\n', ","))
    [['a', 'b\nc'], ['1', 'x'], ['2', 'y']]
    """
    return (cells for cells in _rows(text, delimiter) if any(map(str.strip, cells)))


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    lines = io.StringIO(text, newline="")
    escape = "\\" if '\\"' in text and _ESCAPED.search(text, 0, _CSV_RECORDS_SAMPLE_CHARS) else None
    read = partial(csv.reader, delimiter=delimiter, skipinitialspace=True, escapechar=escape)
    exact, lenient, again = read(lines, strict=True), read(lines), 0
    cells: list[str] | None = []
    while cells is not None:
        yield cells
        start = lines.tell()
        try:
            cells = next(exact, None)
        except csv.Error:
            end = lines.tell()
            again += end - start
            lines.seek(start)
            is_open = again <= _MAX_REREAD_CHARS and _is_open(text[start:end])
            cells = next(read([lines.readline().rstrip("\r\n")]) if is_open else lenient, None)


def _is_open(row: str) -> bool:
    """Tell whether a row that breaks the rules may go on over lines since a mark is open."""
    return _CLOSED.search(row) is None


# CSV and TSV as a table, with the lines that somebody wrote above it.

# Half a second or so (measured 2026-11-17: 5 µs a row and 0.5 a cell).
_MAX_ROWS: Final = 100_000
_MAX_CELLS: Final = 600_000
_MAX_CSV_COLUMNS: Final = 16_384
_DELIMITERS: Final = ",;\t|"
# Where as many rows have one width by either: numbers have commas in them, and words bars.
_PREFERRED: Final = ";\t"
_SAMPLE_ROWS: Final = 30
_SAMPLE_CHARS: Final = 65_536
_MAX_LEADING_LINES: Final = 50
# Of a narrower table a row with its first cell alone may be the head.
_NARROW: Final = 3
# Excel's own line on what parts the columns.
_TOLD: Final = re.compile(r'"?sep=([^\w\s"]|\t)"?[ \t]*\r?\n', re.IGNORECASE)


def read_csv(source: Source) -> Result[ReadPage, WebError]:
    """Return the rows as a markdown table; text in which no rows are found stays text."""
    text = decode_source(source)
    told = _TOLD.match(text)
    delimiter = told[1] if told else "\t" if _is_tabbed(source) else detect_delimiter(text)
    whole = text[told.end() if told else 0 : MAX_PAGE_CHARS]
    try:
        width = _usual_width(whole, delimiter)
        remarks, start = _remarks(whole, delimiter, width)
        room = _room(width)
        rows = take_rows(read_csv_records(whole[start:], delimiter), room)
    except csv.Error:
        return read_text(source)
    is_part = len(text) > MAX_PAGE_CHARS
    cut, notes = cut_rows(rows, room, total=text.count("\n"), is_part=is_part)
    content = "\n\n".join([*remarks, markdown_table(cut)])
    return finish_page(Draft(content=content, title=source.file_name, notes=notes))


def _is_tabbed(source: Source) -> bool:
    return source.media_type == "text/tab-separated-values"


def _room(width: int) -> TableRoom:
    """Return how much is shown of a table whose rows are mostly so wide."""
    columns = max(MAX_COLUMNS, min(width, _MAX_CSV_COLUMNS))
    return TableRoom(rows=_MAX_ROWS, columns=columns, cells=_MAX_CELLS, long=MAX_PAGE_CHARS)


def detect_delimiter(text: str) -> str:
    r"""Return the character that parts the columns: the one that gives most rows one width.

    >>> detect_delimiter("a;b,c\n1;2\n3;4\n"), detect_delimiter("0,5;1,5;2,5\n1,0;2,0;3,0\n")
    (';', ';')
    """
    return max(_DELIMITERS, key=lambda delimiter: _weight(text[:_SAMPLE_CHARS], delimiter))


def _weight(sample: str, delimiter: str) -> tuple[int, bool, int]:
    count, width = _evenness(sample, delimiter)
    return count, delimiter in _PREFERRED, width


def _evenness(sample: str, delimiter: str) -> tuple[int, int]:
    """Return how many sample rows share the commonest width, and that width; (0, 0) for none."""
    try:
        widths = Counter(
            len(cells) for cells in islice(read_csv_records(sample, delimiter), _SAMPLE_ROWS)
        )
    except csv.Error:
        return (0, 0)
    several = [(count, width) for width, count in widths.items() if width > 1]
    return max(several, default=(0, 0))


def _usual_width(text: str, delimiter: str) -> int:
    """Return how wide most of the first rows are; the last of them must not be cut."""
    end = text.find("\n", _SAMPLE_CHARS)
    return _evenness(text if end < 0 else text[:end], delimiter)[1]


def _remarks(text: str, delimiter: str, width: int) -> tuple[list[str], int]:
    """Return the lines above a table that are not of it, and where it begins."""
    remarks: list[str] = []
    start = 0
    for _ in range(_MAX_LEADING_LINES):
        end = text.find("\n", start)
        cells = next(read_csv_records(text[start:end], delimiter), [])
        if end < 0 or not _is_remark(cells, text[start:end], width):
            break
        if cells:
            remarks.append(disarm_pictures(_said(cells, text[start:end])))
        start = end + 1
    return remarks, start


def _is_remark(cells: list[str], line: str, width: int) -> bool:
    if line.count('"') % 2:
        return False
    if line.startswith("#"):
        return len(cells) != width
    return width >= _NARROW and not any(cells[1:])


def _said(cells: list[str], line: str) -> str:
    return line.strip("# \t\r") if line.startswith("#") else cells[0].strip()


READERS: Final = {"csv": read_csv}
