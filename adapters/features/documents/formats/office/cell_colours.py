"""Styles of cells whose text nobody can see: in the colour of the cell, or of no format.

The cells of sheets with rules for formats, tables or a picture behind them may have other colours,
so their text stays.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from webseam.adapters.reader.visibility.colours import (
    WHITE,
    Colour,
    are_similar_colours,
    parse_colour,
)
from webseam.adapters.values.json_values import parse_whole_number

from ..draft import StepAllowance
from .package import Package
from .theme_colours import NUMBERED_COLOURS, read_theme_colours
from .xml_elements import XmlNode, part_elements

_STYLES_PART: Final = "xl/styles.xml"
_THEME_PART: Final = "xl/theme/theme1.xml"
# ISO/IEC 29500-1, 18.8.27: the default palette; 64 and 65 are the system's.
_PALETTE: Final[dict[int, Colour]] = {0: (0, 0, 0), 1: WHITE, 8: (0, 0, 0), 9: WHITE, 65: WHITE}
# A format of these characters alone, such as ";;;", shows nothing of a number or a text.
_BLANK_FORMAT, _BLANK_CHARACTERS = ";;;", ';" '
_COLOURING_PATTERN: Final = re.compile(rb"<(?:\w+:)?(?:conditionalFormatting|tablePart|picture)\b")
_LONGEST_MARK_BYTES: Final = 40
# For all sheets; to look through a sheet unpacks it once more.
_MAX_SEARCHED_BYTES: Final = 8 * 1024 * 1024


class CellColours:
    """Tells which styles of a workbook hide the text of their cells, sheet by sheet."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._allowance = StepAllowance(_MAX_SEARCHED_BYTES)
        self._blank, self._faint = _hiding_styles(package)

    def hiding_styles(self, part: str) -> frozenset[int]:
        """Return the styles that hide the cells of a sheet, by their index."""
        if self._faint and not self._may_be_coloured(part):
            return self._blank | self._faint
        return self._blank

    def _may_be_coloured(self, part: str) -> bool:
        tail = b""
        for chunk in self._package.part_chunks(part):
            self._allowance.spend(len(chunk))
            if self._allowance.is_spent or _COLOURING_PATTERN.search(tail + chunk):
                return True
            tail = chunk[-_LONGEST_MARK_BYTES:]
        return False


def _hiding_styles(package: Package) -> tuple[frozenset[int], frozenset[int]]:
    """Return the styles of blank formats, and those in the colour of their cell."""
    tables = {
        node.name: node
        for node in part_elements(package, _STYLES_PART, "numFmts", "fonts", "fills", "cellXfs")
    }
    styles = list(tables["cellXfs"].elements("xf")) if "cellXfs" in tables else []
    formats = tables["numFmts"].elements("numFmt") if "numFmts" in tables else ()
    blank_formats = {
        number_format.attribute("numFmtId")
        for number_format in formats
        if _is_blank_format(number_format.attribute("formatCode"))
    }
    theme = read_theme_colours(package, _THEME_PART)
    inks = [_font_colour(font, theme) for font in _table_entries(tables, "fonts", "font")]
    fills = [_fill_colour(fill, theme) for fill in _table_entries(tables, "fills", "fill")]
    blank: set[int] = set()
    faint: set[int] = set()
    for index, style in enumerate(styles):
        ink = _entry(inks, style.attribute("fontId"))
        fill = _entry(fills, style.attribute("fillId")) if fills else WHITE
        if style.attribute("numFmtId") in blank_formats:
            blank.add(index)
        elif ink is not None and fill is not None and are_similar_colours(ink, fill):
            faint.add(index)
    return frozenset(blank), frozenset(faint)


def _is_blank_format(code: str) -> bool:
    return _BLANK_FORMAT in code and not code.strip(_BLANK_CHARACTERS)


def _table_entries(tables: Mapping[str, XmlNode], table: str, entry: str) -> list[XmlNode]:
    return list(tables[table].elements(entry)) if table in tables else []


def _entry(colours: Sequence[Colour | None], number: str) -> Colour | None:
    index = parse_whole_number(number) or 0
    return colours[index] if 0 <= index < len(colours) else None


def _font_colour(font: XmlNode, theme: Mapping[str, Colour]) -> Colour | None:
    return _stated_colour(font.find("color"), theme)


def _fill_colour(fill: XmlNode, theme: Mapping[str, Colour]) -> Colour | None:
    """Return the colour of a cell; None for a pattern of two colours."""
    pattern = fill.find("patternFill")
    kind = pattern.attribute("patternType") if pattern is not None else "gradient"
    if pattern is None or kind not in ("", "none", "solid"):
        return None
    return _stated_colour(pattern.find("fgColor"), theme) if kind == "solid" else WHITE


def _stated_colour(node: XmlNode | None, theme: Mapping[str, Colour]) -> Colour | None:
    if node is None or node.attribute("tint").strip("-0."):
        return None
    if rgb := node.attribute("rgb"):
        return parse_colour(f"#{rgb[-6:]}")
    if indexed := node.attribute("indexed"):
        return _PALETTE.get(parse_whole_number(indexed) or 0)
    number = parse_whole_number(node.attribute("theme"))
    if number is None or not 0 <= number < len(NUMBERED_COLOURS):
        return None
    name = NUMBERED_COLOURS[number]
    return theme.get(name, WHITE if name == "lt1" else None)
