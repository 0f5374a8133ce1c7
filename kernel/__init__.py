"""Every decision and no effect: what may be asked, and what may be believed."""

from .bounds import web_more
from .deps import WebDeps
from .envelope import extract_envelope, failure_envelope, piece_envelope, search_envelope
from .extract import web_extract
from .query import check_query, clamp_max_results
from .redact import redact, redact_url
from .search import web_search
from .trim import Budget, Piece, estimate_tokens
from .urls import canonical_url, check_url

__all__ = [
    "Budget",
    "Piece",
    "WebDeps",
    "canonical_url",
    "check_query",
    "check_url",
    "clamp_max_results",
    "estimate_tokens",
    "extract_envelope",
    "failure_envelope",
    "piece_envelope",
    "redact",
    "redact_url",
    "search_envelope",
    "web_extract",
    "web_more",
    "web_search",
]
