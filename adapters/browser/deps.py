"""What a rendering is given: the fetcher's guard, a browser, limits, and somebody to tell."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from ...ports.errors import UrlDenied
from ..pages.fetch.connect import FetchDeps, Guard
from ..pages.settings import BrowserSettings

OnRefused: TypeAlias = Callable[[UrlDenied], None]

MEBIBYTE = 1024 * 1024


class RenderLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a rendering may take, in seconds, and how much it may bring.

    ``deadline`` is over everything, the browser's start too. ``settle`` is how long a page that has
    arrived may go on loading before it is read as it is. ``transfer_bytes`` and ``connections`` are
    over all that the page loads; ``html_bytes`` is what may come out. ``moves`` counts redirects
    and navigations by script alike. ``memory_bytes`` is over all processes of a browser, and
    ``browsers`` is how many run at a time.
    """

    deadline: float = 45.0
    settle: float = 8.0
    moves: int = 10
    connections: int = 500
    transfer_bytes: int = 50 * MEBIBYTE
    html_bytes: int = 10 * MEBIBYTE
    memory_bytes: int = 512 * MEBIBYTE
    browsers: int = 2


class RenderDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Everything around a rendering.

    ``fetching`` is what a fetcher is given, ``public`` the guard that has nothing opened, and
    ``on_refused`` is told of whatever a page tries to reach and must not.
    """

    fetching: FetchDeps
    public: Guard
    environment: Mapping[str, str]
    on_refused: OnRefused
    settings: BrowserSettings = BrowserSettings()
    limits: RenderLimits = RenderLimits()
