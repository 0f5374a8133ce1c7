"""What a web service is declared with; see docs/services.md."""

from .adapters.http.error_mapping import status_error
from .adapters.services.calls import Access, Reply, ServiceCall
from .adapters.services.declaration import (
    Capability,
    Offer,
    Option,
    Price,
    Scope,
    Service,
    ServiceAddress,
    api_key,
)
from .adapters.services.operations import (
    ExtractAsk,
    ExtractOperation,
    Paging,
    SearchAsk,
    SearchOperation,
    ServiceJob,
    Step,
)
from .adapters.services.page_results import PageFailed
from .adapters.services.replies import each, list_at
from .adapters.values.field_values import at, first, number, said, texts
from .adapters.values.html_text import html_to_text
from .adapters.values.json_values import text
from .adapters.values.untrusted_rows import document, row
from .ports.backends import Abilities, FilterName, Support, UntrustedRow
from .ports.errors import (
    AuthFailed,
    BadPayload,
    EmptyContent,
    HttpStatus,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from .ports.web import SearchAnswer, WebSearchQuery

__all__ = [
    "Abilities",
    "Access",
    "AuthFailed",
    "BadPayload",
    "Capability",
    "EmptyContent",
    "ExtractAsk",
    "ExtractOperation",
    "FilterName",
    "HttpStatus",
    "Offer",
    "Option",
    "PageFailed",
    "Paging",
    "Price",
    "QuotaExhausted",
    "RateLimited",
    "Reply",
    "Scope",
    "SearchAnswer",
    "SearchAsk",
    "SearchOperation",
    "Service",
    "ServiceAddress",
    "ServiceCall",
    "ServiceJob",
    "Step",
    "Support",
    "UntrustedRow",
    "UpstreamUnavailable",
    "WebError",
    "WebSearchQuery",
    "api_key",
    "at",
    "document",
    "each",
    "first",
    "html_to_text",
    "list_at",
    "number",
    "row",
    "said",
    "status_error",
    "text",
    "texts",
]
