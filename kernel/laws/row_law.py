"""Apply the row law: turn a backend's answer into results, or a reason why not."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, TypeAlias, TypeGuard

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from webseam.ports.dates import is_iso_date
from webseam.ports.errors import BadPayload, InvalidRow
from webseam.ports.web import Origin, RejectedRow, SearchAnswer, UrlText, WebSearchResult

from ..boundary import attempt_call
from ..text.display import are_plain_texts, is_plain_text, is_text, plain_text, quote_value
from ..text.redaction import redact
from ..urls.spelling import are_web_urls
from .field_checks import VALIDATION_ERRORS, FieldFault, copy_texts, first_field_fault, plain_fields
from .unread import explain_foreign_name, split_unread

MAX_ROWS = 100_000

_NON_ROW_TYPES = (str, bytes, Mapping)
_DICT_TYPES = {dict}

_ROW_RULES = {
    "title": "must be text of at most 10000 characters",
    "url": "is not an absolute http or https URL",
    "snippet": "must be text of at most 100000 characters",
    "published_at": "must be a date as ISO 8601 has it, such as 2026-01-31",
    "score": "must be a finite number",
    "origin": "must be index or model",
}


# An unknown key fails the check of all rows at once, so that a row without one pays nothing for it.
class LawfulRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The fields of one row, as msgspec checks them; ``are_web_urls`` checks the URL."""

    title: Annotated[str, Meta(max_length=10_000)]
    url: UrlText
    snippet: Annotated[str, Meta(max_length=100_000)] = ""
    published_at: Annotated[str, Meta(max_length=100)] | None = None
    score: Annotated[float, Meta(ge=-1e308, le=1e308)] | None = None
    origin: Origin = "index"


ROW_FIELDS = LawfulRow.__struct_fields__


class Rows(msgspec.Struct, frozen=True):
    """All rows of an answer, and the keys that nobody reads.

    msgspec prepares a Struct once, but a bare tuple on every use.
    """

    rows: tuple[LawfulRow, ...]
    unread: tuple[str, ...] = ()


class UnreadableRow:
    """A placeholder for a row that raised when it was read."""


class RowsAndProse(msgspec.Struct, frozen=True, gc=False):
    """A backend's answer in parts: rows with their original indexes, and the prose.

    ``plain`` means that each row is a dict already, as usual.
    """

    rows: Sequence[object]
    indices: Sequence[int]
    answer: SearchAnswer | None
    plain: bool = False


RowsFault: TypeAlias = BadPayload | InvalidRow


def split_rows_and_prose(answer: object) -> RowsAndProse | RowsFault:
    """Separate a backend's rows from its prose; refuse anything but a list of rows."""
    # Nearly every answer is a list; an isinstance check with an ABC costs more than the copy.
    if type(answer) is not list and not _is_row_list(answer):
        detail = f"expected a list of rows, got {quote_value(answer)}"
        return BadPayload(problem="shape", detail=detail)
    items = list(islice(answer, MAX_ROWS + 1))
    if len(items) > MAX_ROWS:
        return BadPayload(problem="shape", detail=f"more than {MAX_ROWS} rows")
    types = {*map(type, items)}
    if SearchAnswer not in types:
        indices, is_plain_rows = range(len(items)), types == _DICT_TYPES
        return RowsAndProse(rows=items, indices=indices, answer=None, plain=is_plain_rows)
    return _split_prose(items, [i for i, item in enumerate(items) if type(item) is SearchAnswer])


def check_lawful_rows(answer: RowsAndProse | RowsFault) -> tuple[LawfulRow, ...] | RowsFault:
    """Return the rows of ``read_rows`` alone."""
    checked = read_rows(answer)
    return checked.rows if isinstance(checked, Rows) else checked


def read_rows(answer: RowsAndProse | RowsFault) -> Rows | RowsFault:
    """Check every row at once; the first bad one fails them all. An error stays an error.

    The combined check only tells that a row is bad, or has a key that webseam does not know. Only
    such answers pay for the check row by row that names it.
    """
    if not isinstance(answer, RowsAndProse):
        return answer
    plain_rows = answer.rows if answer.plain else [read_raw_row(row) for row in answer.rows]
    rows = _convert_lawful_rows(plain_rows)
    if rows is not None:
        return rows
    return _read_unusual_rows([copy_texts(row) for row in plain_rows], answer.indices)


def _convert_lawful_rows(fields: Sequence[object]) -> Rows | None:
    """Return the rows if all are lawful, have no other key, and each text is a real ``str``."""
    try:
        rows = msgspec.convert({"rows": fields}, Rows)
    except VALIDATION_ERRORS:
        return None
    return rows if _are_texts_lawful(rows.rows) else None


def _read_unusual_rows(plain_rows: Sequence[object], indices: Sequence[int]) -> Rows | RowsFault:
    """Check rows of which one at least is bad or has an unknown key."""
    rows, unread = list[LawfulRow](), dict[str, None]()
    for index, fields in zip(indices, plain_rows, strict=True):
        checked = read_row(fields)
        if isinstance(checked, FieldFault):
            return _invalid_row(index, checked)
        rows += checked.rows
        unread |= dict.fromkeys(checked.unread)
    return Rows(rows=tuple(rows), unread=tuple(unread))


def quarantine_rows(answer: RowsAndProse) -> tuple[Rows, tuple[RejectedRow, ...]]:
    """Split the rows into lawful and rejected ones, in order."""
    good, unread = list[LawfulRow](), dict[str, None]()
    bad: list[RejectedRow] = []
    for index, raw in zip(answer.indices, answer.rows, strict=True):
        checked = read_row(copy_texts(read_raw_row(raw)))
        if isinstance(checked, FieldFault):
            bad.append(_reject_row(index, checked, raw))
        else:
            good += checked.rows
            unread |= dict.fromkeys(checked.unread)
    return Rows(rows=tuple(good), unread=tuple(unread)), tuple(bad)


def read_raw_row(row: object) -> object:
    """Return a row's plain fields; an ``UnreadableRow`` if reading it raises."""
    return attempt_call(lambda: plain_fields(row)).value_or(UnreadableRow())


def read_row(fields: object) -> Rows | FieldFault:
    """Return the plain fields of one row as the only row, or the field that breaks the law."""
    if not isinstance(fields, dict):
        return FieldFault(field="row", reason=f"expected an object, got {quote_value(fields)}")
    for name in ("url", "title", "snippet"):
        reason = explain_foreign_name(fields, name)
        if reason is not None:
            return FieldFault(field=name, reason=reason)
    known, unread = split_unread(fields, ROW_FIELDS)
    try:
        row = msgspec.convert(known, LawfulRow)
    except VALIDATION_ERRORS:
        return first_field_fault(known, LawfulRow, _ROW_RULES)
    if not _are_texts_lawful((row,)):
        return _field_fault(row)
    return Rows(rows=(row,), unread=tuple(unread))


def check_row(row: object) -> Result[WebSearchResult, RowsFault]:
    """Return a backend's row as a search result, or the field that breaks the row law.

    >>> check_row({"title": "A", "url": "javascript:1"}).failure().field
    'url'
    """
    checked = read_rows(RowsAndProse(rows=[row], indices=[0], answer=None))
    if not isinstance(checked, Rows):
        return Failure(checked)
    return Success(number_lawful_rows(checked.rows, "")[0])


def present_row_fields(rows: Sequence[LawfulRow]) -> set[str]:
    """Return the fields that have a value in some row."""
    return {name for name in ROW_FIELDS if any(getattr(row, name) for row in rows)}


def number_lawful_rows(rows: Sequence[LawfulRow], source: str) -> tuple[WebSearchResult, ...]:
    """Make results of checked rows: positions from 1, and the backend's name."""
    results = [
        WebSearchResult(
            title=row.title,
            url=row.url,
            snippet=row.snippet,
            position=position,
            source=source,
            published_at=row.published_at,
            score=row.score,
            origin=row.origin,
        )
        for position, row in enumerate(rows, 1)
    ]
    return tuple(results)


def _split_prose(items: list[object], prose_indexes: list[int]) -> RowsAndProse | RowsFault:
    first = prose_indexes[0]
    answer = items[first]
    if len(prose_indexes) > 1:
        return InvalidRow(index=prose_indexes[1], field="answer", reason="a second answer")
    prose = answer.text if isinstance(answer, SearchAnswer) else None
    if not is_text(prose) or not _is_prose(plain_text(prose)):
        return InvalidRow(index=first, field="answer", reason="is not text or is blank")
    indices = [i for i in range(len(items)) if i != first]
    rows = [items[i] for i in indices]
    return RowsAndProse(rows=rows, indices=indices, answer=SearchAnswer(text=plain_text(prose)))


def _invalid_row(index: int, fault: FieldFault) -> InvalidRow:
    return InvalidRow(index=index, field=redact(fault.field), reason=redact(fault.reason))


def _are_texts_lawful(rows: Sequence[LawfulRow]) -> bool:
    """Check what msgspec cannot: valid Unicode, real URLs and dates. By column, for speed."""
    urls = [row.url for row in rows]
    texts = urls + [row.title for row in rows] + [row.snippet for row in rows]
    dates = [row.published_at for row in rows if row.published_at is not None]
    if not are_plain_texts(texts + dates) or not are_web_urls(urls):
        return False
    return not dates or all(map(is_iso_date, dates))


def _field_fault(row: LawfulRow) -> FieldFault:
    for field in ("title", "snippet", "published_at"):
        if not is_plain_text(getattr(row, field) or ""):
            return FieldFault(field=field, reason="is not valid Unicode text")
    date = row.published_at
    if date is not None and not is_iso_date(date):
        return FieldFault(
            field="published_at", reason=f"{_ROW_RULES['published_at']}, got {quote_value(date)}"
        )
    return FieldFault(field="url", reason=f"{_ROW_RULES['url']}, got {quote_value(row.url)}")


def _is_row_list(answer: object) -> TypeGuard[Iterable[object]]:
    return isinstance(answer, Iterable) and not isinstance(answer, _NON_ROW_TYPES)


def _is_prose(text: str) -> bool:
    return is_plain_text(text) and bool(text.strip())


def _reject_row(index: int, fault: FieldFault, raw: object) -> RejectedRow:
    preview = attempt_call(lambda: ascii(plain_fields(raw))[:500]).value_or(quote_value(raw))
    # The raw row may quote a key that only the backend knows.
    field, reason, raw = map(redact, (fault.field, fault.reason, preview))
    return RejectedRow(index=index, field=field, reason=reason, raw=raw)
