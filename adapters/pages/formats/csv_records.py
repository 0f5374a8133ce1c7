"""The records of CSV: a quotation mark that nothing closes takes no more than its own line."""

import csv
import io
import re
from collections.abc import Iterator
from functools import partial
from typing import Final

# How much is read twice because of marks that are not closed; what is left is read as it stands.
_MAX_REREAD_CHARS: Final = 4_000_000
_SAMPLE_CHARS: Final = 65_536
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
    escape = "\\" if '\\"' in text and _ESCAPED.search(text, 0, _SAMPLE_CHARS) else None
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
