"""Rules for the pages of a site, learned from values that other witnesses proved.

A rule is kept only if each of its own pages reproduces it. What one page cannot tell apart is not
learned: if prep and cook time both are 20 minutes, that page teaches neither, and a brand that
stands on all pages may be the shop's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

import msgspec

from webseam.ports.data import DataField, DataSchema, PlainValue
from webseam.ports.data_rules import FieldRule, LineBeside, ListPlace, PageExample, Place, SiteRules

from .plain_values import is_same_value

MAX_PAGES: Final = 20


def draft_rules(site: str, schema: DataSchema, examples: Sequence[PageExample]) -> SiteRules:
    """Return the rules that the examples of one site teach, before its pages reproduce them."""
    fields: dict[str, FieldRule] = {}
    for field in schema.fields:
        telling = [it for it in examples if field.name in it.rules]
        if any(_is_told_apart(schema, field, it) for it in telling):
            rule = _join_rules(field, telling)
            if rule is not None:
                fields[field.name] = rule
    return SiteRules(site=site, schema=schema, fields=fields)


def _is_told_apart(schema: DataSchema, field: DataField, example: PageExample) -> bool:
    """Tell whether no other field of the page has the value of this one."""
    others = (it for it in schema.fields if it.kind == field.kind and it.name != field.name)
    value = example.values[field.name]
    return not any(
        it.name in example.values and is_same_value(field, value, example.values[it.name])
        for it in others
    )


def _join_rules(field: DataField, examples: Sequence[PageExample]) -> FieldRule | None:
    rules = [example.rules[field.name] for example in examples]
    lists = [rule.items for rule in rules if rule.items is not None]
    if lists:
        return FieldRule(items=_join_lists(lists)) if len(lists) == len(rules) else None
    if len({rule.currency for rule in rules}) > 1:
        return None
    values: list[PlainValue] = []
    for example in examples:
        value = example.values[field.name]
        if not any(is_same_value(field, value, it) for it in values):
            values.append(value)
    places = _join_places([place for rule in rules for place in rule.places])
    kept = tuple(it for it in places if _means_field(field, it, len(values)))
    return FieldRule(places=kept, currency=rules[0].currency) if kept else None


def _join_places(places: Iterable[Place]) -> Iterator[Place]:
    """Yield each place once, with the lines beside it that all examples have there."""

    def key(place: Place) -> tuple[tuple[str, ...], str, str]:
        return place.path, place.before, place.after

    for _, group in groupby(sorted(places, key=key), key):
        first, *others = group
        above = first.above if all(it.above == first.above for it in others) else ""
        below = first.below if all(it.below == first.below for it in others) else ""
        yield msgspec.structs.replace(first, above=above, below=below)


def _means_field(field: DataField, place: Place, values: int) -> bool:
    """Tell whether something at a place says that its value is of this field.

    The heading of a page does by itself, and so does an amount beside its currency. Otherwise it
    is words beside the value, or two pages with two values.
    """
    if field.role == "heading" or values > 1:
        return True
    if field.role == "brand":
        return False
    has_words = bool(place.before or place.after or place.above or place.below)
    return has_words or field.role == "price" or field.kind == "money"


def _join_lists(lists: Sequence[ListPlace]) -> ListPlace:
    paths: Mapping[tuple[str, ...], None] = dict.fromkeys(p for it in lists for p in it.paths)
    above: Mapping[LineBeside, None] = dict.fromkeys(end for it in lists for end in it.above)
    below: Mapping[LineBeside, None] = dict.fromkeys(end for it in lists for end in it.below)
    return ListPlace(paths=tuple(paths), above=tuple(above), below=tuple(below))
