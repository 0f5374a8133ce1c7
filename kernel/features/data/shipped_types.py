"""The types that are shipped: what most pages of a kind say.

No field is required: a page that proves nothing but a price is still worth its price.
"""

from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Final, Literal

import msgspec

from webseam.ports.data import Money

from .fields import asks


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """A recipe."""

    title: str | None = None
    author: str | None = None
    ingredients: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    servings: int | None = None
    prep_time: timedelta | None = None
    cook_time: timedelta | None = None
    total_time: timedelta | None = None
    calories: Decimal | None = None
    rating: Decimal | None = None
    rating_count: int | None = None


class Product(msgspec.Struct, frozen=True, kw_only=True):
    """A product in a shop."""

    title: str | None = None
    brand: str | None = None
    price: Money | None = None
    sku: str | None = None
    gtin: str | None = None
    mpn: str | None = None
    availability: Literal["InStock", "OutOfStock", "PreOrder", "BackOrder", "SoldOut"] | None = None
    rating: Decimal | None = None
    rating_count: int | None = None


class Article(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of news, a post of a blog."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    published: date | None = None
    modified: date | None = None
    publisher: str | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A concert, a talk, a fair."""

    title: str | None = None
    starts: date | None = None
    ends: date | None = None
    venue: str | None = None
    organizer: str | None = None
    price: Money | None = None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A position that is open."""

    title: Annotated[str | None, asks("name title")] = None
    employer: str | None = None
    place: Annotated[str | None, asks("jobLocation.address.addressLocality")] = None
    posted: date | None = None
    expires: date | None = None
    salary: Decimal | None = None


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A table or a collection of them, as an office of statistics publishes it."""

    title: str | None = None
    publisher: Annotated[str | None, asks("publisher creator")] = None
    published: date | None = None
    modified: date | None = None
    licence: str | None = None


SHIPPED_TYPES: Final = MappingProxyType({
    "recipe": Recipe, "product": Product, "article": Article, "event": Event, "job": Job,
    "dataset": Dataset,
})  # fmt: skip
