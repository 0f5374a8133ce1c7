"""One request to a model over HTTP, and its answer: streamed, complete, or polled."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import TypeAlias
from urllib.parse import urlencode

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.http.body import ACCEPT_ENCODING, read_body_pieces
from webseam.adapters.user_agent import USER_AGENT
from webseam.adapters.values.json_values import json_or_none
from webseam.adapters.values.urls import join_path
from webseam.ports.errors import (
    BadPayload,
    DeadlineExceeded,
    HttpStatus,
    InvalidQuery,
    NotConfigured,
    WebError,
)
from webseam.ports.models import ChatRequest, StreamItem

from ..declaration.provider import Account, Headers, Outgoing, Provider, are_sendable_headers
from ..declaration.wire import Json, Wire, WireRequest
from ..refusal_errors import model_refusal
from .answer_reading import (
    EventReader,
    answer_deltas,
    is_event_stream,
    make_refused_answer,
    read_answer,
)
from .attempts import Attempt, TimeBudget, start_time_budget
from .provider_caller import (
    FetchedResponse,
    ModelDeps,
    ProviderCaller,
    WriteRequest,
    close_response,
    read_response,
)

# A server says so of a path that it does not have.
_NO_PATH_STATUSES = frozenset({404, 405})


def _encode_mapping(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


_JSON_ENCODER = msgspec.json.Encoder(enc_hook=_encode_mapping)


def make_post_request(
    wire_request: WireRequest, accept: str, provider: Provider, account: Account
) -> Result[Outgoing, WebError]:
    """Return the request without credentials, or say what in it cannot be sent."""
    try:
        content = _JSON_ENCODER.encode(wire_request.body)
    # A lone surrogate is a ValueError, a cycle a RecursionError.
    except (TypeError, ValueError, RecursionError):
        reason = "holds something that cannot be written as JSON"
        return Failure(InvalidQuery(field="messages", reason=reason))
    # Only the session comes from the caller's request.
    if not are_sendable_headers(wire_request.headers):
        reason = "holds characters that no header can carry"
        return Failure(InvalidQuery(field="session", reason=reason))
    headers = _headers(provider, wire_request.headers, accept)
    headers["content-type"] = "application/json"
    url = _request_url(provider, account, wire_request.path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=content))


def make_get_request(path: str, provider: Provider, account: Account) -> Result[Outgoing, WebError]:
    """Return a GET request for a path, without credentials."""
    headers = _headers(provider, (), "application/json")
    url = _request_url(provider, account, path)
    return Success(Outgoing(url=url, headers=tuple(headers.items()), content=b"", method="GET"))


def _headers(provider: Provider, request_headers: Headers, accept: str) -> dict[str, str]:
    headers = {"accept": accept, "accept-encoding": ACCEPT_ENCODING, "user-agent": USER_AGENT}
    for name, value in (*provider.http.headers, *request_headers):
        headers[name.lower()] = value
    return headers


def _request_url(provider: Provider, account: Account, path: str) -> str:
    url = join_path(account.base_url, path)
    if not provider.http.query:
        return url
    return f"{url}{'&' if '?' in path else '?'}{urlencode(provider.http.query)}"


class ModelLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a call: bytes after decompression, and seconds where a request sets none.

    A stream takes some hundred bytes per token, so it may be longer than a complete answer.
    ``poll`` is the number of seconds between polls for an answer in the background.
    """

    bytes: int = 32 * 1024 * 1024
    stream_bytes: int = 256 * 1024 * 1024
    seconds: float = 600.0
    poll: float = 2.0


class WireCall(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a provider, without base URL and key.

    ``body`` is in the wire's format, ``request`` is the one that it was made from. ``headers`` are
    added, and ``seconds`` limits this request.
    """

    body: Json
    request: ChatRequest
    stream: bool
    headers: Headers = ()
    seconds: float | None = None


# Sends one request, and yields the answer's deltas and then the result once.
Send: TypeAlias = Callable[[WireCall], AsyncGenerator[StreamItem]]
# Wraps one request: it may change it, answer it, or observe it.
Surround: TypeAlias = Callable[[WireCall, Send], AsyncGenerator[StreamItem]]


class ModelExchange:
    """Sends requests over a wire, and reads the answers."""

    def __init__(self, wire: Wire, caller: ProviderCaller, limits: ModelLimits) -> None:
        self._wire = wire
        self._caller = caller
        self._limits = limits

    async def send(
        self, built: WireRequest, call: WireCall, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        """Yield the deltas of one answer, and then the result once."""
        if call.seconds is not None and call.seconds < budget.left:
            budget = start_time_budget(call.seconds)
        accept = self._wire.accept if call.stream else "application/json"
        response_head = await self._caller.open_response(
            partial(make_post_request, built, accept), budget
        )
        if isinstance(response_head, Failure):
            yield response_head
            return
        response = response_head.unwrap()
        try:
            is_streamed = call.stream and is_event_stream(response, self._wire)
            read_items = self._read_stream if is_streamed else self._read_document
            async with aclosing(read_items(response, call.request, budget)) as items:
                async for item in items:
                    yield item
        finally:
            await close_response(response)

    async def _read_document(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        fetched = await read_response(response, budget, self._limits.bytes)
        path = fetched.map(self._pending_path).value_or("")
        if path:
            fetched = await self._poll_until_ready(path, request, budget)
        now = self._caller.deps.now()
        answer = fetched.bind(
            lambda response_and_body: read_answer(*response_and_body, self._wire, request, now)
        ).alt(self._explain_missing_api)
        separator = answer.map(partial(self._wire.separated, request)).value_or("")
        for delta in answer_deltas(answer, separator):
            yield delta
        yield answer

    def _explain_missing_api(self, error: WebError) -> WebError:
        """Return an error that names the provider for an address without the Responses API."""
        provider = self._caller.provider
        chat = provider.responses.chat_provider
        is_missing = isinstance(error, HttpStatus) and error.status in _NO_PATH_STATUSES
        if provider.api_mode != "responses" or not chat or not is_missing:
            return error
        return NotConfigured(
            reason="This address has no Responses API",
            remedy=f"Use the provider {chat}: it speaks Chat Completions there.",
        )

    def _pending_path(self, fetched: FetchedResponse) -> str:
        """Return the path to poll, if this response is not the answer yet."""
        if not fetched.response.is_success:
            return ""
        return self._wire.pending(json_or_none(fetched.body), self._caller.provider)

    async def _poll_until_ready(
        self, path: str, request: ChatRequest, budget: TimeBudget
    ) -> Result[FetchedResponse, WebError]:
        """Return the first response that is not pending, or a failure when the time is over.

        A failed poll does not end the provider's work: it is retried as often as any call.
        """
        attempt = 0
        while self._limits.poll < budget.left:
            await asyncio.sleep(self._limits.poll)
            fetched = await self._poll_answer(path, request, budget)
            if isinstance(fetched, Failure):
                attempt += 1
                if self._caller.deps.retry(fetched.failure(), attempt) is None:
                    return fetched
            elif not self._pending_path(fetched.unwrap()):
                return fetched
        return Failure(DeadlineExceeded(deadline=budget.seconds))

    async def _poll_answer(
        self, path: str, request: ChatRequest, budget: TimeBudget
    ) -> Result[FetchedResponse, WebError]:
        write = partial(make_get_request, path)
        fetched = await self._caller.fetch_response(write, budget, self._limits.bytes)
        if isinstance(fetched, Failure) or fetched.unwrap().response.is_success:
            return fetched
        now = self._caller.deps.now()
        return Failure(read_answer(*fetched.unwrap(), self._wire, request, now).failure())

    async def _read_stream(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        reader = EventReader(self._wire, request)
        pieces = read_body_pieces(response, self._limits.stream_bytes)
        while not reader.done:
            piece = await budget.await_step(anext(pieces, None), response.request.url.host)
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


class JsonCalls:
    """Sends JSON to one provider and reads JSON back; its results never contain the key."""

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
        """Close the connections kept for the next call."""
        await self._caller.aclose()

    async def call_json(
        self, path: str, body: Mapping[str, object] | None = None, *, model: str = ""
    ) -> Result[object, WebError]:
        """Return the JSON of the response; without a ``body`` the call is a GET."""
        attempt = Attempt(budget=start_time_budget(self._limits.seconds))
        while True:
            answer = await self._attempt_call(path, body, model, attempt)
            if isinstance(answer, Success):
                return answer
            next_attempt = self._caller.next_attempt(attempt, answer.failure())
            if next_attempt is None:
                return answer.alt(self._caller.redact_error)
            await asyncio.sleep(next_attempt.wait)
            attempt = next_attempt

    async def _attempt_call(
        self, path: str, body: Mapping[str, object] | None, model: str, attempt: Attempt
    ) -> Result[object, WebError]:
        write: WriteRequest = partial(make_get_request, path)
        if body is not None:
            document = WireRequest(path=path, body=dict(body))
            write = partial(make_post_request, document, "application/json")
        fetched = await self._caller.fetch_response(write, attempt.budget, self._limits.bytes)
        return fetched.bind(lambda response: self._read_json(response, model))

    def _read_json(self, fetched: FetchedResponse, model: str) -> Result[object, WebError]:
        response, content = fetched
        if not response.is_success:
            now = self._caller.deps.now()
            return Failure(model_refusal(make_refused_answer(response, content, model, now)))
        payload = json_or_none(content)
        if payload is None:
            return Failure(BadPayload(problem="not_json", status=response.status_code))
        return Success(payload)

    def redact_error(self, error: WebError) -> WebError:
        """Add the provider's name to an error, and redact every secret in it."""
        return self._caller.redact_error(error)
