"""What a page says in data about the things on it: products, offers, events, recipes, jobs.

From JSON-LD, microdata and the Open Graph, as rows of a table: of which thing, which property, what
value. Nobody has vouched for any of it. The vocabulary is that of https://schema.org
(read 2026-11-15).
"""

import html
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeAlias

from .....ports.pages import PageFact
from ...text import one_line
from ..metadata import Head

_THINGS: Final = frozenset(
    {
        "Book", "Car", "Course", "Event", "Hotel", "IndividualProduct", "JobPosting",
        "LocalBusiness", "Movie", "MusicEvent", "Offer", "Product", "ProductGroup", "ProductModel",
        "RealEstateListing", "Recipe", "Restaurant", "SoftwareApplication", "Vehicle",
    }
)  # fmt: skip
_VARIANTS: Final = ("hasVariant", "model")
# Where a thing may be named by its id alone; none of them leads back to what a text is made of.
_REFERRING: Final = (
    "aggregateRating", "brand", "item", "itemListElement", "itemOffered", "manufacturer", "offers",
    "priceSpecification", *_VARIANTS,
)  # fmt: skip
_LISTS: Final = frozenset({"CollectionPage", "ItemList", "OfferCatalog", "SearchResultsPage"})
# Things beside the one that the page is about.
_OTHERS: Final = ("isAccessoryOrSparePartFor", "isConsumableFor", "isRelatedTo", "isSimilarTo")
_PARTS: Final = frozenset({"offers", "isVariantOf", *_VARIANTS, *_OTHERS})
_MARKS: Final = ("color", "size", "material", "pattern", "name", "sku")
_ITEM_MARKS: Final = ("name", "brand", "startDate", "hiringOrganization", *_MARKS[:3])
_LEFT_OUT: Final = frozenset(
    {
        "@context", "@id", "@type", "description", "image", "logo", "mainEntityOfPage",
        "potentialAction", "review", "reviews", "sameAs", "url", "video", *_OTHERS,
    }
)  # fmt: skip
_OPEN_GRAPH: Final = {
    "product:availability": "availability",
    "og:availability": "availability",
    "product:brand": "brand",
    "product:condition": "condition",
    "product:retailer_item_id": "sku",
}
_GRAPHS: Final = ("product:price", "product:sale_price", "og:price")
# Units as UN/CEFACT names them, https://schema.org/unitCode
_UNITS: Final = {
    "KGM": "kg", "GRM": "g", "LBR": "lb", "ONZ": "oz", "MTR": "m", "CMT": "cm", "MMT": "mm",
    "INH": "in", "FOT": "ft", "LTR": "l", "MLT": "ml", "WTT": "W", "VLT": "V",
}  # fmt: skip
# Prices that nobody pays.
_STRUCK_OUT: Final = frozenset({"ListPrice", "MSRP", "SRP", "StrikethroughPrice"})
_MOST_FACTS: Final = 120
_MOST_BYTES: Final = 12_000
_AROUND: Final = 32
_MOST_LINES: Final = 30
_MOST_VALUES: Final = 20
_LONGEST: Final = 200


_Thing: TypeAlias = dict[str, object]


def read_facts(head: Head, microdata: Iterable[_Thing]) -> tuple[PageFact, ...]:
    """Return the facts of the page, each once and at most so many."""
    things = _resolved([*head.things, *microdata])
    rows = dict.fromkeys(row for row in _told(things) if row.value)
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


def _resolved(things: list[_Thing]) -> list[_Thing]:
    """Put things into the places that only name them by their ids."""
    whole = {
        name: thing
        for thing in reversed(things)
        if len(thing) > 1 and isinstance(name := thing.get("@id"), str)
    }
    for thing in things if whole else ():
        for name in _REFERRING:
            if name in thing:
                thing[name] = [_referred(one, whole) for one in _listed(thing[name])]
    return [thing for thing in things if len(thing) > 1 or "@id" not in thing]


def _referred(value: object, whole: dict[str, _Thing]) -> object:
    if isinstance(value, dict) and len(value) == 1 and isinstance(name := value.get("@id"), str):
        return whole.get(name, value)
    return value


def _told(things: list[_Thing]) -> Iterator[PageFact]:
    """Yield the rows of each thing; those of a list, and more of one sort, have a line each.

    Offers and variants are told of with what they belong to, and what is beside it is not.
    """
    known = [(of, thing) for thing in things if (of := _type_of(thing)) in _THINGS]
    inner = {id(part) for thing in things for part in _parts(thing)} if known else set()
    listed = {id(item) for thing in things for item in _items(thing)} if known else set()
    seen: set[str] = set()
    lines = 0
    for of, thing in known:
        if id(thing) in inner:
            continue
        if id(thing) not in listed and of not in seen:
            seen.add(of)
            yield from _rows(thing)
        elif lines < _MOST_LINES:
            lines += 1
            yield PageFact(of=of, name="item", value=_line(thing, _ITEM_MARKS))


def _parts(thing: _Thing) -> Iterator[_Thing]:
    for name in _PARTS.intersection(thing):
        yield from _dicts(thing[name])
    # One that has offers itself is where they are told of.
    yield from (item for item in _dicts(thing.get("itemOffered")) if "offers" not in item)


def _items(thing: _Thing) -> Iterator[object]:
    """Yield what a list lists, bare or each in an element of the list."""
    if _type_of(thing) in _LISTS:
        for element in _listed(thing.get("itemListElement")):
            yield element
            if isinstance(element, dict):
                yield from _listed(element.get("item"))


def _type_of(thing: _Thing) -> str:
    kind = thing.get("@type")
    names = [name.rsplit("/", 1)[-1] for name in _listed(kind) if isinstance(name, str)]
    return next((name for name in names if name in _THINGS), names[0] if names else "")


def _rows(thing: _Thing) -> Iterator[PageFact]:
    of = _type_of(thing)
    for name, value in thing.items():
        if (rows := _ROWS.get(name)) is not None:
            yield from rows(of, value)
        elif name not in _LEFT_OUT:
            for text in _texts(value):
                yield PageFact(of=of, name=name, value=text)


def _property_rows(of: str, value: object) -> Iterator[PageFact]:
    """Yield a property that the vocabulary has no name for under the name that the page gives."""
    for one in _dicts(value)[:_MOST_VALUES]:
        name = next(iter(_texts(one.get("name"))), "")
        for text in _texts({**one, "name": None}):
            yield PageFact(of=of, name=name or "property", value=text)


def _offer_rows(of: str, value: object) -> Iterator[PageFact]:
    offers = _dicts(value)
    if len(offers) == 1:
        for name, text in _terms(offers[0]):
            yield PageFact(of=of, name=name, value=text)
        offers = _dicts(offers[0].get("offers"))
    for offer in offers[:_MOST_VALUES]:
        yield PageFact(of=of, name="offer", value=_line(offer, _MARKS))


def _variant_rows(of: str, value: object) -> Iterator[PageFact]:
    for variant in _dicts(value)[:_MOST_VALUES]:
        yield PageFact(of=of, name="variant", value=_line(variant, _MARKS))


_ROWS: Final = {
    "additionalProperty": _property_rows,
    "offers": _offer_rows,
    **dict.fromkeys(_VARIANTS, _variant_rows),
}


def _line(thing: _Thing, names: tuple[str, ...]) -> str:
    """Return a thing on one line: what marks it, its price, whether it is there."""
    item = thing.get("itemOffered")
    marked = item if isinstance(item, dict) else thing
    marks = [text for name in names for text in _texts(marked.get(name))]
    offers = _dicts(thing.get("offers"))
    terms = [text for offer in (offers or [thing])[:1] for _, text in _terms(offer)]
    return one_line(", ".join(dict.fromkeys([*marks, *terms])), _LONGEST)


def _terms(offer: _Thing) -> Iterator[tuple[str, str]]:
    specified = _specifications(offer)
    paid = next((one for one in specified if not _is_struck_out(one)), {})
    low, high = _text(offer, "lowPrice"), _text(offer, "highPrice")
    amount = (
        _text(offer, "price")
        or _text(paid, "price")
        or " to ".join(dict.fromkeys(end for end in (low, high) if end))
    )
    if amount:
        yield "price", f"{amount} {_currency(offer, paid)}".strip()
    for one in specified:
        if _is_struck_out(one) and (before := _text(one, "price")):
            yield "list price", f"{before} {_currency(offer, one)}".strip()
    for name in ("availability", "itemCondition", "priceValidUntil", "offerCount"):
        for text in _texts(offer.get(name)):
            yield name, text


def _specifications(offer: _Thing) -> list[_Thing]:
    return _dicts(offer.get("priceSpecification"))


def _is_struck_out(specification: _Thing) -> bool:
    return not _STRUCK_OUT.isdisjoint(_texts(specification.get("priceType")))


def _currency(*places: _Thing) -> str:
    """Return the currency that an offer, what it specifies, or an offer inside it names."""
    inner = [one for place in places for one in _dicts(place.get("offers"))]
    named = (_text(place, "priceCurrency") for place in (*places, *inner))
    return next((name for name in named if name), "")


def _text(thing: _Thing, name: str) -> str:
    return next(iter(_texts(thing.get(name))), "")


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
        return _described(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = one_line(html.unescape(str(value)), _LONGEST)
    return (
        [text.removeprefix("https://schema.org/").removeprefix("http://schema.org/")]
        if text
        else []
    )


def _described(thing: _Thing) -> list[str]:
    if rating := _text(thing, "ratingValue"):
        best, count = _text(thing, "bestRating"), _text(thing, "reviewCount")
        counted = count or _text(thing, "ratingCount")
        scale = f" of {best}" if best else ""
        return [f"{rating}{scale} ({counted})" if counted else f"{rating}{scale}"]
    code = _text(thing, "unitCode")
    unit = _text(thing, "unitText") or _text(thing, "currency") or _UNITS.get(code, "")
    named = thing.get("name") or thing.get("value")
    plain = thing.get("streetAddress") if named is None else named
    return [f"{text} {unit}".strip() for text in _texts(plain)]


def _listed(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _dicts(value: object) -> list[_Thing]:
    """Return the objects in ``value``, also those in a list in a list."""
    flat = [one for some in _listed(value) for one in _listed(some)]
    return [one for one in flat if isinstance(one, dict)]


def _graph(metas: dict[str, str]) -> Iterator[PageFact]:
    for prefix in _GRAPHS:
        if amount := one_line(metas.get(f"{prefix}:amount", ""), _LONGEST):
            currency = one_line(metas.get(f"{prefix}:currency", ""), _LONGEST)
            yield PageFact(of="Product", name="price", value=f"{amount} {currency}".strip())
            break
    for name, fact in _OPEN_GRAPH.items():
        if text := one_line(metas.get(name, ""), _LONGEST):
            yield PageFact(of="Product", name=fact, value=text)
