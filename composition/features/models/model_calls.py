"""A ``ChatModel`` with plugins around every single request it makes, each attempt too."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from returns.result import Result

from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.client.exchange import Send, WireCall
from webseam.kernel.boundary import attempt_call
from webseam.ports.errors import WebError
from webseam.ports.models import ChatRequest, NormalizedResponse, StreamItem

from ...planning.open_backends import OpenModel
from ...session import Session, current_call_ids
from .model_stages import ModelEndpoint, ModelStages


class PluggedModel:
    """A model whose every request goes through the callbacks that are registered."""

    def __init__(
        self, model: ModelClient, around: Session, api_mode: str = "", base_url: str = ""
    ) -> None:
        self.name = model.name
        self._model, self._session = model, around
        self._endpoint = ModelEndpoint(
            provider=model.name,
            api_mode=api_mode,
            base_url=base_url,
            headers=attempt_call(lambda: model.own_headers).value_or(frozenset()),
        )
        self._calls = 0

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the whole answer, or why there is none."""
        return await self._client_with_plugins().complete(request)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces, and at the end, once, the result."""
        async with aclosing(self._client_with_plugins().stream(request)) as items:
            async for item in items:
                yield item

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._model.aclose()

    def _client_with_plugins(self) -> ModelClient:
        self._calls += 1
        requests = 0
        session = self._session
        context = {
            "session_id": session.session_id, "task_id": session.session_id, "turn_id": "",
            **current_call_ids(), "api_request_id": session.new_id(), "platform": session.platform,
            **self._endpoint.callback_fields(), "api_call_count": self._calls,
        }  # fmt: skip

        async def surround(call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
            nonlocal requests
            stages = ModelStages(self._session, self._endpoint, context, requests)
            requests += 1
            async with stages, aclosing(stages.run(call, send)) as items:
                async for item in items:
                    yield item

        return self._model.with_attempt_wrapper(surround)


def plug_model(
    model: ModelClient, session: Session, api_mode: str = "", base_url: str = ""
) -> OpenModel:
    """Return ``model`` wrapped in plugins; unchanged if none is registered."""
    return PluggedModel(model, session, api_mode, base_url) if session.callbacks.has_any else model
