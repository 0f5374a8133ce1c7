"""A value against a JSON Schema. Nothing is fetched, whatever a schema refers to.

Both may come from a model, so both are bounded before they are compared: ``jsonschema-rs`` ends
the process on a value of some ten thousand levels, and takes time without end for references that
double at each step.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from returns.result import Failure, Result, Success

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_MAX_SCHEMA_DEPTH = 200
_MAX_SCHEMA_PARTS = 20_000
_MAX_INDEX_DIGITS = 9
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_DRAFTS = (
    "http://json-schema.org/draft-04/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)
_NAMES = ("$anchor", "$dynamicAnchor", "$id", "id")
_ELSEWHERE = "the schema refers to another one, which is not fetched"
_TOO_DEEP = "the schema, or the answer, goes too deep"


def why_not_valid(value: object, schema: Mapping[str, object]) -> Result[str | None, str]:
    """Say in one line why ``value`` does not keep to ``schema``; None when it does.

    A failure says why the schema itself is of no use.
    """
    if _is_deep(value) or _is_deep(schema):
        return Failure(_TOO_DEEP)
    parts = _Parts(schema)
    if parts.count(schema) > _MAX_SCHEMA_PARTS:
        return Failure("the schema repeats its parts too often")
    if parts.astray:
        return Failure(_ELSEWHERE)
    return _compared(value, _of_known_draft(schema))


def _compared(value: object, schema: dict[str, object]) -> Result[str | None, str]:
    import jsonschema_rs  # noqa: PLC0415  rarely needed

    try:
        validator = jsonschema_rs.validator_for(
            schema,
            offline=True,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000),
        )
        errors = list(validator.iter_errors(value))
    except jsonschema_rs.ValidationError as error:
        if error.kind.name == "$ref":
            return Failure(_ELSEWHERE)
        return Failure(f"the schema is not valid: {_line(error)}")
    except ValueError:
        # A number that is none, a lone surrogate, a key that is no text.
        return Failure("the schema, or the answer, holds what cannot be written as JSON")
    return Success(_line(_clearest(errors)) if errors else None)


def _of_known_draft(schema: Mapping[str, object]) -> dict[str, object]:
    """Return a schema without the name of a draft that nobody here knows: it is read as the newest.

    A custom one would have to be fetched to be known.
    """
    draft = schema.get("$schema")
    known = not isinstance(draft, str) or draft.removesuffix("#") in _DRAFTS
    return {name: part for name, part in schema.items() if known or name != "$schema"}


def _clearest(errors: "Iterable[ValidationError]") -> "ValidationError":
    """Return the error nearest to the top, or the one inside of the only choice that was meant."""
    error = min(errors, key=lambda each: len(each.instance_path))
    choices: list[list[ValidationError]] = getattr(error.kind, "context", [])
    meant = [choice for choice in choices if choice and not _is_of_other_type(choice, error)]
    return _clearest(meant[0]) if len(meant) == 1 else error


def _is_of_other_type(choice: "list[ValidationError]", whole: "ValidationError") -> bool:
    place = whole.instance_path
    return any(each.kind.name == "type" and each.instance_path == place for each in choice)


def _line(error: "ValidationError") -> str:
    steps = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in error.instance_path)
    return f"${steps}: {error.message}" if steps else error.message


def _is_deep(value: object) -> bool:
    """Tell whether a value has more levels than we look at; without a call for each."""
    level = [value]
    for _ in range(_MAX_SCHEMA_DEPTH):
        level = [part for whole in level for part in _inside(whole)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


class _Parts:
    """Counts the parts of a schema, each as often as it is referred to."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self.astray = False
        self._root = root
        self._named = _named_parts(root)
        self._counts: dict[int, int] = {}

    def count(self, part: object) -> int:
        """Return how many parts there are, a part that holds itself counted once."""
        if id(part) not in self._counts:
            self._counts[id(part)] = 1
            inner = [*_inside(part), *map(self._target, _references(part))]
            self._counts[id(part)] = min(_MAX_SCHEMA_PARTS + 1, 1 + sum(map(self.count, inner)))
        return self._counts[id(part)]

    def _target(self, reference: str) -> object:
        """Return what a reference leads to: a place in the schema, or a part with a name."""
        base, _, place = reference.partition("#")
        if place and not place.startswith("/"):
            target = self._named.get(place)
        else:
            start = self._named.get(_last_step(base)) if base else self._root
            target = _at(start, place)
        self.astray = self.astray or target is None
        return target


def _references(part: object) -> list[str]:
    if not isinstance(part, Mapping):
        return []
    return [name for key in _REFERENCES if isinstance(name := part.get(key), str)]


def _named_parts(root: object) -> dict[str, object]:
    """Return the parts of a schema that have an anchor or an address, by that name."""
    named: dict[str, object] = {}
    waiting = [root]
    while waiting:
        part = waiting.pop()
        waiting += _inside(part)
        if isinstance(part, Mapping):
            names = [name for key in _NAMES if isinstance(name := part.get(key), str)]
            named.update((_last_step(name), part) for name in names)
    return named


def _last_step(address: str) -> str:
    return address.removesuffix("#").rpartition("/")[2]


def _at(part: object, pointer: str) -> object:
    """Follow a JSON pointer in a URI's fragment (RFC 6901, 6); None when it leads nowhere."""
    for step in unquote(pointer).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        # Python refuses to read very long numbers.
        place = int(name) if name.isdecimal() and len(name) < _MAX_INDEX_DIGITS else None
        if isinstance(part, list) and place is not None and place < len(part):
            part = part[place]
        else:
            part = part.get(name) if isinstance(part, Mapping) else None
    return part
