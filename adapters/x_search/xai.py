"""xAI's own search of X: a tool of its models, over the Responses API."""

from collections.abc import Mapping

import msgspec
from returns.result import Result, Success

from ...ports.errors import WebError
from ...ports.models import ChatModel, ChatRequest, Effort, NormalizedResponse, OutputSchema
from ...ports.x_search import UntrustedXAnswer, XSearchRequest
from ..shapes.fields import at, number, text, texts

SCHEMA_NAME = "x_search_output"


class XaiRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which model searches, how hard it thinks, how long it may take, and whose key it is."""

    model: str
    effort: Effort | None = None
    seconds: float = 180.0
    credential_source: str = "xai"


class XaiSearch:
    """An ``XSearchBackend`` over a model that can search X."""

    def __init__(self, model: ChatModel, rules: XaiRules) -> None:
        """Ask ``model`` as ``rules`` say."""
        self.name = "xai"
        self._model = model
        self._rules = rules

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Ask the model, and read its sources out of the answer."""
        answered = await self._model.complete(_written(request, self._rules))
        return answered.bind(lambda response: Success(_read(response, self._rules)))


def x_search_tool(request: XSearchRequest) -> dict[str, object]:
    """Return the tool with what was asked for and nothing else."""
    given = {
        "allowed_x_handles": list(request.allowed_x_handles),
        "excluded_x_handles": list(request.excluded_x_handles),
        "from_date": str(request.from_date or ""),
        "to_date": str(request.to_date or ""),
        "enable_image_understanding": request.enable_image_understanding,
        "enable_video_understanding": request.enable_video_understanding,
    }
    return {"type": "x_search", **{name: value for name, value in given.items() if value}}


def _written(request: XSearchRequest, rules: XaiRules) -> ChatRequest:
    schema = request.output_schema
    return ChatRequest(
        model=rules.model,
        messages=({"role": "user", "content": request.query},),
        tools=(x_search_tool(request),),
        reasoning_effort=rules.effort,
        output_schema=None if schema is None else _output(schema),
        instructions=request.instructions,
        store=request.store,
        previous_response_id=request.previous_response_id,
        deadline=rules.seconds,
    )


def _output(schema: Mapping[str, object]) -> OutputSchema:
    # As the caller wrote it: what comes back is held against that very schema.
    return OutputSchema(schema=schema, name=SCHEMA_NAME, as_given=True)


def _read(response: NormalizedResponse, rules: XaiRules) -> dict[str, object]:
    raw = response.raw or {}
    calls = number(at(raw, "usage", "server_side_tool_usage_details", "x_search_calls"))
    return {
        "answer": text(raw.get("output_text")).strip() or response.content or "",
        "citations": _citations(raw.get("citations")),
        "inline_citations": _inline(raw),
        "response_id": response.id,
        "x_search_calls": int(calls) if calls is not None and calls >= 0 else None,
        "model": response.model or rules.model,
        "credential_source": rules.credential_source,
    }


def _citations(given: object) -> list[str]:
    """Return the addresses of all sources: bare, or in objects, as gateways send them."""
    listed = given if isinstance(given, list) else []
    objects = [text(at(each, "url")) for each in listed if isinstance(each, dict)]
    return [*texts(listed), *(url for url in objects if url)]


def _inline(raw: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the citations in the text, flat or nested, with places that are whole numbers."""
    found: list[dict[str, object]] = []
    for item in _objects(raw.get("output")):
        for part in _objects(item.get("content")):
            found += [_citation(each) for each in _objects(part.get("annotations"))]
    return [each for each in found if each["url"]]


def _citation(annotation: Mapping[str, object]) -> dict[str, object]:
    nested = annotation.get("url_citation")
    given = nested if isinstance(nested, dict) else annotation
    return {
        "url": text(given.get("url")),
        "title": text(given.get("title")),
        "start": _place(given.get("start_index")),
        "end": _place(given.get("end_index")),
    }


def _place(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 53 else None


def _objects(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
