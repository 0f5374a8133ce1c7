"""Excel: each sheet as a table under its name; only as many rows are unpacked as are shown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from ....values.numbers import parse_whole_number
from ..draft import Draft
from ..excel.number_formats import (
    BUILT_IN_FORMATS,
    DAY_ZERO,
    DAY_ZERO_1904,
    PLAIN_NUMBER,
    NumberForm,
    number_form,
    number_text,
)
from ..sheets import Sheet, workbook_draft
from ..table_limits import TableRoom, take_rows
from .cell_comments import CellComments
from .package import BrokenFileError, Package
from .package_parts import main_part, part_relations
from .shared_texts import shared_texts
from .xlsx_rows import xlsx_sheet_rows
from .xml_elements import XmlNode, part_elements

_TEXTS: Final = "xl/sharedStrings.xml"
_WRITTEN: Final = frozenset({"inlineStr", "str", "e", "d"})


class Cells(msgspec.Struct, frozen=True):
    """What cells refer to: the texts, and how styles show numbers, where it is not as they are."""

    texts: Sequence[str]
    forms: Mapping[int | None, NumberForm]
    day_zero: datetime

    def value(self, kind: str, text: str, style: str) -> str:
        """Return what a cell shows that holds a text."""
        if kind == "s":
            return self._shared(text)
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        return text if kind in _WRITTEN else self._number(text, style)

    def _shared(self, index: str) -> str:
        place = parse_whole_number(index)
        return self.texts[place] if place is not None and place < len(self.texts) else ""

    def _number(self, text: str, style: str) -> str:
        try:
            number = float(text)
        except ValueError:
            return text
        form = self.forms.get(parse_whole_number(style))
        return number_text(number, form, self.day_zero) if form else _plain(number, text)


def read_cells(package: Package) -> Cells:
    """Read the shared texts and the styles of a workbook."""
    book = next(part_elements(package, "xl/workbook.xml", "workbookPr"), None)
    is_1904 = book is not None and book.get("date1904") in ("1", "true")
    return Cells(_texts(package), _forms(package), DAY_ZERO_1904 if is_1904 else DAY_ZERO)


def _texts(package: Package) -> list[str]:
    """Return the texts that cells share, as far as they can be told."""
    try:
        return shared_texts(package.chunks(_TEXTS))
    except BrokenFileError:
        return [_rich_text(item) for item in part_elements(package, _TEXTS, "si")]


def _forms(package: Package) -> dict[int | None, NumberForm]:
    """Return how the cell styles show numbers, by their numbers; not those that do it plainly."""
    told: dict[int | None, NumberForm] = dict(BUILT_IN_FORMATS)
    forms: list[NumberForm] = []
    for node in part_elements(package, "xl/styles.xml", "numFmt", "cellXfs"):
        if node.name == "numFmt":
            told.setdefault(
                parse_whole_number(node.get("numFmtId")), number_form(node.get("formatCode"))
            )
        else:
            named = (parse_whole_number(style.get("numFmtId")) for style in node.nodes("xf"))
            forms = [told.get(name, PLAIN_NUMBER) for name in named]
    return {place: form for place, form in enumerate(forms) if form != PLAIN_NUMBER}


def _rich_text(node: XmlNode) -> str:
    """Return text without the reading aids that Japanese sheets have above it."""
    return "".join(
        child.words() if child.name == "t" else _rich_text(child)
        for child in node.nodes()
        if child.name != "rPh"
    )


def _plain(number: float, text: str) -> str:
    """Write a number as people do: no trailing zeros, no noise of binary fractions.

    >>> _plain(0.1 + 0.2, "0.30000000000000004"), _plain(3.0, "3")
    ('0.3', '3')
    """
    return text if text.lstrip("-").isdecimal() else number_text(number, PLAIN_NUMBER, DAY_ZERO)


_PART: Final = "xl/workbook.xml"
_OTHER_KINDS: Final = re.compile(r"/(?:chart|dialog|macro)sheets/")


def read_xlsx(package: Package, _url: str) -> Draft:
    """Return a workbook as markdown, its hidden sheets too."""
    return workbook_draft(list(_sheets(package, read_cells(package))))


def _sheets(package: Package, cells: Cells) -> Iterator[Sheet]:
    book = main_part(package, _PART)
    parts = part_relations(package, book)
    comments = CellComments(package)
    for node in part_elements(package, book, "sheet"):
        part = parts.get(node.get("id"), "")
        # Of the other kinds are charts and dialogues; one that is not there is not empty either.
        if _OTHER_KINDS.search(part) is None and package.has(part):
            is_hidden = node.get("state") in ("hidden", "veryHidden")
            name = " ".join(node.get("name").split())
            read = partial(_rows, package, part, cells)
            yield Sheet(name, is_hidden, read, partial(comments.of, part))


def _rows(package: Package, part: str, cells: Cells, most: int) -> list[list[str]]:
    return take_rows(
        _so_far(xlsx_sheet_rows(package.chunks(part), cells.value), package), TableRoom(cells=most)
    )


def _so_far(whole: Iterator[list[str]], package: Package) -> Iterator[list[str]]:
    """Yield rows until one is broken; it must not be the first."""
    given = 0
    try:
        for row in whole:
            yield row
            given += 1
    except BrokenFileError:
        if not given:
            raise
        package.is_damaged = True
