"""Outgoing connections of services and models: allowed addresses and proxies."""

import os
from collections.abc import Mapping, Sequence

import httpx
from returns.result import Failure, Result

from webseam.adapters.http.dial import DialRules, absolute_form_prefix
from webseam.adapters.http.request_writing import HttpOrigin
from webseam.kernel.policy.judge import judge_endpoint
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.urls.proxy_rules import ProxyRules, choose_proxy, read_proxy_rules
from webseam.ports.errors import WebError
from webseam.ports.secrets import Secret
from webseam.ports.targets import Proxy

from ..settings.checks import policy_of
from ..settings.schema import Settings


def dial_rules(settings: Settings | None, *, is_user_written: bool) -> DialRules:
    """Return the dial rules of an endpoint; ``is_user_written`` if the user wrote its address.

    Without settings, only the environment names a proxy, and no private range is allowed.
    """
    policy = Policy() if settings is None else policy_of(settings).value_or(Policy())
    rules = _egress_proxy_rules(settings)

    def judge(origin: HttpOrigin, addresses: Sequence[str]) -> WebError | None:
        judged = judge_endpoint(
            absolute_form_prefix(origin).decode(),
            addresses,
            policy,
            is_user_written=is_user_written,
        )
        return judged.failure() if isinstance(judged, Failure) else None

    def proxy(origin: HttpOrigin) -> Result[Proxy | None, WebError]:
        chosen = choose_proxy(rules, origin.scheme, origin.host, origin.port)
        return chosen.alt(lambda problem: problem)

    return DialRules(judge=judge, proxy=proxy)


def _egress_proxy_rules(settings: Settings | None) -> ProxyRules:
    if settings is None:
        return read_proxy_rules(Secret(""), os.environ)
    # A proxy sees the target of every call, so ignore files that came with a folder.
    variables: Mapping[str, str] = settings.variables.texts(lambda entry: not entry.origin.foreign)
    return read_proxy_rules(settings.proxy, variables)


class BorrowedTransport(httpx.AsyncBaseTransport):
    """Forwards requests to a transport that its owner closes."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request through the borrowed transport."""
        return await self._transport.handle_async_request(request)
