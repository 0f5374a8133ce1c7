"""Read the microdata and the RDFa of a page as JSON-LD would write it."""

from collections.abc import Iterator
from typing import Final

from turbohtml import Document, Element

_MAX_ITEMS: Final = 400
_MAX_REFERENCES: Final = 20


def read_microdata(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of microdata, each inside what it belongs to."""
    items: dict[Element, dict[str, object]] = {}
    for element in document.select("[itemscope]")[:_MAX_ITEMS]:
        items[element] = {"@type": (element.attr("itemtype") or "").rstrip("/").rsplit("/", 1)[-1]}
    if not items:
        return ()
    for element in document.select("[itemscope] [itemprop]")[: 4 * _MAX_ITEMS]:
        holder = _holder(element)
        if holder in items:
            _add(items, holder, element)
    for holder, element in _referred(document, items):
        _add(items, holder, element)
    return tuple(items.values())


def _holder(element: Element) -> Element | None:
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _referred(
    document: Document, items: dict[Element, dict[str, object]]
) -> Iterator[tuple[Element, Element]]:
    """Yield the properties that an item names by the id of a part elsewhere on the page."""
    named = [
        (holder, name)
        for holder in items
        for name in (holder.attr("itemref") or "").split()[:_MAX_REFERENCES]
    ]
    parts = {part.attr("id"): part for part in document.select("[id]")} if named else {}
    for holder, name in named[:_MAX_REFERENCES]:
        part = parts.get(name)
        if part is None or part.closest("[itemscope]") is not None:
            continue
        inner = part.select("[itemprop]")[:_MAX_ITEMS]
        for element in [part, *inner] if part.attr("itemprop") else inner:
            if _holder(element) is None:
                yield holder, element


def _add(items: dict[Element, dict[str, object]], holder: Element, element: Element) -> None:
    value: object = items.get(element) or _value(element)
    for name in (element.attr("itemprop") or "").split():
        _put(items[holder], name, value)


def _put(item: dict[str, object], name: str, value: object) -> None:
    if name not in item:
        item[name] = value
        return
    before = item[name]
    item[name] = [*before, value] if isinstance(before, list) else [before, value]


def _value(element: Element) -> str:
    return (
        element.attr("content") or element.attr("datetime") or element.attr("value")
        or (element.attr("href") if element.tag == "link" else None) or element.text
    )  # fmt: skip


def read_rdfa(document: Document) -> tuple[dict[str, object], ...]:
    """Return the things of RDFa Lite (https://www.w3.org/TR/rdfa-lite/) in schema.org's words."""
    elements = [one for one in document.select("[typeof]")[:_MAX_ITEMS] if _is_schema(one)]
    items: dict[Element, dict[str, object]] = {
        element: {"@type": _bare(element.attr("typeof") or "")} for element in elements
    }
    for element in document.select("[typeof] [property]")[: 4 * _MAX_ITEMS] if items else ():
        above = element.parent
        holder = above.closest("[typeof]") if isinstance(above, Element) else None
        if holder in items:
            value: object = items.get(element) or _value(element)
            for name in (element.attr("property") or "").split():
                _put(items[holder], _bare(name), value)
    return tuple(items.values())


def _is_schema(element: Element) -> bool:
    """Tell a thing in schema.org's words from one in another vocabulary's."""
    kind = element.attr("typeof") or ""
    if kind.startswith(("schema:", "http")):
        return "schema" in kind
    around = element.closest("[vocab]")
    return around is not None and "schema.org" in (around.attr("vocab") or "")


def _bare(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
