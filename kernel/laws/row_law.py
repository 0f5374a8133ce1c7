"""The row law: what a backend hands over becomes results, or a reason why not."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, TypeGuard

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, InvalidRow
from ...ports.targets import MAX_URL_CHARS
from ...ports.web import Origin, RejectedRow, SearchAnswer, WebSearchResult
from ..boundary import attempt_call
from ..text.display import are_plain, is_plain, quote_value
from ..text.redaction import redact
from ..urls.spelling import are_web_urls
from .field_checks import FieldFault, first_fault, plain_fields

MAX_ROWS = 100_000

_NO_ROWS = (str, bytes, Mapping)
_ONLY_PLAIN = {dict}

_RULES = {
    "title": "must be text of at most 10000 characters",
    "url": "is not an absolute http or https URL",
    "snippet": "must be text of at most 100000 characters",
    "published_at": "must be text of at most 100 characters",
    "score": "must be a finite number",
    "origin": "must be index or model",
}


class LawfulRow(msgspec.Struct, frozen=True, gc=False):
    """The fields of one row, as msgspec checks them; the law of its URL is ``are_web_urls``."""

    title: Annotated[str, Meta(max_length=10_000)]
    url: Annotated[str, Meta(max_length=MAX_URL_CHARS)]
    snippet: Annotated[str, Meta(max_length=100_000)] = ""
    published_at: Annotated[str, Meta(max_length=100)] | None = None
    score: Annotated[float, Meta(ge=-1e308, le=1e308)] | None = None
    origin: Origin = "index"


class Rows(msgspec.Struct, frozen=True):
    """All rows of an answer. msgspec prepares a Struct once, but a bare tuple on every use."""

    rows: tuple[LawfulRow, ...]


class UnreadableRow:
    """Stands for a row that raised when it was looked at."""


class RowsAndProse(msgspec.Struct, frozen=True, gc=False):
    """A backend's answer taken apart: rows with their original places, and the prose.

    ``plain`` says that each row is a dict already, which most are.
    """

    rows: Sequence[object]
    indices: Sequence[int]
    answer: SearchAnswer | None
    plain: bool = False


def split_answer(answer: object) -> Result[RowsAndProse, BadPayload | InvalidRow]:
    """Separate a backend's rows from its prose; what is no list of rows is refused."""
    # Nearly every answer is a plain list; asking an abstract class costs more than copying it.
    if type(answer) is not list and not _is_rows(answer):
        return Failure(_not_rows(f"expected a list of rows, got {quote_value(answer)}"))
    items = list(islice(answer, MAX_ROWS + 1))
    if len(items) > MAX_ROWS:
        return Failure(_not_rows(f"more than {MAX_ROWS} rows"))
    kinds = {*map(type, items)}
    if SearchAnswer not in kinds:
        places, plain = range(len(items)), kinds == _ONLY_PLAIN
        return Success(RowsAndProse(rows=items, indices=places, answer=None, plain=plain))
    return _with_prose(items, [i for i, item in enumerate(items) if type(item) is SearchAnswer])


def check_rows(answer: RowsAndProse) -> Result[tuple[LawfulRow, ...], InvalidRow]:
    """Check every row in one go; the first bad one fails them all.

    The one-go check only says that something is wrong. Looking row by row, to say what, is paid
    for by bad answers alone.
    """
    plain = answer.rows if answer.plain else [read_row(row) for row in answer.rows]
    try:
        rows = msgspec.convert({"rows": plain}, Rows).rows
    except msgspec.ValidationError:
        return Failure(_first_bad(plain, answer.indices))
    if _are_lawful(rows):
        return Success(rows)
    return Failure(_first_bad(plain, answer.indices))


def quarantine_rows(answer: RowsAndProse) -> tuple[tuple[LawfulRow, ...], tuple[RejectedRow, ...]]:
    """Part the rows into the lawful and the rejected; every row is in one of the two, in order."""
    good: list[LawfulRow] = []
    bad: list[RejectedRow] = []
    for index, raw in zip(answer.indices, answer.rows, strict=True):
        checked = check_row(read_row(raw))
        if isinstance(checked, Failure):
            bad.append(_rejected(index, checked.failure(), raw))
        else:
            good.append(checked.unwrap())
    return tuple(good), tuple(bad)


def read_row(row: object) -> object:
    """Return a row's plain fields; a row that raises when it is read is an ``UnreadableRow``."""
    return attempt_call(lambda: plain_fields(row)).value_or(UnreadableRow())


def check_row(fields: object) -> Result[LawfulRow, FieldFault]:
    """Turn the plain fields of one row into a ``Row``, or name the field that broke the law."""
    if not isinstance(fields, dict):
        return Failure(
            FieldFault(field="row", reason=f"expected an object, got {quote_value(fields)}")
        )
    try:
        row = msgspec.convert(fields, LawfulRow)
    except msgspec.ValidationError:
        return Failure(first_fault(fields, LawfulRow, _RULES))
    return Success(row) if _are_lawful((row,)) else Failure(_unlawful_field(row))


def number_rows(rows: Sequence[LawfulRow], source: str) -> tuple[WebSearchResult, ...]:
    """Make results of checked rows: positions from 1, and the backend that gave them."""
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


def _with_prose(
    items: list[object], places: list[int]
) -> Result[RowsAndProse, BadPayload | InvalidRow]:
    answer = items[places[0]]
    if len(places) > 1:
        return Failure(InvalidRow(index=places[1], field="answer", reason="a second answer"))
    if not isinstance(answer, SearchAnswer) or not _is_prose(answer.text):
        return Failure(
            InvalidRow(index=places[0], field="answer", reason="is not text or is blank")
        )
    indices = [i for i in range(len(items)) if i != places[0]]
    return Success(RowsAndProse(rows=[items[i] for i in indices], indices=indices, answer=answer))


def _first_bad(plain: Sequence[object], indices: Sequence[int]) -> InvalidRow:
    """Name the first bad row; there is one."""
    checks = zip(indices, map(check_row, plain), strict=True)
    index, fault = next((i, row.failure()) for i, row in checks if isinstance(row, Failure))
    return InvalidRow(index=index, field=redact(fault.field), reason=redact(fault.reason))


def _are_lawful(rows: Sequence[LawfulRow]) -> bool:
    """Check what msgspec cannot: whole Unicode everywhere, and real URLs. By column, for speed."""
    urls = [row.url for row in rows]
    texts = urls + [row.title for row in rows] + [row.snippet for row in rows]
    texts += [row.published_at for row in rows if row.published_at is not None]
    return are_plain(texts) and are_web_urls(urls)


def _unlawful_field(row: LawfulRow) -> FieldFault:
    for field in ("title", "snippet", "published_at"):
        if not is_plain(getattr(row, field) or ""):
            return FieldFault(field=field, reason="is not valid Unicode text")
    return FieldFault(field="url", reason=f"{_RULES['url']}, got {quote_value(row.url)}")


def _is_rows(answer: object) -> TypeGuard[Iterable[object]]:
    return isinstance(answer, Iterable) and not isinstance(answer, _NO_ROWS)


def _is_prose(text: object) -> bool:
    return isinstance(text, str) and is_plain(text) and bool(text.strip())


def _rejected(index: int, fault: FieldFault, raw: object) -> RejectedRow:
    preview = attempt_call(lambda: ascii(plain_fields(raw))[:500]).value_or(quote_value(raw))
    # What a backend sent may quote a key, and nobody but the backend knows which.
    field, reason, raw = map(redact, (fault.field, fault.reason, preview))
    return RejectedRow(index=index, field=field, reason=reason, raw=raw)


def _not_rows(detail: str) -> BadPayload:
    return BadPayload(problem="shape", path="$", detail=detail)
