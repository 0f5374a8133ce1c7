"""Results for programs and files, in the format that was asked for."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from ....adapters.dialect.forms import markdown_to_html, markdown_to_text
from ....kernel.text.display import one_line, strip_hidden
from ....ports.web import SearchOutcome, WebSearchResult

Format: TypeAlias = Literal["markdown", "text", "json", "jsonl", "csv", "html"]
PAGE_FORMATS: tuple[Format, ...] = get_args(Format)
ROW_FORMATS: tuple[Format, ...] = tuple(form for form in PAGE_FORMATS if form != "html")
_ROW_FIELDS = ("position", "title", "url", "snippet", "published_at", "source")
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection); a quote makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows_text(outcome: SearchOutcome, form: Format) -> str:
    """Return the rows in a format that is not JSON as a whole."""
    if form == "csv":
        return csv_text(_ROW_FIELDS, [msgspec.to_builtins(row) for row in outcome.rows])
    if form == "jsonl":
        return "\n".join(msgspec.json.encode(row).decode() for row in outcome.rows)
    if form == "markdown":
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
    text = "" if value is None else strip_hidden(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _markdown(row: WebSearchResult) -> str:
    title = one_line(row.title).replace("[", "\\[").replace("]", "\\]") or row.url
    about = f": {one_line(row.snippet)}" if row.snippet.strip() else ""
    return f"{row.position}. [{title}](<{row.url}>){about}"


def _plain(row: WebSearchResult) -> str:
    about = f"\n{one_line(row.snippet)}" if row.snippet.strip() else ""
    return f"{one_line(row.title)}\n{row.url}{about}"


# Pages: each an entry of the envelope that programs get.

_PAGE_FIELDS = ("url", "final_url", "title", "content", "error")


def page_entries(envelope: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the pages in the envelope of a call; what a plugin put in their place has none."""
    data = envelope.get("data")
    results = data.get("results") if isinstance(data, dict) else None
    entries = results if isinstance(results, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def pages_text(entries: Sequence[Mapping[str, object]], form: Format) -> str:
    """Return pages in a format that is not JSON as a whole; failures have a place in tables."""
    if form == "csv":
        return csv_text(_PAGE_FIELDS, [{**entry, "error": _kind(entry)} for entry in entries])
    if form == "jsonl":
        return "\n".join(msgspec.json.encode(entry).decode() for entry in entries)
    written = [entry for entry in entries if entry.get("error") is None]
    between = "\n" if form == "html" else "\n\n---\n\n"
    return between.join(page_body(entry, form) for entry in written)


def page_body(entry: Mapping[str, object], form: Format) -> str:
    """Return one page as markdown, text or HTML: where it came from, its title, its content."""
    title, content = str(entry.get("title") or ""), str(entry.get("content") or "")
    opening = "" if content.lstrip().startswith(f"# {title}") or not title else f"# {title}\n\n"
    body = f"<{entry.get('final_url') or entry.get('url')}>\n\n{opening}{content}"
    if form == "html":
        return f"<article>\n{markdown_to_html(body)}</article>"
    return markdown_to_text(body) if form == "text" else body


def _kind(entry: Mapping[str, object]) -> str:
    error = entry.get("error")
    return str(error.get("kind", "")) if isinstance(error, Mapping) else ""
