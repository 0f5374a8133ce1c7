"""Rows whose parts stand under each other, as the rows of a table. Pure."""

from typing import Final

import msgspec

from .pdf_lines import BULLET, LineCell, PdfLine, join_line_pieces

_MIN_TABLE_CELLS: Final = 6
_MIN_TABLE_ROWS: Final = 2
_SAME_BASE: Final = 0.3
_OVERHANG: Final = 0.5
_NO_BLANK: Final = 0.17
_CELL_LINES: Final = 5
_FARTHEST: Final = 4.0
_CONTINUED: Final = 1.6
_FITTING: Final = 0.6
_DENSITY_QUANTILE: Final = 4
# Longer parts are columns of text, not cells.
_CELL_WORDS: Final = 12


def join_level_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Make one line of those that stand beside each other; they are its parts.

    A cell of several lines comes before the cell beside it, whose first line stands higher again.
    """
    rows: list[PdfLine] = []
    feet: list[float] = []
    for line in lines:
        count = _beside_how_many(rows, feet, line)
        if count:
            row = _beside(_stacked(rows[-count:]), line)
            foot = min(line.base, *feet[-count:])
            del rows[-count:], feet[-count:]
        elif rows and _is_more(rows[-1], feet[-1], line):
            row, foot = _with_more(rows.pop(), line), feet.pop()
        else:
            row, foot = line, line.base
        rows.append(row)
        feet.append(foot)
    return rows


def _beside_how_many(rows: list[PdfLine], feet: list[float], line: PdfLine) -> int:
    """Return how many of the last rows stand to the left of a line, as one cell; 0 for none."""
    near = _SAME_BASE * line.size
    for count, row in enumerate(reversed(rows[-_CELL_LINES:]), start=1):
        # A cell may be a little too wide for its column.
        if row.left >= line.left or row.right - _OVERHANG * row.size > line.left:
            return 0
        if row.base >= line.base - near:
            return count if line.base >= feet[-1] - near and row.base - line.base < line.size else 0
    return 0


def _stacked(rows: list[PdfLine]) -> PdfLine:
    """Return lines under each other as one."""
    if len(rows) == 1:
        return rows[0]
    text = " ".join(row.text for row in rows)
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    return msgspec.structs.replace(rows[0], text=text, left=left, right=right, cells=())


def _is_more(row: PdfLine, foot: float, line: PdfLine) -> bool:
    """Tell whether a line is more of the last cell of a row, not below the lines of its others."""
    near = _SAME_BASE * line.size
    return bool(row.cells) and foot - near <= line.base < row.base and _overlap(row.cells[-1], line)


def _with_more(row: PdfLine, line: PdfLine) -> PdfLine:
    first, *others = line.cells or _whole(line)
    last = row.cells[-1]
    more = LineCell(
        f"{last.text} {first.text}", min(last.left, first.left), max(last.right, first.right)
    )
    return msgspec.structs.replace(
        row,
        text=f"{row.text} {line.text}",
        right=max(row.right, line.right),
        cells=(*row.cells[:-1], more, *others),
    )


def _beside(one: PdfLine, other: PdfLine) -> PdfLine:
    before, after = one.cells or _whole(one), other.cells or _whole(other)
    if _touches(one, other):
        text, parts = one.text + other.text, _as_one_word(before, after)
    else:
        text, parts = join_line_pieces(one.text, other.text), before + after
    return msgspec.structs.replace(
        one, text=text, right=other.right, bold=one.bold and other.bold, cells=parts
    )


def _touches(one: PdfLine, other: PdfLine) -> bool:
    """Tell whether a line begins right behind the last letter of another: a word set in pieces."""
    near = abs(other.left - one.right) <= _NO_BLANK * one.size
    return near and one.size == other.size and (one.text[-1:] + other.text[:1]).isalpha()


def _as_one_word(before: tuple[LineCell, ...], after: tuple[LineCell, ...]) -> tuple[LineCell, ...]:
    *earlier, last = before
    first, *later = after
    word = LineCell(last.text + first.text, last.left, first.right)
    # A line that is one piece has no parts.
    return (*earlier, word, *later) if earlier or later else ()


def _whole(line: PdfLine) -> tuple[LineCell, ...]:
    return (LineCell(line.text, line.left, line.right),)


def read_grid(lines: list[PdfLine], index: int) -> tuple[list[list[str]], int]:
    """Return the rows of a table that begins at a line, and where it ends.

    Where there are no rows, there is no table up to that end. Where one row's parts stand close
    together, those above and below tell them apart.
    """
    rows: list[list[LineCell]] = []
    end = index
    while end < len(lines) and (end == index or _follows(lines[end - 1], lines[end])):
        if BULLET.match(lines[end].text):
            break
        line = lines[end]
        if line.cells:
            rows.append(list(line.cells))
        elif not _continues(lines[end - 1], line, rows):
            break
        else:
            rows[-1] = _extended(rows[-1], line)
        end += 1
    columns = _columns([cell for row in _fullest(rows) for cell in row])
    rows = [_split(row, columns) for row in rows]
    if len(rows) < _MIN_TABLE_ROWS or len(columns) < 2 or not _is_table(rows, columns):  # noqa: PLR2004
        return [], end
    return [_filled(row, columns) for row in rows], end


def _follows(above: PdfLine, below: PdfLine) -> bool:
    return 0 < above.base - below.base <= _FARTHEST * above.size


def _continues(above: PdfLine, line: PdfLine, rows: list[list[LineCell]]) -> bool:
    """Tell whether a line is more of a cell of the row above, other than its first."""
    near = above.base - line.base <= _CONTINUED * line.size
    return (
        near
        and any(_overlap(cell, line) for cell in rows[-1][1:])
        and not _overlap(rows[-1][0], line)
    )


def _extended(row: list[LineCell], line: PdfLine) -> list[LineCell]:
    place = next(number for number, cell in enumerate(row) if number and _overlap(cell, line))
    cell = row[place]
    wider = LineCell(
        f"{cell.text} {line.text}", min(cell.left, line.left), max(cell.right, line.right)
    )
    return [*row[:place], wider, *row[place + 1 :]]


def _overlap(one: LineCell | PdfLine, other: LineCell | PdfLine) -> bool:
    return one.left < other.right and other.left < one.right


def _fullest(rows: list[list[LineCell]]) -> list[list[LineCell]]:
    """Return the rows with the most cells, as long as they are not the odd ones out."""
    counts = sorted((len(row) for row in rows), reverse=True)
    most = counts[len(counts) // _DENSITY_QUANTILE] if counts else 0
    return [row for row in rows if len(row) == most]


def _split(row: list[LineCell], columns: list[tuple[float, float]]) -> list[LineCell]:
    """Part the words of a cell that reaches over several columns."""
    parts: list[LineCell] = []
    for cell in row:
        across = sum(left < cell.right and cell.left < right for left, right in columns)
        parts.extend(cell.words if across > 1 and cell.words else (cell,))
    return parts


def _columns(cells: list[LineCell]) -> list[tuple[float, float]]:
    """Return where the columns are: parts that overlap are of one."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        if columns and cell.left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def _column(cell: LineCell, columns: list[tuple[float, float]]) -> int:
    """Return the column that a cell is in, or the one before it where it is in none."""
    middle = (cell.left + cell.right) / 2
    inside = (number for number, (left, right) in enumerate(columns) if left <= middle <= right)
    before = sum(left <= cell.left for left, _ in columns) - 1
    return next(inside, max(before, 0))


def _is_table(rows: list[list[LineCell]], columns: list[tuple[float, float]]) -> bool:
    cells = [cell for row in rows for cell in row]
    fitting = sum(len({_column(cell, columns) for cell in row}) > 1 for row in rows)
    words = sum(len(cell.text.split()) for cell in cells)
    return (
        len(cells) >= _MIN_TABLE_CELLS
        and fitting >= _FITTING * len(rows)
        and words <= _CELL_WORDS * len(cells)
    )


def _filled(row: list[LineCell], columns: list[tuple[float, float]]) -> list[str]:
    filled = [""] * len(columns)
    for cell in row:
        place = _column(cell, columns)
        filled[place] = f"{filled[place]} {cell.text}".strip()
    return filled
