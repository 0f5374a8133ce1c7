"""The rows of a table as far as they are shown: of CSV, and of the sheets of a workbook."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .draft import Allowance

MOST_ROWS: Final = 50_000
MOST_BLANK: Final = 10_000
MOST_COLUMNS: Final = 250
# Of a table as wide as its widest row: 5,000 rows of 24 columns, 480 of 250.
MOST_CELLS: Final = 120_000
# What a field of CSV can hold here, four times that of Excel; where a table has used up its room
# for long cells, less.
_LONGEST_CELL: Final = 131_072
_LONG_CELL: Final = 2000


class Room(NamedTuple):
    """How much of a table is shown; ``long`` are the characters of its long cells."""

    rows: int = MOST_ROWS
    columns: int = MOST_COLUMNS
    cells: int = MOST_CELLS
    long: int = 1_000_000


def taken(rows: Iterable[list[str]], room: Room) -> list[list[str]]:
    """Return rows as far as they are shown, and one more where there are more."""
    kept: list[list[str]] = []
    filled, width = 0, 1
    for row in rows:
        kept.append(row)
        if any(row):
            filled += 1
            if len(row) > width:
                width = min(len(row), room.columns)
        if filled > room.rows or filled * width > room.cells or len(kept) - filled > MOST_BLANK:
            break
    return kept


def cut_rows(
    known: Sequence[list[str]], room: Room, *, total: int = 0, of: str = "", is_part: bool = False
) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return those of rows that were ``taken`` that are shown, and notes on what was left out.

    Those in which nothing stands are not among them. ``is_part`` says that the last row is one more
    than is shown.
    """
    filled = [row for row in known if any(row)]
    widest = max(map(len, filled), default=0)
    width = min(widest, room.columns)
    is_cut = is_part or len(filled) > room.rows or len(filled) * width > room.cells
    fitting = filled[:-1] if is_cut else filled
    shown = [cells[:width] for cells in fitting]
    notes = []
    if cut := _cut_cells(shown, room.long):
        notes.append(f"cells{of} of which only the first part is shown: {cut:,}")
    if is_cut:
        about = f" of about {total:,}" if total > len(known) else ""
        notes.append(f"only the first {len(shown):,}{about} rows{of}")
    elif len(known) - len(filled) > MOST_BLANK:
        notes.append(f"only the first {len(known):,} rows{of}, most of them empty")
    if widest > width and any(len(cells) > width for cells in fitting):
        notes.append(f"only the first {room.columns:,} columns{of}")
    return shown, tuple(notes)


def _cut_cells(rows: list[list[str]], long: int) -> int:
    """Cut the cells that are too long, all but the first few less so; return how many they are."""
    room = Allowance(long)
    count = 0
    for row in rows:
        if len(max(row, key=len, default="")) <= _LONG_CELL:
            continue
        for place, cell in enumerate(row):
            if len(cell) <= _LONG_CELL:
                continue
            room.spend(min(len(cell), _LONGEST_CELL))
            most = _LONG_CELL if room.is_spent else _LONGEST_CELL
            if len(cell) > most:
                row[place] = f"{cell[: most - 1]}…"
                count += 1
    return count
