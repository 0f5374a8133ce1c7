"""Calls of a provider that are no conversation: one JSON document there, one back."""

import asyncio
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ....ports.errors import BadPayload, WebError
from ...values.json_values import json_or_none
from ..declaration.account import Account, Outgoing
from ..declaration.provider import Provider
from ..declaration.wire import WireRequest
from ..refusals.errors import refusal_error
from .answer_reading import refused_answer
from .attempts import Attempt, time_budget
from .exchange import ModelLimits
from .provider_caller import FetchedResponse, ModelDeps, ProviderCaller
from .wire_request_writing import fetch_request, write_request


class JsonCalls:
    """Sends JSON to one provider and reads JSON back; nothing it returns holds the key."""

    def __init__(
        self,
        provider: Provider,
        account: Account,
        deps: ModelDeps,
        limits: ModelLimits | None = None,
    ) -> None:
        self.name = provider.name
        self._caller = ProviderCaller(provider, account, deps)
        self._limits = limits or ModelLimits(seconds=60.0)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._caller.aclose()

    async def call(
        self, path: str, body: Mapping[str, object] | None = None, *, model: str = ""
    ) -> Result[object, WebError]:
        """Return the JSON that comes back; without a ``body`` the call is a GET."""
        turn = Attempt(budget=time_budget(self._limits.seconds))
        while True:
            answer = await self._attempt(path, body, model, turn)
            following = (
                self._caller.after(turn, answer.failure()) if isinstance(answer, Failure) else None
            )
            if following is None:
                return answer.alt(self._caller.sign)
            await asyncio.sleep(following.wait)
            turn = following

    async def _attempt(
        self, path: str, body: Mapping[str, object] | None, model: str, turn: Attempt
    ) -> Result[object, WebError]:
        def write(provider: Provider, account: Account) -> Result[Outgoing, WebError]:
            if body is None:
                return fetch_request(path, provider, account)
            document = WireRequest(path=path, body=dict(body))
            return write_request(document, provider, account, "application/json")

        fetched = await self._caller.fetch(write, turn.budget, self._limits.bytes)
        return fetched.bind(lambda held: self._answer(held, model))

    def _answer(self, fetched: FetchedResponse, model: str) -> Result[object, WebError]:
        response, content = fetched
        if not response.is_success:
            now = self._caller.deps.now()
            return Failure(refusal_error(refused_answer(response, content, model, now)))
        payload = json_or_none(content)
        if payload is None:
            return Failure(BadPayload(problem="not_json", status=response.status_code))
        return Success(payload)

    def sign(self, error: WebError) -> WebError:
        """Put our name on an error, and take every secret out of what the provider said."""
        return self._caller.sign(error)
