"""Search X: check, ask, check again, read the structured output."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import StructuredOutputInvalid, WebError
from ....ports.x_search import (
    CheckSchema,
    XSearchBackend,
    XSearchOutcome,
    XSearchReceipt,
    XSearchRequest,
)
from ...boundary import attempt_call, attempt_port
from ...laws.field_checks import plain_fields
from ...port_answers import attribute_error, crash_error, open_answer, port_name, served_answer
from ...text.display import one_line
from ..structured_output import convert_to_type, parse_structured, type_schema
from .request import (
    XAnswer,
    check_x_answer,
    check_x_request,
    explain_degradation,
    x_request_filters,
)


class XSearchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, today's date (UTC), and how a value is held against a schema.

    Without ``check_schema`` nothing is, and ``schema_valid`` is None.
    """

    backend: XSearchBackend
    today: Callable[[], date]
    check_schema: CheckSchema | None = None


_LEFT_OUT = ("The instructions were left out: they cannot go with previous_response_id.",)


class _Held(msgspec.Struct, frozen=True, kw_only=True):
    """The value in an answer or why there is none; whether it keeps to the schema, or why not."""

    value: object = None
    error: str | None = None
    valid: bool | None = None
    invalid: str | None = None


async def x_search(
    request: object, deps: XSearchDeps, *, output_type: type | None = None
) -> Result[XSearchOutcome, WebError]:
    """Search X for ``request``, an ``XSearchRequest`` or any mapping, through ``deps``.

    With a schema the answer is read as JSON; when it is none, the call is a success all the same
    and says why. With ``output_type``, such as a msgspec Struct, the schema is made from the type
    and ``structured_output`` is one of it; an answer that is none is a failure. Never raises;
    cancellation passes through.
    """
    served = await attempt_port(lambda: _serve_as(request, deps, output_type))
    if isinstance(served, Failure):
        backend = port_name(_backend_in(deps))
        return Failure(crash_error(served.failure(), backend, None))
    return served.unwrap()


async def _serve_as(
    request: object, deps: XSearchDeps, output_type: type | None
) -> Result[XSearchOutcome, WebError]:
    if output_type is None:
        return await _serve(request, deps)
    schema = type_schema(output_type)
    if isinstance(schema, Failure):
        return schema
    fields = attempt_call(lambda: plain_fields(request)).value_or(None)
    with_schema = (
        {**fields, "output_schema": schema.unwrap()} if isinstance(fields, dict) else request
    )
    served = await _serve(with_schema, deps)
    return served.bind(lambda outcome: _typed(outcome, output_type))


def _typed(outcome: XSearchOutcome, output_type: type) -> Result[XSearchOutcome, WebError]:
    name = outcome.receipt.backend
    if outcome.structured_error is not None:
        return Failure(StructuredOutputInvalid(reason=outcome.structured_error, backend=name))
    value = convert_to_type(outcome.structured_output, output_type)
    if isinstance(value, Failure):
        return Failure(StructuredOutputInvalid(reason=value.failure(), backend=name))
    return Success(msgspec.structs.replace(outcome, structured_output=value.unwrap()))


async def _serve(request: object, deps: XSearchDeps) -> Result[XSearchOutcome, WebError]:
    tidied = check_x_request(request, deps.today())
    if isinstance(tidied, Failure):
        return tidied
    tidy = tidied.unwrap()
    name = port_name(deps.backend)
    opened = open_answer(await deps.backend.x_search(tidy.request), name, None)
    if isinstance(opened, Failure):
        return opened
    served = served_answer(opened.unwrap())
    checked = check_x_answer(served.answer)
    if isinstance(checked, Failure):
        return Failure(attribute_error(checked.failure(), name, None))
    receipt = XSearchReceipt(
        backend=served.by or name,
        stored=tidy.request.store,
        filters=x_request_filters(tidy.request),
        dropped=tidy.dropped,
        left_out_citations=checked.unwrap().left_out,
        warnings=(*(_LEFT_OUT if tidy.dropped else ()), *served.warnings),
        usage=served.usage,
        attempts=served.attempts,
    )
    return Success(_outcome(tidy.request, checked.unwrap().answer, receipt, deps))


def _outcome(
    request: XSearchRequest, answer: XAnswer, receipt: XSearchReceipt, deps: XSearchDeps
) -> XSearchOutcome:
    held = _structured(request, answer.answer, deps)
    reason = explain_degradation(request, answer)
    return XSearchOutcome(
        query=request.query,
        answer=answer.answer,
        citations=answer.citations,
        inline_citations=answer.inline_citations,
        response_id=answer.response_id,
        structured_output=held.value,
        structured_error=held.error,
        schema_valid=held.valid,
        schema_error=held.invalid,
        x_search_calls=answer.x_search_calls,
        degraded=reason is not None,
        degraded_reason=reason,
        model=answer.model,
        credential_source=answer.credential_source,
        receipt=receipt,
    )


def _structured(request: XSearchRequest, answer: str, deps: XSearchDeps) -> _Held:
    schema, check = request.output_schema, deps.check_schema
    if schema is None:
        return _Held()
    parsed = parse_structured(answer)
    if isinstance(parsed, Failure):
        return _Held(error=parsed.failure())
    value = parsed.unwrap()
    if check is None:
        return _Held(value=value)
    # A schema can be so wrong that holding anything against it fails.
    checked = attempt_call(lambda: check(value, schema)).value_or(
        Failure("the schema is of no use")
    )
    if isinstance(checked, Failure):
        return _Held(value=value, invalid=one_line(checked.failure()))
    why = checked.unwrap()
    return _Held(value=value, valid=why is None, invalid=None if why is None else one_line(why))


def _backend_in(deps: object) -> object:
    return deps.backend if isinstance(deps, XSearchDeps) else deps
