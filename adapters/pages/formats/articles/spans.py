"""Tables whose cells reach over several columns or rows, as squares of cells."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....values.numbers import parse_whole_number
from ..office.xml_elements import XmlNode

_MAX_SPANNED_COLUMNS: Final = 100
_MAX_SPANNED_ROWS: Final = 1000
# Past so many no cell reaches anywhere: a hundred bytes can ask for a hundred thousand.
_MAX_SPANNED_CELLS: Final = 200_000


def expand_spans(rows: Sequence[XmlNode]) -> list[list[XmlNode | None]]:
    """Return the cells of each row in their columns; None where another cell reaches to."""
    square: list[list[XmlNode | None]] = []
    below: dict[int, int] = {}
    placed = 0
    for row in rows:
        cells: list[XmlNode | None] = []
        for cell in row.nodes("td", "th", "entry"):
            cells += _taken(below, len(cells))
            wide, high = (
                _span(cell, "colspan", _MAX_SPANNED_COLUMNS),
                _span(cell, "rowspan", _MAX_SPANNED_ROWS),
            )
            room = range(len(cells), min(len(cells) + wide, _MAX_SPANNED_COLUMNS))
            below.update((place, high) for place in room if high > 1)
            cells += [cell, *[None] * (len(room) - 1)]
        placed += len(cells)
        is_few = placed < _MAX_SPANNED_CELLS
        below = {column: left - 1 for column, left in below.items() if left > 1 and is_few}
        square.append(cells)
    return square


def _taken(below: dict[int, int], column: int) -> Iterator[None]:
    """Yield a blank for each column from here on that a cell above reaches down to."""
    while below.get(column, 0) > 0:
        yield None
        column += 1


def _span(cell: XmlNode, name: str, most: int) -> int:
    return min(max(parse_whole_number(cell.get(name)) or 1, 1), most)
