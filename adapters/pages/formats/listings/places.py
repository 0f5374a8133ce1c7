"""Places on a map: KML and GPX.

https://www.ogc.org/standards/kml/ and https://www.topografix.com/GPX/1/1/. Of the
lines of a track only their ends are told.
"""

from collections.abc import Iterator
from typing import Final

from ..articles.words import flat
from ..hypertext import whole_markdown
from ..markup import tamed
from ..office.xml import Node

_FOLDERS: Final = frozenset({"Document", "Folder", "kml", "NetworkLink"})
_NAMED: Final = frozenset({"wpt", "rte", "trk"})
_POINTS: Final = ("trkseg", "rtept", "trkpt")
_LOWEST_HEADING: Final = 6
_ABOUT: Final = {
    "address": "address",
    "phoneNumber": "phone",
    "ele": "elevation",
    "time": "time",
    "sym": "symbol",
    "type": "type",
    "cmt": "comment",
}


def places(root: Node, base: str) -> Iterator[str]:
    """Yield folders as headings and places under them."""
    yield from _told(root, base, 1)


def _told(node: Node, base: str, level: int) -> Iterator[str]:
    for each in node.nodes():
        if each.name in _FOLDERS:
            name = flat(each.first("name")) if node.name != "kml" else ""
            yield f"{'#' * min(level + 1, _LOWEST_HEADING)} {name}" if name else ""
            yield _description(each, base)
            yield from _told(each, base, level + bool(name))
        elif each.name == "Placemark" or each.name in _NAMED:
            yield from _place(each, base)


def _place(node: Node, base: str) -> Iterator[str]:
    name = flat(node.first("name"))
    where = _where(node)
    said = {label: flat(node.first(each)) for each, label in _ABOUT.items()}
    facts = [f"{label}: {words}" for label, words in said.items() if words]
    facts += (f"{key}: {value}" for key, value in _data(node))
    head = " ".join(filter(None, (f"**{name}**" if name else "", f"({where})" if where else "")))
    pieces = (head, "\n".join(f"- {tamed(fact)}" for fact in facts), _description(node, base))
    yield "\n\n".join(piece for piece in pieces if piece)


def _description(node: Node, base: str) -> str:
    """Return what is said of a place, which in KML is HTML."""
    said = node.first("description") or node.first("desc")
    words = said.words() if said else ""
    return whole_markdown(words, base) if "<" in words else tamed(words).strip()


def _data(node: Node) -> Iterator[tuple[str, str]]:
    for each in node.walk():
        if each.name == "Data":
            yield each.get("name"), flat(each.first("value"))
        elif each.name == "SimpleData":
            yield each.get("name"), flat(each)


def _where(node: Node) -> str:
    """Return where a place is, latitude first; of a line its two ends."""
    if node.get("lat"):
        return f"{node.get('lat')}, {node.get('lon')}"
    written = [flat(each).split() for each in node.walk() if each.name == "coordinates"]
    points = [", ".join(pair.split(",")[1::-1]) for some in written for pair in some]
    points += (
        f"{each.get('lat')}, {each.get('lon')}" for each in node.walk() if each.name in _POINTS[1:]
    )
    ends = list(dict.fromkeys((*points[:1], *points[-1:])))
    more = f", {len(points):,} points" if len(points) > 1 else ""
    return f"{' to '.join(ends)}{more}"
