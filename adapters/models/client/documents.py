"""Calls of a provider that are no conversation: one JSON document there, one back."""

import asyncio
from collections.abc import Mapping
from typing import cast

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import BadPayload, NotConfigured, WebError
from ...http.body import read_body
from ...http.decoding import ACCEPT_ENCODING
from ...values.json import parse
from ...values.urls import joined
from ..declaration.account import Account, Outgoing
from ..declaration.provider import Provider
from ..declaration.wire import RefusedAnswer
from ..refusals.errors import refusal_error
from .attempts import TimeBudget, time_budget
from .client import ModelDeps, ModelLimits

_MOST_TEXT = 500
_WORDS = ("detail", "reason", "code")


class DocumentCalls:
    """Sends JSON to one provider and reads JSON back; nothing it returns holds the key."""

    def __init__(
        self,
        provider: Provider,
        account: Account,
        deps: ModelDeps,
        limits: ModelLimits | None = None,
    ) -> None:
        self.name = provider.name
        self._provider = provider
        self._account = account
        self._deps = deps
        self._limits = limits or ModelLimits(seconds=60.0)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._deps.transport.aclose()

    async def call(
        self, path: str, body: Mapping[str, object] | None = None, *, model: str = ""
    ) -> Result[object, WebError]:
        """Return the JSON that comes back; without a ``body`` the call is a GET."""
        budget = time_budget(self._limits.seconds)
        attempt = 1
        while True:
            answer = await self._attempt(path, body, model, budget)
            wait = self._deps.retry(answer.failure(), attempt) if _failed(answer) else None
            if wait is None or wait >= budget.left:
                return answer.alt(self.sign)
            await asyncio.sleep(wait)
            attempt += 1

    async def _attempt(
        self, path: str, body: Mapping[str, object] | None, model: str, budget: TimeBudget
    ) -> Result[object, WebError]:
        written = self._written(path, body)
        if isinstance(written, Failure):
            return written
        request = written.unwrap()
        sending = self._deps.transport.handle_async_request(request)
        opened = await budget.bound(sending, request.url.host)
        if isinstance(opened, Failure):
            return opened
        response = opened.unwrap()
        response.request = request
        try:
            read = await budget.bound(read_body(response, self._limits.bytes), request.url.host)
        finally:
            await cast("httpx.AsyncByteStream", response.stream).aclose()
        return read.bind(lambda content: self._answer(response, content, model))

    def _answer(
        self, response: httpx.Response, content: bytes, model: str
    ) -> Result[object, WebError]:
        payload = parse(content)
        if not response.is_success:
            words = content[:_MOST_TEXT].decode("utf-8", "replace")
            refused = RefusedAnswer(
                status=response.status_code,
                headers=response.headers,
                payload=words if payload is None else payload,
                model=model,
                now=self._deps.now(),
            )
            return Failure(refusal_error(refused))
        if payload is None:
            return Failure(BadPayload(problem="not_json", status=response.status_code))
        return Success(payload)

    def _written(
        self, path: str, body: Mapping[str, object] | None
    ) -> Result[httpx.Request, WebError]:
        content = b"" if body is None else msgspec.json.encode(body)
        headers = {
            "accept": "application/json",
            "accept-encoding": ACCEPT_ENCODING,
            "user-agent": "webseam",
            **{name.lower(): value for name, value in self._provider.http.headers},
        }
        if body is not None:
            headers |= {"content-type": "application/json", "content-length": str(len(content))}
        url = joined(self._account.base_url, path)
        outgoing = Outgoing(url=url, headers=tuple(headers.items()), content=content)
        login = self._provider.login
        try:
            address = httpx.URL(url)
            proof = dict(login.prove(outgoing, self._account, self._deps.now()))
            host = {"host": address.netloc.decode("ascii")}
            return Success(
                httpx.Request(
                    "GET" if body is None else "POST",
                    address,
                    headers={**host, **headers, **proof},
                    stream=httpx.ByteStream(content),
                )
            )
        except (httpx.InvalidURL, UnicodeError):
            reason = "The base URL or the key cannot be sent"
            names = (login.base_url_env or "base_url", *login.env)
            return Failure(NotConfigured(reason=reason, settings=names, backend=self.name))
        except Exception as error:  # noqa: BLE001  a provider's own functions may be anybody's
            return Failure(self._deps.crashed(error))

    def sign(self, error: WebError) -> WebError:
        """Put our name on an error, and take every secret out of what the provider said."""
        secrets = self._account.secrets()
        masked = {
            name: self._deps.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str) and name in _WORDS
        }
        return msgspec.structs.replace(error, backend=self.name, **masked)


def _failed(answer: Result[object, WebError]) -> bool:
    return isinstance(answer, Failure)
