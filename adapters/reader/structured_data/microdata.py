"""Read the microdata and the RDFa of a page in the form of JSON-LD."""

from collections.abc import Iterable
from typing import Final

from turbohtml import Document, Element

_MAX_ITEMS: Final = 400


def read_microdata(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of microdata; an inner item is also a value of its holder."""
    elements = document.select("[itemscope]")[:_MAX_ITEMS]
    return _read_items(document, elements, "itemscope", "itemtype", "itemprop")


def read_rdfa(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of RDFa Lite (https://www.w3.org/TR/rdfa-lite/) that use schema.org."""
    elements = filter(_is_schema_item, document.select("[typeof]")[:_MAX_ITEMS])
    return _read_items(document, elements, "typeof", "typeof", "property")


def _read_items(
    document: Document, elements: Iterable[Element], mark: str, kind: str, prop: str
) -> tuple[dict[str, object], ...]:
    """Return the marked elements as items; ``kind`` and ``prop`` name their attributes."""
    items: dict[Element, dict[str, object]] = {
        element: {"@type": _local_name(element.attr(kind) or "")} for element in elements
    }
    properties = document.select(f"[{mark}] [{prop}]")[: 4 * _MAX_ITEMS] if items else ()
    for element in properties:
        above = element.parent
        holder = above.closest(f"[{mark}]") if isinstance(above, Element) else None
        if holder in items:
            value: object = items.get(element) or _property_value(element)
            for name in map(_local_name, (element.attr(prop) or "").split()):
                item = items[holder]
                before = item.get(name, [])
                values = [*(before if isinstance(before, list) else [before]), value]
                item[name] = values if name in item else value
    return tuple(items.values())


def _property_value(element: Element) -> str:
    return (
        element.attr("content")
        or element.attr("datetime")
        or element.attr("value")
        or (element.attr("href") if element.tag == "link" else None)
        or element.text
    )


def _is_schema_item(element: Element) -> bool:
    """Tell whether an item uses the vocabulary of schema.org."""
    kind = element.attr("typeof") or ""
    if kind.startswith(("schema:", "http")):
        return "schema" in kind
    holder = element.closest("[vocab]")
    return holder is not None and "schema.org" in (holder.attr("vocab") or "")


def _local_name(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
