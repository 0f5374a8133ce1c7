"""CSV and TSV as a table, with the remarks that stand above it."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from webseam.ports.text import disarm_pictures

from .charset import MAX_PAGE_CHARS, decode_source
from .draft import Draft, PageResult, Source, finish_draft
from .markdown_writing import markdown_table
from .plain_text_page import read_plain_text
from .sheets import MAX_COLUMNS, TableRoom, fit_table_rows, take_table_rows

# How much may be read twice because of open quotation marks; after that rows are read leniently.
_MAX_REREAD_CHARS: Final = 4_000_000
_ESCAPE_SAMPLE_CHARS: Final = 65_536
# A quotation mark inside a cell as MySQL writes it; other programs double it.
_BACKSLASH_QUOTE_PATTERN: Final = re.compile(r'[^\\,;\t|\n"]\\"[^,;\t|\r\n"]')
# A closed cell followed by blanks: against the rules, but the cell ends there.
_CLOSED_CELL_PATTERN: Final = re.compile(r'"[ \t]++[,;|\r\n]')
# About half a second (measured 2026-11-17: 5 µs a row and 0.5 µs a cell).
_MAX_ROWS: Final = 100_000
_MAX_CELLS: Final = 600_000
_MAX_CSV_COLUMNS: Final = 16_384
_DELIMITERS: Final = ",;\t|"
# These win a tie: numbers contain commas, and words contain bars.
_PREFERRED_DELIMITERS: Final = ";\t"
_SAMPLE_ROWS: Final = 30
_SAMPLE_CHARS: Final = 65_536
_MAX_LEADING_LINES: Final = 50
# In a narrower table a row with only its first cell may be the head.
_MIN_REMARK_TABLE_COLUMNS: Final = 3
# Excel's line that names the delimiter.
_SEP_LINE_PATTERN: Final = re.compile(r'"?sep=([^\w\s"]|\t)"?[ \t]*\r?\n', re.IGNORECASE)


def read_csv_records(text: str, delimiter: str) -> Iterator[list[str]]:
    r"""Yield the rows that are not blank; raise ``csv.Error`` where a cell is too long.

    >>> list(read_csv_records('a,"b\nc"\n1,"x\n2,y\n', ","))
    [['a', 'b\nc'], ['1', 'x'], ['2', 'y']]
    """
    return (cells for cells in _parse_rows(text, delimiter) if any(map(str.strip, cells)))


def _parse_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    lines = io.StringIO(text, newline="")
    has_escapes = '\\"' in text and _BACKSLASH_QUOTE_PATTERN.search(text, 0, _ESCAPE_SAMPLE_CHARS)
    escape = "\\" if has_escapes else None
    read = partial(csv.reader, delimiter=delimiter, skipinitialspace=True, escapechar=escape)
    exact, lenient, reread_chars = read(lines, strict=True), read(lines), 0
    cells: list[str] | None = []
    while cells is not None:
        yield cells
        start = lines.tell()
        try:
            cells = next(exact, None)
        except csv.Error:
            end = lines.tell()
            reread_chars += end - start
            lines.seek(start)
            is_closed = reread_chars > _MAX_REREAD_CHARS or _CLOSED_CELL_PATTERN.search(
                text, start, end
            )
            # Otherwise the row continues because a quotation mark is open.
            cells = next(lenient if is_closed else read([lines.readline().rstrip("\r\n")]), None)


def read_csv(source: Source) -> PageResult:
    """Return the rows as a markdown table; text that cannot be parsed as CSV stays text."""
    text = decode_source(source)
    sep_line = _SEP_LINE_PATTERN.match(text)
    declared = "\t" if source.media_type == "text/tab-separated-values" else ""
    delimiter = sep_line[1] if sep_line else declared or detect_delimiter(text)
    table_text = text[sep_line.end() if sep_line else 0 : MAX_PAGE_CHARS]
    try:
        # Take the width of most of the first rows; the sample ends at a line end.
        end = table_text.find("\n", _SAMPLE_CHARS)
        width = _commonest_width(table_text if end < 0 else table_text[:end], delimiter)[1]
        remarks, start = _split_remarks(table_text, delimiter, width)
        columns = max(MAX_COLUMNS, min(width, _MAX_CSV_COLUMNS))
        room = TableRoom(rows=_MAX_ROWS, columns=columns, cells=_MAX_CELLS, long=MAX_PAGE_CHARS)
        rows = take_table_rows(read_csv_records(table_text[start:], delimiter), room)
    except csv.Error:
        return read_plain_text(source)
    is_part = len(text) > MAX_PAGE_CHARS
    shown_rows, cuts = fit_table_rows(rows, room, total=text.count("\n"), is_part=is_part)
    content = "\n\n".join([*remarks, markdown_table(shown_rows)])
    return finish_draft(Draft(content=content, title=source.file_name, cuts=cuts))


def detect_delimiter(text: str) -> str:
    r"""Return the delimiter: the character that gives the most rows the same width.

    >>> detect_delimiter("a;b,c\n1;2\n3;4\n")
    ';'
    >>> detect_delimiter("0,5;1,5;2,5\n1,0;2,0;3,0\n")
    ';'
    """
    return max(_DELIMITERS, key=partial(_delimiter_score, text[:_SAMPLE_CHARS]))


def _delimiter_score(sample: str, delimiter: str) -> tuple[int, bool, int]:
    count, width = _commonest_width(sample, delimiter)
    return count, delimiter in _PREFERRED_DELIMITERS, width


def _commonest_width(sample: str, delimiter: str) -> tuple[int, int]:
    """Return the commonest width of sample rows with how often it occurs first; (0, 0) for none."""
    try:
        widths = Counter(map(len, islice(read_csv_records(sample, delimiter), _SAMPLE_ROWS)))
    except csv.Error:
        return (0, 0)
    candidates = [(count, width) for width, count in widths.items() if width > 1]
    return max(candidates, default=(0, 0))


def _split_remarks(text: str, delimiter: str, width: int) -> tuple[list[str], int]:
    """Return the remarks above a table, and the offset at which the table begins."""
    remarks: list[str] = []
    start = 0
    for _ in range(_MAX_LEADING_LINES):
        end = text.find("\n", start)
        line = text[start:end]
        cells = next(read_csv_records(line, delimiter), [])
        if end < 0 or not _is_remark(cells, line, width):
            break
        if cells:
            remark = line.strip("# \t\r") if line.startswith("#") else cells[0].strip()
            remarks.append(disarm_pictures(remark))
        start = end + 1
    return remarks, start


def _is_remark(cells: list[str], line: str, width: int) -> bool:
    if line.count('"') % 2:
        return False
    if line.startswith("#"):
        return len(cells) != width
    return width >= _MIN_REMARK_TABLE_COLUMNS and not any(cells[1:])


READERS: Final = {"csv": read_csv}
