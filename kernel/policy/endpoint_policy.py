"""Addresses of services and models: judged as those of pages are, and opened by who wrote them."""

from collections.abc import Sequence

from msgspec.structs import replace
from returns.result import Failure, Result

from ...ports.errors import InvalidUrl, UrlDenied
from ..urls.service_endpoints import is_loopback
from ..urls.url_parsing import parse_target
from .judge import judge_addresses
from .policy_rules import Policy, join_port


def judge_endpoint(
    origin: str, addresses: Sequence[str], policy: Policy, *, is_user_written: bool
) -> Result[tuple[str, ...], UrlDenied | InvalidUrl]:
    """Return the addresses that may be dialled for a service at ``origin``: all, or none.

    ``is_user_written`` says that the user wrote the address down in settings that nobody else can
    write: such a host may be on a private network, as may this machine. Every other host is on the
    public internet, unless ``policy.allow_hosts`` or ``policy.allow_private`` opens it. Any port
    will do. A machine's own credentials are served to nobody.

    >>> origin, address = "https://api.example", "10.0.0.1"
    >>> verdict = judge_endpoint(origin, [address], Policy(), is_user_written=False)
    >>> verdict.failure().setting
    'policy.allow_hosts: [api.example]'
    """
    parsed = parse_target(origin)
    if isinstance(parsed, Failure):
        return parsed
    target = parsed.unwrap()
    opened = is_user_written or is_loopback(target.host)
    hosts = (join_port(target.host, target.port),) if opened else ()
    ports = (*policy.ports, target.port)
    return judge_addresses(
        target, addresses, replace(policy, ports=ports, allow_hosts=(*policy.allow_hosts, *hosts))
    )
