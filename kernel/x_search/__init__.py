"""Search X: tidy the request, ask, check the answer, read what it holds."""

from .deps import XSearchDeps
from .envelope import x_search_envelope
from .search import x_search
from .typed import schema_of

__all__ = ["XSearchDeps", "schema_of", "x_search", "x_search_envelope"]
