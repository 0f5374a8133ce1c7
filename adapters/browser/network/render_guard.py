"""Judge the requests of one rendering: the fetcher's guard, and one more rule.

A page from the public internet may reach only the public internet, whatever else the settings
allow: a foreign script must not post forms to an intranet.
"""

import asyncio
import socket
from collections.abc import Sequence
from typing import NamedTuple

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import UrlDenied, WebError
from ....ports.targets import Target
from ...http.error_mapping import network_error
from ...pages.fetch.connect import FetchDeps, Guard, Resolve, open_socket
from ...pages.fetch.visit import checked_addresses
from ..deps import OnRefused


class PinnedNames:
    """A resolver that asks another one only once for each name; failures are not cached."""

    def __init__(self, resolve: Resolve) -> None:
        """Start with an empty cache."""
        self._resolve = resolve
        self._cached: dict[str, Sequence[str]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that ``host`` had at its first lookup."""
        async with self._locks.setdefault(host, asyncio.Lock()):
            if host not in self._cached:
                self._cached[host] = tuple(await self._resolve(host, port))
            return self._cached[host]


class ReachableTarget(NamedTuple):
    """An allowed target and its allowed addresses."""

    target: Target
    addresses: Sequence[str]


class RenderGuard:
    """The guard of one rendering. ``unreachable`` holds connection errors by authority."""

    def __init__(self, deps: FetchDeps, public: Guard, on_refused: OnRefused) -> None:
        """Use the fetcher's collaborators, the guard without exceptions, and a callback."""
        names = PinnedNames(deps.resolve)
        self._fetch_deps = msgspec.structs.replace(deps, resolve=names)
        self._public_deps = msgspec.structs.replace(self._fetch_deps, guard=public)
        self._is_confined = False
        self._on_refused = on_refused
        self.unreachable: dict[str, WebError] = {}

    async def judge_page(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge the requested page, and note whether it is on the public internet."""
        outcome = await _judge_render_url(url, self._fetch_deps)
        if isinstance(outcome, Success):
            self._is_confined = isinstance(await _judge_render_url(url, self._public_deps), Success)
        return outcome

    async def check(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge a request of the page."""
        outcome = await _judge_render_url(url, self._fetch_deps)
        if isinstance(outcome, Success) and self._is_confined:
            # The settings already allow it, so the error must not name a setting.
            outcome = (await _judge_render_url(url, self._public_deps)).alt(_drop_setting)
        return outcome.alt(self._report_refusal)

    async def open(self, reachable: ReachableTarget) -> Result[socket.socket, WebError]:
        """Connect to a checked target."""
        deps = self._public_deps if self._is_confined else self._fetch_deps
        try:
            opened = await open_socket(reachable.target, reachable.addresses, deps)
        except httpx.HTTPError as error:
            connect_error = network_error(error, reachable.target.host)
            self.unreachable[reachable.target.authority] = connect_error
            return Failure(connect_error)
        return opened.alt(self._report_refusal)

    def _report_refusal(self, error: WebError) -> WebError:
        if isinstance(error, UrlDenied):
            self._on_refused(error)
        return error


async def _judge_render_url(url: str, deps: FetchDeps) -> Result[ReachableTarget, WebError]:
    judged = deps.guard.judge_url(url)
    if isinstance(judged, Failure):
        return judged
    target = judged.unwrap()
    addresses = await checked_addresses(target, deps)
    return addresses.map(lambda checked: ReachableTarget(target, checked))


def _drop_setting(error: WebError) -> WebError:
    return msgspec.structs.replace(error, setting=None) if isinstance(error, UrlDenied) else error
