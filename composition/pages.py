"""The embedded page reader, put together: policy, guarded client, killable converters."""

from ..adapters.pages.backend import PagesBackend
from ..adapters.pages.fetch import FetchLimits
from ..adapters.pages.reader import read_html
from ..adapters.pages.workers.pool import Workers
from ..kernel.policy import Policy
from .fetching import make_fetcher

__all__ = ["pages_backend", "read_html"]


def pages_backend(
    policy: Policy | None = None, *, limits: FetchLimits | None = None
) -> PagesBackend:
    """Return the backend that reads pages itself. ``aclose`` ends its worker processes."""
    return PagesBackend(make_fetcher(policy or Policy(), limits).fetch, Workers())
