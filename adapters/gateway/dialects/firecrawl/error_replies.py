"""Refusals in Firecrawl's form, with the codes by which its clients choose an exception."""

from .....ports.errors import DnsNotFound, TlsFailed
from .....ports.errors.error_fields import RefusalKind
from ...refusal import DEFAULT_STATUSES, Call, Refusal, Reply, refusal_reply

_FIRECRAWL_STATUSES: dict[RefusalKind, int] = {**DEFAULT_STATUSES, "deadline": 408, "conflict": 409}


def firecrawl_error_code(refusal: Refusal) -> str:
    """Return the code by which clients choose an exception."""
    if isinstance(refusal.error, DnsNotFound):
        return "SCRAPE_DNS_RESOLUTION_ERROR"
    if isinstance(refusal.error, TlsFailed):
        return "SCRAPE_SSL_ERROR"
    codes = {"deadline": "SCRAPE_TIMEOUT", "invalid": "BAD_REQUEST", "unsupported": "BAD_REQUEST"}
    return codes.get(refusal.kind, "UNKNOWN_ERROR")


def firecrawl_error_reply(refusal: Refusal, _call: Call) -> Reply:
    """Return a refusal in Firecrawl's form."""
    names = {"include_domains": "includeDomains", "exclude_domains": "excludeDomains"}
    message = refusal.message
    for ours, theirs in {**names, "published_after": "tbs", "published_before": "tbs"}.items():
        message = message.replace(ours, theirs)
    body = {"success": False, "error": message, "code": firecrawl_error_code(refusal)}
    return refusal_reply(refusal, _FIRECRAWL_STATUSES, body)
