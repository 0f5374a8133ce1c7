"""Make the row of an input; the same bytes always give the same row."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import get_args, get_origin

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result

from webseam.ports.bulk import BulkItem, BulkRow
from webseam.ports.errors import (
    AuthFailed,
    BadRedirect,
    CallRefused,
    HttpStatus,
    ParseFailed,
    PaymentRequired,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.pages import ReadPage
from webseam.ports.usage import PageUsage, UsagePurpose, UsageStatement

from ...pages.robots_directives import parse_robots_directives
from ...pages.usage import judge_page_usage, usage_refusal
from .filters import ValueKind

_SUCCESS_STATUSES = range(200, 300)
# Errors that are the answer of a server, with its status.
_STATUS_ERRORS = (
    AuthFailed, BadRedirect, HttpStatus, QuotaExhausted, RateLimited, UpstreamUnavailable,
)  # fmt: skip
_PAYMENT_REQUIRED_STATUS = 402
_LIMIT_REASONS = frozenset({"out_of_time", "out_of_memory", "crashed"})
_CONTENT_FIELDS = frozenset({"title", "content", "statements", "parts"})
# A reader of the rows need not know which value is usual: these say whether the text is whole.
_READING_FIELDS = frozenset({"complete", "cuts", "left_out", "notes"})
# The option whose limit leaves out inputs over the bytes that may be fetched.
BUDGET_OPTION = "--max-bytes"


class _PageMetadata(msgspec.Struct, frozen=True, kw_only=True):
    author: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    kind: str | None = None
    links: int = 0
    published_at: str | None = None
    robots: tuple[str, ...] = ()
    same_page: str | None = None
    site_name: str | None = None
    truncated: str | None = None
    usage: PageUsage = PageUsage()


def bulk_filter_columns(signals: Mapping[str, object]) -> dict[str, ValueKind]:
    """Return the names a filter may use: columns, signals and page metadata, with their kinds."""
    fields = (*msgspec.structs.fields(_PageMetadata), *msgspec.structs.fields(BulkRow))
    columns = {
        field.name: _column_kind(field.type)
        for field in fields
        if field.name not in ("kept", "usage", "data")
    }
    kinds = {name: _column_kind(type(value)) for name, value in signals.items()}
    return {**kinds, **columns, **dict.fromkeys(_usage_columns(PageUsage()), "text")}


def _usage_columns(usage: PageUsage) -> dict[str, str]:
    return {f"usage.{purpose}": getattr(usage, purpose) for purpose in get_args(UsagePurpose)}


def _column_kind(annotation: object) -> ValueKind:
    types = (annotation, *get_args(annotation))
    if get_origin(annotation) is tuple:
        return "list"
    if bool in types:
        return "truth"
    return "text" if str in types else "number"


class RowRules(msgspec.Struct, frozen=True, kw_only=True):
    """How to compute the columns of a row beyond the page itself.

    ``keep`` gets the columns, the signals and the page metadata by name; without it no row is
    judged. A page whose publisher says no to ``purpose`` is an error.
    """

    language: Callable[[str], str | None]
    compress: Callable[[str], str] | None = None
    signals: Callable[[str], Mapping[str, object]] | None = None
    keep: Callable[[Mapping[str, object]], bool] | None = None
    purpose: UsagePurpose | None = None


def bulk_item_refusal(item: BulkItem) -> WebError | None:
    """Return why an input is not converted, or None if it is."""
    if item.error is not None:
        return item.error
    if item.status is not None and item.status not in _SUCCESS_STATUSES:
        return HttpStatus(status=item.status)
    return None


def is_doubtful_bulk_failure(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether a resource limit decided; a fresh worker must confirm such a failure."""
    error = _parse_failure(outcome)
    return error is not None and error.reason in _LIMIT_REASONS


def is_bulk_machine_overload(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether the machine was overloaded; such a page is tried again."""
    error = _parse_failure(outcome)
    return error is not None and error.by_machine


def is_over_bulk_byte_limit(error: WebError | None) -> bool:
    """Tell whether an input was left out by the byte limit; another run may fetch it."""
    return isinstance(error, CallRefused) and error.by == BUDGET_OPTION


def was_bulk_worker_killed(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether something else ended the worker, which says nothing about the page."""
    error = _parse_failure(outcome)
    return error is not None and error.reason == "crashed" and error.by_machine


def _parse_failure(outcome: Result[ReadPage, WebError]) -> ParseFailed | None:
    error = outcome.failure() if isinstance(outcome, Failure) else None
    return error if isinstance(error, ParseFailed) else None


def make_bulk_row(
    number: int, item: BulkItem, outcome: Result[ReadPage, WebError], rules: RowRules
) -> BulkRow:
    """Return the row of an input."""
    if isinstance(outcome, Failure):
        row = _error_row(number, item, outcome.failure())
    else:
        page = outcome.unwrap()
        refusal = usage_refusal(bulk_page_usage(item, page), rules.purpose)
        row = (
            _page_row(number, item, page, rules)
            if refusal is None
            else _error_row(number, item, refusal)
        )
    if rules.keep is None:
        return row
    quality = msgspec.json.decode(row.quality, type=dict[str, object]) if row.quality else {}
    metadata = msgspec.json.decode(row.metadata, type=_PageMetadata)
    names = {**msgspec.structs.asdict(metadata), **quality, **msgspec.structs.asdict(row)}
    return replace(row, kept=rules.keep({**names, **_usage_columns(metadata.usage)}))


def _page_row(number: int, item: BulkItem, page: ReadPage, rules: RowRules) -> BulkRow:
    signals = None if rules.signals is None else rules.signals(page.content)
    return replace(
        _empty_row(number, item),
        title=page.title,
        content=page.content,
        compressed=None if rules.compress is None else rules.compress(page.content),
        language=rules.language(page.content),
        metadata=_sorted_json(_page_metadata(item, page)),
        content_sha256=sha256(page.content.encode("utf-8", "surrogatepass")).hexdigest(),
        quality=None if signals is None else _sorted_json(signals),
    )


def _error_row(number: int, item: BulkItem, error: WebError) -> BulkRow:
    if isinstance(error, ParseFailed) and error.reason == "crashed":
        # The signal that ended a converter depends on the machine.
        error = replace(error, detail="")
    row = _empty_row(number, item)
    if row.status is None:
        # A page that was fetched for its row has no record but its error.
        row = replace(row, status=_stated_status(error))
    return replace(row, error=error.kind, error_json=_sorted_json(error))


def _stated_status(error: WebError) -> int | None:
    """Return the status that the server of a page answered with; None if it did not answer."""
    if isinstance(error, PaymentRequired):
        return _PAYMENT_REQUIRED_STATUS
    return error.status if isinstance(error, _STATUS_ERRORS) else None


def _empty_row(number: int, item: BulkItem) -> BulkRow:
    return BulkRow(
        row=number,
        source=item.source,
        offset=item.offset,
        url=item.url,
        final_url=item.final_url,
        status=item.status,
        content_type=item.content_type,
        fetched_at=item.fetched_at,
        title=None,
        content=None,
        compressed=None,
        language=None,
        metadata="{}",
        body_bytes=len(item.body),
        body_sha256=sha256(item.body).hexdigest() if item.body else None,
        content_sha256=None,
        quality=None,
        kept=None,
        receipt=_sorted_json({"backend": "pages", "record": item.record_id}),
        error=None,
        error_json=None,
    )


def bulk_page_usage(item: BulkItem, page: ReadPage) -> PageUsage | None:
    """Return what headers, robots.txt and the page itself say about its use."""
    robots = tuple(UsageStatement("header", "x-robots-tag", value) for value in item.robots)
    return judge_page_usage({}, page, item.final_url or item.url or "", (*item.statements, *robots))


def _page_metadata(item: BulkItem, page: ReadPage) -> dict[str, object]:
    """Return what the page says of itself and what differs from the usual page."""
    directives = parse_robots_directives((*item.robots, *page.robots))
    extra = {
        "robots": directives,
        "same_page": item.same_page,
        "truncated": item.truncated,
        "usage": bulk_page_usage(item, page),
    }
    fields = {**msgspec.structs.asdict(page), **extra}
    return {
        name: value
        for name, value in fields.items()
        if name in _READING_FIELDS or _is_unusual(name, value)
    }


def _is_unusual(name: str, value: object) -> bool:
    """Tell whether a field of a page says what that of most pages does not."""
    if name in _CONTENT_FIELDS or not (value or value is False):
        return False
    return value != _USUAL_PAGE.get(name)


_USUAL_PAGE = {field.name: field.default for field in msgspec.structs.fields(ReadPage)}


def _sorted_json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
