"""CSV and TSV as a table, cut where nobody reads on."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .detection.charset import decoded
from .draft import Allowance, Draft, Source, page_of
from .markup import table
from .plain import read_text

MOST_ROWS: Final = 5000
MOST_BLANK: Final = 10_000
MOST_COLUMNS: Final = 250
# Of a table as wide as its widest row: 5,000 rows of 24 columns, 480 of 250.
MOST_CELLS: Final = 120_000
# What a cell of Excel can hold; where a table has used up its room for long cells, less.
_LONGEST_CELL: Final = 32_767
_LONG_CELL: Final = 2000
_MOST_LONG: Final = 1_000_000
_DELIMITERS: Final = ",;\t|"
_SAMPLE_ROWS: Final = 30
_SAMPLE: Final = 65_536


def read_csv(source: Source) -> Result[ReadPage, WebError]:
    """Return the rows as a markdown table; text in which no rows are found stays text."""
    text = decoded(source)
    delimiter = "\t" if source.media_type == "text/tab-separated-values" else delimiter_of(text)
    try:
        rows = taken(_rows(text, delimiter))
    except csv.Error:
        return read_text(source)
    cut, notes = cut_rows(rows, total=text.count("\n"))
    return page_of(Draft(content=table(cut), title=source.file_name, notes=notes))


def delimiter_of(text: str) -> str:
    r"""Return the character that parts the columns: the one that gives most rows one width.

    >>> delimiter_of("a;b,c\n1;2\n3;4\n")
    ';'
    """
    return max(_DELIMITERS, key=lambda delimiter: _evenness(text[:_SAMPLE], delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[int, int]:
    """Return how many sample rows share the commonest width, and that width; (0, 0) for none."""
    try:
        widths = Counter(len(cells) for cells in islice(_rows(sample, delimiter), _SAMPLE_ROWS))
    except csv.Error:
        return (0, 0)
    several = [(count, width) for width, count in widths.items() if width > 1]
    return max(several, default=(0, 0))


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    return (cells for cells in reader if any(cell.strip() for cell in cells))


def taken(rows: Iterable[list[str]], most: int = MOST_CELLS) -> list[list[str]]:
    """Return rows as far as they are shown, ``most`` cells, and one more where there are more."""
    kept: list[list[str]] = []
    filled, width = 0, 1
    for row in rows:
        kept.append(row)
        if any(row):
            filled += 1
            width = max(width, min(len(row), MOST_COLUMNS))
        if filled > MOST_ROWS or filled * width > most or len(kept) - filled > MOST_BLANK:
            break
    return kept


def cut_rows(
    rows: Sequence[list[str]], *, total: int = 0, of: str = "", most: int = MOST_CELLS
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return rows no longer, wider or fuller than we show, and notes on what was left out.

    Those in which nothing stands are not among them.
    """
    known = taken(rows, most)
    filled = [row for row in known if any(row)]
    width = max((min(len(row), MOST_COLUMNS) for row in filled), default=0)
    is_cut = len(filled) > MOST_ROWS or len(filled) * width > most
    fitting = filled[:-1] if is_cut else filled
    shown = [cells[:MOST_COLUMNS] for cells in fitting]
    notes = []
    if cut := _cut_cells(shown):
        notes.append(f"cells{of} of which only the first part is shown: {cut:,}")
    if is_cut:
        about = f" of about {total:,}" if total > len(known) else ""
        notes.append(f"only the first {len(shown):,}{about} rows{of}")
    elif len(known) - len(filled) > MOST_BLANK:
        notes.append(f"only the first {len(known):,} rows{of}, most of them empty")
    if any(len(cells) > MOST_COLUMNS for cells in fitting):
        notes.append(f"only the first {MOST_COLUMNS} columns{of}")
    return shown, tuple(notes)


def _cut_cells(rows: list[list[str]]) -> int:
    """Cut the cells that are too long, all but the first few less so; return how many they are."""
    room = Allowance(_MOST_LONG)
    count = 0
    for row in rows:
        for place, cell in enumerate(row):
            if len(cell) <= _LONG_CELL:
                continue
            room.spend(min(len(cell), _LONGEST_CELL))
            most = _LONG_CELL if room.is_spent else _LONGEST_CELL
            if len(cell) > most:
                row[place] = f"{cell[: most - 1]}…"
                count += 1
    return count
