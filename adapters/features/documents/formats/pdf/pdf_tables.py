"""Tables: rows whose parts are aligned in columns."""

from typing import Final

import msgspec

from .pdf_lines import BULLET_PATTERN, LineCell, PdfLine, join_line_pieces

_MIN_TABLE_CELLS: Final = 6
_MIN_TABLE_ROWS: Final = 2
_MAX_BASE_DIFFERENCE: Final = 0.3
_MAX_OVERHANG: Final = 0.5
_MIN_BLANK_SHARE: Final = 0.17
_MAX_CELL_LINES: Final = 5
_MAX_ROW_STEP: Final = 4.0
_MAX_CELL_STEP: Final = 1.6
_MIN_FITTING_SHARE: Final = 0.6
_DENSITY_QUANTILE: Final = 4
# Longer parts are columns of text, not cells.
_MAX_CELL_WORDS: Final = 12


def join_level_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Join lines that stand next to each other; they become the parts of one line.

    A cell of several lines comes before the next cell, whose first line is higher again.
    """
    rows: list[PdfLine] = []
    feet: list[float] = []
    for line in lines:
        count = _count_left_cell_rows(rows, feet, line)
        if count:
            row = _join_lines_beside(_stack_lines(rows[-count:]), line)
            foot = min(line.base, *feet[-count:])
            del rows[-count:], feet[-count:]
        elif rows and _is_last_cell_continuation(rows[-1], feet[-1], line):
            row, foot = _extend_last_cell(rows.pop(), line), feet.pop()
        else:
            row, foot = line, line.base
        rows.append(row)
        feet.append(foot)
    return rows


def _count_left_cell_rows(rows: list[PdfLine], feet: list[float], line: PdfLine) -> int:
    """Return how many of the last rows are a cell to the left of a line; 0 for none."""
    tolerance = _MAX_BASE_DIFFERENCE * line.size
    for count, row in enumerate(reversed(rows[-_MAX_CELL_LINES:]), start=1):
        # A cell may be a little too wide for its column.
        if row.left >= line.left or row.right - _MAX_OVERHANG * row.size > line.left:
            return 0
        if row.base >= line.base - tolerance:
            is_beside = line.base >= feet[-1] - tolerance and row.base - line.base < line.size
            return count if is_beside else 0
    return 0


def _stack_lines(rows: list[PdfLine]) -> PdfLine:
    if len(rows) == 1:
        return rows[0]
    text = " ".join(row.text for row in rows)
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    return msgspec.structs.replace(rows[0], text=text, left=left, right=right, cells=())


def _is_last_cell_continuation(row: PdfLine, foot: float, line: PdfLine) -> bool:
    """Tell whether a line continues the last cell of a row, and is not below its other cells."""
    lowest = foot - _MAX_BASE_DIFFERENCE * line.size
    is_level = bool(row.cells) and lowest <= line.base < row.base
    return is_level and _has_overlap(row.cells[-1], line)


def _extend_last_cell(row: PdfLine, line: PdfLine) -> PdfLine:
    first, *others = line.cells or _single_line_cell(line)
    cells = (*row.cells[:-1], _join_cells(row.cells[-1], first), *others)
    text, right = f"{row.text} {line.text}", max(row.right, line.right)
    return msgspec.structs.replace(row, text=text, right=right, cells=cells)


def _join_cells(cell: LineCell, below: LineCell | PdfLine) -> LineCell:
    left, right = min(cell.left, below.left), max(cell.right, below.right)
    return LineCell(f"{cell.text} {below.text}", left, right)


def _join_lines_beside(left: PdfLine, right: PdfLine) -> PdfLine:
    before, after = left.cells or _single_line_cell(left), right.cells or _single_line_cell(right)
    if _are_lines_touching(left, right):
        text, parts = left.text + right.text, _join_touching_cells(before, after)
    else:
        text, parts = join_line_pieces(left.text, right.text), before + after
    is_numbered_code = right.mono and not left.mono and left.text.isdecimal()
    return msgspec.structs.replace(
        left,
        text=text,
        right=right.right,
        bold=left.bold and right.bold,
        cells=parts,
        end_font=right.end_font,
        code_left=right.left if is_numbered_code else None,
    )


def _are_lines_touching(left: PdfLine, right: PdfLine) -> bool:
    """Tell whether a line begins directly after the last letter of another, within a word."""
    near = abs(right.left - left.right) <= _MIN_BLANK_SHARE * left.size
    return near and left.size == right.size and (left.text[-1:] + right.text[:1]).isalpha()


def _join_touching_cells(
    before: tuple[LineCell, ...], after: tuple[LineCell, ...]
) -> tuple[LineCell, ...]:
    *earlier, last = before
    first, *later = after
    word = LineCell(last.text + first.text, last.left, first.right)
    # A line that is one piece has no parts.
    return (*earlier, word, *later) if earlier or later else ()


def _single_line_cell(line: PdfLine) -> tuple[LineCell, ...]:
    return (LineCell(line.text, line.left, line.right),)


def read_table(lines: list[PdfLine], index: int) -> tuple[list[list[str]], int]:
    """Return the rows of a table that begins at a line, and where it ends.

    Without rows, there is no table up to that end. The rows above and below separate parts of a row
    that stand close together.
    """
    rows: list[list[LineCell]] = []
    end = index
    while end < len(lines):
        above, line = lines[max(end - 1, index)], lines[end]
        is_next = end == index or 0 < above.base - line.base <= _MAX_ROW_STEP * above.size
        if not is_next or BULLET_PATTERN.match(line.text):
            break
        if line.cells:
            rows.append(list(line.cells))
        elif not _is_cell_continuation(above, line, rows):
            break
        else:
            rows[-1] = _extend_cell(rows[-1], line)
        end += 1
    columns = _find_columns([cell for row in _fullest_rows(rows) for cell in row])
    rows = [_split_row(row, columns) for row in rows]
    if len(rows) < _MIN_TABLE_ROWS or len(columns) < 2 or not _is_table(rows, columns):  # noqa: PLR2004  a single column
        return [], end
    return [_column_texts(row, columns) for row in rows], end


def _is_cell_continuation(above: PdfLine, line: PdfLine, rows: list[list[LineCell]]) -> bool:
    """Tell whether a line continues a cell of the row above, other than its first."""
    is_near = above.base - line.base <= _MAX_CELL_STEP * line.size
    first, *others = (_has_overlap(cell, line) for cell in rows[-1])
    return is_near and any(others) and not first


def _extend_cell(row: list[LineCell], line: PdfLine) -> list[LineCell]:
    column = next(number for number, cell in enumerate(row) if number and _has_overlap(cell, line))
    return [*row[:column], _join_cells(row[column], line), *row[column + 1 :]]


def _has_overlap(first: LineCell | PdfLine, second: LineCell | PdfLine) -> bool:
    return first.left < second.right and second.left < first.right


def _fullest_rows(rows: list[list[LineCell]]) -> list[list[LineCell]]:
    """Return the rows with the most cells, ignoring outliers."""
    counts = sorted((len(row) for row in rows), reverse=True)
    cell_count = counts[len(counts) // _DENSITY_QUANTILE] if counts else 0
    return [row for row in rows if len(row) == cell_count]


def _split_row(row: list[LineCell], columns: list[tuple[float, float]]) -> list[LineCell]:
    """Split the words of a cell that spans several columns."""
    parts: list[LineCell] = []
    for cell in row:
        across = sum(left < cell.right and cell.left < right for left, right in columns)
        parts.extend(cell.words if across > 1 and cell.words else (cell,))
    return parts


def _find_columns(cells: list[LineCell]) -> list[tuple[float, float]]:
    """Return the edges of the columns: overlapping parts share a column."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.left):
        if columns and cell.left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def _cell_column(cell: LineCell, columns: list[tuple[float, float]]) -> int:
    """Return the column of a cell, or the column before it where it is in none."""
    middle = (cell.left + cell.right) / 2
    inside = (number for number, (left, right) in enumerate(columns) if left <= middle <= right)
    before = sum(left <= cell.left for left, _ in columns) - 1
    return next(inside, max(before, 0))


def _is_table(rows: list[list[LineCell]], columns: list[tuple[float, float]]) -> bool:
    cells = [cell for row in rows for cell in row]
    fitting = sum(len({_cell_column(cell, columns) for cell in row}) > 1 for row in rows)
    words = sum(len(cell.text.split()) for cell in cells)
    return (
        len(cells) >= _MIN_TABLE_CELLS
        and fitting >= _MIN_FITTING_SHARE * len(rows)
        and words <= _MAX_CELL_WORDS * len(cells)
    )


def _column_texts(row: list[LineCell], columns: list[tuple[float, float]]) -> list[str]:
    filled = [""] * len(columns)
    for cell in row:
        column = _cell_column(cell, columns)
        filled[column] = f"{filled[column]} {cell.text}".strip()
    return filled
