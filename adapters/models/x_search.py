"""Backends that search X."""

from collections.abc import Iterator, Mapping

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import Served
from ...ports.errors import ContentFiltered, HttpStatus, WebError
from ...ports.models.chat import ChatModel, ChatRequest, Effort, NormalizedResponse, OutputSchema
from ...ports.x_search import UntrustedXAnswer, XSearchRequest
from ..values.field_values import at, number
from ..values.json_values import as_list, as_mapping, as_objects, text

PROVIDER = "xai"
_ASIDE = ("commentary", "analysis")
_TEXT = ("output_text", "text")
_CITATION = ("url_citation", None)
# JSON has numbers that no counter can hold.
_MAX_JSON_NUMBER = 1 << 53


def read_answer(response: NormalizedResponse) -> dict[str, object]:
    """Return the fields of an answer from whatever the response holds; none is made up."""
    # A server that streams unasked leaves no document, only what the wire keeps of it.
    raw = response.raw or response.provider_data or {}
    parts = list(_parts(raw))
    answer = _spoken(raw, parts) or response.content or ""
    named = {"model": response.model} if response.model else {}
    return {
        "answer": answer,
        "citations": [_address(each) for each in as_list(raw.get("citations"))],
        "inline_citations": list(_citations(parts, answer)),
        "response_id": response.id,
        "x_search_calls": _calls(raw),
        **named,
    }


def _parts(raw: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the parts of all messages that are text; what was said aside only if nothing else."""
    output = as_objects(raw.get("output"))
    messages = [item for item in output if item.get("type", "message") == "message"]
    final = [message for message in messages if message.get("phase") not in _ASIDE]
    for message in final or messages:
        for part in as_objects(message.get("content")):
            if part.get("type") in _TEXT:
                yield part


def _spoken(raw: Mapping[str, object], parts: list[Mapping[str, object]]) -> str:
    """Return the answer in one piece, if a gateway made one of it; else the parts put together."""
    pieces = [text(part.get("text")).strip() for part in parts]
    whole = text(raw.get("output_text")).strip()
    return whole or "\n\n".join(piece for piece in pieces if piece)


def _citations(parts: list[Mapping[str, object]], answer: str) -> Iterator[dict[str, object]]:
    end = 0
    for part in parts:
        words = text(part.get("text"))
        # Places count from the beginning of a part; ours from that of the whole answer.
        begin = max(answer.find(words.strip(), end), end)
        end = begin + len(words.strip())
        shift = begin - (len(words) - len(words.lstrip()))
        for annotation in as_objects(part.get("annotations")):
            if annotation.get("type") in _CITATION:
                yield _citation(annotation, shift)


def _citation(annotation: Mapping[str, object], shift: int) -> dict[str, object]:
    # Gateways nest what xAI itself says flat.
    source = as_mapping(annotation.get("url_citation")) or annotation
    return {
        "url": text(source.get("url")),
        "title": text(source.get("title")),
        "start": _place(source.get("start_index"), shift),
        "end": _place(source.get("end_index"), shift),
    }


def _place(value: object, shift: int) -> int | None:
    return max(value + shift, 0) if type(value) is int and 0 <= value < _MAX_JSON_NUMBER else None


def _address(citation: object) -> str:
    """Return the address of a source: bare, or in an object, as gateways send it."""
    return text(citation) or text(as_mapping(citation).get("url"))


def _calls(raw: Mapping[str, object]) -> int | None:
    calls = number(at(raw, "usage", "server_side_tool_usage_details", "x_search_calls"))
    return int(calls) if calls is not None and 0 <= calls < _MAX_JSON_NUMBER else None


SCHEMA_NAME = "x_search_output"
_NOT_FOUND = 404
_NOT_STORED = "only an answer that was stored can be gone on from"
_CUT = ("The model stopped at its length limit, so its answer is cut short.",)


class XaiRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which model searches, how hard it thinks, how long all attempts may take, whose key it is."""

    model: str
    effort: Effort | None = None
    deadline: float | None = None
    credential_source: str = PROVIDER


class XaiSearch:
    """An ``XSearchBackend`` over a model that can search X."""

    def __init__(self, model: ChatModel, rules: XaiRules) -> None:
        """Ask ``model`` as ``rules`` say."""
        self.name = PROVIDER
        self._model = model
        self._rules = rules

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Ask the model, and read its sources out of the answer."""
        rules = self._rules
        answered = await self._model.complete(chat_request(request, rules))
        explained = answered.alt(lambda error: _explained(error, request))
        return explained.bind(lambda response: _served(response, rules))


def chat_request(request: XSearchRequest, rules: XaiRules) -> ChatRequest:
    """Return the call of the model that a search is."""
    schema = request.output_schema
    return ChatRequest(
        model=rules.model,
        messages=({"role": "user", "content": request.query},),
        tools=(x_search_tool(request),),
        reasoning_effort=rules.effort,
        instructions=request.instructions,
        store=request.store,
        previous_response_id=request.previous_response_id,
        output_schema=None if schema is None else _output(schema),
        deadline=rules.deadline,
    )


def x_search_tool(request: XSearchRequest) -> dict[str, object]:
    """Return the tool with what was asked for and nothing else."""
    filters = {
        "allowed_x_handles": list(request.allowed_x_handles),
        "excluded_x_handles": list(request.excluded_x_handles),
        "from_date": str(request.from_date or ""),
        "to_date": str(request.to_date or ""),
        "enable_image_understanding": request.enable_image_understanding,
        "enable_video_understanding": request.enable_video_understanding,
    }
    return {"type": "x_search", **{name: value for name, value in filters.items() if value}}


def _served(response: NormalizedResponse, rules: XaiRules) -> Result[UntrustedXAnswer, WebError]:
    """Return the answer and what is wrong with it; a refusal is none."""
    if response.finish_reason == "content_filter":
        return Failure(ContentFiltered(detail=(response.content or "")[:200]))
    answer = {
        "model": rules.model,
        "credential_source": rules.credential_source,
        **read_answer(response),
    }
    warnings = _CUT * (response.finish_reason == "length")
    return Success(Served(answer=answer, warnings=warnings, usage=response.usage))


def _explained(error: WebError, request: XSearchRequest) -> WebError:
    """Say what xAI does not, when it does not know the answer that is to be gone on from."""
    if not isinstance(error, HttpStatus) or error.status != _NOT_FOUND:
        return error
    if request.previous_response_id is None:
        return error
    detail = "; ".join(filter(None, (error.detail.rstrip("."), _NOT_STORED)))
    return msgspec.structs.replace(error, detail=detail)


def _output(schema: Mapping[str, object]) -> OutputSchema:
    # As the caller wrote it: what comes back is held against that very schema.
    return OutputSchema(schema=schema, name=SCHEMA_NAME, as_given=True)
