"""The guarded fetcher, which makes every request for a page."""

from .connect import FetchDeps, FetchLimits, Guard, Resolve, system_resolve
from .fetcher import Fetcher

__all__ = ["FetchDeps", "FetchLimits", "Fetcher", "Guard", "Resolve", "system_resolve"]
