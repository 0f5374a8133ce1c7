"""Search X: tidy the request, ask, check the answer, read what it holds."""

from ..structured import schema_of
from .envelope import x_failure_envelope, x_search_envelope
from .request import check_x_request
from .search import XSearchDeps, x_search

__all__ = [
    "XSearchDeps",
    "check_x_request",
    "schema_of",
    "x_failure_envelope",
    "x_search",
    "x_search_envelope",
]
