"""Search X: check the request, ask the backend, check the answer, parse its JSON."""

from ..structured_output import type_schema
from .envelope import x_failure_envelope, x_search_envelope
from .request import check_x_request
from .search import XSearchDeps, x_search

__all__ = [
    "XSearchDeps",
    "check_x_request",
    "type_schema",
    "x_failure_envelope",
    "x_search",
    "x_search_envelope",
]
