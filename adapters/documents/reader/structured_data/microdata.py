"""Read the microdata and the RDFa of a page in the form of JSON-LD."""

from collections.abc import Iterator
from typing import Final

from turbohtml import Document, Element

_MAX_ITEMS: Final = 400
_MAX_REFERENCES: Final = 20


def read_microdata(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of microdata; an inner item is also a value of its holder."""
    items: dict[Element, dict[str, object]] = {}
    for element in document.select("[itemscope]")[:_MAX_ITEMS]:
        items[element] = {"@type": (element.attr("itemtype") or "").rstrip("/").rsplit("/", 1)[-1]}
    if not items:
        return ()
    for element in document.select("[itemscope] [itemprop]")[: 4 * _MAX_ITEMS]:
        holder = _microdata_holder(element)
        if holder in items:
            _add_microdata_property(items, holder, element)
    for holder, element in _referenced_microdata(document, items):
        _add_microdata_property(items, holder, element)
    return tuple(items.values())


def _microdata_holder(element: Element) -> Element | None:
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _referenced_microdata(
    document: Document, items: dict[Element, dict[str, object]]
) -> Iterator[tuple[Element, Element]]:
    """Yield the properties outside an item that it references by id, with the item."""
    references = [
        (item, name)
        for item in items
        for name in (item.attr("itemref") or "").split()[:_MAX_REFERENCES]
    ]
    parts = {part.attr("id"): part for part in document.select("[id]")} if references else {}
    for item, name in references[:_MAX_REFERENCES]:
        part = parts.get(name)
        if part is None or part.closest("[itemscope]") is not None:
            continue
        inner = part.select("[itemprop]")[:_MAX_ITEMS]
        for element in [part, *inner] if part.attr("itemprop") else inner:
            if _microdata_holder(element) is None:
                yield item, element


def _add_microdata_property(
    items: dict[Element, dict[str, object]], holder: Element, element: Element
) -> None:
    value: object = items.get(element) or _microdata_value(element)
    for name in (element.attr("itemprop") or "").split():
        _put_microdata_value(items[holder], name, value)


def _put_microdata_value(item: dict[str, object], name: str, value: object) -> None:
    if name not in item:
        item[name] = value
        return
    before = item[name]
    item[name] = [*before, value] if isinstance(before, list) else [before, value]


def _microdata_value(element: Element) -> str:
    return (
        element.attr("content") or element.attr("datetime") or element.attr("value")
        or (element.attr("href") if element.tag == "link" else None) or element.text
    )  # fmt: skip


def read_rdfa(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of RDFa Lite (https://www.w3.org/TR/rdfa-lite/) that use schema.org."""
    elements = [
        element for element in document.select("[typeof]")[:_MAX_ITEMS] if _is_schema_item(element)
    ]
    items: dict[Element, dict[str, object]] = {
        element: {"@type": _rdfa_local_name(element.attr("typeof") or "")} for element in elements
    }
    for element in document.select("[typeof] [property]")[: 4 * _MAX_ITEMS] if items else ():
        above = element.parent
        holder = above.closest("[typeof]") if isinstance(above, Element) else None
        if holder in items:
            value: object = items.get(element) or _microdata_value(element)
            for name in (element.attr("property") or "").split():
                _put_microdata_value(items[holder], _rdfa_local_name(name), value)
    return tuple(items.values())


def _is_schema_item(element: Element) -> bool:
    """Tell whether an item uses the vocabulary of schema.org."""
    kind = element.attr("typeof") or ""
    if kind.startswith(("schema:", "http")):
        return "schema" in kind
    holder = element.closest("[vocab]")
    return holder is not None and "schema.org" in (holder.attr("vocab") or "")


def _rdfa_local_name(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
