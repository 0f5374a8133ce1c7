"""The guarded fetcher: the only way out of here for a page's URL."""

from .fetcher import Fetcher
from .resolve import Resolve, system_resolve
from .surroundings import FetchLimits, Guard, Surroundings

__all__ = ["FetchLimits", "Fetcher", "Guard", "Resolve", "Surroundings", "system_resolve"]
