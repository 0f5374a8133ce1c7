"""Structured output as a type of the caller's own: the schema from the type, the value into it."""

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery
from ..boundary import attempt
from ..text import one_line

_DEFINITIONS = "$defs"
_REFERENCE = "#/$defs/"
# Said for people, or not known to strict servers.
_LEFT_OUT = ("title", "default", "discriminator")


def schema_of(output_type: object) -> Result[dict[str, object], InvalidQuery]:
    """Return the schema of a type in the strict form: an object, every field required.

    >>> Post = msgspec.defstruct("Post", [("text", str), ("likes", int, 0)])
    >>> schema_of(Post).unwrap()["required"]
    ['text', 'likes']
    """
    made = attempt(lambda: msgspec.json.schema(output_type))
    if isinstance(made, Failure):
        return _refuse("has no JSON schema; use a msgspec Struct, a dataclass or a TypedDict")
    whole = made.unwrap()
    definitions = whole.get(_DEFINITIONS, {})
    reference = str(whole.get("$ref", ""))
    root = definitions.get(reference.removeprefix(_REFERENCE), whole)
    if root.get("type") != "object":
        return _refuse("must describe an object, for that is what an answer can be")
    schema = _strict(root)
    if _REFERENCE in str(schema):
        schema[_DEFINITIONS] = {name: _strict(each) for name, each in definitions.items()}
    return Success(schema)


def as_type(value: object, output_type: type) -> Result[object, str]:
    """Return a value as the type, or say where it does not fit."""
    made = attempt(lambda: _converted(value, output_type))
    if isinstance(made, Failure):
        return Failure(f"{made.failure().error} in the type's own code")
    return made.unwrap()


def _converted(value: object, output_type: type) -> Result[object, str]:
    try:
        return Success(msgspec.convert(value, output_type))
    except msgspec.ValidationError as error:
        return Failure(one_line(str(error)))


def _strict(node: Mapping[str, object]) -> dict[str, object]:
    """Close every object and require all it has, all the way down."""
    kept = {name: _below(value) for name, value in node.items() if name not in _LEFT_OUT}
    fields = node.get("properties")
    if isinstance(fields, Mapping):
        # The names in there are the caller's, not words of the schema.
        kept["properties"] = {name: _below(each) for name, each in fields.items()}
        kept |= {"required": list(fields), "additionalProperties": False}
    return kept


def _below(value: object) -> object:
    if isinstance(value, Mapping):
        return _strict(value)
    return [_below(each) for each in value] if isinstance(value, list) else value


def _refuse(reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field="output_type", reason=reason))
