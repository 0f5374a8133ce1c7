"""Columns for a person: two blanks between them, numbers to the right, no lines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .styled_lines import Span, cell_width, paint_spans, spans_width, truncate_end
from .terminal_look import TerminalLook


class Column(NamedTuple):
    """A column of a table. ``drop`` says when it goes where there is no room: 1 first, 0 never."""

    head: str
    drop: int = 0
    right: bool = False


Cell = Span | Sequence[Span]


def table_lines(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    look: TerminalLook,
    *,
    indent: int = 0,
) -> Iterator[str]:
    """Yield a head and the rows; columns go until the rest fits, and only then the last is cut."""
    places = _kept(columns, rows, look.width - indent if look.person else 0)
    heads = [[Span(columns[place].head, "quiet")] for place in places]
    body = [[_spans(row[place]) for place in places] for row in rows]
    lines = [*([heads] if any(column.head for column in columns) else []), *body]
    widths = [max(map(spans_width, column)) for column in zip(*lines, strict=True)]
    if look.person and places:
        widths[-1] = min(widths[-1], look.width - indent - sum(widths[:-1]) - 2 * len(places[:-1]))
    for line in lines:
        padded = [
            _padded(cell, width, look, right=columns[place].right)
            for cell, width, place in zip(line, widths, places, strict=True)
        ]
        yield " " * indent + "  ".join(padded).rstrip()


def _kept(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int) -> list[int]:
    places = list(range(len(columns)))
    if not room:
        return places
    order = sorted(
        (place for place in places if columns[place].drop), key=lambda p: columns[p].drop
    )
    for place in order:
        if _width(places, columns, rows) <= room:
            break
        places.remove(place)
    return places


def _width(places: Sequence[int], columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> int:
    widest = [
        max([cell_width(columns[place].head), *(spans_width(_spans(row[place])) for row in rows)])
        for place in places
    ]
    return sum(widest) + 2 * (len(places) - 1)


def _spans(cell: Cell) -> list[Span]:
    return [cell] if isinstance(cell, Span) else list(cell)


def _padded(cell: list[Span], width: int, look: TerminalLook, *, right: bool) -> str:
    if look.person and spans_width(cell) > width:
        cell = truncate_end(cell, max(width, 4), look.symbols.cut)
    blank = " " * max(0, width - spans_width(cell))
    painted = paint_spans(cell, look)
    return blank + painted if right else painted + blank


def fact_lines(fields: Mapping[str, object], look: TerminalLook) -> Iterator[str]:
    """Yield what was counted: a dim name and its figure on each line."""
    rows = [(Span(name, "quiet"), Span(_figure(value, look))) for name, value in fields.items()]
    yield from table_lines((Column(""), Column("", right=True)), rows, look)


def _figure(value: object, look: TerminalLook) -> str:
    return f"{value:,}" if isinstance(value, int) and look.person else str(value)
