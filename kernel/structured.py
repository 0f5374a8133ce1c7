"""JSON out of a model's text: it was asked for JSON alone, and said more around it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import InvalidQuery
from .boundary import attempt
from .text.display import one_line

_FENCED = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_MOST_STARTS = 64
_DECODER = json.JSONDecoder()


def json_in_text(text: str) -> object:
    """Return the JSON value in a text; None when there is none, which is no reason to fail.

    The whole text comes first, then a fenced block, then the first object or list in it.

    >>> json_in_text('Here you are: {"a": 1}. Bye!')
    {'a': 1}
    """
    for whole in (text, *_FENCED.findall(text)):
        value = _decoded(whole.strip(), whole=True)
        if value is not None:
            return value
    for count, opening in enumerate(_OPENING.finditer(text)):
        if count == _MOST_STARTS:
            break
        value = _decoded(text[opening.start() :], whole=False)
        if value is not None:
            return value
    return None


def _decoded(text: str, *, whole: bool) -> object:
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if not whole or end == len(text) else None


# Structured output: the JSON in an answer, bare or fenced.

_FENCE = "```"
_FENCED_ANSWER = re.compile(r"```[\w+-]*(.*?)```", re.DOTALL)
_MOST_LEVELS = 100


def parse_structured(answer: str) -> Result[object, str]:
    r"""Return the JSON value that ``answer`` is, also between fences, or say why there is none.

    >>> parse_structured('```json\n{"a": 1}\n```').unwrap()
    {'a': 1}
    >>> parse_structured("Nothing to report.").failure()
    'the answer is not JSON'
    """
    if not answer.strip():
        return Failure("the answer is empty")
    for candidate in _candidates(answer):
        parsed = _structured_decoded(candidate)
        if isinstance(parsed, Success):
            return parsed if _is_shallow(parsed.unwrap()) else Failure("the answer goes too deep")
    return Failure("the answer is not JSON")


def _candidates(answer: str) -> Iterator[str]:
    yield answer.strip()
    for fenced in _FENCED_ANSWER.finditer(answer):
        yield fenced[1]
    # JSON that holds fences itself ends at the last of them.
    inside = answer.partition(_FENCE)[2].rpartition(_FENCE)[0]
    yield inside.partition("\n")[2]


def _structured_decoded(text: str) -> Result[object, str]:
    decoded = attempt(lambda: msgspec.json.decode(text))
    return decoded.alt(lambda crash: crash.error)


def _is_shallow(value: object) -> bool:
    """Tell whether everybody after us can walk through the value without losing the ground."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [inner for each in level for inner in _inside(each)]
    return not level


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


# Structured output as a type of the caller's own: the schema from the type, the value into it.

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
