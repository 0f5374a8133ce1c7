"""Structured output: the JSON in a model's answer, and the schema it was asked to follow."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery
from ..boundary import Crash, attempt_call
from ..text.display import one_line

_FENCE = "```"
_FENCED = re.compile(r"```[\w+-]*(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_MAX_JSON_STARTS = 64
_MAX_SCHEMA_DEPTH = 100
_DECODER = json.JSONDecoder()
_TOO_DEEP = "the answer goes too deep"

_DEFINITIONS = "$defs"
_REFERENCE = "#/$defs/"
# Said for people, or not known to strict servers.
_LEFT_OUT = ("title", "default", "discriminator")


def parse_structured(answer: str, *, anywhere: bool = False) -> Result[object, str]:
    r"""Return the JSON value that ``answer`` is, also between fences, or say why there is none.

    With ``anywhere``, the first object or list among other words counts, too.

    >>> parse_structured('```json\n{"a": 1}\n```').unwrap()
    {'a': 1}
    >>> parse_structured('Here you are: {"a": 1}. Bye!', anywhere=True).unwrap()
    {'a': 1}
    >>> parse_structured("Nothing to report.").failure()
    'the answer is not JSON'
    """
    if not answer.strip():
        return Failure("the answer is empty")
    values = chain(
        map(_whole, _candidates(answer)),
        map(_start, _openings(answer, _MAX_JSON_STARTS if anywhere else 0)),
    )
    value = next((each for each in values if isinstance(each, Success)), None)
    if value is None:
        return Failure("the answer is not JSON")
    return Success(value.unwrap()) if _is_shallow(value.unwrap()) else Failure(_TOO_DEEP)


def _candidates(answer: str) -> Iterator[str]:
    yield answer.strip()
    for fenced in _FENCED.finditer(answer):
        yield fenced[1]
    # JSON that holds fences itself ends at the last of them.
    inside = answer.partition(_FENCE)[2].rpartition(_FENCE)[0]
    yield inside.partition("\n")[2]


def _openings(answer: str, most: int) -> Iterator[str]:
    for opening in islice(_OPENING.finditer(answer), most):
        yield answer[opening.start() :]


def _whole(text: str) -> Result[object, Crash]:
    return attempt_call(lambda: msgspec.json.decode(text))


def _start(text: str) -> Result[object, Crash]:
    """Read the value that a text starts with, whatever comes after it."""
    return attempt_call(lambda: _DECODER.raw_decode(text)[0])


def _is_shallow(value: object) -> bool:
    """Tell whether everybody after us can walk through the value without losing the ground."""
    level = [value]
    for _ in range(_MAX_SCHEMA_DEPTH):
        level = [inner for each in level for inner in _inside(each)]
    return not level


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def type_schema(output_type: object) -> Result[dict[str, object], InvalidQuery]:
    """Return the schema of a type in the strict form: an object, every field required.

    >>> Post = msgspec.defstruct("Post", [("text", str), ("likes", int, 0)])
    >>> type_schema(Post).unwrap()["required"]
    ['text', 'likes']
    """
    schema_made = attempt_call(lambda: msgspec.json.schema(output_type))
    if isinstance(schema_made, Failure):
        return _refuse("has no JSON schema; use a msgspec Struct, a dataclass or a TypedDict")
    whole = schema_made.unwrap()
    definitions = whole.get(_DEFINITIONS, {})
    reference = str(whole.get("$ref", ""))
    root = definitions.get(reference.removeprefix(_REFERENCE), whole)
    if root.get("type") != "object":
        return _refuse("must describe an object, for that is what an answer can be")
    schema = _strict(root)
    if _REFERENCE in str(schema):
        schema[_DEFINITIONS] = {name: _strict(each) for name, each in definitions.items()}
    return Success(schema)


def convert_to_type(value: object, output_type: type) -> Result[object, str]:
    """Return a value as the type, or say where it does not fit."""
    converted = attempt_call(lambda: _converted(value, output_type))
    if isinstance(converted, Failure):
        return Failure(f"{converted.failure().error} in the type's own code")
    return converted.unwrap()


def _converted(value: object, output_type: type) -> Result[object, str]:
    try:
        return Success(msgspec.convert(value, output_type))
    except msgspec.ValidationError as error:
        return Failure(one_line(str(error)))


def _strict(node: Mapping[str, object]) -> dict[str, object]:
    """Close every object and require all it has, all the way down."""
    strict = {name: _below(value) for name, value in node.items() if name not in _LEFT_OUT}
    fields = node.get("properties")
    if isinstance(fields, Mapping):
        # The names in there are the caller's, not words of the schema.
        strict["properties"] = {name: _below(each) for name, each in fields.items()}
        strict |= {"required": list(fields), "additionalProperties": False}
    return strict


def _below(value: object) -> object:
    if isinstance(value, Mapping):
        return _strict(value)
    return [_below(each) for each in value] if isinstance(value, list) else value


def _refuse(reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field="output_type", reason=reason))
