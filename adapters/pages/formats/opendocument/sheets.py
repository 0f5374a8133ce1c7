"""The sheets of an OpenDocument workbook."""

from functools import partial
from typing import Final

from ..draft import Allowance, Draft
from ..office.package import Package
from ..office.xml import Node, nodes_of
from ..sheets import MOST_SHEETS, Sheet, workbook
from ..tables import MOST_BLANK, MOST_COLUMNS, MOST_ROWS, taken
from .styles import PART, Look, look_of, times
from .text import MOST_STEPS, inline

# What hidden sheets may cost before they take from the others.
_SPARE_STEPS: Final = MOST_STEPS // 4


def read_spreadsheet(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table, hidden ones too."""
    look = look_of(package, url)
    sheets: list[Sheet] = []
    rows: list[list[str]] = []
    shown = 0
    allowance, spare = Allowance(MOST_STEPS), Allowance(_SPARE_STEPS)
    notes: list[str] = []
    for node in nodes_of(package, PART, "table-row", marks=("table",)):
        if node.name == "table":
            rows = []
            is_hidden = node.get("style-name") in look.hidden
            kept = None if is_hidden and spare.is_spent else partial(taken, rows)
            sheets.append(Sheet(" ".join(node.get("name").split()), is_hidden, kept))
            shown += not is_hidden
        is_spare = bool(sheets) and sheets[-1].is_hidden
        is_over = is_spare and spare.is_spent
        (spare if is_spare and not is_over else allowance).spend(node.size)
        if allowance.is_spent or shown > MOST_SHEETS:
            notes.append("only the first rows and sheets")
            # Of the last one nothing may have been read, which is not the same as empty.
            sheets = sheets if any(rows) else sheets[:-1]
            break
        if node.name == "table-row" and sheets and not is_over:
            _add_row(rows, node, look)
    if spare.is_spent:
        notes.append("only the first rows of hidden sheets")
    draft = workbook(sheets)
    return Draft(content=draft.content, notes=(*notes, *draft.notes))


def _add_row(rows: list[list[str]], node: Node, look: Look) -> None:
    """Add a row as often as it is repeated; empty ones at the end of a sheet say nothing."""
    if len(rows) > MOST_ROWS + MOST_BLANK:
        return
    cells: list[str] = []
    for cell in node.nodes("table-cell", "covered-table-cell"):
        text = " ".join(inline(each, look) for each in cell.nodes("p")).strip()
        room = MOST_COLUMNS + 1 - len(cells)
        cells += [text] * min(times(cell, "number-columns-repeated"), room)
    while cells and not cells[-1]:
        cells.pop()
    count = times(node, "number-rows-repeated") if cells else 1
    rows += [cells] * min(count, MOST_ROWS + 1)
