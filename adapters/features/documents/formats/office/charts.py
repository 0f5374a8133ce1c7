"""Charts as tables of their figures, and diagrams as lists of their texts."""

from collections.abc import Iterator
from typing import Final

from webseam.adapters.values.json_values import parse_whole_number
from webseam.ports.text import disarm_pictures

from ..markdown_writing import markdown_table
from .package import Package
from .xml_elements import XmlNode, part_elements

_MAX_POINTS: Final = 1000
_MAX_CATEGORY_LEVELS: Final = 8
_AXIS_ELEMENTS: Final = ("catAx", "dateAx", "serAx", "valAx")


def chart_blocks(package: Package, part: str) -> str:
    """Return a chart's title and its figures, a column for each of its series.

    The figures are those stored in the chart, not in its workbook. The first axis' title heads the
    first column; the titles of other axes stand above the table.
    """
    title = ""
    series: list[XmlNode] = []
    axes: list[str] = []
    for node in part_elements(package, part, "title", "ser", *_AXIS_ELEMENTS):
        if node.name == "ser":
            series.append(node)
        elif node.name == "title":
            title = title or _text(node)
        else:
            axis_title = node.find("title")
            axes.append(_text(axis_title) if axis_title else "")
    rows = _rows(series, axes[0] if axes else "") if series else []
    shown = markdown_table(rows) if len(rows) > 1 else ""
    return "\n\n".join(filter(None, (title, ", ".join(filter(None, axes[1:])), shown)))


def _rows(series: list[XmlNode], corner: str) -> list[list[str]]:
    names = [_text(name) if (name := node.find("tx")) else "" for node in series]
    values = [_series_points(node, "val", "yVal") for node in series]
    indexes = sorted(set().union(*values))[:_MAX_POINTS]
    categories = _category_names(series[0], indexes)
    columns = [categories, *values]
    return [[corner, *names], *([column.get(index, "") for column in columns] for index in indexes)]


def _category_names(series: XmlNode, indexes: list[int]) -> dict[int, str]:
    """Return the category of each index, with the names of outer levels before it."""
    axis = next(series.elements("cat", "xVal"), None)
    levels = list(axis.subtree("lvl")) if axis else []
    if not levels:
        return _series_points(series, "cat", "xVal")
    names: dict[int, list[str]] = {index: [] for index in indexes}
    for number, level in enumerate(levels[:_MAX_CATEGORY_LEVELS]):
        points = _points_by_index(level)
        above = ""
        for index in indexes:
            # The innermost level comes first; the name of an outer one holds until the next.
            above = points.get(index, "" if number == 0 else above)
            names[index].append(above)
    return {index: " / ".join(filter(None, reversed(parts))) for index, parts in names.items()}


def _series_points(series: XmlNode, *names: str) -> dict[int, str]:
    """Return the values of the first of these parts of a series, by index."""
    part = next(series.elements(*names), None)
    return _points_by_index(part) if part else {}


def _points_by_index(node: XmlNode) -> dict[int, str]:
    points = node.subtree("pt")
    indexed = ((parse_whole_number(point.attribute("idx")), point) for point in points)
    return {index: _point_text(point) for index, point in indexed if index is not None}


def _point_text(point: XmlNode) -> str:
    """Return a value rounded to 15 digits: 8.2, not 8.200000000000001."""
    text = _text(point)
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def diagram_list(package: Package, part: str) -> str:
    """Return the words of a diagram as a list."""
    texts = (_text(node) for node in part_elements(package, part, "p"))
    return "\n".join(f"- {text}" for text in texts if text)


def _text(node: XmlNode) -> str:
    return disarm_pictures(" ".join("".join(_text_pieces(node)).split()))


def _text_pieces(node: XmlNode) -> Iterator[str]:
    """Yield the texts of a node, with a blank before each line."""
    for element in node.subtree():
        if element.name in ("p", "br"):
            yield " "
        elif element.name in ("t", "v"):
            yield element.inner_text()
