"""One request to a model over HTTP, and its answer in pieces, whole, or from the background."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import BadPayload, DeadlineExceeded, InvalidQuery, WebError
from ....ports.models.chat import ChatRequest, StreamItem
from ...http.body import ACCEPT_ENCODING, read_pieces
from ...values.json_values import json_or_none
from ...values.urls import join_path
from ..declaration.provider import Account, Headers, Outgoing, Provider, are_sendable_headers
from ..declaration.wire import Json, Wire, WireRequest
from ..refusals.errors import refusal_error
from .answer_reading import EventReader, answer_deltas, is_stream, read_answer, refused_answer
from .attempts import Attempt, TimeBudget, time_budget
from .provider_caller import FetchedResponse, ModelDeps, ProviderCaller, close_response, read_whole


def _plain(value: object) -> object:
    """Write any mapping as an object."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


def write_request(
    wire_request: WireRequest, provider: Provider, account: Account, accept: str
) -> Result[Outgoing, WebError]:
    """Return the request but for its proof, or say what in it cannot be sent.

    Of a request's own words only the session goes into headers.
    """
    try:
        content = _ENCODER.encode(wire_request.body)
    # Halves of surrogate pairs are a ValueError, circles a RecursionError.
    except (TypeError, ValueError, RecursionError):
        reason = "holds something that cannot be written as JSON"
        return Failure(InvalidQuery(field="messages", reason=reason))
    if not are_sendable_headers(wire_request.headers):
        reason = "holds characters that no header can carry"
        return Failure(InvalidQuery(field="session", reason=reason))
    headers = _headers(provider, wire_request.headers, accept) | {
        "content-type": "application/json"
    }
    url = _url(provider, account, wire_request.path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=content))


def fetch_request(path: str, provider: Provider, account: Account) -> Result[Outgoing, WebError]:
    """Return the request that only asks for what is at a path, but for its proof."""
    headers = _headers(provider, (), "application/json")
    url = _url(provider, account, path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=b"", method="GET"))


def _headers(provider: Provider, more: Headers, accept: str) -> dict[str, str]:
    headers = {"accept": accept, "accept-encoding": ACCEPT_ENCODING, "user-agent": "webseam"}
    for name, value in (*provider.http.headers, *more):
        headers[name.lower()] = value
    return headers


def _url(provider: Provider, account: Account, path: str) -> str:
    url = join_path(account.base_url, path)
    if not provider.http.query:
        return url
    return f"{url}{'&' if '?' in path else '?'}{urlencode(provider.http.query)}"


# One request to a model over HTTP, and its answer in pieces, whole, or from the background.


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


# Calls of a provider that are no conversation: one JSON document there, one back.


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
