"""A list of things in XML as markdown."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..articles.words import flat
from ..draft import DAMAGED, Draft, Source, page_of
from ..flat.packing import PART, package_of
from ..office.package import BrokenFileError, TooLargeError
from ..office.xml import Node, nodes_of
from ..plain import read_xml
from .outlines import outline
from .places import places
from .translations import translations

_LISTS: Final[Mapping[str, Callable[[Node, str], Iterator[str]]]] = {
    "opml": outline,
    "kml": places,
    "gpx": places,
    "xliff": translations,
    "tmx": translations,
}
_TITLES: Final = (
    ("head", "title"),
    ("Document", "name"),
    ("Folder", "name"),
    ("metadata", "name"),
)


def read_listing(source: Source) -> Result[ReadPage, WebError]:
    """Return what is listed; XML in which nothing is stays XML."""
    package = package_of(source)
    try:
        root = next(nodes_of(package, PART, *_LISTS, entities=True), None)
    except (BrokenFileError, TooLargeError):
        root = None
    pieces = _LISTS[root.name](root, source.url) if root else ()
    content = "\n\n".join(piece for piece in pieces if piece)
    if root is None or not content:
        return read_xml(source)
    titles = (flat(root.first(*path)) for path in _TITLES)
    title = next((title for title in titles if title), source.file_name)
    notes = (DAMAGED,) if package.is_damaged else ()
    return page_of(Draft(content=content, title=title, notes=notes))
