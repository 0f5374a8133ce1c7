"""Define the vocabulary of all rooms: frozen values, errors and protocols, without behaviour."""

import types
import typing

from .backends import (
    Abilities as Abilities,
    BackendAbout as BackendAbout,
    FilterName as FilterName,
    PageAnswer as PageAnswer,
    ReadsMany as ReadsMany,
    RowsAnswer as RowsAnswer,
    Served as Served,
    Support as Support,
    UntrustedRow as UntrustedRow,
    WebBackend as WebBackend,
)
from .errors import *  # noqa: F403  listed there, and only there
from .middleware import CallFailed as CallFailed, Hook as Hook, Middleware as Middleware
from .models import (
    ChatModel as ChatModel,
    ChatRequest as ChatRequest,
    Compressed as Compressed,
    Compressor as Compressor,
    Condenser as Condenser,
    Delta as Delta,
    NormalizedResponse as NormalizedResponse,
    OutputSchema as OutputSchema,
    ToolCall as ToolCall,
    ToolCallDelta as ToolCallDelta,
)
from .planning import Timer as Timer
from .receipts import (
    ExtractReceipt as ExtractReceipt,
    SearchReceipt as SearchReceipt,
    TraceEntry as TraceEntry,
    Usage as Usage,
)
from .stores import TextStore as TextStore
from .web import (
    RejectedRow as RejectedRow,
    SearchAnswer as SearchAnswer,
    SearchOutcome as SearchOutcome,
    WebExtractResult as WebExtractResult,
    WebSearchQuery as WebSearchQuery,
    WebSearchResult as WebSearchResult,
)
from .x_search import (
    InlineCitation as InlineCitation,
    XSearchBackend as XSearchBackend,
    XSearchOutcome as XSearchOutcome,
    XSearchReceipt as XSearchReceipt,
    XSearchRequest as XSearchRequest,
)

if not typing.TYPE_CHECKING:
    # Type checkers read the imports: they do not follow a list that is made here.
    __all__ = [
        name
        for name, value in globals().items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    ]
