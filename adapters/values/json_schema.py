"""Validation of a value against a JSON Schema; references are never fetched.

Value and schema may come from a model, so both are bounded first: ``jsonschema-rs`` crashes the
process on some ten thousand levels, and takes exponential time for references that double.
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
_REFERENCE_KEYS = ("$ref", "$dynamicRef", "$recursiveRef")
_KNOWN_DRAFTS = (
    "http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)  # fmt: skip
# Errors that quote the names of the value's own fields.
_NAMING_KINDS = ("additionalProperties", "propertyNames", "unevaluatedProperties")
_ANCHOR_KEYS = ("$anchor", "$dynamicAnchor", "$id", "id")
_EXTERNAL_REFERENCE_REASON = "the schema refers to another one, which is not fetched"


def explain_schema_mismatch(
    value: object, schema: Mapping[str, object], *, quotes_value: bool = True
) -> Result[str | None, str]:
    """Return in one line why ``value`` does not match ``schema``; None when it does.

    A failure says why the schema itself cannot be used. Without ``quotes_value`` the line has no
    words of the value.
    """
    if _is_nested_too_deep(value) or _is_nested_too_deep(schema):
        return Failure("the schema, or the answer, goes too deep")
    parts = _SchemaParts(schema)
    if parts.count(schema) > _MAX_SCHEMA_PARTS:
        return Failure("the schema repeats its parts too often")
    if parts.has_external_reference:
        return Failure(_EXTERNAL_REFERENCE_REASON)
    return _validate_value(value, _without_unknown_draft(schema), quotes_value=quotes_value)


def _validate_value(
    value: object, schema: dict[str, object], *, quotes_value: bool
) -> Result[str | None, str]:
    import jsonschema_rs  # noqa: PLC0415  rarely needed

    try:
        validator = jsonschema_rs.validator_for(
            schema,
            offline=True,
            mask=None if quotes_value else "the value",
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000),
        )
        errors = list(validator.iter_errors(value))
    except jsonschema_rs.ValidationError as error:
        if error.kind.name == "$ref":
            return Failure(_EXTERNAL_REFERENCE_REASON)
        return Failure(f"the schema is not valid: {_error_line(error)}")
    except ValueError:
        # NaN or infinity, a lone surrogate, or a key that is not a string.
        return Failure("the schema, or the answer, holds what cannot be written as JSON")
    if not errors:
        return Success(None)
    clearest = _clearest_error(errors)
    if not quotes_value and clearest.kind.name in _NAMING_KINDS:
        return Success("it has a field that the schema does not allow")
    return Success(_error_line(clearest))


def _without_unknown_draft(schema: Mapping[str, object]) -> dict[str, object]:
    """Drop an unknown ``$schema``, which would be fetched; the newest draft then applies."""
    draft = schema.get("$schema")
    is_known = not isinstance(draft, str) or draft.removesuffix("#") in _KNOWN_DRAFTS
    return {name: part for name, part in schema.items() if is_known or name != "$schema"}


def _clearest_error(errors: "Iterable[ValidationError]") -> "ValidationError":
    """Return the error nearest to the root, or the one inside the only union branch that fits."""
    error = min(errors, key=lambda candidate: len(candidate.instance_path))
    choices: list[list[ValidationError]] = getattr(error.kind, "context", [])
    fitting = [choice for choice in choices if choice and not _is_wrong_type_branch(choice, error)]
    return _clearest_error(fitting[0]) if len(fitting) == 1 else error


def _is_wrong_type_branch(choice: "list[ValidationError]", union_error: "ValidationError") -> bool:
    path = union_error.instance_path
    return any(error.kind.name == "type" and error.instance_path == path for error in choice)


def _error_line(error: "ValidationError") -> str:
    steps = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path
    )
    return f"${steps}: {error.message}" if steps else error.message


def _is_nested_too_deep(value: object) -> bool:
    """Tell whether a value is nested too deeply; iterative, so that no value exhausts the stack."""
    level = [value]
    for _ in range(_MAX_SCHEMA_DEPTH):
        level = [part for parent in level for part in _child_values(parent)]
        if not level:
            return False
    return True


def _child_values(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, (list, tuple)) else ()


class _SchemaParts:
    """Counts the parts of a schema, each as often as a reference leads to it."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self.has_external_reference = False
        self._root = root
        self._anchored_parts = _anchored_schema_parts(root)
        self._counts: dict[int, int] = {}

    def count(self, part: object) -> int:
        """Return the number of parts; a part that contains itself counts once."""
        if id(part) not in self._counts:
            self._counts[id(part)] = 1
            inner = [*_child_values(part), *map(self._referenced_part, _references(part))]
            self._counts[id(part)] = min(_MAX_SCHEMA_PARTS + 1, 1 + sum(map(self.count, inner)))
        return self._counts[id(part)]

    def _referenced_part(self, reference: str) -> object:
        """Return the part that a reference leads to by pointer or anchor; None if absent."""
        base, _, pointer = reference.partition("#")
        if pointer and not pointer.startswith("/"):
            target = self._anchored_parts.get(pointer)
        else:
            start = self._anchored_parts.get(_last_uri_step(base)) if base else self._root
            target = _follow_json_pointer(start, pointer)
        self.has_external_reference = self.has_external_reference or target is None
        return target


def _references(part: object) -> list[str]:
    if not isinstance(part, Mapping):
        return []
    return [name for key in _REFERENCE_KEYS if isinstance(name := part.get(key), str)]


def _anchored_schema_parts(root: object) -> dict[str, object]:
    """Return the parts of a schema that have an anchor or an id, by the last step of it."""
    anchored: dict[str, object] = {}
    pending = [root]
    while pending:
        part = pending.pop()
        pending += _child_values(part)
        if isinstance(part, Mapping):
            names = [name for key in _ANCHOR_KEYS if isinstance(name := part.get(key), str)]
            anchored.update((_last_uri_step(name), part) for name in names)
    return anchored


def _last_uri_step(address: str) -> str:
    return address.removesuffix("#").rpartition("/")[2]


def _follow_json_pointer(part: object, pointer: str) -> object:
    """Follow a JSON pointer in a URI's fragment (RFC 6901, 6); None when it leads nowhere."""
    for step in unquote(pointer).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        # int() raises on very long numbers.
        index = int(name) if name.isdecimal() and len(name) < _MAX_INDEX_DIGITS else None
        if isinstance(part, list) and index is not None and index < len(part):
            part = part[index]
        else:
            part = part.get(name) if isinstance(part, Mapping) else None
    return part
