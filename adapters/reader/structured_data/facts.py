"""Read facts from a page's data: on products, offers, events, recipes, jobs.

They come from JSON-LD, microdata and the Open Graph, as rows: type of thing, property, value. They
are not verified. The vocabulary is that of https://schema.org (read 2026-11-15).
"""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import Final, TypeAlias

import msgspec

from webseam.ports.pages import PageFact

from ...pages.safe_text import one_line
from ..metadata import PageHead

Thing: TypeAlias = dict[str, object]
# What a thing with a name is told by as well; what needs no label in its text.
_DESCRIBING_FIELDS: Final = frozenset({"address", "value"})
_UNLABELLED_FIELDS: Final = (
    "name", "value", "unitText", "unitCode", "address", "streetAddress", "postalCode",
    "addressLocality", "addressRegion", "addressCountry",
)  # fmt: skip
_MAX_LIST_VALUES: Final = 20
_MAX_TEXT_CHARS: Final = 200
_MAX_VALUE_DEPTH: Final = 6


def thing_text(thing: Thing, name: str) -> str:
    """Return the first plain value of a property; blank where there is none."""
    return next(iter(fact_texts(thing.get(name))), "")


def fact_texts(value: object, depth: int = 0) -> list[str]:
    """Return the plain values in ``value``; an object is described in one text."""
    if isinstance(value, list):
        return [
            text
            for entry in value[:_MAX_LIST_VALUES]
            for text in fact_texts(entry, depth)
            if not isinstance(entry, list)
        ]
    if isinstance(value, dict):
        return _describe_thing(value, depth + 1) if depth < _MAX_VALUE_DEPTH else []
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    text = one_line(html.unescape(str(value)), _MAX_TEXT_CHARS)
    name = text.removeprefix("https://schema.org/").removeprefix("http://schema.org/")
    return [name] if text else []


def thing_list(value: object) -> list[object]:
    """Return a list as it is, and a single value as a list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def fact_things(value: object) -> list[Thing]:
    """Return the objects in ``value``, also those in nested lists."""
    flat = [entry for group in thing_list(value) for entry in thing_list(group)]
    return [entry for entry in flat if isinstance(entry, dict)]


def _describe_thing(thing: Thing, depth: int) -> list[str]:
    """Return the text, the items or the name of a thing, or else its values in one text."""
    if "text" in thing:
        return fact_texts(thing["text"], depth)
    if "itemListElement" in thing or ("name" in thing and _DESCRIBING_FIELDS.isdisjoint(thing)):
        return fact_texts([thing.get("name"), *thing_list(thing.get("itemListElement"))], depth)
    told = {
        name: texts
        for name in dict.fromkeys((*_UNLABELLED_FIELDS, *thing))
        if name not in _UNDESCRIBED_FIELDS and (texts := fact_texts(thing.get(name), depth))
    }
    if len(told) <= 1:
        return [text for texts in told.values() for text in texts]
    parts = (
        ", ".join(texts if name in _UNLABELLED_FIELDS else [f"{name} {texts[0]}", *texts[1:]])
        for name, texts in told.items()
    )
    return [one_line(", ".join(parts), _MAX_TEXT_CHARS)]


_FACT_TYPE_NAMES: Final = """
Apartment AutoRepair Bakery BarOrPub BedAndBreakfast Book CafeOrCoffeeShop Car Course Dentist
FastFoodRestaurant Festival Flight Hostel Hotel House IndividualProduct JobPosting LocalBusiness
LodgingBusiness MedicalBusiness MedicalClinic MobileApplication Motel Movie MusicAlbum Offer
Pharmacy Physician Product ProductGroup ProductModel ProfessionalService RealEstateAgent
RealEstateListing Recipe Restaurant SoftwareApplication Store TVSeries TouristAttraction
TravelAgency VacationRental Vehicle VideoGame WebApplication
"""
_FACT_TYPES: Final = frozenset(_FACT_TYPE_NAMES.split())
_VARIANT_FIELDS: Final = ("hasVariant", "model")
# Properties that may name a thing by its id alone. A description leaves them out: many may name
# one thing, which names others in turn.
_REFERENCE_FIELDS: Final = (
    "aggregateRating", "brand", "item", "itemOffered", "manufacturer", "offers",
    "priceSpecification", *_VARIANT_FIELDS,
)  # fmt: skip
_LIST_TYPES: Final = frozenset({"CollectionPage", "ItemList", "OfferCatalog", "SearchResultsPage"})
# Properties for things other than the page's subject.
_RELATED_FIELDS: Final = (
    "isAccessoryOrSparePartFor", "isConsumableFor", "isRelatedTo", "isSimilarTo",
)  # fmt: skip
# Sellers and publishers appear only by name.
_ORGANISATION_FIELDS: Final = ("hiringOrganization", "organizer", "provider", "publisher", "seller")
_PART_FIELDS: Final = frozenset(
    {"offers", "isVariantOf", *_VARIANT_FIELDS, *_RELATED_FIELDS, *_ORGANISATION_FIELDS}
)
_MARK_FIELDS: Final = ("color", "size", "material", "pattern", "name", "sku")
_ITEM_MARK_FIELDS: Final = ("name", "brand", "startDate", "hiringOrganization", *_MARK_FIELDS[:3])
_LEFT_OUT_FIELDS: Final = frozenset(
    {
        "@context", "@id", "@type", "description", "image", "logo", "mainEntityOfPage",
        "potentialAction", "review", "reviews", "sameAs", "url", "video", *_RELATED_FIELDS,
    }
)  # fmt: skip
_UNDESCRIBED_FIELDS: Final = _LEFT_OUT_FIELDS.union(_REFERENCE_FIELDS)
_OPEN_GRAPH_PATTERN: Final = re.compile(r"(?:product:|og:(?=price|availability))(.+)")
# Types of crossed-out prices.
_LIST_PRICE_TYPES: Final = frozenset({"ListPrice", "MSRP", "SRP", "StrikethroughPrice"})
_MAX_FACTS: Final = 120
_MAX_FACT_BYTES: Final = 12_000
_FACT_OVERHEAD_BYTES: Final = 32
_MAX_THING_LINES: Final = 30
_MAX_ENTRIES: Final = 20
_MAX_VALUE_CHARS: Final = 200


class ReadFacts(msgspec.Struct, frozen=True):
    """The facts of a page, and the names of the caps that they met."""

    facts: tuple[PageFact, ...]
    cuts: tuple[str, ...]


def read_facts(head: PageHead, microdata: Iterable[Thing]) -> ReadFacts:
    """Return the facts of the page, each once, within the limits of count and bytes."""
    cuts: set[str] = set()
    things = _resolve_thing_references([*head.things, *microdata])
    rows = dict.fromkeys(row for row in _thing_facts(things, cuts) if row.value)
    graph = [] if rows else [row for row in _open_graph_facts(head.metas) if row.value]
    # Names come from the page too, so clean them.
    facts = [
        PageFact(of=one_line(row.of), name=one_line(row.name), value=row.value)
        for row in islice(rows or graph, _MAX_FACTS)
    ]
    texts = (f"{fact.of}{fact.name}{fact.value}" for fact in facts)
    sizes = accumulate(len(text.encode()) + _FACT_OVERHEAD_BYTES for text in texts)
    listed = tuple(facts[: sum(size <= _MAX_FACT_BYTES for size in sizes)])
    if len(listed) < len(rows or graph):
        cuts.add("facts")
    if listed and (_has_long_list(things) or any(map(_is_shortened, listed))):
        cuts.add("fact_values")
    return ReadFacts(listed, tuple(sorted(cuts)))


def _is_shortened(fact: PageFact) -> bool:
    """Tell whether a value is as long as values may be, and ends with the sign of a cut."""
    return fact.value.endswith("…") and len(fact.value) > _MAX_TEXT_CHARS // 2


def _has_long_list(things: list[Thing]) -> bool:
    """Tell whether a thing of which facts are told has more values than are read."""
    return any(
        isinstance(value, list) and len(value) > _MAX_LIST_VALUES and name not in _LEFT_OUT_FIELDS
        for thing in things
        if _is_fact_type(_thing_type(thing))
        for name, value in thing.items()
    )


def _resolve_thing_references(things: list[Thing]) -> list[Thing]:
    """Replace references by id with the things; return the things that are not references."""
    things_by_id = {
        name: thing
        for thing in reversed(things)
        if len(thing) > 1 and isinstance(name := thing.get("@id"), str)
    }
    for thing in things if things_by_id else ():
        for name in _REFERENCE_FIELDS:
            if name in thing:
                entries = thing_list(thing[name])
                thing[name] = [things_by_id.get(_thing_reference(part), part) for part in entries]
    return [thing for thing in things if len(thing) > 1 or "@id" not in thing]


def _thing_reference(value: object) -> str:
    """Return the id that a value consists of; blank where it has more or none."""
    name = value.get("@id") if isinstance(value, dict) and len(value) == 1 else ""
    return name if isinstance(name, str) else ""


def _thing_facts(things: list[Thing], cuts: set[str]) -> Iterator[PageFact]:
    """Yield the rows of each thing; items of a list and further things of a type get one line.

    Offers and variants appear with their product; related products do not appear. ``cuts`` gets the
    name of the cap on such lines.
    """
    facts = [(of, thing) for thing in things if _is_fact_type(of := _thing_type(thing))]
    inner = {id(part) for thing in things for part in _thing_parts(thing)} if facts else set()
    in_lists = {id(item) for thing in things for item in _listed_things(thing)} if facts else set()
    types: set[str] = set()
    lines = 0
    for of, thing in facts:
        if id(thing) in inner:
            continue
        if id(thing) not in in_lists and of not in types:
            types.add(of)
            yield from _fact_rows(thing)
        elif lines < _MAX_THING_LINES:
            lines += 1
            yield PageFact(of=of, name="item", value=_thing_line(thing, _ITEM_MARK_FIELDS))
        else:
            cuts.add("facts")


def _thing_parts(thing: Thing) -> Iterator[Thing]:
    for name in _PART_FIELDS.intersection(thing):
        yield from fact_things(thing[name])
    # An item with offers of its own is described by itself.
    yield from (item for item in fact_things(thing.get("itemOffered")) if "offers" not in item)


def _listed_things(thing: Thing) -> list[Thing]:
    """Return the items of a list, bare or inside list elements."""
    is_list = _thing_type(thing) in _LIST_TYPES
    elements = fact_things(thing.get("itemListElement")) if is_list else []
    return [*elements, *(item for part in elements for item in fact_things(part.get("item")))]


def _is_fact_type(kind: str) -> bool:
    return kind in _FACT_TYPES or kind.endswith("Event")


def _thing_type(thing: Thing) -> str:
    kind = thing.get("@type")
    names = [name.rsplit("/", 1)[-1] for name in thing_list(kind) if isinstance(name, str)]
    return next((name for name in names if _is_fact_type(name)), names[0] if names else "")


def _fact_rows(thing: Thing) -> Iterator[PageFact]:
    of = _thing_type(thing)
    for name, value in thing.items():
        if (rows := _FACT_ROW_MAKERS.get(name)) is not None:
            yield from rows(of, value)
        elif name not in _LEFT_OUT_FIELDS:
            for text in fact_texts(value):
                yield PageFact(of=of, name=name, value=text)


def _property_facts(of: str, value: object) -> Iterator[PageFact]:
    """Yield properties outside the vocabulary, under the page's names."""
    for entry in fact_things(value)[:_MAX_ENTRIES]:
        name = next(iter(fact_texts(entry.get("name"))), "")
        for text in fact_texts({**entry, "name": None}):
            yield PageFact(of=of, name=name or "property", value=text)


def _offer_facts(of: str, value: object) -> Iterator[PageFact]:
    offers = fact_things(value)
    if len(offers) == 1:
        for name, text in _offer_terms(offers[0]):
            yield PageFact(of=of, name=name, value=text)
        # Offers inside a price range share its currency.
        common = {"priceCurrency": _offer_currency(offers[0])}
        offers = [{**common, **offer} for offer in fact_things(offers[0].get("offers"))]
    yield from _thing_line_facts(of, offers, "offer")


def _thing_line_facts(of: str, value: object, name: str = "variant") -> Iterator[PageFact]:
    for thing in fact_things(value)[:_MAX_ENTRIES]:
        yield PageFact(of=of, name=name, value=_thing_line(thing, _MARK_FIELDS))


_FACT_ROW_MAKERS: Final = {
    "additionalProperty": _property_facts,
    "offers": _offer_facts,
    **dict.fromkeys(_VARIANT_FIELDS, _thing_line_facts),
}


def _thing_line(thing: Thing, names: tuple[str, ...]) -> str:
    """Return a thing on one line: its distinguishing values, its price and availability."""
    item = thing.get("itemOffered")
    marked_thing = item if isinstance(item, dict) else thing
    marks = [text for name in names for text in fact_texts(marked_thing.get(name))]
    offers = fact_things(thing.get("offers"))
    terms = [text for offer in (offers or [thing])[:1] for _, text in _offer_terms(offer)]
    return one_line(", ".join(dict.fromkeys([*marks, *terms])), _MAX_VALUE_CHARS)


def _offer_terms(offer: Thing) -> Iterator[tuple[str, str]]:
    specified = fact_things(offer.get("priceSpecification"))
    paid = next((price for price in specified if not _is_list_price(price)), {})
    low, high = thing_text(offer, "lowPrice"), thing_text(offer, "highPrice")
    amount = (
        thing_text(offer, "price")
        or thing_text(paid, "price")
        or " to ".join(dict.fromkeys(end for end in (low, high) if end))
    )
    if amount:
        yield "price", f"{amount} {_offer_currency(offer, paid)}".strip()
    for price in specified:
        if _is_list_price(price) and (before := thing_text(price, "price")):
            yield "list price", f"{before} {_offer_currency(offer, price)}".strip()
    for name in ("availability", "itemCondition", "priceValidUntil", "offerCount"):
        for text in fact_texts(offer.get(name)):
            yield name, text


def _is_list_price(specification: Thing) -> bool:
    return not _LIST_PRICE_TYPES.isdisjoint(fact_texts(specification.get("priceType")))


def _offer_currency(*offers: Thing) -> str:
    """Return the first currency of an offer, its specification, or an inner offer."""
    inner = [inner_offer for offer in offers for inner_offer in fact_things(offer.get("offers"))]
    currencies = (thing_text(offer, "priceCurrency") for offer in (*offers, *inner))
    return next((name for name in currencies if name), "")


def _open_graph_facts(metas: dict[str, str]) -> Iterator[PageFact]:
    if metas.get("og:type", "").startswith("product"):
        yield PageFact(of="Product", name="name", value=one_line(metas.get("og:title", "")))
    for name, value in metas.items():
        if (match := _OPEN_GRAPH_PATTERN.fullmatch(name)) and not name.endswith(":currency"):
            currency = metas.get(f"{name.removesuffix(':amount')}:currency", "")
            text = one_line(f"{value} {currency}", _MAX_VALUE_CHARS)
            yield PageFact(of="Product", name=match[1].removesuffix(":amount"), value=text)
