"""Models that answer questions from passages."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import ParameterRefused, StructuredOutputInvalid, WebError
from ..ports.evidence import Hear, ModelText
from ..ports.models.chat import ChatModel, ChatRequest, Delta, NormalizedResponse, OutputSchema
from .values.think_tags import strip_thoughts

_CUT_OFF = "the model was cut off"
_ENDINGS = {
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
        self, prompt: str, schema: Mapping[str, object], /, *, hear: Hear | None = None
    ) -> Result[ModelText, WebError]:
        """Return what the model wrote; where a schema is refused, it is said in words.

        With ``hear`` the model is asked to stream.
        """
        request = ChatRequest(
            model=self._model_name,
            messages=({"role": "user", "content": prompt},),
            output_schema=OutputSchema(schema=schema),
            deadline=self._seconds,
        )
        answered = await self._answered(request, hear)
        if isinstance(answered, Failure) and isinstance(answered.failure(), ParameterRefused):
            answered = await self._answered(_in_words(request, prompt, schema), hear)
        return answered.bind(self._text)

    async def _answered(
        self, request: ChatRequest, hear: Hear | None
    ) -> Result[NormalizedResponse, WebError]:
        if hear is None:
            return await self._model.complete(request)
        answered: Result[NormalizedResponse, WebError] = Failure(_nothing(self._model_name))
        async for item in self._model.stream(request):
            if isinstance(item, Delta):
                hear(item.text)
            else:
                answered = item
        return answered

    def _text(self, response: NormalizedResponse) -> Result[ModelText, WebError]:
        ending = _ENDINGS.get(response.finish_reason)
        if ending is not None:
            return Failure(StructuredOutputInvalid(reason=ending, backend=self._model_name))
        text = strip_thoughts(response.content or "")
        cut = _CUT_OFF if response.finish_reason == "length" else ""
        return Success(ModelText(text=text, usage=response.usage, cut=cut))


def _nothing(backend: str) -> WebError:
    return StructuredOutputInvalid(reason="the stream ended without an answer", backend=backend)


def _in_words(request: ChatRequest, prompt: str, schema: Mapping[str, object]) -> ChatRequest:
    form = msgspec.json.encode(schema).decode()
    words = f"{prompt}\n\nAnswer with one JSON object after this schema: {form}"
    return msgspec.structs.replace(
        request, messages=({"role": "user", "content": words},), output_schema=None
    )
