"""What the settings say about serving, as the parts of the gateway want it."""

import msgspec

from ....kernel.urls.service_endpoints import is_loopback
from ...settings.schema import ServeSettings
from ..http.heads import HostRules, normalise_hosts
from .fair_queue import QueueLimits

_BODY_SECONDS = 10.0
_STREAM_SECONDS = 600.0


class ServeLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How large a body may be, and how long its sending and a call may take."""

    body: int
    body_seconds: float = _BODY_SECONDS
    call_seconds: float
    stream_seconds: float = _STREAM_SECONDS
    queue: QueueLimits


def read_serve_limits(settings: ServeSettings) -> ServeLimits:
    """Return the limits; no key has all the places."""
    return ServeLimits(
        body=settings.body_kilobytes * 1024,
        call_seconds=settings.timeout,
        queue=QueueLimits(
            at_once=settings.at_once,
            each=max(settings.at_once * 3 // 4, 1),
            waiting=settings.waiting,
            waiting_each=max(settings.waiting // 2, 1),
        ),
    )


def host_rules(settings: ServeSettings) -> HostRules:
    """Return which names are ours, and whose pages may call."""
    return HostRules(
        loopback=is_loopback(settings.host),
        bound=settings.host.lower(),
        hosts=normalise_hosts(settings.hosts),
        origins=tuple(origin.rstrip("/") for origin in settings.origins),
        proxies=settings.proxies,
    )
