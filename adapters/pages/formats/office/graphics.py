"""What a chart or a diagram says: its figures as a table, its words as a list."""

from collections.abc import Iterator
from typing import Final

from ....values.numbers import whole
from ..markup import table, tamed
from .package import Package
from .xml import Node, nodes_of

_MOST_POINTS: Final = 1000
_MOST_LEVELS: Final = 8


def chart(package: Package, part: str) -> str:
    """Return a chart's title and its figures, a column for each of its series.

    They are those that were stored with it, whatever the workbook inside says.
    """
    title = ""
    series: list[Node] = []
    for node in nodes_of(package, part, "title", "ser"):
        if node.name == "ser":
            series.append(node)
        elif not series:
            # A title that comes later is that of an axis.
            title = _words(node)
    rows = _rows(series) if series else []
    return "\n\n".join(filter(None, (title, table(rows) if len(rows) > 1 else "")))


def _rows(series: list[Node]) -> list[list[str]]:
    names = [_words(name) if (name := each.first("tx")) else "" for each in series]
    values = [_points(each, "val", "yVal") for each in series]
    places = sorted(set().union(*values))[:_MOST_POINTS]
    categories = _categories(series[0], places)
    rows = [
        [categories.get(place, ""), *(each.get(place, "") for each in values)] for place in places
    ]
    return [["", *names], *rows]


def _categories(series: Node, places: list[int]) -> dict[int, str]:
    """Return what each place is called, with what stands over several of them before it."""
    found = next(series.nodes("cat", "xVal"), None)
    levels = [node for node in found.walk() if node.name == "lvl"] if found else []
    if not levels:
        return _points(series, "cat", "xVal")
    names: dict[int, list[str]] = {place: [] for place in places}
    for number, level in enumerate(levels[:_MOST_LEVELS]):
        points = _placed(level)
        above = ""
        for place in places:
            # The innermost level comes first; the name of an outer one holds until the next.
            above = points.get(place, "" if number == 0 else above)
            names[place].append(above)
    return {place: " / ".join(filter(None, reversed(some))) for place, some in names.items()}


def _points(series: Node, *names: str) -> dict[int, str]:
    """Return the values of one of these parts of a series, by their places."""
    found = next(series.nodes(*names), None)
    return _placed(found) if found else {}


def _placed(node: Node) -> dict[int, str]:
    points = [each for each in node.walk() if each.name == "pt"]
    placed = ((whole(point.get("idx")), point) for point in points)
    return {place: _value(point) for place, point in placed if place is not None}


def _value(point: Node) -> str:
    """Return a value as a person writes it: 8.2, not 8.200000000000001."""
    text = _words(point)
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def diagram(package: Package, part: str) -> str:
    """Return the words of a diagram as a list."""
    texts = (_words(node) for node in nodes_of(package, part, "p"))
    return "\n".join(f"- {text}" for text in texts if text)


def _words(node: Node) -> str:
    return tamed(" ".join("".join(_written(node)).split()))


def _written(node: Node) -> Iterator[str]:
    """Yield the texts inside, with a blank before each line of them."""
    for each in node.walk():
        if each.name in ("p", "br"):
            yield " "
        elif each.name in ("t", "v"):
            yield each.words()
