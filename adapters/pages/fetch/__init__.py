"""The guarded fetcher: the only way out of here for a page's URL."""

from .deps import FetchDeps, FetchLimits, Guard
from .fetcher import Fetcher
from .name_resolution import Resolve, system_resolve

__all__ = ["FetchDeps", "FetchLimits", "Fetcher", "Guard", "Resolve", "system_resolve"]
