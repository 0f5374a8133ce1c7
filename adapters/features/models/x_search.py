"""Backends that search X."""

from collections.abc import Iterator, Mapping

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import Served
from webseam.ports.errors import ContentFiltered, HttpStatus, WebError
from webseam.ports.models import ChatModel, ChatRequest, Effort, NormalizedResponse, OutputSchema
from webseam.ports.x_search import UntrustedXAnswer, XSearchRequest

from ...values.field_values import at, number
from ...values.json_values import as_list, as_mapping, as_objects, text

PROVIDER_NAME = "xai"
_COMMENTARY_PHASES = ("commentary", "analysis")
# JSON numbers beyond this lose precision.
_MAX_JSON_NUMBER = 1 << 53
SCHEMA_NAME = "x_search_output"
_NOT_FOUND_STATUS = 404
_NOT_STORED_HINT = "only a stored answer can be continued"
_TRUNCATED_WARNING = ("The model stopped at its length limit, so its answer is cut short.",)


def read_x_answer(response: NormalizedResponse) -> dict[str, object]:
    """Return the fields of an X search answer; absent ones are empty or None."""
    # A server that streams without being asked leaves no raw document, only ``provider_data``.
    raw = response.raw or response.provider_data or {}
    parts = list(_answer_parts(raw))
    answer = _answer_text(raw, parts) or response.content or ""
    return {
        "answer": answer,
        # A source is a bare text, or an object from a gateway.
        "citations": [
            text(source) or text(as_mapping(source).get("url"))
            for source in as_list(raw.get("citations"))
        ],
        "inline_citations": list(_inline_citations(parts, answer)),
        "response_id": response.id,
        "x_search_calls": _search_call_count(raw),
        **({"model": response.model} if response.model else {}),
    }


def _answer_parts(raw: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the text parts of all final messages; of commentary only if there are no others."""
    output = as_objects(raw.get("output"))
    messages = [item for item in output if item.get("type", "message") == "message"]
    answers = [message for message in messages if message.get("phase") not in _COMMENTARY_PHASES]
    for message in answers or messages:
        for part in as_objects(message.get("content")):
            if part.get("type") in ("output_text", "text"):
                yield part


def _answer_text(raw: Mapping[str, object], parts: list[Mapping[str, object]]) -> str:
    """Return the answer that a gateway joined, else join the parts."""
    pieces = [text(part.get("text")).strip() for part in parts]
    joined_text = text(raw.get("output_text")).strip()
    return joined_text or "\n\n".join(piece for piece in pieces if piece)


def _inline_citations(
    parts: list[Mapping[str, object]], answer: str
) -> Iterator[dict[str, object]]:
    end = 0
    for part in parts:
        part_text = text(part.get("text"))
        # xAI counts offsets from the start of a part; we count from the start of the answer.
        start = max(answer.find(part_text.strip(), end), end)
        end = start + len(part_text.strip())
        shift = start - (len(part_text) - len(part_text.lstrip()))
        for annotation in as_objects(part.get("annotations")):
            if annotation.get("type") in ("url_citation", None):
                yield _citation(annotation, shift)


def _citation(annotation: Mapping[str, object], shift: int) -> dict[str, object]:
    # Gateways nest the fields that xAI itself sends flat.
    source = as_mapping(annotation.get("url_citation")) or annotation
    return {
        "url": text(source.get("url")),
        "title": text(source.get("title")),
        "start": _shift_offset(source.get("start_index"), shift),
        "end": _shift_offset(source.get("end_index"), shift),
    }


def _shift_offset(value: object, shift: int) -> int | None:
    return max(value + shift, 0) if type(value) is int and 0 <= value < _MAX_JSON_NUMBER else None


def _search_call_count(raw: Mapping[str, object]) -> int | None:
    calls = number(at(raw, "usage", "server_side_tool_usage_details", "x_search_calls"))
    return int(calls) if calls is not None and 0 <= calls < _MAX_JSON_NUMBER else None


class XaiRules(msgspec.Struct, frozen=True, kw_only=True):
    """Model, effort and deadline of a search, and where its key comes from."""

    model: str
    effort: Effort | None = None
    deadline: float | None = None
    credential_source: str = PROVIDER_NAME


class XaiSearch:
    """An ``XSearchBackend`` over a model that can search X."""

    def __init__(self, model: ChatModel, rules: XaiRules) -> None:
        self.name = PROVIDER_NAME
        self._model = model
        self._rules = rules

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Ask the model, and read the sources from its answer."""
        rules = self._rules
        response = await self._model.complete(x_search_chat_request(request, rules))
        explained = response.alt(lambda error: _add_not_stored_hint(error, request))
        return explained.bind(lambda response: _serve_answer(response, rules))


def x_search_chat_request(request: XSearchRequest, rules: XaiRules) -> ChatRequest:
    """Return the model request for a search."""
    schema = request.output_schema
    return ChatRequest(
        model=rules.model,
        messages=({"role": "user", "content": request.query},),
        tools=(x_search_tool(request),),
        reasoning_effort=rules.effort,
        instructions=request.instructions,
        store=request.store,
        previous_response_id=request.previous_response_id,
        # The answer is validated against the caller's schema, so it is sent unchanged.
        output_schema=schema
        if schema is None
        else OutputSchema(schema=schema, name=SCHEMA_NAME, as_given=True),
        deadline=rules.deadline,
    )


def x_search_tool(request: XSearchRequest) -> dict[str, object]:
    """Return the ``x_search`` tool with the filters that are set."""
    filters = {
        "allowed_x_handles": list(request.allowed_x_handles),
        "excluded_x_handles": list(request.excluded_x_handles),
        "from_date": str(request.from_date or ""),
        "to_date": str(request.to_date or ""),
        "enable_image_understanding": request.enable_image_understanding,
        "enable_video_understanding": request.enable_video_understanding,
    }
    return {"type": "x_search", **{name: value for name, value in filters.items() if value}}


def _serve_answer(
    response: NormalizedResponse, rules: XaiRules
) -> Result[UntrustedXAnswer, WebError]:
    """Return the answer with warnings; a content filter is a failure."""
    if response.finish_reason == "content_filter":
        return Failure(ContentFiltered(detail=(response.content or "")[:200]))
    answer = {
        "model": rules.model,
        "credential_source": rules.credential_source,
        **read_x_answer(response),
    }
    warnings = _TRUNCATED_WARNING if response.finish_reason == "length" else ()
    return Success(Served(answer=answer, warnings=warnings, usage=response.usage))


def _add_not_stored_hint(error: WebError, request: XSearchRequest) -> WebError:
    """Explain a 404 for ``previous_response_id``: xAI's message does not."""
    if not isinstance(error, HttpStatus) or error.status != _NOT_FOUND_STATUS:
        return error
    if request.previous_response_id is None:
        return error
    detail = "; ".join(filter(None, (error.detail.rstrip("."), _NOT_STORED_HINT)))
    return msgspec.structs.replace(error, detail=detail)
