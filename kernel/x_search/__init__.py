"""Search X: tidy the request, ask, check the answer, read what it holds."""

from .deps import XSearchDeps
from .envelope import x_failure_envelope, x_search_envelope
from .request import check_x_request
from .search import x_search
from .typed import schema_of

__all__ = [
    "XSearchDeps",
    "check_x_request",
    "schema_of",
    "x_failure_envelope",
    "x_search",
    "x_search_envelope",
]
