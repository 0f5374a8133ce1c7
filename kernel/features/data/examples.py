"""What single pages teach: which values they prove and where, and which rules read them again."""

from collections.abc import Iterable
from typing import Final

import msgspec

from webseam.ports.data import DataField, DataPage, DataSchema, PageValues, PlainValue
from webseam.ports.data_rules import FieldRule, PageExample, SiteRules

from .page_index import PageIndex
from .places import describe_list, describe_place, read_rule
from .plain_values import is_same_value
from .proving import prove
from .rules import draft_rules

_MIN_ITEMS: Final = 2


def observe_page(page: DataPage, schema: DataSchema) -> PageExample:
    """Return what a page teaches: the values that it proves without rules, and their places."""
    index = PageIndex(page)
    values = prove(page, schema)
    rules: dict[str, FieldRule] = {}
    proved: dict[str, PlainValue] = {}
    for field in schema.fields:
        rule = _observe_field(index, field, values)
        if rule is not None:
            rules[field.name] = rule
            proved[field.name] = values.proved[field.name].value
    return PageExample(values=proved, rules=rules)


def _observe_field(index: PageIndex, field: DataField, values: PageValues) -> FieldRule | None:
    proved = values.proved.get(field.name)
    if proved is None or not proved.basis.quotes or field.kind == "moment":
        return None
    quotes = proved.basis.quotes
    if len(quotes) >= _MIN_ITEMS:
        is_names = field.role in {"name", "brand"}
        return None if is_names else FieldRule(items=describe_list(index, quotes))
    currency = ""
    if field.kind == "money" and isinstance(proved.value, str):
        currency = proved.value.rpartition(" ")[2]
    return FieldRule(places=(describe_place(index, quotes[0]),), currency=currency)


def keep_reproduced(rules: SiteRules, page: DataPage, example: PageExample) -> SiteRules:
    """Return the rules without those that do not read the proved value of one of their pages."""
    index = PageIndex(page)
    kept = dict(rules.fields)
    for field in rules.schema.fields:
        value = example.values.get(field.name)
        if value is not None and field.name in kept:
            found = read_rule(index, field, kept[field.name])
            if found is None or not is_same_value(field, found, value):
                del kept[field.name]
    return msgspec.structs.replace(rules, fields=kept)


def learn_rules(site: str, schema: DataSchema, pages: Iterable[DataPage]) -> SiteRules:
    """Return the rules of a site that its pages teach and reproduce."""
    examples = [(page, observe_page(page, schema)) for page in pages]
    rules = draft_rules(site, schema, [example for _, example in examples])
    for page, example in examples:
        rules = keep_reproduced(rules, page, example)
    return rules
