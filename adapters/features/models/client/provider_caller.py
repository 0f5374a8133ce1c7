"""Sends requests to one provider: chooses the key, authenticates, and reads responses."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias, cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.http.body import HeaderLines, header_lines, read_body
from webseam.ports.errors import AuthFailed, NotConfigured, QuotaExhausted, RateLimited, WebError
from webseam.ports.models import ChatRequest

from ..declaration.provider import Account, Outgoing, Provider, are_sendable_headers
from .attempts import Attempt, TimeBudget

# Errors that another key may avoid.
_KEY_ERRORS = (AuthFailed, QuotaExhausted, RateLimited)
# A call asks with so many keys at most.
MAX_KEY_TRIES = 3


# Makes a request without credentials for a provider and its account.
WriteRequest: TypeAlias = Callable[[Provider, Account], Result[Outgoing, WebError]]


class ModelDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of every client.

    ``check`` validates a request; ``retry`` returns the seconds before another attempt, None for
    no more; ``crash_error`` makes an error of an exception in a provider's own code; ``on_headers``
    gets the headers of every answer. ``begin`` is called before a request: what it returns is
    awaited, and an error of it forbids the request. ``on_send`` is called as a request is sent, for
    a transport that does not tell itself; ``on_retry`` gets an error after which a request is sent
    again at once, in another form or with another key.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    check: Callable[[object], Result[ChatRequest, WebError]]
    retry: Callable[[WebError, int], float | None]
    crash_error: Callable[[Exception], WebError]
    on_headers: Callable[[HeaderLines], None] = lambda _lines: None
    begin: Callable[[], Awaitable[WebError | None] | None] = lambda: None
    on_send: Callable[[], None] | None = None
    on_retry: Callable[[WebError], None] = lambda _error: None


class FetchedResponse(NamedTuple):
    """A response and its complete body."""

    response: httpx.Response
    body: bytes


class ProviderCaller:
    """Sends requests to one provider with its next usable key; no error contains a key."""

    def __init__(self, provider: Provider, account: Account, deps: ModelDeps) -> None:
        self.provider = provider
        self.deps = deps
        self._accounts = account.for_each_key()
        self._key_index = 0

    @property
    def account(self) -> Account:
        """The account with the current key."""
        return self._accounts[self._key_index]

    @property
    def key_number(self) -> int:
        """The number of the current key, from 1."""
        return self._key_index + 1

    @property
    def own_headers(self) -> frozenset[str]:
        """The names of the provider's headers and of those that carry the key."""
        unsent = Outgoing(url=self.account.base_url, headers=(), content=b"")
        auth_headers = self.provider.login.prove(unsent, self.account, self.deps.now())
        names = (name for name, _ in (*self.provider.http.headers, *auth_headers))
        return frozenset(name.lower() for name in names)

    def next_attempt(self, attempt: Attempt, error: WebError) -> Attempt | None:
        """Return the next attempt after a failure; None if a retry is no use."""
        has_next_key = attempt.keys_refused + 1 < len(self._accounts)
        # Keys do not multiply attempts: a call has as many with several keys as with one.
        tries = attempt.attempt + attempt.keys_refused
        if has_next_key and tries < MAX_KEY_TRIES and isinstance(error, _KEY_ERRORS):
            # Later calls keep using the next key, as for services.
            self._key_index = (self._key_index + 1) % len(self._accounts)
            self.deps.on_retry(error)
            return attempt.use_next_key()
        wait = self.deps.retry(error, tries)
        return None if wait is None or wait >= attempt.budget.left else attempt.retry_later(wait)

    async def open_response(
        self, write: WriteRequest, budget: TimeBudget
    ) -> Result[httpx.Response, WebError]:
        """Send the request that ``write`` makes for the account, and return the response's head."""
        signed = self._make_request(write)
        if isinstance(signed, Failure):
            return signed
        request = signed.unwrap()
        if (permission := self.deps.begin()) is not None:
            refusal = await permission
            if refusal is not None:
                return Failure(refusal)
        if self.deps.on_send is not None:
            self.deps.on_send()
        response_future = self.deps.transport.handle_async_request(request)
        response = await budget.await_step(response_future, request.url.host)
        if isinstance(response, Failure):
            return response
        # A transport may leave the request out.
        response.unwrap().request = request
        self.deps.on_headers(header_lines(response.unwrap()))
        return response

    async def fetch_response(
        self, write: WriteRequest, budget: TimeBudget, max_bytes: int
    ) -> Result[FetchedResponse, WebError]:
        """Send the request that ``write`` makes, and return a response of up to ``max_bytes``."""
        response_head = await self.open_response(write, budget)
        if isinstance(response_head, Failure):
            return response_head
        response = response_head.unwrap()
        try:
            return await read_response(response, budget, max_bytes)
        finally:
            await close_response(response)

    def _make_request(self, write: WriteRequest) -> Result[httpx.Request, WebError]:
        provider, account, now = self.provider, self.account, self.deps.now()
        try:
            return write(provider, account).bind(
                lambda outgoing: _authenticate_request(outgoing, provider, account, now)
            )
        except Exception as error:  # noqa: BLE001  a provider's functions may be third-party code
            return Failure(self.deps.crash_error(error))

    def redact_error(self, error: WebError) -> WebError:
        """Add the provider's name to an error, and redact every secret in it."""
        secrets = [secret for account in self._accounts for secret in account.secrets()]
        redacted = {
            name: self.deps.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str)
        }
        return msgspec.structs.replace(error, **{**redacted, "backend": self.provider.name})

    async def aclose(self) -> None:
        """Close the connections kept for the next call."""
        await self.deps.transport.aclose()


async def read_response(
    response: httpx.Response, budget: TimeBudget, max_bytes: int
) -> Result[FetchedResponse, WebError]:
    """Return a response with its body; a body over ``max_bytes`` is a failure."""
    body = await budget.await_step(read_body(response, max_bytes), response.request.url.host)
    return body.map(lambda content: FetchedResponse(response, content))


async def close_response(response: httpx.Response) -> None:
    """Close a response, read to its end or not."""
    await cast("httpx.AsyncByteStream", response.stream).aclose()


def _authenticate_request(
    outgoing: Outgoing, provider: Provider, account: Account, now: float
) -> Result[httpx.Request, WebError]:
    """Return the final request with the headers that authenticate exactly these bytes."""
    auth_headers = provider.login.prove(outgoing, account, now)
    headers = [*outgoing.headers, *auth_headers]
    if not are_sendable_headers(headers):
        reason = "The key or a header has characters that no header can carry"
        return Failure(NotConfigured(reason=reason, settings=provider.login.env or ("headers",)))
    try:
        url = httpx.URL(outgoing.url)
    except (httpx.InvalidURL, UnicodeError):
        setting = provider.login.base_url_env or "base_url"
        return Failure(NotConfigured(reason="The base URL cannot be used", settings=(setting,)))
    host = ("host", url.netloc.decode("ascii"))
    length = ("content-length", str(len(outgoing.content)))
    stream = httpx.ByteStream(outgoing.content)
    all_headers = [host, *headers, *([length] if outgoing.method == "POST" else [])]
    return Success(httpx.Request(outgoing.method, url, headers=all_headers, stream=stream))
