"""What a chart or a diagram says: its figures as a table, its words as a list."""

from collections.abc import Iterator
from typing import Final

from ....values.numbers import parse_whole_number
from ..markdown_writing import disarm_pictures, markdown_table
from .package import Package
from .xml_elements import XmlNode, part_elements

_MAX_CHART_POINTS: Final = 1000
_MAX_CATEGORY_LEVELS: Final = 8
_AXES: Final = ("catAx", "dateAx", "serAx", "valAx")


def chart_blocks(package: Package, part: str) -> str:
    """Return a chart's title and its figures, a column for each of its series.

    They are those that were stored with it, whatever the workbook inside says. What is said of the
    first axis heads the first column, what is said of the others stands above the table.
    """
    title = ""
    series: list[XmlNode] = []
    axes: list[str] = []
    for node in part_elements(package, part, "title", "ser", *_AXES):
        if node.name == "ser":
            series.append(node)
        elif node.name == "title":
            title = title or _words(node)
        else:
            named = node.first("title")
            axes.append(_words(named) if named else "")
    rows = _rows(series, axes[0] if axes else "") if series else []
    shown = markdown_table(rows) if len(rows) > 1 else ""
    return "\n\n".join(filter(None, (title, ", ".join(filter(None, axes[1:])), shown)))


def _rows(series: list[XmlNode], corner: str) -> list[list[str]]:
    names = [_words(name) if (name := each.first("tx")) else "" for each in series]
    values = [_points(each, "val", "yVal") for each in series]
    places = sorted(set().union(*values))[:_MAX_CHART_POINTS]
    categories = _categories(series[0], places)
    rows = [
        [categories.get(place, ""), *(each.get(place, "") for each in values)] for place in places
    ]
    return [[corner, *names], *rows]


def _categories(series: XmlNode, places: list[int]) -> dict[int, str]:
    """Return what each place is called, with what stands over several of them before it."""
    found = next(series.nodes("cat", "xVal"), None)
    levels = [node for node in found.walk() if node.name == "lvl"] if found else []
    if not levels:
        return _points(series, "cat", "xVal")
    names: dict[int, list[str]] = {place: [] for place in places}
    for number, level in enumerate(levels[:_MAX_CATEGORY_LEVELS]):
        points = _placed(level)
        above = ""
        for place in places:
            # The innermost level comes first; the name of an outer one holds until the next.
            above = points.get(place, "" if number == 0 else above)
            names[place].append(above)
    return {place: " / ".join(filter(None, reversed(some))) for place, some in names.items()}


def _points(series: XmlNode, *names: str) -> dict[int, str]:
    """Return the values of one of these parts of a series, by their places."""
    found = next(series.nodes(*names), None)
    return _placed(found) if found else {}


def _placed(node: XmlNode) -> dict[int, str]:
    points = [each for each in node.walk() if each.name == "pt"]
    placed = ((parse_whole_number(point.get("idx")), point) for point in points)
    return {place: _value(point) for place, point in placed if place is not None}


def _value(point: XmlNode) -> str:
    """Return a value as a person writes it: 8.2, not 8.200000000000001."""
    text = _words(point)
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def diagram_list(package: Package, part: str) -> str:
    """Return the words of a diagram as a list."""
    texts = (_words(node) for node in part_elements(package, part, "p"))
    return "\n".join(f"- {text}" for text in texts if text)


def _words(node: XmlNode) -> str:
    return disarm_pictures(" ".join("".join(_written(node)).split()))


def _written(node: XmlNode) -> Iterator[str]:
    """Yield the texts inside, with a blank before each line of them."""
    for each in node.walk():
        if each.name in ("p", "br"):
            yield " "
        elif each.name in ("t", "v"):
            yield each.words()
