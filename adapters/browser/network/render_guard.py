"""Where one rendering may go: the fetcher's guard, and one rule more.

Scripts act on what they reach. So a page from the public internet reaches the public internet
alone, whatever else the settings open: a stranger's script must not post forms to an intranet.
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
    """A resolver that asks another one once for each name; a failure is not an answer."""

    def __init__(self, resolve: Resolve) -> None:
        """Begin knowing no name."""
        self._resolve = resolve
        self._known: dict[str, Sequence[str]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that ``host`` had when it was first asked for."""
        async with self._asking.setdefault(host, asyncio.Lock()):
            if host not in self._known:
                self._known[host] = tuple(await self._resolve(host, port))
            return self._known[host]


class ReachableTarget(NamedTuple):
    """A target that may be reached, and the addresses it may be reached at."""

    target: Target
    addresses: Sequence[str]


class RenderGuard:
    """The guard of one rendering. ``unreachable`` says why a place could not be connected to."""

    def __init__(self, around: FetchDeps, public: Guard, on_refused: OnRefused) -> None:
        """Take the fetcher's surroundings, the guard that has nothing opened, and who is told."""
        names = PinnedNames(around.resolve)
        self._around = msgspec.structs.replace(around, resolve=names)
        self._public = msgspec.structs.replace(self._around, guard=public)
        self._confined = False
        self._on_refused = on_refused
        self.unreachable: dict[str, WebError] = {}

    async def begin(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge the page that is asked for, and learn whether it is on the public internet."""
        place = await _judge(url, self._around)
        if isinstance(place, Success):
            self._confined = isinstance(await _judge(url, self._public), Success)
        return place

    async def check(self, url: str) -> Result[ReachableTarget, WebError]:
        """Judge whatever the page then asks for."""
        place = await _judge(url, self._around)
        if isinstance(place, Success) and self._confined:
            # The settings do open it, so no setting is named that would.
            place = (await _judge(url, self._public)).alt(_unopenable)
        return place.alt(self._note)

    async def open(self, place: ReachableTarget) -> Result[socket.socket, WebError]:
        """Connect to a place that was checked."""
        around = self._public if self._confined else self._around
        try:
            opened = await open_socket(place.target, place.addresses, around)
        except httpx.HTTPError as error:
            trouble = network_error(error, place.target.host)
            self.unreachable[place.target.authority] = trouble
            return Failure(trouble)
        return opened.alt(self._note)

    def _note(self, error: WebError) -> WebError:
        if isinstance(error, UrlDenied):
            self._on_refused(error)
        return error


async def _judge(url: str, around: FetchDeps) -> Result[ReachableTarget, WebError]:
    judged = around.guard.judge_url(url)
    if isinstance(judged, Failure):
        return judged
    target = judged.unwrap()
    addresses = await checked_addresses(target, around)
    return addresses.map(lambda checked: ReachableTarget(target, checked))


def _unopenable(error: WebError) -> WebError:
    return msgspec.structs.replace(error, setting=None) if isinstance(error, UrlDenied) else error
