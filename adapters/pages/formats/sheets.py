"""The sheets of a workbook, of whatever program: each as a table under its name.

A table that formulas look things up in is often on a hidden sheet, so hidden sheets are read too,
with the room that the others leave, and their headings say what they are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from ..text import one_line
from .draft import Allowance, Draft
from .markup import table, tamed
from .tables import MOST_CELLS, cut_rows

MOST_SHEETS: Final = 50
_MOST_NAMED: Final = 10
_LONGEST_NAME: Final = 40


class Sheet(msgspec.Struct, frozen=True):
    """A sheet; its rows are read when they are asked for, and None where there was no room."""

    name: str
    is_hidden: bool
    rows: Callable[[], Sequence[list[str]]] | None


def workbook(sheets: Sequence[Sheet]) -> Draft:
    """Return the sheets in their order as markdown; notes say what is hidden or was left out."""
    hidden = [place for place, sheet in enumerate(sheets) if sheet.is_hidden]
    seen = [place for place, sheet in enumerate(sheets) if not sheet.is_hidden]
    pieces: dict[int, str] = {}
    notes: list[str] = []
    room = Allowance(MOST_CELLS)
    for place in [*seen[:MOST_SHEETS], *hidden[:MOST_SHEETS]]:
        rows = sheets[place].rows
        if rows is not None and not (sheets[place].is_hidden and room.is_spent):
            pieces[place], about = _section(sheets[place], rows(), room)
            notes.extend(about)
    notes.extend(hidden_parts("sheets", [sheets[place].name for place in hidden]))
    if left_out := sum(place not in pieces for place in hidden):
        notes.append(f"hidden sheets that were left out: {left_out}")
    if len(seen) > MOST_SHEETS:
        notes.append(f"only the first {MOST_SHEETS} sheets")
    content = "\n\n".join(piece for _, piece in sorted(pieces.items()))
    return Draft(content=content, notes=tuple(notes))


def hidden_parts(what: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a note that counts what is hidden and names some of it; none where nothing is.

    >>> list(hidden_parts("sheets", ["Lists", "Old"])), list(hidden_parts("slides", []))
    (['hidden sheets: 2 (Lists, Old)'], [])
    """
    if names:
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        listed = ", ".join(one_line(name, _LONGEST_NAME) for name in names[:_MOST_NAMED])
        yield f"hidden {what}: {len(names)} ({listed}{more})"


def _section(
    sheet: Sheet, every: Sequence[list[str]], room: Allowance
) -> tuple[str, tuple[str, ...]]:
    rows, notes = cut_rows(every, of=f" of sheet {sheet.name}")
    filled = [row for row in rows if any(row)]
    room.spend(sum(map(len, filled)))
    is_empty = not filled and not notes
    said = [word for word, so in (("hidden", sheet.is_hidden), ("empty", is_empty)) if so]
    head = f"## {tamed(sheet.name)}" + (f" ({', '.join(said)})" if said else "")
    return "\n\n".join([head, table(filled)] if filled else [head]), notes
