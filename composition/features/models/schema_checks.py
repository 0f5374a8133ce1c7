"""The check of a model's object against the JSON Schema that it was asked for."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.values.json_schema import explain_schema_mismatch
from webseam.kernel.features.models.checked_objects import (
    CheckObject,
    JsonObject,
    ask_for_object,
)
from webseam.kernel.features.models.structured_output import drop_absent
from webseam.kernel.laws.schema_keywords import unknown_keyword
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.models import ChatModel, ChatRequest, NormalizedResponse


async def complete_object(
    model: ChatModel, request: ChatRequest, /
) -> Result[NormalizedResponse, WebError]:
    """Return an answer whose ``content`` is a JSON object that keeps to ``output_schema``.

    An answer that does not is asked for once more, with the reason; then the call fails with
    ``StructuredOutputInvalid``. ``usage`` is that of both.
    """
    if request.output_schema is None:
        return Failure(InvalidQuery(field="output_schema", reason="must be given"))
    check = schema_check(request.output_schema.schema, "output_schema")
    if isinstance(check, Failure):
        return check
    answer = await ask_for_object(request, model, check.unwrap())
    if isinstance(answer.checked, Failure):
        return answer.checked
    checked = answer.checked.unwrap()
    content = msgspec.json.encode(checked.value).decode()
    changed = msgspec.structs.replace(checked.response, content=content, usage=answer.usage)
    return Success(changed)


def schema_check(
    schema: Mapping[str, object], field: str = "schema"
) -> Result[CheckObject[JsonObject], InvalidQuery]:
    """Return the check of a schema, or why no object can be checked against it."""
    unknown = unknown_keyword(schema)
    if unknown is not None:
        reason = f"has the keyword {unknown}, which is not understood"
        return Failure(InvalidQuery(field=field, reason=reason))
    if schema.get("type", "object") != "object":
        return Failure(InvalidQuery(field=field, reason="must describe an object"))
    usable = explain_schema_mismatch({}, schema)
    if isinstance(usable, Failure):
        return Failure(InvalidQuery(field=field, reason=usable.failure()))

    async def check(value: JsonObject) -> Result[JsonObject, str]:
        return fit_schema(value, schema)

    return Success(check)


def fit_schema(value: JsonObject, schema: Mapping[str, object]) -> Result[JsonObject, str]:
    """Return an object that keeps to a schema; a failure has no words of the object."""
    kept = drop_absent(value, schema)
    mismatch = explain_schema_mismatch(kept, schema, quotes_value=False)
    if isinstance(mismatch, Failure):
        return mismatch
    return Success(kept) if mismatch.unwrap() is None else Failure(str(mismatch.unwrap()))
