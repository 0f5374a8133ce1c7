"""Outlines, as lists of feeds are: OPML.

http://opml.org/spec2.opml
"""

from collections.abc import Iterator

from ..markup import link
from ..office.xml import Node

_DEEPEST = 10


def outline(root: Node, base: str) -> Iterator[str]:
    """Yield the one list that an outline is."""
    body = root.first("body") or root
    yield "\n".join(_items(body, base, 0))


def _items(node: Node, base: str, depth: int) -> Iterator[str]:
    for each in node.nodes("outline"):
        words = " ".join((each.get("text") or each.get("title")).split())
        target = each.get("htmlUrl") or each.get("url") or each.get("xmlUrl")
        feed = each.get("xmlUrl")
        shown = link(words or target, target, base) if target else words
        more = [link("feed", feed, base)] if feed and feed != target else []
        notes = (" ".join(each.get(name).split()) for name in ("description", "_note"))
        said = ": ".join(filter(None, (" ".join([shown, *more]).strip(), *notes)))
        if said:
            yield f"{'   ' * min(depth, _DEEPEST)}- {said}"
        yield from _items(each, base, depth + 1)
