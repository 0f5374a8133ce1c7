"""The guarded fetcher: the only way out of here for a page's URL."""

from .connect import FetchDeps, FetchLimits, Guard, Resolve, system_resolve
from .fetcher import Fetcher

__all__ = ["FetchDeps", "FetchLimits", "Fetcher", "Guard", "Resolve", "system_resolve"]
