"""One request to a model over HTTP, and its answer in pieces, whole, or from the background."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import NamedTuple, TypeAlias

import httpx
import msgspec
from returns.result import Failure, Result

from ....ports.errors import DeadlineExceeded, WebError
from ....ports.models.chat import ChatRequest, StreamItem
from ...http.body import read_pieces
from ...values.json_values import json_or_none
from ..declaration.provider import Headers
from ..declaration.wire import Json, Wire, WireRequest
from .answer_reading import EventReader, answer_deltas, is_stream, read_answer
from .attempts import TimeBudget, time_budget
from .provider_caller import FetchedResponse, ProviderCaller, close_response, read_whole
from .wire_request_writing import fetch_request, write_request


class ModelLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much and how long: bytes after decompression, seconds where a request sets none.

    A stream takes some hundred bytes for each token, so it may be longer than a whole answer.
    ``poll`` is how long to wait before an answer in the background is asked for again.
    """

    bytes: int = 32 * 1024 * 1024
    stream_bytes: int = 256 * 1024 * 1024
    seconds: float = 600.0
    poll: float = 2.0


class WireCall(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a provider, as it will be sent but for address and key.

    ``body`` is the provider's own, ``request`` the neutral one it was made from. ``headers`` are
    added, and ``seconds`` is a limit for this one.
    """

    body: Json
    request: ChatRequest
    stream: bool
    headers: Headers = ()
    seconds: float | None = None


# Sends one request, and yields the answer in pieces and at the end, once, the result.
Send: TypeAlias = Callable[[WireCall], AsyncGenerator[StreamItem]]
# Stands around one request: it may change it, answer in its place, or look on.
Surround: TypeAlias = Callable[[WireCall, Send], AsyncGenerator[StreamItem]]


class ModelExchange:
    """Sends requests in the words of a wire, and reads what comes back."""

    def __init__(self, wire: Wire, caller: ProviderCaller, limits: ModelLimits) -> None:
        """Join how it is spoken with who calls."""
        self._wire = wire
        self._caller = caller
        self._limits = limits

    async def send(
        self, built: WireRequest, call: WireCall, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        """Yield the answer to one request in pieces, and at the end, once, the result."""
        if call.seconds is not None and call.seconds < budget.left:
            budget = time_budget(call.seconds)
        accept = self._wire.accept if call.stream else "application/json"
        opened = await self._caller.open(
            lambda provider, account: write_request(built, provider, account, accept), budget
        )
        if isinstance(opened, Failure):
            yield opened
            return
        response = opened.unwrap()
        try:
            streams = call.stream and is_stream(response, self._wire)
            reading = self._events if streams else self._whole
            async with aclosing(reading(response, call.request, budget)) as items:
                async for item in items:
                    yield item
        finally:
            await close_response(response)

    async def _whole(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        fetched = await read_whole(response, budget, self._limits.bytes)
        path = fetched.map(self._pending).value_or("")
        if path:
            polling = _Polling(self._limits.poll, self._pending, self._caller.deps.retry)
            fetched = await _wait_for(lambda: self._fetch(path, request, budget), polling, budget)
        answer = fetched.bind(
            lambda held: read_answer(*held, self._wire, request, self._caller.deps.now())
        )
        for delta in answer_deltas(answer):
            yield delta
        yield answer

    def _pending(self, fetched: FetchedResponse) -> str:
        """Return where the answer will be, if this is not it yet."""
        if not fetched.response.is_success:
            return ""
        return self._wire.pending(json_or_none(fetched.body), self._caller.provider)

    async def _fetch(
        self, path: str, request: ChatRequest, budget: TimeBudget
    ) -> Result[FetchedResponse, WebError]:
        """Ask once for an answer that was begun before."""
        fetched = await self._caller.fetch(
            lambda provider, account: fetch_request(path, provider, account),
            budget,
            self._limits.bytes,
        )
        if isinstance(fetched, Failure) or fetched.unwrap().response.is_success:
            return fetched
        now = self._caller.deps.now()
        return Failure(read_answer(*fetched.unwrap(), self._wire, request, now).failure())

    async def _events(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        reader = EventReader(self._wire, request)
        pieces = read_pieces(response, self._limits.stream_bytes)
        while not reader.done:
            piece = await budget.bound(anext(pieces, None), response.request.url.host)
            if isinstance(piece, Failure):
                yield Failure(piece.failure())
                return
            data = piece.unwrap()
            if data is None:
                break
            for delta in reader.feed(data):
                yield delta
        deltas, answer = reader.finish()
        for delta in deltas:
            yield delta
        yield answer


class _Polling(NamedTuple):
    """How often to ask, what is not there yet, and after which failures to ask again."""

    seconds: float
    pending: Callable[[FetchedResponse], str]
    retry: Callable[[WebError, int], float | None]


async def _wait_for(
    fetch: Callable[[], Awaitable[Result[FetchedResponse, WebError]]],
    polling: _Polling,
    budget: TimeBudget,
) -> Result[FetchedResponse, WebError]:
    """Return the first response that is no longer pending, or why there is none in time.

    A failure on the way there does not end the work: it is asked for again, as often as any call.
    """
    attempt = 0
    while polling.seconds < budget.left:
        await asyncio.sleep(polling.seconds)
        fetched = await fetch()
        if isinstance(fetched, Failure):
            attempt += 1
            if polling.retry(fetched.failure(), attempt) is None:
                return fetched
        elif not polling.pending(fetched.unwrap()):
            return fetched
    return Failure(DeadlineExceeded(deadline=budget.seconds))
