"""Who calls a provider: with which of its keys, over which transport, and how it is sent."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import AuthFailed, NotConfigured, QuotaExhausted, RateLimited, WebError
from ....ports.models.chat import ChatRequest
from ...http.body import Lines, header_lines, read_body
from ..declaration.provider import Account, Outgoing, Provider, are_sendable_headers
from .attempts import Attempt, TimeBudget

# What an error may quote of the other side's words.
_WORDS = ("detail", "reason", "code")
# What another key may help with.
_ABOUT_THE_KEY = (AuthFailed, QuotaExhausted, RateLimited)


class ModelDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What composition hands to every client.

    ``check`` looks at a request before it is sent; ``retry`` says how long to wait before another
    attempt, None for no other; ``crashed`` names what a provider's own code raised; ``heard`` is
    told the headers of every answer.
    """

    transport: httpx.AsyncBaseTransport
    now: Callable[[], float]
    redact: Callable[[str, Sequence[str]], str]
    check: Callable[[object], Result[ChatRequest, WebError]]
    retry: Callable[[WebError, int], float | None]
    crashed: Callable[[Exception], WebError]
    heard: Callable[[HeaderLines], None] = lambda _lines: None


class FetchedResponse(NamedTuple):
    """A response and its whole body."""

    response: httpx.Response
    body: bytes


class ProviderCaller:
    """Sends what one provider is asked. No error that it signed holds a key.

    An account with several keys uses the next one when the provider refuses a key or has had enough
    of it, and goes on with that.
    """

    def __init__(self, provider: Provider, account: Account, deps: ModelDeps) -> None:
        """Join what is special about a provider, who calls it, and how it is reached."""
        self.provider = provider
        self.deps = deps
        self._accounts = account.for_each_key()
        self._turn = 0

    @property
    def account(self) -> Account:
        """The account with the key whose turn it is."""
        return self._accounts[self._turn]

    @property
    def own_headers(self) -> frozenset[str]:
        """The names of headers that are the caller's to say: those of the provider and its key."""
        proof = Outgoing(url=self.account.base_url, headers=(), content=b"")
        proving = self.provider.login.prove(proof, self.account, self.deps.now())
        named = (name for name, _ in (*self.provider.http.headers, *proving))
        return frozenset(name.lower() for name in named)

    def after(self, turn: Attempt, error: WebError) -> Attempt | None:
        """Return the attempt to make after this failure, None when it is no use."""
        others = turn.keys_refused + 1 < len(self._accounts)
        if others and isinstance(error, _ABOUT_THE_KEY):
            # The next key is kept from now on, as it is for services.
            self._turn = (self._turn + 1) % len(self._accounts)
            return turn.with_another_key()
        wait = self.deps.retry(error, turn.attempt)
        return None if wait is None or wait >= turn.budget.left else turn.after(wait)

    async def open(
        self,
        write: Callable[[Provider, Account], Result[Outgoing, WebError]],
        budget: TimeBudget,
    ) -> Result[httpx.Response, WebError]:
        """Send what ``write`` makes for the account, and return the head of the answer."""
        proven = self._proven(write)
        if isinstance(proven, Failure):
            return proven
        request = proven.unwrap()
        sending = self.deps.transport.handle_async_request(request)
        opened = await budget.bound(sending, request.url.host)
        if isinstance(opened, Failure):
            return opened
        # A transport need not say what it answers.
        opened.unwrap().request = request
        self.deps.heard(header_lines(opened.unwrap()))
        return opened

    async def fetch(
        self,
        write: Callable[[Provider, Account], Result[Outgoing, WebError]],
        budget: TimeBudget,
        most: int,
    ) -> Result[FetchedResponse, WebError]:
        """Send what ``write`` makes, and return the whole answer of at most ``most`` bytes."""
        opened = await self.open(write, budget)
        if isinstance(opened, Failure):
            return opened
        response = opened.unwrap()
        try:
            return await read_whole(response, budget, most)
        finally:
            await close_response(response)

    def _proven(
        self, write: Callable[[Provider, Account], Result[Outgoing, WebError]]
    ) -> Result[httpx.Request, WebError]:
        try:
            return write(self.provider, self.account).bind(
                lambda outgoing: _prove(outgoing, self.provider, self.account, self.deps.now())
            )
        except Exception as error:  # noqa: BLE001  a provider's own functions may be anybody's
            return Failure(self.deps.crashed(error))

    def sign(self, error: WebError) -> WebError:
        """Put our name on an error, and take every secret out of what the provider said."""
        secrets = [secret for account in self._accounts for secret in account.secrets()]
        masked = {
            name: self.deps.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str) and name in _WORDS
        }
        return msgspec.structs.replace(error, backend=self.provider.name, **masked)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self.deps.transport.aclose()


async def read_whole(
    response: httpx.Response, budget: TimeBudget, max_bytes: int
) -> Result[FetchedResponse, WebError]:
    """Return a response with its body, which is refused beyond ``max_bytes`` bytes."""
    body = await budget.bound(read_body(response, max_bytes), response.request.url.host)
    return body.map(lambda content: FetchedResponse(response, content))


async def close_response(response: httpx.Response) -> None:
    """Let go of a response, whether it was read to its end or not."""
    await cast("httpx.AsyncByteStream", response.stream).aclose()


def _prove(
    outgoing: Outgoing, provider: Provider, account: Account, now: float
) -> Result[httpx.Request, WebError]:
    """Return the request as it is sent, with the proof of who calls, made over those very bytes."""
    proof = provider.login.prove(outgoing, account, now)
    headers = [*outgoing.headers, *proof]
    if not are_sendable_headers(headers):
        reason = "The key or a header has characters that no header can carry"
        return Failure(NotConfigured(reason=reason, settings=provider.login.env or ("headers",)))
    try:
        url = httpx.URL(outgoing.url)
    except (httpx.InvalidURL, UnicodeError):
        reason = "The base URL cannot be used"
        return Failure(
            NotConfigured(reason=reason, settings=(provider.login.base_url_env or "base_url",))
        )
    host = ("host", url.netloc.decode("ascii"))
    length = ("content-length", str(len(outgoing.content)))
    stream = httpx.ByteStream(outgoing.content)
    whole = [host, *headers, *([length] if outgoing.method == "POST" else [])]
    return Success(httpx.Request(outgoing.method, url, headers=whole, stream=stream))
