"""What a page says in data about the things on it: products, offers, events, recipes, jobs.

From JSON-LD, microdata and the Open Graph, as rows of a table: of which thing, which property, what
value. Nobody has vouched for any of it. The vocabulary is that of https://schema.org
(read 2026-11-15).
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from turbohtml import Document, Element

from ....ports.pages import PageFact
from ..text import one_line
from .metadata import Head

_THINGS: Final = frozenset(
    {
        "Book", "Car", "Course", "Event", "Hotel", "IndividualProduct", "JobPosting",
        "LocalBusiness", "Movie", "MusicEvent", "Offer", "Product", "ProductGroup", "ProductModel",
        "RealEstateListing", "Recipe", "Restaurant", "SoftwareApplication", "Vehicle",
    }
)  # fmt: skip
_OFFERS: Final = frozenset({"AggregateOffer", "Offer"})
_VARIANTS: Final = ("hasVariant", "model")
_MARKS: Final = ("color", "size", "material", "pattern", "name", "sku")
_LEFT_OUT: Final = frozenset(
    {
        "@context", "@id", "@type", "description", "image", "logo", "mainEntityOfPage",
        "potentialAction", "review", "reviews", "sameAs", "url", "video",
    }
)  # fmt: skip
_OPEN_GRAPH: Final = {
    "product:price:amount": "price",
    "og:price:amount": "price",
    "product:price:currency": "currency",
    "og:price:currency": "currency",
    "product:availability": "availability",
    "og:availability": "availability",
    "product:brand": "brand",
    "product:condition": "condition",
    "product:retailer_item_id": "sku",
}
_MOST_FACTS: Final = 120
_MOST_BYTES: Final = 12_000
_AROUND: Final = 32
_MOST_THINGS: Final = 12
_MOST_VALUES: Final = 20
_LONGEST: Final = 200
_MOST_ITEMS: Final = 400


def read_facts(head: Head, microdata: Iterable[dict[str, object]]) -> tuple[PageFact, ...]:
    """Return the facts of the page, each once and at most so many."""
    rows = dict.fromkeys(
        row for thing in _outermost([*head.things, *microdata]) for row in _rows(thing)
    )
    graph = _graph(head.metas) if not rows else ()
    return tuple(_bounded(rows or graph))


def _bounded(rows: Iterable[PageFact]) -> Iterator[PageFact]:
    """Yield rows as far as a page's metadata has room for them."""
    left = _MOST_BYTES
    for row in islice(rows, _MOST_FACTS):
        left -= len(f"{row.of}{row.name}{row.value}".encode()) + _AROUND
        if left < 0:
            return
        yield row


def _outermost(things: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield the things to tell of; offers and variants are told of with what they belong to."""
    inner = {id(part) for thing in things for part in _parts(thing)}
    known = [thing for thing in things if id(thing) not in inner and _type_of(thing) in _THINGS]
    yield from known[:_MOST_THINGS]


def _parts(thing: dict[str, object]) -> Iterator[object]:
    for name in ("offers", *_VARIANTS, "itemOffered"):
        yield from _listed(thing.get(name))


def _type_of(thing: dict[str, object]) -> str:
    kind = thing.get("@type")
    first = kind[0] if isinstance(kind, list) and kind else kind
    return first.rsplit("/", 1)[-1] if isinstance(first, str) else ""


def _rows(thing: dict[str, object]) -> Iterator[PageFact]:
    of = _type_of(thing)
    for name, value in thing.items():
        if name == "offers":
            yield from _offer_rows(of, value)
        elif name in _VARIANTS:
            yield from _variant_rows(of, value)
        elif name not in _LEFT_OUT:
            for text in _texts(value):
                yield PageFact(of=of, name=name, value=text)


def _offer_rows(of: str, value: object) -> Iterator[PageFact]:
    offers = [offer for offer in _listed(value) if isinstance(offer, dict)]
    if len(offers) == 1:
        for name, text in _terms(offers[0]):
            yield PageFact(of=of, name=name, value=text)
        offers = [one for one in _listed(offers[0].get("offers")) if isinstance(one, dict)]
    for offer in offers[:_MOST_VALUES]:
        yield PageFact(of=of, name="offer", value=_line(offer))


def _variant_rows(of: str, value: object) -> Iterator[PageFact]:
    for variant in _listed(value)[:_MOST_VALUES]:
        if isinstance(variant, dict):
            yield PageFact(of=of, name="variant", value=_line(variant))


def _line(thing: dict[str, object]) -> str:
    """Return an offer or a variant on one line: what marks it, its price, whether it is there."""
    item = thing.get("itemOffered")
    marked = item if isinstance(item, dict) else thing
    marks = [text for name in _MARKS for text in _texts(marked.get(name))]
    offers = [offer for offer in _listed(thing.get("offers")) if isinstance(offer, dict)]
    terms = [text for offer in (offers or [thing])[:1] for _, text in _terms(offer)]
    return one_line(", ".join(dict.fromkeys([*marks, *terms])), _LONGEST)


def _terms(offer: dict[str, object]) -> Iterator[tuple[str, str]]:
    currency = next(iter(_texts(offer.get("priceCurrency"))), "")
    price = next(iter(_texts(offer.get("price"))), "") or _specified(offer)
    low, high = (next(iter(_texts(offer.get(name))), "") for name in ("lowPrice", "highPrice"))
    if price or low or high:
        amount = price or " to ".join(dict.fromkeys(end for end in (low, high) if end))
        yield "price", f"{amount} {currency}".strip()
    for name in ("availability", "itemCondition", "priceValidUntil"):
        for text in _texts(offer.get(name)):
            yield name, text


def _specified(offer: dict[str, object]) -> str:
    for specification in _listed(offer.get("priceSpecification")):
        if isinstance(specification, dict):
            return next(iter(_texts(specification.get("price"))), "")
    return ""


def _texts(value: object) -> list[str]:
    """Return the plain values in ``value``; of an object its name or value with its unit."""
    if isinstance(value, list):
        return [
            text
            for one in value[:_MOST_VALUES]
            for text in _texts(one)
            if not isinstance(one, list)
        ]
    if isinstance(value, dict):
        unit = value.get("unitText") or value.get("currency") or ""
        named = value.get("name") or value.get("ratingValue") or value.get("value")
        plain = value.get("streetAddress") if named is None else named
        return [f"{text} {unit}".strip() for text in _texts(plain) if isinstance(unit, str)]
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = one_line(str(value), _LONGEST)
    return (
        [text.removeprefix("https://schema.org/").removeprefix("http://schema.org/")]
        if text
        else []
    )


def _listed(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _graph(metas: dict[str, str]) -> Iterator[PageFact]:
    for name, fact in _OPEN_GRAPH.items():
        if text := one_line(metas.get(name, ""), _LONGEST):
            yield PageFact(of="Product", name=fact, value=text)


def read_microdata(document: Document) -> tuple[dict[str, object], ...]:
    """Return the items of microdata as JSON-LD would write them, each inside what it belongs to."""
    items: dict[Element, dict[str, object]] = {}
    for element in document.select("[itemscope]")[:_MOST_ITEMS]:
        items[element] = {"@type": (element.attr("itemtype") or "").rstrip("/").rsplit("/", 1)[-1]}
    if not items:
        return ()
    for element in document.select("[itemscope] [itemprop]")[: 4 * _MOST_ITEMS]:
        holder = _holder(element)
        if holder in items:
            value: object = items.get(element) or _value(element)
            for name in (element.attr("itemprop") or "").split():
                _add(items[holder], name, value)
    return tuple(items.values())


def _holder(element: Element) -> Element | None:
    above = element.parent
    return above.closest("[itemscope]") if isinstance(above, Element) else None


def _value(element: Element) -> str:
    return (
        element.attr("content") or element.attr("datetime") or element.attr("value")
        or (element.attr("href") if element.tag == "link" else None) or element.text
    )  # fmt: skip


def _add(item: dict[str, object], name: str, value: object) -> None:
    if name not in item:
        item[name] = value
        return
    before = item[name]
    item[name] = [*before, value] if isinstance(before, list) else [before, value]
