"""Define the rules that are learned for a site: where a value stands in its template."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from .data import DataSchema, PlainValue, Said

# The tags and classes of an element and of those around it, the smallest first.
BoxPath: TypeAlias = tuple[str, ...]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where one value stands: its element, and the words around the value.

    ``before`` and ``after`` are the nearest words in the line; ``above`` and ``below`` the short
    lines beside it, for a value that has its line for itself.
    """

    path: BoxPath
    before: str = ""
    after: str = ""
    above: str = ""
    below: str = ""


class LineBeside(msgspec.Struct, frozen=True, kw_only=True):
    """The line at one end of a list: its element and its words; the words are blank if long."""

    path: BoxPath = ()
    words: str = ""


class ListPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where the items of a list stand, and which lines stand at its two ends."""

    paths: tuple[BoxPath, ...]
    above: tuple[LineBeside, ...]
    below: tuple[LineBeside, ...]


class FieldRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where a field stands: the places of one value, or of a list. ``currency`` is of money."""

    places: tuple[Place, ...] = ()
    items: ListPlace | None = None
    currency: str = ""


class SiteRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one site for one type, by the names of its fields.

    ``pages`` are the addresses that they were learned from, ``learned`` is the day.
    """

    site: str
    schema: DataSchema
    fields: Mapping[str, FieldRule]
    pages: tuple[str, ...] = ()
    learned: str = ""


class PageExample(msgspec.Struct, frozen=True, kw_only=True):
    """What one page teaches: its proved values, and where each of them stands."""

    values: Mapping[str, PlainValue]
    rules: Mapping[str, FieldRule]


class ProofTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be proved of a page: the fields, and what rules and a model say of them."""

    schema: DataSchema
    rules: SiteRules | None = None
    said: Said = {}


class ObserveTask(msgspec.Struct, frozen=True, kw_only=True, tag="observe"):
    """Find what a page proves of a schema, and where; the answer is a ``PageExample``."""

    schema: DataSchema


class ReproduceTask(msgspec.Struct, frozen=True, kw_only=True, tag="reproduce"):
    """Try rules on a page of their own; the answer is those that read its proved values."""

    rules: SiteRules
    example: PageExample
