"""The words everyone speaks: frozen values, errors, protocols. No behaviour."""

from . import errors
from .backends import (
    Abilities,
    BackendAbout,
    FilterName,
    PageAnswer,
    ReadsMany,
    RowsAnswer,
    Served,
    Support,
    UntrustedRow,
    WebBackend,
)
from .errors import *  # noqa: F403  listed there, and only there
from .middleware import CallFailed, Hook, Middleware
from .models.chat import (
    ChatModel,
    ChatRequest,
    Delta,
    NormalizedResponse,
    OutputSchema,
    ToolCall,
    ToolCallDelta,
)
from .models.compressors import Compressed, Compressor, Condenser
from .planning.timers import Timer
from .receipts import ExtractReceipt, SearchReceipt, TraceEntry, Usage
from .stores import TextStore
from .web import (
    RejectedRow,
    SearchAnswer,
    SearchOutcome,
    WebExtractResult,
    WebSearchQuery,
    WebSearchResult,
)
from .x_search import InlineCitation, XSearchBackend, XSearchOutcome, XSearchReceipt, XSearchRequest

__all__ = [
    "Abilities",
    "BackendAbout",
    "CallFailed",
    "ChatModel",
    "ChatRequest",
    "Compressed",
    "Compressor",
    "Condenser",
    "Delta",
    "ExtractReceipt",
    "FilterName",
    "Hook",
    "InlineCitation",
    "Middleware",
    "NormalizedResponse",
    "OutputSchema",
    "PageAnswer",
    "ReadsMany",
    "RejectedRow",
    "RowsAnswer",
    "SearchAnswer",
    "SearchOutcome",
    "SearchReceipt",
    "Served",
    "Support",
    "TextStore",
    "Timer",
    "ToolCall",
    "ToolCallDelta",
    "TraceEntry",
    "UntrustedRow",
    "Usage",
    "WebBackend",
    "WebExtractResult",
    "WebSearchQuery",
    "WebSearchResult",
    "XSearchBackend",
    "XSearchOutcome",
    "XSearchReceipt",
    "XSearchRequest",
]
__all__ += errors.__all__
