"""The rows of a table as far as they are shown: of CSV, and of the sheets of a workbook."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .draft import StepAllowance

MAX_ROWS: Final = 50_000
MAX_BLANK_ROWS: Final = 10_000
MAX_COLUMNS: Final = 250
# Of a table as wide as its widest row: 5,000 rows of 24 columns, 480 of 250.
MAX_CELLS: Final = 120_000
# What a field of CSV can hold here, four times that of Excel; where a table has used up its room
# for long cells, less.
_MAX_CELL_CHARS: Final = 131_072
_MIN_LONG_CELL_CHARS: Final = 2000


class TableRoom(NamedTuple):
    """How much of a table is shown; ``long`` are the characters of its long cells."""

    rows: int = MAX_ROWS
    columns: int = MAX_COLUMNS
    cells: int = MAX_CELLS
    long: int = 1_000_000


def take_rows(rows: Iterable[list[str]], room: TableRoom) -> list[list[str]]:
    """Return rows as far as they are shown, and one more where there are more."""
    kept: list[list[str]] = []
    filled, width = 0, 1
    for row in rows:
        kept.append(row)
        if any(row):
            filled += 1
            if len(row) > width:
                width = min(len(row), room.columns)
        if filled > room.rows or filled * width > room.cells or len(kept) - filled > MAX_BLANK_ROWS:
            break
    return kept


def cut_rows(
    rows: Sequence[list[str]],
    room: TableRoom,
    *,
    total: int = 0,
    table_name: str = "",
    is_part: bool = False,
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return those of rows that were ``take_rows`` that are shown, and notes on what was left out.

    Those in which nothing stands are not among them. ``is_part`` says that the last row is one more
    than is shown.
    """
    filled = [row for row in rows if any(row)]
    widest = max(map(len, filled), default=0)
    width = min(widest, room.columns)
    is_cut = is_part or len(filled) > room.rows or len(filled) * width > room.cells
    fitting = filled[:-1] if is_cut else filled
    shown = [cells[:width] for cells in fitting]
    notes = []
    if cut := _cut_cells(shown, room.long):
        notes.append(f"cells{table_name} of which only the first part is shown: {cut:,}")
    if is_cut:
        about = f" of about {total:,}" if total > len(rows) else ""
        notes.append(f"only the first {len(shown):,}{about} rows{table_name}")
    elif len(rows) - len(filled) > MAX_BLANK_ROWS:
        notes.append(f"only the first {len(rows):,} rows{table_name}, most of them empty")
    if widest > width and any(len(cells) > width for cells in fitting):
        notes.append(f"only the first {room.columns:,} columns{table_name}")
    return shown, tuple(notes)


def _cut_cells(rows: list[list[str]], long: int) -> int:
    """Cut the cells that are too long, all but the first few less so; return how many they are."""
    room = StepAllowance(long)
    count = 0
    for row in rows:
        if len(max(row, key=len, default="")) <= _MIN_LONG_CELL_CHARS:
            continue
        for place, cell in enumerate(row):
            if len(cell) <= _MIN_LONG_CELL_CHARS:
                continue
            room.spend(min(len(cell), _MAX_CELL_CHARS))
            most = _MIN_LONG_CELL_CHARS if room.is_spent else _MAX_CELL_CHARS
            if len(cell) > most:
                row[place] = f"{cell[: most - 1]}…"
                count += 1
    return count
