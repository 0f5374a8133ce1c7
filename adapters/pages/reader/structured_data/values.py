"""What the values of linked data say, as plain texts: measures, places, hours, wages, steps.

The vocabulary is that of https://schema.org (read 2026-11-15).
"""

import html
from typing import Final, TypeAlias

from ...safe_text import one_line

Thing: TypeAlias = dict[str, object]

# Units as UN/CEFACT names them, https://schema.org/unitCode
_UNITS: Final = {
    "KGM": "kg", "GRM": "g", "LBR": "lb", "ONZ": "oz", "MTR": "m", "CMT": "cm", "MMT": "mm",
    "INH": "in", "FOT": "ft", "LTR": "l", "MLT": "ml", "WTT": "W", "VLT": "V",
}  # fmt: skip
_ADDRESS: Final = (
    "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry",
)  # fmt: skip
_MAX_VALUES: Final = 20
_MAX_VALUE_CHARS: Final = 200
_MAX_VALUE_DEPTH: Final = 6


def first_text(thing: Thing, name: str) -> str:
    """Return the first plain value of a property; blank where there is none."""
    return next(iter(value_texts(thing.get(name))), "")


def value_texts(value: object, depth: int = 0) -> list[str]:
    """Return the plain values in ``value``; of an object what says the most of it."""
    if isinstance(value, list):
        return [
            told
            for one in value[:_MAX_VALUES]
            for told in value_texts(one, depth)
            if not isinstance(one, list)
        ]
    if isinstance(value, dict):
        return _described(value, depth + 1) if depth < _MAX_VALUE_DEPTH else []
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return []
    told = one_line(html.unescape(str(value)), _MAX_VALUE_CHARS)
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
