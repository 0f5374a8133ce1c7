"""The embedded page reader, put together: policy, guarded client, killable converters, browser."""

from ..adapters.pages.backend import Fetch, PagesBackend
from ..adapters.pages.fetch import FetchLimits
from ..adapters.pages.reader import read_html
from ..adapters.pages.settings import BrowserSettings, Rendering
from ..adapters.pages.workers.pool import Workers
from ..kernel.policy import Policy
from .fetching import make_fetcher

__all__ = ["pages_backend", "read_html"]


def pages_backend(
    policy: Policy | None = None,
    *,
    rendering: Rendering = "never",
    browser: BrowserSettings | None = None,
    limits: FetchLimits | None = None,
) -> PagesBackend:
    """Return the backend that reads pages itself. ``aclose`` ends its worker processes.

    ``rendering="auto"`` has the machine's Chromium show a page that is empty without its scripts,
    and ``"always"`` every page, behind the same policy.
    """
    rules = policy or Policy()
    fetch = make_fetcher(rules, limits).fetch
    render = None if rendering == "never" else _render(rules, browser)
    return PagesBackend(fetch, Workers(), render, rendering)


def _render(policy: Policy, browser: BrowserSettings | None) -> Fetch:
    from .rendering import make_renderer  # noqa: PLC0415  few pages need a browser

    return make_renderer(policy, browser).render
