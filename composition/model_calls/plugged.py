"""A ``ChatModel`` with plugins around it.

``llm_request``, ``pre_api_request``, ``llm_execution`` around the client, then ``post_api_request``
or ``api_request_error``.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from returns.result import Failure, Result

from ...ports.errors import WebError
from ...ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from ..closing import OpenModel
from ..tools.around import Around
from .stages import ModelStages, Place


class PluggedModel:
    """A model whose every call goes through the callbacks that are registered."""

    def __init__(
        self, model: OpenModel, around: Around, api_mode: str = "", base_url: str = ""
    ) -> None:
        """Put what is registered ``around`` the model; callbacks are told where it is asked."""
        self.name = model.name
        self._model = model
        self._around = around
        self._place = Place(provider=model.name, api_mode=api_mode, base_url=base_url)
        self._calls = 0

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the whole answer, or why there is none."""
        async with self._stages() as stages:
            return await stages.make(request, self._model.complete)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces, and at the end, once, the result.

        Callbacks around an execution take and give whole answers: with any, the answer comes in one
        piece.
        """
        if self._around.callbacks.of("llm_execution"):
            result = await self.complete(request)
            if not isinstance(result, Failure) and result.unwrap().content:
                yield Delta(text=result.unwrap().content or "")
            yield result
            return
        async with self._stages() as stages:
            begun = await stages.begin(request)
            if isinstance(begun, Failure):
                yield begun
                return
            async with aclosing(self._model.stream(begun.unwrap())) as items:
                async for item in items:
                    yield item if isinstance(item, Delta) else await stages.finish(item)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._model.aclose()

    def _stages(self) -> ModelStages:
        self._calls += 1
        return ModelStages(self._around, self._place, self._calls)


def plugged(model: OpenModel, around: Around, api_mode: str = "", base_url: str = "") -> OpenModel:
    """Return ``model`` with what is registered around it; with nothing, as it is."""
    return PluggedModel(model, around, api_mode, base_url) if around.callbacks.any else model
