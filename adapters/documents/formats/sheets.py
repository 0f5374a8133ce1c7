"""The sheets of a workbook, of whatever program: each as a table under its name.

A table that formulas look things up in is often on a hidden sheet, so hidden sheets are read too,
with the room that the others leave, and their headings say what they are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from ...pages.safe_text import one_line
from .draft import Draft, StepAllowance
from .markdown_writing import disarm_pictures, markdown_table
from .office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list

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


# The sheets of a workbook, of whatever program: each as a table under its name.

MAX_SHEETS: Final = 50
# Of all sheets together, about a second (measured 2026-11-16: 5 to 6 µs a cell); hidden ones are
# only read where the others have not come near it.
_MAX_WORKBOOK_CELLS: Final = 2 * MAX_CELLS
_MAX_NAMED_SHEETS: Final = 10
_MAX_NAME_CHARS: Final = 40


class Sheet(msgspec.Struct, frozen=True):
    """A sheet; its rows are read when they are asked for, as many as have so many cells.

    None where there was no room. ``comments`` are those on its cells.
    """

    name: str
    is_hidden: bool
    rows: Callable[[int], Sequence[list[str]]] | None
    comments: Callable[[], str] = str


def cell_name(row: int, column: int) -> str:
    """Return what a cell is called, by its places from 0 on.

    >>> cell_name(0, 0), cell_name(9, 27), cell_name(0, 16383)
    ('A1', 'AB10', 'XFD1')
    """
    letters = ""
    column += 1
    while column:
        column, last = divmod(column - 1, 26)
        letters = chr(ord("A") + last) + letters
    return f"{letters}{row + 1}"


class Notes:
    """Comments on the cells of a workbook, as many as there is room for."""

    def __init__(self) -> None:
        """Have told none."""
        self._left = MAX_COMMENTS

    def told(self, notes: Iterable["Note"]) -> str:
        """Return those of a sheet, empty for none; a note of Excel may begin with who wrote it."""
        said = (note for note in notes if note.text.strip())
        lines = [
            comment_line(note.author, note.cell, note.text.removeprefix(f"{note.author}:"))
            for note in islice(said, self._left)
        ]
        self._left -= len(lines)
        return comments_list(lines)


class Note(NamedTuple):
    """A comment on a cell: who wrote it, on which, and what."""

    author: str
    cell: str
    text: str


def workbook_draft(sheets: Sequence[Sheet]) -> Draft:
    """Return the sheets in their order as markdown; notes say what is hidden or was left out."""
    hidden = [place for place, sheet in enumerate(sheets) if sheet.is_hidden]
    seen = [place for place, sheet in enumerate(sheets) if not sheet.is_hidden]
    pieces: dict[int, str] = {}
    notes: list[str] = []
    room = _MAX_WORKBOOK_CELLS
    for place in [*seen[:MAX_SHEETS], *hidden[:MAX_SHEETS]]:
        rows = sheets[place].rows
        most = min(room - sheets[place].is_hidden * (_MAX_WORKBOOK_CELLS - MAX_CELLS), MAX_CELLS)
        if rows is not None and most > 0:
            pieces[place], about, cells = _section(sheets[place], rows(most), most)
            notes.extend(about)
            room -= cells
    notes.extend(hidden_parts("sheets", [sheets[place].name for place in hidden]))
    if left_out := sum(place not in pieces for place in hidden):
        notes.append(f"hidden sheets that were left out: {left_out}")
    if (read := sum(place in pieces for place in seen)) < len(seen):
        notes.append(f"only the first {read} sheets")
    content = "\n\n".join(piece for _, piece in sorted(pieces.items()))
    return Draft(content=content, notes=tuple(notes))


def hidden_parts(noun: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a note that counts what is hidden and names some of it; none where nothing is.

    >>> list(hidden_parts("sheets", ["Lists", "Old"])), list(hidden_parts("slides", []))
    (['hidden sheets: 2 (Lists, Old)'], [])
    """
    if names:
        more = (
            f" and {len(names) - _MAX_NAMED_SHEETS} more" if len(names) > _MAX_NAMED_SHEETS else ""
        )
        listed = ", ".join(one_line(name, _MAX_NAME_CHARS) for name in names[:_MAX_NAMED_SHEETS])
        yield f"hidden {noun}: {len(names)} ({listed}{more})"


def _section(
    sheet: Sheet, known: Sequence[list[str]], most: int
) -> tuple[str, tuple[str, ...], int]:
    """Return a sheet as markdown, notes on what is not shown of it, and how many cells are."""
    filled, notes = cut_rows(known, TableRoom(cells=most), table_name=f" of sheet {sheet.name}")
    is_empty = not filled and not notes
    said = [word for word, so in (("hidden", sheet.is_hidden), ("empty", is_empty)) if so]
    head = f"## {disarm_pictures(sheet.name)}" + (f" ({', '.join(said)})" if said else "")
    pieces = filter(None, (head, markdown_table(filled), sheet.comments()))
    return "\n\n".join(pieces), notes, sum(map(len, filled))
