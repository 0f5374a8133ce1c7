"""Models that answer questions from passages."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import ParameterRefused, StructuredOutputInvalid, WebError
from webseam.ports.evidence import HearText, ModelText
from webseam.ports.models import ChatModel, ChatRequest, Delta, NormalizedResponse, OutputSchema

from ..values.think_tags import strip_thoughts

_UNUSABLE_FINISH_REASONS = {
    "content_filter": "the model refused",
    "tool_calls": "the model called a tool instead of answering",
}


class ModelAnswerer:
    """An ``Answerer`` over any ``ChatModel``."""

    def __init__(self, model: ChatModel, model_name: str, *, seconds: float) -> None:
        """Ask ``model`` for ``model_name``; each call may take ``seconds``."""
        self._model = model
        self._model_name = model_name
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model_name

    async def __call__(
        self, prompt: str, schema: Mapping[str, object], /, *, hear: HearText | None = None
    ) -> Result[ModelText, WebError]:
        """Return the model's text; if the schema is refused, ask again with it in the prompt.

        With ``hear`` the model streams, and ``hear`` gets each piece of text.
        """
        request = ChatRequest(
            model=self._model_name,
            messages=({"role": "user", "content": prompt},),
            output_schema=OutputSchema(schema=schema),
            deadline=self._seconds,
        )
        response = await self._ask_evidence(request, hear)
        if isinstance(response, Failure) and isinstance(response.failure(), ParameterRefused):
            response = await self._ask_evidence(_schema_as_text(request, prompt, schema), hear)
        return response.bind(self._read_model_text)

    async def _ask_evidence(
        self, request: ChatRequest, hear: HearText | None
    ) -> Result[NormalizedResponse, WebError]:
        if hear is None:
            return await self._model.complete(request)
        result: Result[NormalizedResponse, WebError] = Failure(_no_answer_error(self._model_name))
        async for item in self._model.stream(request):
            if isinstance(item, Delta):
                hear(item.text)
            else:
                result = item
        return result

    def _read_model_text(self, response: NormalizedResponse) -> Result[ModelText, WebError]:
        problem = _UNUSABLE_FINISH_REASONS.get(response.finish_reason)
        if problem is not None:
            return Failure(StructuredOutputInvalid(reason=problem, backend=self._model_name))
        text = strip_thoughts(response.content or "")
        cut = "the model was cut off" if response.finish_reason == "length" else ""
        return Success(
            ModelText(
                text=text,
                model=response.model or "",
                usage=response.usage,
                cut=cut,
                attempts=response.attempts,
            )
        )


def _no_answer_error(backend: str) -> WebError:
    return StructuredOutputInvalid(reason="the stream ended without an answer", backend=backend)


def _schema_as_text(request: ChatRequest, prompt: str, schema: Mapping[str, object]) -> ChatRequest:
    schema_json = msgspec.json.encode(schema).decode()
    content = f"{prompt}\n\nAnswer with one JSON object after this schema: {schema_json}"
    return msgspec.structs.replace(
        request, messages=({"role": "user", "content": content},), output_schema=None
    )
