"""Every decision and no effect: what may be asked, and what may be believed."""

from .deps import WebDeps
from .envelope import extract_envelope, failure_envelope, search_envelope
from .extract import web_extract
from .query import check_query, clamp_max_results
from .redact import redact, redact_url
from .search import web_search
from .urls import canonical_url, check_url

__all__ = [
    "WebDeps",
    "canonical_url",
    "check_query",
    "check_url",
    "clamp_max_results",
    "extract_envelope",
    "failure_envelope",
    "redact",
    "redact_url",
    "search_envelope",
    "web_extract",
    "web_search",
]
