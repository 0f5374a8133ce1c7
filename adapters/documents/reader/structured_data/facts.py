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
from ....pages.safe_text import one_line
from ..metadata import PageHead

Thing: TypeAlias = dict[str, object]
# Units as UN/CEFACT names them, https://schema.org/unitCode
_UNITS: Final = {
    "KGM": "kg", "GRM": "g", "LBR": "lb", "ONZ": "oz", "MTR": "m", "CMT": "cm", "MMT": "mm",
    "INH": "in", "FOT": "ft", "LTR": "l", "MLT": "ml", "WTT": "W", "VLT": "V",
}  # fmt: skip
_ADDRESS: Final = (
    "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry",
)  # fmt: skip
_VALUES_MAX_VALUES: Final = 20
_VALUES_MAX_VALUE_CHARS: Final = 200
_MAX_VALUE_DEPTH: Final = 6


def first_text(thing: Thing, name: str) -> str:
    """Return the first plain value of a property; blank where there is none."""
    return next(iter(value_texts(thing.get(name))), "")


def value_texts(value: object, depth: int = 0) -> list[str]:
    """Return the plain values in ``value``; of an object what says the most of it."""
    if isinstance(value, list):
        return [
            told
            for one in value[:_VALUES_MAX_VALUES]
            for told in value_texts(one, depth)
            if not isinstance(one, list)
        ]
    if isinstance(value, dict):
        return _described(value, depth + 1) if depth < _MAX_VALUE_DEPTH else []
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    told = one_line(html.unescape(str(value)), _VALUES_MAX_VALUE_CHARS)
    bare = told.removeprefix("https://schema.org/").removeprefix("http://schema.org/")
    return [bare] if told else []


def as_list(value: object) -> list[object]:
    """Return a list as it is, and a single value as a list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def value_objects(value: object) -> list[Thing]:
    """Return the objects in ``value``, also those in a list in a list."""
    flat = [one for some in as_list(value) for one in as_list(some)]
    return [one for one in flat if isinstance(one, dict)]


def _described(thing: Thing, depth: int) -> list[str]:
    for describe in (_rating, _place, _hours, _steps, _nutrition):
        if told := describe(thing, depth):
            return told
    return _measure(thing, depth)


def _rating(thing: Thing, _depth: int) -> list[str]:
    rating = first_text(thing, "ratingValue")
    if not rating:
        return []
    best, count = first_text(thing, "bestRating"), first_text(thing, "reviewCount")
    counted = count or first_text(thing, "ratingCount")
    scale = f" of {best}" if best else ""
    return [f"{rating}{scale} ({counted})" if counted else f"{rating}{scale}"]


def _place(thing: Thing, depth: int) -> list[str]:
    """Return an address on one line, after the name of what stands there."""
    where = thing.get("address")
    if isinstance(where, dict | str) and (thing.get("@type") == "Place" or "name" not in thing):
        return [
            ", ".join(
                dict.fromkeys([*value_texts(thing.get("name"), depth), *value_texts(where, depth)])
            )
        ]
    if "latitude" in thing and "longitude" in thing:
        return [f"{first_text(thing, 'latitude')}, {first_text(thing, 'longitude')}"]
    parts = [part for name in _ADDRESS for part in value_texts(thing.get(name), depth)]
    return [", ".join(parts)] if parts else []


def _hours(thing: Thing, _depth: int) -> list[str]:
    opens, closes = first_text(thing, "opens"), first_text(thing, "closes")
    days = ", ".join(value_texts(thing.get("dayOfWeek")))
    return [f"{days} {opens} to {closes}".strip()] if opens and closes else []


def _steps(thing: Thing, depth: int) -> list[str]:
    """Return what to do: of a part its name and the steps in it."""
    if thing.get("@type") not in {"HowToSection", "HowToStep", "HowToDirection", "HowToTip"}:
        return []
    said = value_texts(thing.get("text"), depth)
    return said or [
        *value_texts(thing.get("name"), depth),
        *value_texts(thing.get("itemListElement"), depth),
    ]


def _nutrition(thing: Thing, _depth: int) -> list[str]:
    if thing.get("@type") != "NutritionInformation":
        return []
    return [
        f"{name.removesuffix('Content')} {told}"
        for name, value in thing.items()
        if not name.startswith("@")
        for told in value_texts(value)[:1]
    ]


def _measure(thing: Thing, depth: int) -> list[str]:
    """Return a value with its unit, or what a thing is called."""
    unit = first_text(thing, "unitText") or _UNITS.get(first_text(thing, "unitCode"), "")
    currency = first_text(thing, "currency")
    # What is paid may itself be a measure: so much an hour.
    inner = thing.get("value")
    if currency and isinstance(inner, dict):
        time = first_text(inner, "unitText")
        return [
            f"{amount} {currency} per {time.lower()}" if time else f"{amount} {currency}"
            for amount in _amounts(inner, depth)
        ]
    amounts = _amounts(thing, depth) if unit or currency else []
    named = thing.get("name") or thing.get("value")
    if thing.get("@type") == "PropertyValue":
        named = thing.get("value") or thing.get("name")
    return [f"{told} {unit or currency}".strip() for told in amounts or value_texts(named, depth)]


def _amounts(thing: Thing, depth: int) -> list[str]:
    least, most = first_text(thing, "minValue"), first_text(thing, "maxValue")
    ends = list(dict.fromkeys(end for end in (least, most) if end))
    return [" to ".join(ends)] if ends else value_texts(thing.get("value"), depth)


# What a page says in data about the things on it: products, offers, events, recipes, jobs.

_THINGS: Final = frozenset(
    {
        "Apartment", "AutoRepair", "Bakery", "BarOrPub", "BedAndBreakfast", "Book",
        "CafeOrCoffeeShop", "Car", "Course", "Dentist", "FastFoodRestaurant", "Festival",
        "Flight", "Hostel", "Hotel", "House", "IndividualProduct", "JobPosting",
        "LocalBusiness", "LodgingBusiness", "MedicalBusiness", "MedicalClinic",
        "MobileApplication", "Motel", "Movie", "MusicAlbum", "Offer", "Pharmacy", "Physician",
        "Product", "ProductGroup", "ProductModel", "ProfessionalService", "RealEstateAgent",
        "RealEstateListing", "Recipe", "Restaurant", "SoftwareApplication", "Store", "TVSeries",
        "TouristAttraction", "TravelAgency", "VacationRental", "Vehicle", "VideoGame",
        "WebApplication",
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
# Who sells or publishes it is told of, if at all, by name.
_WHO: Final = ("hiringOrganization", "organizer", "provider", "publisher", "seller")
_PARTS: Final = frozenset({"offers", "isVariantOf", *_VARIANTS, *_OTHERS, *_WHO})
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
# What is paid comes first.
_GRAPHS: Final = ("product:sale_price", "product:price", "og:price", "product:original_price")
# Prices that nobody pays.
_STRUCK_OUT: Final = frozenset({"ListPrice", "MSRP", "SRP", "StrikethroughPrice"})
_MAX_FACTS: Final = 120
_MAX_FACT_BYTES: Final = 12_000
_AROUND: Final = 32
_MAX_TEXT_LINES: Final = 30
_MAX_VALUES: Final = 20
_MAX_VALUE_CHARS: Final = 200


def read_facts(head: PageHead, microdata: Iterable[Thing]) -> tuple[PageFact, ...]:
    """Return the facts of the page, each once and at most so many."""
    things = _resolved([*head.things, *microdata])
    rows = dict.fromkeys(row for row in _told(things) if row.value)
    graph = (row for row in _graph(head.metas) if row.value) if not rows else ()
    return tuple(_bounded(rows or graph))


def _bounded(rows: Iterable[PageFact]) -> Iterator[PageFact]:
    """Yield rows as far as a page's metadata has room for them."""
    left = _MAX_FACT_BYTES
    for row in islice(rows, _MAX_FACTS):
        # Names are the page's own words, too.
        fact = PageFact(of=one_line(row.of), name=one_line(row.name), value=row.value)
        left -= len(f"{fact.of}{fact.name}{fact.value}".encode()) + _AROUND
        if left < 0:
            return
        yield fact


def _resolved(things: list[Thing]) -> list[Thing]:
    """Put things into the places that only name them by their ids."""
    whole = {
        name: thing
        for thing in reversed(things)
        if len(thing) > 1 and isinstance(name := thing.get("@id"), str)
    }
    for thing in things if whole else ():
        for name in _REFERRING:
            if name in thing:
                thing[name] = [_referred(one, whole) for one in as_list(thing[name])]
    return [thing for thing in things if len(thing) > 1 or "@id" not in thing]


def _referred(value: object, whole: dict[str, Thing]) -> object:
    if isinstance(value, dict) and len(value) == 1 and isinstance(name := value.get("@id"), str):
        return whole.get(name, value)
    return value


def _told(things: list[Thing]) -> Iterator[PageFact]:
    """Yield the rows of each thing; those of a list, and more of one sort, have a line each.

    Offers and variants are told of with what they belong to, and what is beside it is not.
    """
    known = [(of, thing) for thing in things if _is_told(of := _type_of(thing))]
    inner = {id(part) for thing in things for part in _parts(thing)} if known else set()
    in_lists = {id(item) for thing in things for item in _items(thing)} if known else set()
    seen: set[str] = set()
    lines = 0
    for of, thing in known:
        if id(thing) in inner:
            continue
        if id(thing) not in in_lists and of not in seen:
            seen.add(of)
            yield from _rows(thing)
        elif lines < _MAX_TEXT_LINES:
            lines += 1
            yield PageFact(of=of, name="item", value=_line(thing, _ITEM_MARKS))


def _parts(thing: Thing) -> Iterator[Thing]:
    for name in _PARTS.intersection(thing):
        yield from value_objects(thing[name])
    # One that has offers itself is where they are told of.
    yield from (item for item in value_objects(thing.get("itemOffered")) if "offers" not in item)


def _items(thing: Thing) -> Iterator[object]:
    """Yield what a list lists, bare or each in an element of the list."""
    if _type_of(thing) in _LISTS:
        for element in as_list(thing.get("itemListElement")):
            yield element
            if isinstance(element, dict):
                yield from as_list(element.get("item"))


def _is_told(kind: str) -> bool:
    return kind in _THINGS or kind.endswith("Event")


def _type_of(thing: Thing) -> str:
    kind = thing.get("@type")
    names = [name.rsplit("/", 1)[-1] for name in as_list(kind) if isinstance(name, str)]
    return next((name for name in names if _is_told(name)), names[0] if names else "")


def _rows(thing: Thing) -> Iterator[PageFact]:
    of = _type_of(thing)
    for name, value in thing.items():
        if (rows := _ROWS.get(name)) is not None:
            yield from rows(of, value)
        elif name not in _LEFT_OUT:
            for told in value_texts(value):
                yield PageFact(of=of, name=name, value=told)


def _property_rows(of: str, value: object) -> Iterator[PageFact]:
    """Yield a property that the vocabulary has no name for under the name that the page gives."""
    for one in value_objects(value)[:_MAX_VALUES]:
        name = next(iter(value_texts(one.get("name"))), "")
        for told in value_texts({**one, "name": None}):
            yield PageFact(of=of, name=name or "property", value=told)


def _offer_rows(of: str, value: object) -> Iterator[PageFact]:
    offers = value_objects(value)
    if len(offers) == 1:
        for name, text in _terms(offers[0]):
            yield PageFact(of=of, name=name, value=text)
        # Those of a range are in its currency.
        common = {"priceCurrency": _currency(offers[0])}
        offers = [{**common, **offer} for offer in value_objects(offers[0].get("offers"))]
    for offer in offers[:_MAX_VALUES]:
        yield PageFact(of=of, name="offer", value=_line(offer, _MARKS))


def _variant_rows(of: str, value: object) -> Iterator[PageFact]:
    for variant in value_objects(value)[:_MAX_VALUES]:
        yield PageFact(of=of, name="variant", value=_line(variant, _MARKS))


_ROWS: Final = {
    "additionalProperty": _property_rows,
    "offers": _offer_rows,
    **dict.fromkeys(_VARIANTS, _variant_rows),
}


def _line(thing: Thing, names: tuple[str, ...]) -> str:
    """Return a thing on one line: what marks it, its price, whether it is there."""
    item = thing.get("itemOffered")
    marked = item if isinstance(item, dict) else thing
    marks = [text for name in names for text in value_texts(marked.get(name))]
    offers = value_objects(thing.get("offers"))
    terms = [text for offer in (offers or [thing])[:1] for _, text in _terms(offer)]
    return one_line(", ".join(dict.fromkeys([*marks, *terms])), _MAX_VALUE_CHARS)


def _terms(offer: Thing) -> Iterator[tuple[str, str]]:
    specified = _specifications(offer)
    paid = next((one for one in specified if not _is_struck_out(one)), {})
    low, high = first_text(offer, "lowPrice"), first_text(offer, "highPrice")
    amount = (
        first_text(offer, "price")
        or first_text(paid, "price")
        or " to ".join(dict.fromkeys(end for end in (low, high) if end))
    )
    if amount:
        yield "price", f"{amount} {_currency(offer, paid)}".strip()
    for one in specified:
        if _is_struck_out(one) and (before := first_text(one, "price")):
            yield "list price", f"{before} {_currency(offer, one)}".strip()
    for name in ("availability", "itemCondition", "priceValidUntil", "offerCount"):
        for text in value_texts(offer.get(name)):
            yield name, text


def _specifications(offer: Thing) -> list[Thing]:
    return value_objects(offer.get("priceSpecification"))


def _is_struck_out(specification: Thing) -> bool:
    return not _STRUCK_OUT.isdisjoint(value_texts(specification.get("priceType")))


def _currency(*places: Thing) -> str:
    """Return the currency that an offer, what it specifies, or an offer inside it names."""
    inner = [one for place in places for one in value_objects(place.get("offers"))]
    named = (first_text(place, "priceCurrency") for place in (*places, *inner))
    return next((name for name in named if name), "")


def _graph(metas: dict[str, str]) -> Iterator[PageFact]:
    prices = [price for prefix in _GRAPHS if (price := _price(metas, prefix))]
    if prices and metas.get("og:type", "").startswith("product"):
        yield PageFact(of="Product", name="name", value=one_line(metas.get("og:title", "")))
    for place, price in enumerate(dict.fromkeys(prices)):
        yield PageFact(of="Product", name="list price" if place else "price", value=price)
    for name, fact in _OPEN_GRAPH.items():
        yield PageFact(
            of="Product", name=fact, value=one_line(metas.get(name, ""), _MAX_VALUE_CHARS)
        )


def _price(metas: dict[str, str], prefix: str) -> str:
    amount = one_line(metas.get(f"{prefix}:amount", ""), _MAX_VALUE_CHARS)
    currency = one_line(metas.get(f"{prefix}:currency", ""), _MAX_VALUE_CHARS)
    return f"{amount} {currency}".strip() if amount else ""
