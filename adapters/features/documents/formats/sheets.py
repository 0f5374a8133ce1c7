"""The sheets of a workbook: each as a table under its name.

Formulas often look up values on a hidden sheet, so hidden sheets are read too, with the budget
that visible sheets leave; their headings say that they are hidden.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from webseam.adapters.pages.safe_text import one_line
from webseam.ports.text import disarm_pictures, truncate

from .draft import Cut, Draft, StepAllowance, left_out_parts, missing_words
from .markdown_writing import markdown_table
from .office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list

MAX_ROWS: Final = 50_000
MAX_BLANK_ROWS: Final = 10_000
MAX_COLUMNS: Final = 250
# Of a table as wide as its widest row: 5,000 rows of 24 columns, 480 of 250.
MAX_CELLS: Final = 120_000
# The limit of Python's csv, four times that of Excel; once a table has used up its room for long
# cells, the lower limit below holds.
_MAX_CELL_CHARS: Final = 131_072
_MIN_LONG_CELL_CHARS: Final = 2000
MAX_SHEETS: Final = 50
# About a second for all sheets together (measured 2026-11-16: 5 to 6 µs a cell); hidden sheets
# are only read where visible ones leave room.
_MAX_WORKBOOK_CELLS: Final = 2 * MAX_CELLS
_MAX_NAMED_SHEETS: Final = 10
_MAX_NAME_CHARS: Final = 40


class TableRoom(NamedTuple):
    """How much of a table is shown; ``long`` limits the characters of all its long cells."""

    rows: int = MAX_ROWS
    columns: int = MAX_COLUMNS
    cells: int = MAX_CELLS
    long: int = 1_000_000


def take_table_rows(rows: Iterable[list[str]], room: TableRoom) -> list[list[str]]:
    """Return the rows that fit, plus one more where there are more."""
    taken: list[list[str]] = []
    filled, width = 0, 1
    for row in rows:
        taken.append(row)
        if any(row):
            filled += 1
            if len(row) > width:
                width = min(len(row), room.columns)
        is_full = filled > room.rows or filled * width > room.cells
        if is_full or len(taken) - filled > MAX_BLANK_ROWS:
            break
    return taken


def take_sheet_rows(rows: Iterable[list[str]], max_cells: int) -> list[list[str]]:
    """Return the rows of a sheet that fit, plus one more where there are more."""
    return take_table_rows(rows, TableRoom(cells=max_cells))


def fit_table_rows(
    rows: Sequence[list[str]],
    room: TableRoom,
    *,
    total: int = 0,
    table_name: str = "",
    is_part: bool = False,
) -> tuple[list[list[str]], tuple[Cut, ...]]:
    """Return the rows of ``take_table_rows`` that are shown, and the caps that the rest met.

    Empty rows are left out. With ``is_part`` the last row is one more than fits.
    """
    filled = [row for row in rows if any(row)]
    widest = max(map(len, filled), default=0)
    width = min(widest, room.columns)
    is_truncated = is_part or len(filled) > room.rows or len(filled) * width > room.cells
    fitting = filled[:-1] if is_truncated else filled
    shown = [cells[:width] for cells in fitting]
    cuts = []
    if truncated := _truncate_table_cells(shown, room.long):
        note = f"cells{table_name} of which only the first part is shown: {truncated:,}"
        cuts.append(Cut("cells", note))
    if is_truncated:
        about = f" of about {total:,}" if total > len(rows) else ""
        cuts.append(Cut("rows", f"only the first {len(shown):,}{about} rows{table_name}"))
    elif len(rows) - len(filled) > MAX_BLANK_ROWS:
        note = f"only the first {len(rows):,} rows{table_name}, most of them empty"
        cuts.append(Cut("rows", note))
    if widest > width and any(len(cells) > width for cells in fitting):
        cuts.append(Cut("columns", f"only the first {room.columns:,} columns{table_name}"))
    return shown, tuple(cuts)


def _truncate_table_cells(rows: list[list[str]], long_chars: int) -> int:
    """Truncate long cells in place, more once the room is used up; return how many there were."""
    room = StepAllowance(long_chars)
    count = 0
    for row in rows:
        if len(max(row, key=len, default="")) <= _MIN_LONG_CELL_CHARS:
            continue
        for column, cell in enumerate(row):
            if len(cell) <= _MIN_LONG_CELL_CHARS:
                continue
            room.spend(min(len(cell), _MAX_CELL_CHARS))
            max_chars = _MIN_LONG_CELL_CHARS if room.is_spent else _MAX_CELL_CHARS
            if len(cell) > max_chars:
                row[column] = truncate(cell, max_chars)
                count += 1
    return count


def place_cell(row: list[str], column: int, text: str) -> None:
    """Put a text into its column of a row; the columns beyond the limit share one."""
    index = min(column, MAX_COLUMNS)
    if text:
        row.extend([""] * (index + 1 - len(row)))
        row[index] = text


class HiddenCells:
    """The hidden columns of a sheet, and the texts in its hidden rows, columns and cells."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._columns: set[int] = set()
        self._rows = 0

    def hide_columns(self, first: int, last: int) -> None:
        """Hide columns by their indexes, the last included."""
        self._columns.update(range(first, min(last, MAX_COLUMNS) + 1))

    def visible_rows(self, row: list[str], *, is_hidden: bool = False) -> list[list[str]]:
        """Return a row without hidden cells; none for a hidden row, up to a number of rows."""
        if not is_hidden and not self._columns:
            return [row]
        shown = [] if is_hidden else row
        shown = [cell for index, cell in enumerate(shown) if index not in self._columns]
        self.texts.append(missing_words(" ".join(row), " ".join(shown)))
        self._rows += is_hidden
        return [shown] if not is_hidden or self._rows > MAX_ROWS else []


class Sheet(msgspec.Struct, frozen=True):
    """A sheet; ``rows`` reads up to a number of cells, and is None where there was no room."""

    name: str
    is_hidden: bool
    rows: Callable[[int], Sequence[list[str]]] | None
    comments: Callable[[], str] = str
    hidden: HiddenCells = msgspec.field(default_factory=HiddenCells)


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell by its indexes from 0.

    >>> cell_name(0, 0)
    'A1'
    >>> cell_name(9, 27)
    'AB10'
    >>> cell_name(0, 16383)
    'XFD1'
    """
    letters = ""
    column += 1
    while column:
        column, last = divmod(column - 1, 26)
        letters = chr(ord("A") + last) + letters
    return f"{letters}{row + 1}"


class CellNoteWriter:
    """Writes comments on the cells of a workbook, up to a limit."""

    def __init__(self) -> None:
        self._left = MAX_COMMENTS

    def cell_notes_list(self, notes: Iterable["CellNote"]) -> str:
        """Return a sheet's comments, empty for none; Excel may begin one with its author's name."""
        written = (note for note in notes if note.text.strip())
        lines = [
            comment_line(note.author, note.cell, note.text.removeprefix(f"{note.author}:"))
            for note in islice(written, self._left)
        ]
        self._left -= len(lines)
        return comments_list(lines)


class CellNote(NamedTuple):
    """A comment on a cell."""

    author: str
    cell: str
    text: str


def workbook_draft(sheets: Sequence[Sheet]) -> Draft:
    """Return the sheets in order as markdown; notes and cuts say what is hidden or left out."""
    hidden = [index for index, sheet in enumerate(sheets) if sheet.is_hidden]
    visible = [index for index, sheet in enumerate(sheets) if not sheet.is_hidden]
    pieces: dict[int, str] = {}
    cuts: list[Cut] = []
    room = _MAX_WORKBOOK_CELLS
    for index in [*visible[:MAX_SHEETS], *hidden[:MAX_SHEETS]]:
        rows = sheets[index].rows
        reserved = _MAX_WORKBOOK_CELLS - MAX_CELLS if sheets[index].is_hidden else 0
        max_cells = min(room - reserved, MAX_CELLS)
        if rows is not None and max_cells > 0:
            pieces[index], about, cells = _section(sheets[index], rows(max_cells), max_cells)
            cuts.extend(about)
            room -= cells
    if left_out := sum(index not in pieces for index in hidden):
        cuts.append(Cut("sheets", f"hidden sheets that were left out: {left_out}"))
    if (read := sum(index in pieces for index in visible)) < len(visible):
        cuts.append(Cut("sheets", f"only the first {read} sheets"))
    content = "\n\n".join(piece for _, piece in sorted(pieces.items()))
    notes = hidden_parts_note("sheets", [sheets[index].name for index in hidden])
    texts = [text for sheet in sheets for text in sheet.hidden.texts]
    parts = left_out_parts("hidden", *texts)
    return Draft(content=content, notes=tuple(notes), cuts=tuple(cuts), parts=parts)


def hidden_parts_note(noun: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a note with the number of hidden parts and some names; none where nothing is hidden.

    >>> list(hidden_parts_note("sheets", ["Lists", "Old"]))
    ['hidden sheets: 2 (Lists, Old)']
    >>> list(hidden_parts_note("slides", []))
    []
    """
    if names:
        unnamed = len(names) - _MAX_NAMED_SHEETS
        more = f" and {unnamed} more" if unnamed > 0 else ""
        listed = ", ".join(one_line(name, _MAX_NAME_CHARS) for name in names[:_MAX_NAMED_SHEETS])
        yield f"hidden {noun}: {len(names)} ({listed}{more})"


def _section(
    sheet: Sheet, rows: Sequence[list[str]], max_cells: int
) -> tuple[str, tuple[Cut, ...], int]:
    """Return a sheet as markdown, the caps that it met, and the number of cells shown."""
    room, name = TableRoom(cells=max_cells), f" of sheet {sheet.name}"
    filled, cuts = fit_table_rows(rows, room, table_name=name)
    states = ["hidden"] if sheet.is_hidden else []
    if not filled and not cuts:
        states.append("empty")
    head = f"## {disarm_pictures(sheet.name)}"
    if states:
        head += f" ({', '.join(states)})"
    pieces = filter(None, (head, markdown_table(filled), sheet.comments()))
    return "\n\n".join(pieces), cuts, sum(map(len, filled))
