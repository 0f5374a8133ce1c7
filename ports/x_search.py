"""What goes into a search of X, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Annotated, Any, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .attempts import BackendAttempt
from .errors import WebError
from .receipts import TraceEntry, Usage

MAX_HANDLES = 10
# What is asked here is a model, so it may be told more than a search engine.
MAX_X_QUERY_CHARS = 20_000

Handle: TypeAlias = Annotated[str, Meta(max_length=100)]


class XSearchRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One search of X. Building it checks nothing; the kernel checks and tidies it on every call.

    ``output_schema`` has the answer written as JSON that follows it. ``previous_response_id`` goes
    on from an answer that was stored, and turns ``store`` on; ``instructions`` are then left out.
    """

    query: Annotated[str, Meta(max_length=MAX_X_QUERY_CHARS, pattern=r"\S")]
    allowed_x_handles: tuple[Handle, ...] = ()
    excluded_x_handles: tuple[Handle, ...] = ()
    from_date: date | None = None
    to_date: date | None = None
    enable_image_understanding: bool = False
    enable_video_understanding: bool = False
    # Any and not object: msgspec writes no schema for the latter.
    output_schema: dict[str, Any] | None = None
    instructions: str | None = None
    previous_response_id: Annotated[str, Meta(max_length=500)] | None = None
    store: bool = False


class InlineCitation(msgspec.Struct, frozen=True, kw_only=True):
    """A source at its place in the answer: ``start`` and ``end`` count characters."""

    url: str
    title: str = ""
    start: int | None = None
    end: int | None = None


class XSearchReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served, after which attempts, and what was changed in the request."""

    backend: str
    stored: bool
    filters: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    left_out_citations: int = 0
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class XSearchOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A search of X that worked.

    ``structured_output`` is what the answer holds when a schema was given and the text is JSON;
    else it is None, and ``structured_error`` says why. ``schema_valid`` says whether it keeps to
    the schema, ``schema_error`` where it does not; where that could not be told it is None. A
    ``degraded`` answer may not rest on X.
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


# What a backend hands over: nobody has vouched for it.
UntrustedXAnswer: TypeAlias = Mapping[str, object] | msgspec.Struct

# Says why a value does not keep to a schema, None when it does; a schema that is of no use is the
# failure.
CheckSchema: TypeAlias = Callable[[object, Mapping[str, object]], Result[str | None, str]]


class XSearchBackend(Protocol):
    """Something that can search X, and that the kernel does not trust."""

    @property
    def name(self) -> str:
        """The name that stands in receipts; without one it is that of the class."""
        return ""

    async def x_search(self, request: XSearchRequest, /) -> Result[UntrustedXAnswer, WebError]:
        """Answer a checked request.

        The answer holds ``answer``, ``citations``, ``inline_citations``, ``response_id``,
        ``x_search_calls``, ``model`` and ``credential_source``. What there is to say about it goes
        into the receipt from the ``warnings`` of a ``Served`` around it.
        """
        ...
