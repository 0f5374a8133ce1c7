"""The way out for services and models: which addresses may be dialled, and through which proxy."""

import os
from collections.abc import Mapping, Sequence

from returns.result import Failure, Result

from ...adapters.http.dial import HostPort, WayOut, absolute_form
from ...kernel.policy.endpoints import judge_endpoint
from ...kernel.policy.rules import Policy
from ...kernel.urls.proxies import ProxyRules, proxy_for, read_proxy_rules
from ...ports.errors import WebError
from ...ports.proxies import Proxy
from ...ports.secrets import Secret
from ..settings.checks import policy_of
from ..settings.schema import Settings


def way_out(settings: Settings | None, *, own: bool) -> WayOut:
    """Return the decisions for one endpoint; ``own`` says that the user wrote its address down.

    Without settings, the environment alone names a proxy, and no range is opened.
    """
    policy = Policy() if settings is None else policy_of(settings).value_or(Policy())
    rules = _rules(settings)

    def judge(origin: HostPort, addresses: Sequence[str]) -> WebError | None:
        judged = judge_endpoint(absolute_form(origin).decode(), addresses, policy, own=own)
        return judged.failure() if isinstance(judged, Failure) else None

    def proxy(origin: HostPort) -> Result[Proxy | None, WebError]:
        chosen = proxy_for(rules, origin.scheme, origin.host, origin.port)
        return chosen.alt(lambda problem: problem)

    return WayOut(judge=judge, proxy=proxy)


def _rules(settings: Settings | None) -> ProxyRules:
    if settings is None:
        return read_proxy_rules(Secret(""), os.environ)
    # A proxy sees where every call goes: a file that came with a folder names none.
    variables: Mapping[str, str] = settings.variables.texts(lambda entry: not entry.origin.foreign)
    return read_proxy_rules(settings.proxy, variables)
