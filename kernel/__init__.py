"""Every decision of search and extract without effects: arguments, port answers, envelopes."""

from .deps import WebDeps
from .envelopes import (
    extract_envelope,
    failure_envelope,
    joined_pages,
    piece_envelope,
    search_envelope,
)
from .extract import web_extract, web_extract_many
from .laws.field_checks import check_query, clamp_max_results
from .laws.row_law import check_row
from .pages.page_budget import web_more
from .policy import (
    Policy,
    PolicySettings,
    PolicyVerdict,
    carries_credentials,
    classify_address,
    explain,
    judge_addresses,
    judge_remote,
    judge_target,
    judge_url,
    make_policy,
    parse_target,
)
from .search import web_search
from .text.redaction import redact, redact_url
from .text.trim import Budget, Piece, estimate_tokens
from .urls.spelling import canonical_url

__all__ = [
    "Budget",
    "Piece",
    "Policy",
    "PolicySettings",
    "PolicyVerdict",
    "WebDeps",
    "canonical_url",
    "carries_credentials",
    "check_query",
    "check_row",
    "clamp_max_results",
    "classify_address",
    "estimate_tokens",
    "explain",
    "extract_envelope",
    "failure_envelope",
    "joined_pages",
    "judge_addresses",
    "judge_remote",
    "judge_target",
    "judge_url",
    "make_policy",
    "parse_target",
    "piece_envelope",
    "redact",
    "redact_url",
    "search_envelope",
    "web_extract",
    "web_extract_many",
    "web_more",
    "web_search",
]
