"""Define the requests and results of X search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .attempts import BackendAttempt
from .errors import WebError
from .errors.error_fields import Foreign
from .receipts import TraceEntry, Usage

MAX_HANDLES = 10
# The backend is a model, so the query may be longer than for a search engine.
MAX_X_QUERY_CHARS = 20_000

Handle: TypeAlias = Annotated[str, Meta(max_length=100)]


class XSearchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One X search. Construction checks nothing; the kernel checks and tidies it on every call.

    ``output_schema`` makes the answer JSON that follows it. ``previous_response_id`` continues a
    stored answer and sets ``store``; ``instructions`` are then dropped.
    """

    query: Annotated[str, Meta(max_length=MAX_X_QUERY_CHARS, pattern=r"\S")]
    allowed_x_handles: tuple[Handle, ...] = ()
    excluded_x_handles: tuple[Handle, ...] = ()
    from_date: date | None = None
    to_date: date | None = None
    enable_image_understanding: bool = False
    enable_video_understanding: bool = False
    # Any instead of object: msgspec makes no schema for object.
    output_schema: dict[str, Any] | None = None
    instructions: str | None = None
    previous_response_id: Annotated[str, Meta(max_length=500)] | None = None
    store: bool = False


class InlineCitation(msgspec.Struct, frozen=True, kw_only=True):
    """A source and the span in the answer that cites it: ``start`` and ``end`` count characters."""

    url: str
    title: str = ""
    start: int | None = None
    end: int | None = None


class XSearchReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served, after which attempts, and what was changed in the request."""

    backend: str
    stored: bool = False
    filters: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    left_out_citations: int = 0
    warnings: tuple[Foreign, ...] = ()
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class XSearchOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A successful X search.

    ``structured_output`` is the answer's JSON if a schema was given; else it is None, and
    ``structured_error`` says why. ``schema_valid`` says whether it fits the schema,
    ``schema_error`` where it does not; None if unknown. A ``degraded`` answer may not rest on X.
    """

    query: str
    answer: str
    citations: tuple[str, ...]
    inline_citations: tuple[InlineCitation, ...]
    response_id: str | None
    structured_output: object
    structured_error: str | None
    schema_valid: bool | None
    schema_error: str | None
    x_search_calls: int | None
    degraded: bool
    degraded_reason: str | None
    model: str
    credential_source: str
    receipt: XSearchReceipt


# An answer as a backend returns it, unchecked.
UntrustedXAnswer: TypeAlias = Mapping[str, object] | msgspec.Struct

# Returns why a value does not fit a schema, or None; an invalid schema is the failure.
CheckSchema: TypeAlias = Callable[[object, Mapping[str, object]], Result[str | None, str]]


class XSearchBackend(Protocol):
    """A backend that searches X; the kernel does not trust it."""

    @property
    def name(self) -> str:
        """The name for receipts; if empty, that of the class."""
        return ""

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Answer a checked request.

        The answer has ``answer``, ``citations``, ``inline_citations``, ``response_id``,
        ``x_search_calls``, ``model`` and ``credential_source``. The ``warnings`` of a ``Served``
        around it go into the receipt.
        """
