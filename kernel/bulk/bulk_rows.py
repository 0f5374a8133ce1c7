"""From one input to its row: the same row for the same bytes, whenever and wherever."""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import get_args, get_origin

import msgspec
from returns.result import Failure, Result

from ...ports.bulk import BulkItem, BulkRow
from ...ports.errors import CallRefused, HttpStatus, ParseFailed, WebError
from ...ports.pages import ReadPage
from .filters import ValueKind
from .robots_directives import parse_robots_directives

_SUCCESSFUL = range(200, 300)
_LIMITS = frozenset({"out_of_time", "out_of_memory", "crashed"})
_CONTENT = frozenset({"title", "content"})
# Who leaves out what is over the bytes that may be fetched.
BUDGET_OPTION = "--max-bytes"


class _Told(msgspec.Struct, frozen=True, kw_only=True):
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


def filter_columns(signals: Mapping[str, object]) -> dict[str, ValueKind]:
    """Return what a filter may ask for by name: columns, signals, what pages say of themselves."""
    fields = (*msgspec.structs.fields(_Told), *msgspec.structs.fields(BulkRow))
    columns = {field.name: _kind(field.type) for field in fields if field.name != "kept"}
    return {**{name: _kind(type(value)) for name, value in signals.items()}, **columns}


def _kind(annotation: object) -> ValueKind:
    kinds = (annotation, *get_args(annotation))
    if get_origin(annotation) is tuple:
        return "list"
    if bool in kinds:
        return "truth"
    return "text" if str in kinds else "number"


class RowRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a row holds beside the page: its language, and what the others make of it.

    ``keep`` is asked with the columns, the signals and what the page says about itself, all by
    their names; without it no row is judged.
    """

    language: Callable[[str], str | None]
    compress: Callable[[str], str] | None = None
    signals: Callable[[str], Mapping[str, object]] | None = None
    keep: Callable[[Mapping[str, object]], bool] | None = None


def conversion_refusal(item: BulkItem) -> WebError | None:
    """Return why an input is not converted at all, None when it is to be."""
    if item.error is not None:
        return item.error
    if item.status is not None and item.status not in _SUCCESSFUL:
        return HttpStatus(status=item.status)
    return None


def is_doubtful(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether a limit decided, which only counts where a fresh worker says it again."""
    if not isinstance(outcome, Failure):
        return False
    error = outcome.failure()
    return isinstance(error, ParseFailed) and error.reason in _LIMITS


def is_machine_overload(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether the machine was too busy for a page, which is to be tried again."""
    if not isinstance(outcome, Failure):
        return False
    error = outcome.failure()
    return isinstance(error, ParseFailed) and error.by_machine


def is_left_out(error: WebError | None) -> bool:
    """Tell whether an input was left out for the bytes that may be fetched: there may be more."""
    return isinstance(error, CallRefused) and error.by == BUDGET_OPTION


def was_killed(outcome: Result[ReadPage, WebError]) -> bool:
    """Tell whether somebody else ended the worker, which says nothing of the page."""
    if not isinstance(outcome, Failure):
        return False
    error = outcome.failure()
    return isinstance(error, ParseFailed) and error.reason == "crashed" and error.by_machine


def make_row(
    number: int, item: BulkItem, outcome: Result[ReadPage, WebError], rules: RowRules
) -> BulkRow:
    """Return the row of an input."""
    if isinstance(outcome, Failure):
        return _judged(_failed(number, item, outcome.failure()), rules)
    return _judged(_read(number, item, outcome.unwrap(), rules), rules)


def _read(number: int, item: BulkItem, page: ReadPage, rules: RowRules) -> BulkRow:
    signals = None if rules.signals is None else rules.signals(page.content)
    return msgspec.structs.replace(
        _bare(number, item),
        title=page.title,
        content=page.content,
        compressed=None if rules.compress is None else rules.compress(page.content),
        language=rules.language(page.content),
        metadata=_json(_metadata(item, page)),
        content_sha256=sha256(page.content.encode("utf-8", "surrogatepass")).hexdigest(),
        quality=None if signals is None else _json(signals),
    )


def _failed(number: int, item: BulkItem, error: WebError) -> BulkRow:
    plain = error
    if isinstance(error, ParseFailed) and error.reason == "crashed":
        # By which signal a converter ended depends on the machine.
        plain = msgspec.structs.replace(error, detail="")
    return msgspec.structs.replace(_bare(number, item), error=plain.kind, error_json=_json(plain))


def _bare(number: int, item: BulkItem) -> BulkRow:
    has_body = bool(item.body)
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
        body_sha256=sha256(item.body).hexdigest() if has_body else None,
        content_sha256=None,
        quality=None,
        kept=None,
        receipt=_json({"backend": "pages", "record": item.record_id}),
        error=None,
        error_json=None,
    )


def _judged(row: BulkRow, rules: RowRules) -> BulkRow:
    if rules.keep is None:
        return row
    columns: dict[str, object] = msgspec.structs.asdict(row)
    quality = msgspec.json.decode(row.quality, type=dict[str, object]) if row.quality else {}
    told = msgspec.json.decode(row.metadata, type=_Told)
    names = {**msgspec.structs.asdict(told), **quality, **columns}
    return msgspec.structs.replace(row, kept=rules.keep(names))


def _metadata(item: BulkItem, page: ReadPage) -> dict[str, object]:
    """Return what a page says about itself; its own word for its language is among it."""
    wishes = parse_robots_directives((*item.robots, *page.robots))
    more = {"robots": wishes, "same_page": item.same_page, "truncated": item.truncated}
    fields = {**msgspec.structs.asdict(page), **more}
    return {name: value for name, value in fields.items() if value and name not in _CONTENT}


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
