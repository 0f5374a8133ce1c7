"""The keywords of JSON Schema, and the first in a schema that is none of them.

A checker passes over a keyword that it does not know. So a wrong spelling, such as ``minLenght``,
would let everything through; it is refused by its name.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

Schema: TypeAlias = Mapping[str, object]
# Keywords that say nothing about a value.
_NOTE_NAMES: Final = """
title description default examples $schema $id $comment
"""
NOTES: Final = frozenset(_NOTE_NAMES.split())
_CHECKED_NAMES: Final = """
type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
pattern format items prefixItems additionalItems unevaluatedItems maxItems minItems uniqueItems
contains maxContains minContains properties patternProperties additionalProperties
unevaluatedProperties propertyNames maxProperties minProperties required dependentRequired
dependentSchemas dependencies allOf anyOf oneOf not if then else $ref $dynamicRef $recursiveRef
$defs definitions
"""
# OpenAPI's word for how the options of a union are told apart; pydantic writes it.
_MORE_NOTE_NAMES: Final = """
$anchor $dynamicAnchor $recursiveAnchor $vocabulary id deprecated readOnly writeOnly
contentEncoding contentMediaType contentSchema discriminator
"""
_KNOWN: Final = NOTES | frozenset(_CHECKED_NAMES.split()) | frozenset(_MORE_NOTE_NAMES.split())
# The keywords whose value is a schema or a list of schemas, and those whose values are.
_HOLDER_NAMES: Final = """
items prefixItems additionalItems unevaluatedItems contains additionalProperties
unevaluatedProperties propertyNames allOf anyOf oneOf not if then else
"""
_HOLDERS: Final = frozenset(_HOLDER_NAMES.split())
_MAPS: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)


def unknown_keyword(schema: Schema) -> str | None:
    """Return the first keyword that JSON Schema does not have; names with ``x-`` are notes.

    >>> unknown_keyword({"properties": {"title": {"type": "string", "minLenght": 3}}})
    'minLenght'
    """
    waiting: list[object] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list | tuple):
            waiting += part
        elif isinstance(part, Mapping):
            for name, value in part.items():
                if name not in _KNOWN and not str(name).startswith("x-"):
                    return str(name)
                waiting += _inner_schemas(name, value)
    return None


def _inner_schemas(name: str, value: object) -> Iterator[object]:
    if name in _HOLDERS:
        yield value
    elif name in _MAPS and isinstance(value, Mapping):
        # A dependency is a schema, or a list of names.
        yield from (part for part in value.values() if isinstance(part, Mapping))
