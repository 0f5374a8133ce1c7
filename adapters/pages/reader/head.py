"""What a page says about itself: title, meta tags, linked data, language, canonical address."""

import json
from collections.abc import Iterator
from typing import Final

import msgspec
from turbohtml import Document, Element

_DEEPEST: Final = 12
_MOST_THINGS: Final = 400
_MOST_METAS: Final = 500
_LONGEST: Final = 2_000_000


class Head(msgspec.Struct, frozen=True):
    """The page's own words about itself; nothing here is vouched for."""

    title: str
    metas: dict[str, str]
    things: tuple[dict[str, object], ...]
    language: str
    canonical: str
    body_names: str

    @property
    def titles(self) -> str:
        """Return every title the head gives."""
        return f"{self.title} {self.metas.get('og:title', '')}"

    @property
    def descriptions(self) -> str:
        """Return every description the head gives."""
        told = [text for thing in self.things if isinstance(text := thing.get("description"), str)]
        metas = self.metas
        return " ".join([metas.get("description", ""), metas.get("og:description", ""), *told])


def read_head(document: Document) -> Head:
    """Gather what the page says about itself."""
    root = document.root
    return Head(
        title=_title(document),
        metas=_metas(document),
        things=tuple(_things(document)),
        language=(root.attr("lang") or root.attr("xml:lang") or "") if root is not None else "",
        canonical=_attribute(document.select_one('link[rel~="canonical" i]'), "href"),
        body_names=_attribute(document.find("body"), "class"),
    )


def _attribute(element: Element | None, name: str) -> str:
    return "" if element is None else element.attr(name) or ""


def _title(document: Document) -> str:
    # A <title> inside an <svg> names a drawing.
    found = document.select_one("head title") or document.find("title")
    return "" if found is None else found.text


def _metas(document: Document) -> dict[str, str]:
    metas: dict[str, str] = {}
    for meta in document.select("meta[content]")[:_MOST_METAS]:
        name = meta.attr("property") or meta.attr("name") or meta.attr("itemprop")
        if name:
            metas.setdefault(name.strip().lower(), meta.attr("content") or "")
    return metas


def _things(document: Document) -> Iterator[dict[str, object]]:
    """Yield every JSON-LD object of the page, outer ones first."""
    queue: list[tuple[object, int]] = [
        (_decode(script.text), 0) for script in document.select('script[type*="ld+json" i]')[:50]
    ]
    seen = 0
    for value, depth in queue:
        if isinstance(value, dict):
            seen += 1
            yield value
        if depth < _DEEPEST and seen < _MOST_THINGS:
            queue.extend((inner, depth + 1) for inner in _inside(value))


def _inside(value: object) -> list[object]:
    """Return the objects and lists right inside of an object or a list."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for x in value if isinstance(x, dict | list)] if isinstance(value, list) else []


def _decode(text: str) -> object:
    """Decode JSON as people write it into pages: line breaks in strings are forgiven."""
    if len(text) > _LONGEST:
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
