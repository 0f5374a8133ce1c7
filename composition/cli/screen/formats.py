"""Results for programs and files, in the format that was asked for."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from ....kernel.text.display import one_line, visible
from ....ports.web import SearchOutcome, WebSearchResult

Format: TypeAlias = Literal["markdown", "text", "json", "jsonl", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
_ROW_FIELDS = ("position", "title", "url", "snippet", "published_at", "source")
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection); a quote makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows_text(outcome: SearchOutcome, wanted: Format) -> str:
    """Return the rows in a format that is not JSON as a whole."""
    if wanted == "csv":
        return csv_text(_ROW_FIELDS, [msgspec.to_builtins(row) for row in outcome.rows])
    if wanted == "jsonl":
        return "\n".join(msgspec.json.encode(row).decode() for row in outcome.rows)
    if wanted == "markdown":
        return "\n".join(_markdown(row) for row in outcome.rows)
    return "\n\n".join(_plain(row) for row in outcome.rows)


def csv_text(fields: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    r"""Return rows under a head.

    >>> csv_text(("a", "b"), [{"a": "x,y", "b": "=1"}])
    'a,b\r\n"x,y",\'=1'
    """
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(fields)
    for row in rows:
        writer.writerow([_cell(row.get(field)) for field in fields])
    return written.getvalue().removesuffix("\r\n")


def _cell(value: object) -> str:
    text = "" if value is None else visible(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _markdown(row: WebSearchResult) -> str:
    title = one_line(row.title).replace("[", "\\[").replace("]", "\\]") or row.url
    about = f": {one_line(row.snippet)}" if row.snippet.strip() else ""
    return f"{row.position}. [{title}](<{row.url}>){about}"


def _plain(row: WebSearchResult) -> str:
    about = f"\n{one_line(row.snippet)}" if row.snippet.strip() else ""
    return f"{one_line(row.title)}\n{row.url}{about}"
