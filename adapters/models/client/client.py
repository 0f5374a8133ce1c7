"""The client: a wire, a provider, an account and a transport become a ``ChatModel``."""

import asyncio
import copy
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Self, TypeAlias, cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import (
    AuthFailed,
    ConnectionLost,
    QuotaExhausted,
    RateLimited,
    WebError,
)
from ....ports.models import ChatRequest, Delta, NormalizedResponse, StreamItem
from ...http.body import read_body, read_pieces
from ...values.json import parse
from ..declaration.account import Account, Outgoing
from ..declaration.optional import refused_field
from ..declaration.provider import Headers, Provider
from ..declaration.wire import Json, Wire, WireRequest
from .answers import EventReader, as_deltas, is_stream, read_answer
from .attempts import Attempt, Pauses, TimeBudget, may_leave_out, time_budget, without
from .background import Fetched, Polling, wait_for
from .requests import fetch_request, prove, write_request

# What an error may quote of the other side's words.
_WORDS = ("detail", "reason", "code")
# What another key may help with.
_ABOUT_THE_KEY = (AuthFailed, QuotaExhausted, RateLimited)


class ModelLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much and how long: bytes after decompression, seconds where a request sets none.

    A stream takes some hundred bytes for each token, so it may be longer than a whole answer.
    ``poll`` is how long to wait before an answer in the background is asked for again.
    """

    bytes: int = 32 * 1024 * 1024
    stream_bytes: int = 256 * 1024 * 1024
    seconds: float = 600.0
    poll: float = 2.0


class ModelDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What composition hands to every client.

    ``check`` looks at a request before it is sent; ``retry`` says how long to wait before another
    attempt, None for no other; ``crashed`` names what a provider's own code raised.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    check: Callable[[object], Result[ChatRequest, WebError]]
    retry: Callable[[WebError, int], float | None]
    crashed: Callable[[Exception], WebError]


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


def _directly(call: WireCall, send: Send) -> AsyncGenerator[StreamItem]:
    return send(call)


class ModelClient:
    """A ``ChatModel`` over one provider. Nothing it returns holds the key.

    An account with several keys uses the next one when the provider refuses a key or has had enough
    of it, before anything of an answer came.
    """

    def __init__(
        self,
        wire: Wire,
        provider: Provider,
        account: Account,
        *,
        surroundings: ModelDeps,
        limits: ModelLimits | None = None,
    ) -> None:
        """Join how it is spoken, what is special about it, who calls, and how it is reached."""
        self.name = provider.name
        self.base_url = account.base_url
        self._wire = wire
        self._provider = provider
        self._accounts = account.for_each_key()
        self._turn = 0
        self._around = surroundings
        self._limits = limits or ModelLimits()
        self._surround: Surround = _directly

    @property
    def _account(self) -> Account:
        """The account with the key whose turn it is."""
        return self._accounts[self._turn]

    @property
    def own_headers(self) -> frozenset[str]:
        """The names of headers that are the client's to say: those of the provider and its key."""
        proof = Outgoing(url=self.base_url, headers=(), content=b"")
        proving = self._provider.login.prove(proof, self._account, self._around.now())
        named = (name for name, _ in (*self._provider.http.headers, *proving))
        return frozenset(name.lower() for name in named)

    def surrounded(self, surround: Surround) -> Self:
        """Return this client with ``surround`` around every single request, each attempt too."""
        other = copy.copy(self)
        other._surround = surround  # noqa: SLF001  a copy of ourselves
        return other

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the whole answer, or why there is none."""
        *_, last = [item async for item in self._ask(request, stream=False)]
        return cast("Result[NormalizedResponse, WebError]", last)

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces as they come, and at the end, once, the result."""
        async with aclosing(self._ask(request, stream=True)) as items:
            async for item in items:
                yield item

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._around.transport.aclose()

    async def _ask(self, request: ChatRequest, *, stream: bool) -> AsyncGenerator[StreamItem]:
        """Ask until the answer is whole: a model may pause at the work of its provider's tools."""
        checked = self._around.check(request)
        if isinstance(checked, Failure):
            yield self._signed(checked)
            return
        refused = refused_field(checked.unwrap(), self._wire, self._provider)
        if refused is not None:
            yield self._signed(Failure(refused))
            return
        pauses = Pauses(self._wire, checked.unwrap())
        budget = time_budget(pauses.request.deadline or self._limits.seconds)
        whole = None
        while whole is None:
            async with aclosing(self._answer(pauses.request, budget, stream=stream)) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        yield item
                    else:
                        whole = pauses.take(item)
        yield self._signed(whole)

    async def _answer(
        self, request: ChatRequest, budget: TimeBudget, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        """Try until there is an answer, or no use in trying; never again once it began to speak."""
        turn: Attempt | None = Attempt(budget=budget)
        while turn is not None:
            begun = False
            result: Result[NormalizedResponse, WebError] = Failure(ConnectionLost())
            async with aclosing(self._attempt(request, turn, stream=stream)) as items:
                async for item in items:
                    if isinstance(item, Delta):
                        begun = True
                        yield item
                    else:
                        result = item
            done, turn = turn, None if begun else self._next(turn, result)
            if turn is None:
                yield result.map(done.stamp)
            else:
                await asyncio.sleep(turn.wait)

    def _next(self, turn: Attempt, result: Result[NormalizedResponse, WebError]) -> Attempt | None:
        """Return the turn to take after this one: none, if it is an answer or no use to go on."""
        if not isinstance(result, Failure):
            return None
        unwanted = may_leave_out(result.failure(), turn.left_out)
        if unwanted is not None:
            return turn.without(unwanted)
        others = turn.keys_refused + 1 < len(self._accounts)
        if others and isinstance(result.failure(), _ABOUT_THE_KEY):
            # The next key is kept from now on, as it is for services.
            self._turn = (self._turn + 1) % len(self._accounts)
            return turn.with_another_key()
        wait = self._around.retry(result.failure(), turn.attempt)
        return None if wait is None or wait >= turn.budget.left else turn.after(wait)

    async def _attempt(
        self, request: ChatRequest, turn: Attempt, *, stream: bool
    ) -> AsyncGenerator[StreamItem]:
        built = self._build(request, turn, stream=stream)
        if isinstance(built, Failure):
            yield built
            return
        wire_request = built.unwrap()
        call = WireCall(body=wire_request.body, request=request, stream=stream)

        def send(given: WireCall) -> AsyncGenerator[StreamItem]:
            headers = (*wire_request.headers, *given.headers)
            outgoing = msgspec.structs.replace(wire_request, body=given.body, headers=headers)
            return self._told(self._send(outgoing, given, turn.budget))

        async with aclosing(self._surround(call, send)) as items:
            async for item in items:
                yield item

    async def _told(self, items: AsyncGenerator[StreamItem]) -> AsyncGenerator[StreamItem]:
        """Yield what came; whoever stands around a request is shown no key either."""
        async with aclosing(items):
            async for item in items:
                yield item if isinstance(item, Delta) else self._signed(item)

    async def _send(
        self, built: WireRequest, call: WireCall, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        request, stream = call.request, call.stream
        if call.seconds is not None and call.seconds < budget.left:
            budget = time_budget(call.seconds)
        written = self._write(built, stream=stream)
        if isinstance(written, Failure):
            yield written
            return
        sent = written.unwrap()
        sending = self._around.transport.handle_async_request(sent)
        opened = await budget.bound(sending, sent.url.host)
        if isinstance(opened, Failure):
            yield opened
            return
        response = opened.unwrap()
        # A transport need not say what it answers.
        response.request = sent
        try:
            reading = self._events if stream and is_stream(response, self._wire) else self._whole
            async with aclosing(reading(response, request, budget)) as items:
                async for item in items:
                    yield item
        finally:
            await cast("httpx.AsyncByteStream", response.stream).aclose()

    async def _whole(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        body = await budget.bound(read_body(response, self._limits.bytes), _host(response))
        fetched = body.map(lambda content: Fetched(response, content))
        path = fetched.map(self._pending).value_or("")
        if path:
            polling = Polling(self._limits.poll, self._pending, self._around.retry)
            fetched = await wait_for(lambda: self._fetch(path, request, budget), polling, budget)
        answer = fetched.bind(
            lambda held: read_answer(*held, self._wire, request, self._around.now())
        )
        for delta in as_deltas(answer):
            yield delta
        yield answer

    def _pending(self, fetched: Fetched) -> str:
        """Return where the answer will be, if this is not it yet."""
        if not fetched.response.is_success:
            return ""
        return self._wire.pending(parse(fetched.body), self._provider)

    async def _fetch(
        self, path: str, request: ChatRequest, budget: TimeBudget
    ) -> Result[Fetched, WebError]:
        """Ask once for an answer that was begun before."""
        outgoing = fetch_request(path, self._provider, self._account)
        proven = prove(outgoing, self._provider, self._account, self._around.now())
        if isinstance(proven, Failure):
            return proven
        sent = proven.unwrap()
        sending = self._around.transport.handle_async_request(sent)
        opened = await budget.bound(sending, sent.url.host)
        if isinstance(opened, Failure):
            return opened
        response = opened.unwrap()
        response.request = sent
        try:
            body = await budget.bound(read_body(response, self._limits.bytes), sent.url.host)
        finally:
            await cast("httpx.AsyncByteStream", response.stream).aclose()
        if response.is_success:
            return body.map(lambda content: Fetched(response, content))
        refused = body.bind(
            lambda content: read_answer(response, content, self._wire, request, self._around.now())
        )
        return Failure(refused.failure())

    async def _events(
        self, response: httpx.Response, request: ChatRequest, budget: TimeBudget
    ) -> AsyncGenerator[StreamItem]:
        reader = EventReader(self._wire, request)
        pieces = read_pieces(response, self._limits.stream_bytes)
        while not reader.done:
            piece = await budget.bound(anext(pieces, None), _host(response))
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

    def _build(
        self, request: ChatRequest, turn: Attempt, *, stream: bool
    ) -> Result[WireRequest, WebError]:
        try:
            built = self._wire.build_request(request, self._provider, stream=stream)
            body = (self._wire.leave_out or without)(built.body, turn.left_out)
            return Success(msgspec.structs.replace(built, body=body))
        except Exception as error:  # noqa: BLE001  a provider's own functions may be anybody's
            return Failure(self._around.crashed(error))

    def _write(self, built: WireRequest, *, stream: bool) -> Result[httpx.Request, WebError]:
        accept = self._wire.accept if stream else "application/json"
        try:
            account = self._account
            return write_request(built, self._provider, account, accept).bind(
                lambda outgoing: prove(outgoing, self._provider, account, self._around.now())
            )
        except Exception as error:  # noqa: BLE001  a provider's own functions may be anybody's
            return Failure(self._around.crashed(error))

    def _signed(
        self, result: Result[NormalizedResponse, WebError]
    ) -> Result[NormalizedResponse, WebError]:
        """Put our name on the result, and take every secret out of what the provider said."""
        return result.map(self._stamp).alt(self._sign)

    def _stamp(self, response: NormalizedResponse) -> NormalizedResponse:
        """Say whose thoughts these are: nobody else may be sent what only their issuer can read."""
        if response.provider_data is None:
            return response
        held = {**response.provider_data, "_issuer": self.name}
        return msgspec.structs.replace(response, provider_data=held)

    def _sign(self, error: WebError) -> WebError:
        secrets = [secret for account in self._accounts for secret in account.secrets()]
        masked = {
            name: self._around.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str) and name in _WORDS
        }
        return msgspec.structs.replace(error, backend=self.name, **masked)


def _host(response: httpx.Response) -> str:
    return response.request.url.host
