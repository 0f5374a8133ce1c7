"""Collaborators and limits of a rendering."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from webseam.ports.errors import UrlDenied

from ...pages.fetch.connect import FetchDeps, Guard
from ...pages.settings import BrowserSettings

OnRefused: TypeAlias = Callable[[UrlDenied], None]

MEBIBYTE = 1024 * 1024


class RenderLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits of a rendering, in seconds, and size limits.

    ``deadline`` covers everything, also the browser's start. ``settle`` is how long an arrived page
    may go on loading before it is read. ``transfer_bytes`` and ``connections`` cover everything
    that the page loads; ``html_bytes`` limits the result. ``moves`` counts redirects and
    navigations by script. ``memory_bytes`` covers all processes of a browser; ``browsers`` is how
    many run at a time.
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
    """Collaborators of a rendering.

    ``fetching`` holds the fetcher's collaborators, ``public`` is the guard without exceptions, and
    ``on_refused`` is called with every refused request of a page.
    """

    fetching: FetchDeps
    public: Guard
    environment: Mapping[str, str]
    on_refused: OnRefused
    settings: BrowserSettings = BrowserSettings()
    limits: RenderLimits = RenderLimits()
