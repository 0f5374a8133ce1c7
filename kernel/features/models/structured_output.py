"""Parse the JSON in a model's answer, and make the schema for a type."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from operator import itemgetter

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidQuery

from ...boundary import Crash, attempt_call
from ...laws.field_checks import refuse_field
from ...text.display import one_line

_CODE_FENCE = "```"
_FENCED_PATTERN = re.compile(r"```[\w+-]*+(.*?)```", re.DOTALL)
_OPENING_PATTERN = re.compile(r"[{\[]")
_MAX_JSON_STARTS = 64
_MAX_SCHEMA_DEPTH = 100
_DECODER = json.JSONDecoder()
_DEFINITIONS = "$defs"
_REFERENCE_PREFIX = "#/$defs/"
# Not useful to models, or unknown to strict servers.
_DROPPED_KEYWORDS = ("title", "default", "discriminator")


def parse_model_json(answer: str, *, anywhere: bool = False) -> Result[object, str]:
    r"""Return the JSON value of ``answer``, also between fences, or say why there is none.

    With ``anywhere``, the first object or list inside other text counts, too.

    >>> parse_model_json('```json\n{"a": 1}\n```').unwrap()
    {'a': 1}
    >>> parse_model_json('Here you are: {"a": 1}. Bye!', anywhere=True).unwrap()
    {'a': 1}
    >>> parse_model_json("Nothing to report.").failure()
    'the answer is not JSON'
    """
    if not answer.strip():
        return Failure("the answer is empty")
    values = chain(
        map(_decode_json, _json_candidates(answer)),
        _decode_json_parts(answer, _MAX_JSON_STARTS if anywhere else 0),
    )
    value = next((result for result in values if isinstance(result, Success)), None)
    if value is None:
        return Failure("the answer is not JSON")
    return value if _is_shallow_json(value.unwrap()) else Failure("the answer is nested too deep")


def _json_candidates(answer: str) -> Iterator[str]:
    yield answer.strip()
    for fenced in _FENCED_PATTERN.finditer(answer):
        yield fenced[1]
    # JSON that contains fences itself ends at the last one.
    fenced_part = answer.partition(_CODE_FENCE)[2].rpartition(_CODE_FENCE)[0]
    yield fenced_part.partition("\n")[2]


def _decode_json_parts(answer: str, max_openings: int) -> Iterator[Result[object, Crash]]:
    """Decode the values that begin inside of an answer; ignore what follows each."""
    openings = islice(_OPENING_PATTERN.finditer(answer), max_openings)
    for start in (opening.start() for opening in openings):
        yield attempt_call(partial(_DECODER.raw_decode, answer, start)).map(itemgetter(0))


def _decode_json(text: str) -> Result[object, Crash]:
    return attempt_call(lambda: msgspec.json.decode(text))


def _is_shallow_json(value: object) -> bool:
    """Tell whether recursive code can walk the value without overflowing the stack."""
    level = [value]
    for _ in range(_MAX_SCHEMA_DEPTH):
        level = [inner for outer in level for inner in _inner_json_values(outer)]
    return not level


def _inner_json_values(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def output_type_schema(output_type: object) -> Result[dict[str, object], InvalidQuery]:
    """Return the strict schema of a type: an object with every field required.

    >>> post = msgspec.defstruct("Post", [("text", str), ("likes", int, 0)])
    >>> output_type_schema(post).unwrap()["required"]
    ['text', 'likes']
    """
    generated = attempt_call(lambda: msgspec.json.schema(output_type))
    if isinstance(generated, Failure):
        reason = "has no JSON schema; use a msgspec Struct, a dataclass or a TypedDict"
        return refuse_field("output_type", reason)
    full_schema = generated.unwrap()
    definitions = full_schema.get(_DEFINITIONS, {})
    reference = str(full_schema.get("$ref", ""))
    root = definitions.get(reference.removeprefix(_REFERENCE_PREFIX), full_schema)
    if root.get("type") != "object":
        return refuse_field("output_type", "must describe an object: every answer is one")
    schema = _strict_schema(root)
    if _REFERENCE_PREFIX in str(schema):
        schema[_DEFINITIONS] = {name: _strict_schema(node) for name, node in definitions.items()}
    return Success(schema)


def drop_absent(value: dict[str, object], schema: Mapping[str, object]) -> dict[str, object]:
    """Return an object without its nulls for optional fields that may not be null.

    Strict servers want all fields required, so an optional one is null there.
    """
    fields, required = schema.get("properties"), schema.get("required")
    if not isinstance(fields, Mapping):
        return value
    needed = required if isinstance(required, list | tuple) else ()
    return {
        name: _drop_absent_parts(part, fields.get(name))
        for name, part in value.items()
        if part is not None or name in needed or not _refuses_null(fields.get(name))
    }


def _drop_absent_parts(value: object, schema: object) -> object:
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, list):
        return [_drop_absent_parts(item, schema.get("items")) for item in value]
    return drop_absent(value, schema) if isinstance(value, dict) else value


def _refuses_null(schema: object) -> bool:
    kinds = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(kinds, str):
        return kinds != "null"
    return isinstance(kinds, list) and "null" not in kinds


def convert_to_output_type(value: object, output_type: type) -> Result[object, str]:
    """Return a value as the type, or say where it does not fit."""
    converted = attempt_call(lambda: _convert_output_value(value, output_type))
    if isinstance(converted, Failure):
        return Failure(f"{converted.failure().error} in the type's own code")
    return converted.unwrap()


def _convert_output_value(value: object, output_type: type) -> Result[object, str]:
    try:
        return Success(msgspec.convert(value, output_type))
    except msgspec.ValidationError as error:
        return Failure(one_line(str(error)))


def _strict_schema(node: Mapping[str, object]) -> dict[str, object]:
    """Close every object and require all its fields, recursively."""
    strict = {
        name: _strict_value(value) for name, value in node.items() if name not in _DROPPED_KEYWORDS
    }
    fields = node.get("properties")
    if isinstance(fields, Mapping):
        # These keys are the caller's field names, not schema keywords.
        strict["properties"] = {name: _strict_value(field) for name, field in fields.items()}
        strict |= {"required": list(fields), "additionalProperties": False}
    return strict


def _strict_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _strict_schema(value)
    return [_strict_value(item) for item in value] if isinstance(value, list) else value
