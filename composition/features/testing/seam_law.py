"""The law of the seam for a backend of your own: what goes in comes out, or is named."""

from collections.abc import Iterable, Mapping

import msgspec

from webseam.kernel.boundary import attempt_call
from webseam.kernel.laws.field_checks import DOCUMENT_FIELDS, plain_fields
from webseam.kernel.laws.row_law import ROW_FIELDS
from webseam.kernel.laws.unread import unread_warnings
from webseam.kernel.port_answers import left_out_rows
from webseam.kernel.text.redaction import unread_names
from webseam.ports.web import SearchAnswer, SearchOutcome, WebExtractResult


def lost_row_keys(rows: Iterable[object], outcome: SearchOutcome) -> tuple[str, ...]:
    """Return the keys of a backend's rows that neither come out nor are named in the receipt.

    A value comes out if a row of the outcome has it under the same name. Rows that a filter, the
    policy or the limit took out are counted, so their values need not come out.
    """
    receipt = outcome.receipt
    removed = left_out_rows(receipt)
    raw_rows = [fields for fields in map(_fields, rows) if fields]
    shown = [msgspec.structs.asdict(row) for row in outcome.rows]
    lost: dict[str, None] = {}
    for fields in raw_rows if not removed else ():
        for name, value in fields.items():
            is_out = name in ROW_FIELDS and any(row[name] == value for row in shown)
            if not is_out and unread_names([name])[0] not in receipt.unread:
                lost[name] = None
    return tuple(lost)


def lost_document_keys(document: object, page: WebExtractResult) -> tuple[str, ...]:
    """Return the keys of a backend's document that neither come out nor are named."""
    shown = msgspec.structs.asdict(page)
    return tuple(
        name
        for name, value in _fields(document).items()
        if not (name in DOCUMENT_FIELDS and (value is None or shown[name] == value))
        and unread_names([name])[0] not in page.receipt.unread
    )


def explain_near_miss(answer: object) -> str | None:
    """Return a warning about a key of rows, or of a page, that nearly has one of our names."""
    if isinstance(answer, list | tuple):
        return _first_near_miss(map(_fields, answer), ROW_FIELDS)
    return _first_near_miss([_fields(answer)], DOCUMENT_FIELDS)


def _first_near_miss(rows: Iterable[Mapping[str, object]], declared: tuple[str, ...]) -> str | None:
    names: dict[str, None] = {}
    for fields in rows:
        names |= dict.fromkeys(name for name in fields if type(name) is str)
    present = [name for name in declared if name in names]
    unread = [name for name in names if name not in declared]
    return next(iter(unread_warnings(unread, declared, present)), None)


def _fields(row: object) -> dict[str, object]:
    if isinstance(row, SearchAnswer):
        return {}
    fields = attempt_call(lambda: plain_fields(row)).value_or(None)
    return fields if isinstance(fields, dict) else {}
