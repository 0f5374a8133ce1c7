"""Search X: check the request, ask the backend, check the answer, parse its JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import StructuredOutputInvalid, WebError
from webseam.ports.x_search import (
    CheckSchema,
    XSearchBackend,
    XSearchOutcome,
    XSearchReceipt,
    XSearchRequest,
)

from ...boundary import attempt_call, attempt_port
from ...envelopes import Fields, Replaced, envelope_mapping
from ...laws.field_checks import plain_fields
from ...plugin_changes import Original, carry_fields, is_same_json
from ...port_answers import open_port_answer, port_crash, port_error, port_name, served_answer
from ...text.display import one_line, strip_hidden_values
from . import x_search_request
from .structured_output import convert_to_output_type, output_type_schema, parse_model_json

_DROPPED_WARNINGS = ("The instructions were left out: they cannot go with previous_response_id.",)


class XSearchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The backend, today's date (UTC), and a schema checker.

    Without ``check_schema`` values are not checked, and ``schema_valid`` is None.
    """

    backend: XSearchBackend
    today: Callable[[], date]
    check_schema: CheckSchema | None = None


class _Structured(msgspec.Struct, frozen=True, kw_only=True):
    """The value in an answer or why there is none; whether it fits the schema, or why not."""

    value: object = None
    error: str | None = None
    valid: bool | None = None
    invalid: str | None = None


async def x_search(
    request: object, deps: XSearchDeps, *, output_type: type | None = None
) -> Result[XSearchOutcome, WebError]:
    """Search X for ``request``, an ``XSearchRequest`` or any mapping, through ``deps``.

    With a schema the answer is parsed as JSON; if that fails, the call still succeeds and says why.
    With ``output_type``, such as a msgspec Struct, the schema is made from the type and
    ``structured_output`` is an instance of it; any other answer is a failure. Never raises;
    cancellation passes through.
    """
    served = await attempt_port(lambda: _search_typed(request, deps, output_type))
    if isinstance(served, Failure):
        return Failure(port_crash(served.failure(), port_name(_deps_backend(deps)), None))
    return served.unwrap()


async def _search_typed(
    request: object, deps: XSearchDeps, output_type: type | None
) -> Result[XSearchOutcome, WebError]:
    if output_type is None:
        return await _search_backend(request, deps)
    schema = output_type_schema(output_type)
    if isinstance(schema, Failure):
        return schema
    fields = attempt_call(lambda: plain_fields(request)).value_or(None)
    if isinstance(fields, dict):
        request = {**fields, "output_schema": schema.unwrap()}
    served = await _search_backend(request, deps)
    return served.bind(lambda outcome: _typed_output(outcome, output_type))


def _typed_output(outcome: XSearchOutcome, output_type: type) -> Result[XSearchOutcome, WebError]:
    name = outcome.receipt.backend
    if outcome.structured_error is not None:
        return Failure(StructuredOutputInvalid(reason=outcome.structured_error, backend=name))
    value = convert_to_output_type(outcome.structured_output, output_type)
    if isinstance(value, Failure):
        return Failure(StructuredOutputInvalid(reason=value.failure(), backend=name))
    return Success(msgspec.structs.replace(outcome, structured_output=value.unwrap()))


async def _search_backend(request: object, deps: XSearchDeps) -> Result[XSearchOutcome, WebError]:
    tidied = x_search_request.check_x_request(request, deps.today())
    if isinstance(tidied, Failure):
        return tidied
    tidy = tidied.unwrap()
    name = port_name(deps.backend)
    opened = open_port_answer(await deps.backend.x_search(tidy.request), name, None)
    if isinstance(opened, Failure):
        return opened
    served = served_answer(opened.unwrap())
    checked = x_search_request.check_x_answer(served.answer)
    if isinstance(checked, Failure):
        return Failure(port_error(checked.failure(), name, None))
    receipt = XSearchReceipt(
        backend=served.by or name,
        stored=tidy.request.store,
        filters=x_search_request.x_request_filters(tidy.request),
        dropped=tidy.dropped,
        left_out_citations=checked.unwrap().left_out,
        warnings=(*(_DROPPED_WARNINGS if tidy.dropped else ()), *served.warnings),
        usage=served.usage,
        attempts=served.attempts,
    )
    return Success(_make_outcome(tidy.request, checked.unwrap().answer, receipt, deps))


def _make_outcome(
    request: XSearchRequest,
    answer: x_search_request.XAnswer,
    receipt: XSearchReceipt,
    deps: XSearchDeps,
) -> XSearchOutcome:
    structured = _read_structured(request, answer.answer, deps)
    reason = x_search_request.explain_x_degradation(request, answer)
    return XSearchOutcome(
        query=request.query,
        answer=answer.answer,
        citations=answer.citations,
        inline_citations=answer.inline_citations,
        response_id=answer.response_id,
        structured_output=structured.value,
        structured_error=structured.error,
        schema_valid=structured.valid,
        schema_error=structured.invalid,
        x_search_calls=answer.x_search_calls,
        degraded=reason is not None,
        degraded_reason=reason,
        model=answer.model,
        credential_source=answer.credential_source,
        receipt=receipt,
    )


def check_replaced_x_search(
    envelope: Fields, request: object, deps: XSearchDeps, originals: Sequence[Original] = ()
) -> Result[Replaced, WebError]:
    """Check the envelope that a plugin returned in place of an answer like a backend's answer."""
    tidied = x_search_request.check_x_request(request, deps.today())
    if isinstance(tidied, Failure):
        return tidied
    checked = x_search_request.check_x_answer(envelope)
    if isinstance(checked, Failure):
        return checked
    left_out = checked.unwrap().left_out
    receipt = XSearchReceipt(backend="", stored=False, left_out_citations=left_out)
    outcome = _make_outcome(tidied.unwrap().request, checked.unwrap().answer, receipt, deps)
    typed = _carry_x_changes(outcome, envelope, originals)
    if isinstance(typed, Failure):
        return typed
    fields = x_search_request.x_search_envelope(Success(outcome), "")
    stripped = envelope_mapping(strip_hidden_values(envelope))
    own_envelope = originals[-1].envelope if originals else Fields()
    own_receipt = {
        **envelope_mapping(own_envelope.get("receipt")),
        **envelope_mapping(stripped.get("receipt")),
    }
    fields["receipt"] = {**own_receipt, "left_out_citations": left_out} if left_out else own_receipt
    merged = {**stripped, **fields, "provider": stripped.get("provider", "")}
    return Success(Replaced(merged, typed.unwrap()))


def _carry_x_changes(
    outcome: XSearchOutcome, envelope: Fields, originals: Sequence[Original]
) -> Result[XSearchOutcome, WebError]:
    """Return the checked outcome; what the plugin did not touch is the answer's own."""
    base = cast("XSearchOutcome", originals[-1].outcome) if originals else outcome
    before = originals[-1].envelope if originals else Fields()
    names = [name for name in XSearchOutcome.__struct_fields__ if name != "receipt"]
    untouched = {
        name: getattr(base, name)
        for name in names
        if name in before and name in envelope and is_same_json(before[name], envelope[name])
    }
    own_receipt = envelope_mapping(before.get("receipt"))
    written = envelope.get("receipt", own_receipt)
    receipt = carry_fields(base.receipt, own_receipt, written, "$.receipt")
    return receipt.map(lambda carried: replace(outcome, **untouched, receipt=carried.value))


def _read_structured(request: XSearchRequest, answer: str, deps: XSearchDeps) -> _Structured:
    schema, check = request.output_schema, deps.check_schema
    if schema is None:
        return _Structured()
    parsed = parse_model_json(answer)
    if isinstance(parsed, Failure):
        return _Structured(error=parsed.failure())
    value = parsed.unwrap()
    if check is None:
        return _Structured(value=value)
    # An invalid schema can make the checker itself fail.
    checked = attempt_call(lambda: check(value, schema)).value_or(Failure("the schema is invalid"))
    if isinstance(checked, Failure):
        return _Structured(value=value, invalid=one_line(checked.failure()))
    why = checked.unwrap()
    if why is None:
        return _Structured(value=value, valid=True)
    return _Structured(value=value, valid=False, invalid=one_line(why))


def _deps_backend(deps: object) -> object:
    return cast("XSearchDeps", deps).backend if issubclass(type(deps), XSearchDeps) else deps
