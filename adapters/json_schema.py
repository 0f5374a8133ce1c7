"""A value against a JSON Schema. Nothing is fetched, whatever a schema refers to."""

from collections.abc import Mapping
from typing import Any

from returns.result import Failure, Result, Success


def why_not_valid(value: object, schema: Mapping[str, object]) -> Result[str | None, str]:
    """Say in one line why ``value`` does not keep to ``schema``; None when it does.

    A failure says why the schema itself is of no use.
    """
    from jsonschema import exceptions, validators  # noqa: PLC0415  slow to load, rarely needed
    from referencing import Registry  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    kind: Any = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        kind.check_schema(schema)
        found = exceptions.best_match(kind(schema, registry=Registry()).iter_errors(value))
    except exceptions.SchemaError as error:
        return Failure(f"the schema is not valid: {_place(error)}{error.message}")
    except Unresolvable:
        return Failure("the schema refers to another one, which is not fetched")
    except RecursionError:
        return Failure("the schema, or the answer, goes too deep")
    return Success(None if found is None else f"{_place(found)}{found.message}")


def _place(error: object) -> str:
    path = getattr(error, "json_path", "$")
    return "" if path == "$" else f"{path}: "
