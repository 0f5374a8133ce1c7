"""Printed search results: drawn for a person, plain in a pipe, or in a named format."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec
from returns.result import Result, Success

from webseam.kernel.envelopes import ToolReply
from webseam.kernel.text.display import one_line, strip_hidden
from webseam.ports.attempts import Sighting
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.errors.error_fields import quote_foreign
from webseam.ports.receipts import SearchReceipt
from webseam.ports.text import disarm_pictures, link_target
from webseam.ports.web import RejectedRow, SearchOutcome, WebSearchResult

from ..tools.stages import CallOutcome
from .command_calls import changed_reply_text, print_tool_failure
from .exit_codes import BAD_INPUT, DONE
from .output import print_error, print_json, print_warnings
from .terminal_look import read_terminal_look

Format: TypeAlias = Literal["markdown", "text", "json", "jsonl", "csv", "html"]
PAGE_FORMATS: tuple[Format, ...] = get_args(Format)
ROW_FORMATS: tuple[Format, ...] = tuple(form for form in PAGE_FORMATS if form != "html")
_ROW_FIELDS = (
    "position", "title", "url", "snippet", "published_at", "source", "score", "origin", "found_by",
    "answer", "rejected",
)  # fmt: skip
_ROW_PAGE_FIELDS = ("content", "error")
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection); a quote makes it text.
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")
# A number with a sign and perhaps a unit, such as -0.4 m, can be no formula: no sign that
# calculates, calls or points follows it.
_MEASURED_PATTERN = re.compile(
    r"[+-](?:\d[\d.,]*+|\.\d++)(?:[eE][+-]?\d++)?(?:[^\W\d_]|[\s%°²³µ/.,])*+"
)
# What would end the text of a link, or begin an element of HTML.
_MARKDOWN_SIGNS_PATTERN = re.compile(r"[\\\[\]<]")
_PAGE_FIELDS = ("url", "final_url", "title", "content", "error")
_KEYLESS_BACKEND = "wikipedia"
_FIELD_FLAGS = {
    "max_results": "--max-results", "include_domains": "--site", "exclude_domains": "--not-site",
    "published_after": "--since", "published_before": "--until", "country": "--country",
    "language": "--language", "topic": "--topic", "safe_search": "--safe-search",
    "page": "--page",
}  # fmt: skip


def formatted_rows_text(outcome: SearchOutcome, form: Format) -> str:
    """Return all that an outcome holds in a format that is not JSON as a whole.

    That is the answer in prose, the rows, and the rows that were rejected.
    """
    if form == "csv":
        fields = (*_ROW_FIELDS, *_ROW_PAGE_FIELDS) if outcome.receipt.pages else _ROW_FIELDS
        return formatted_csv_text(fields, list(_csv_records(outcome)))
    if form == "jsonl":
        return "\n".join(msgspec.json.encode(record).decode() for record in _json_records(outcome))
    answer = [] if outcome.answer is None else [strip_hidden(outcome.answer.text).strip()]
    if form == "markdown":
        rows = "\n".join(map(_row_markdown, outcome.rows))
        rejected = "\n".join(
            f"- {disarm_pictures(_rejection_text(row))}" for row in outcome.rejected
        )
        return "\n\n".join(filter(None, [*answer, rows, rejected]))
    rows_text = map(_row_plain_text, outcome.rows)
    return "\n\n".join([*answer, *rows_text, *map(_rejection_text, outcome.rejected)])


def _json_records(outcome: SearchOutcome) -> Iterator[object]:
    """Yield the answer and each rejected row as an object under its name, each row as it is."""
    if outcome.answer is not None:
        yield {"answer": outcome.answer.text}
    for row in outcome.rows:
        fields = msgspec.to_builtins(row)
        # Few searches ask for the pages of their rows.
        if not outcome.receipt.pages:
            fields = {name: fields[name] for name in fields if name not in _ROW_PAGE_FIELDS}
        yield fields
    for bad in outcome.rejected:
        yield {"rejected": bad}


def _csv_records(outcome: SearchOutcome) -> Iterator[dict[str, object]]:
    """Yield the cells of each row; the answer and a rejected row have a line with one cell."""
    if outcome.answer is not None:
        yield {"answer": outcome.answer.text}
    for row in outcome.rows:
        seen = ", ".join(map(_sighting_text, row.found_by))
        error = "" if row.error is None else row.error.kind
        yield {**msgspec.to_builtins(row), "found_by": seen, "error": error}
    for rejected in outcome.rejected:
        yield {"rejected": _rejection_text(rejected)}


def formatted_csv_text(fields: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    r"""Return rows under a head.

    >>> formatted_csv_text(("a", "b"), [{"a": "x,y", "b": "=1"}])
    'a,b\r\n"x,y",\'=1'
    """
    import csv  # one format of many

    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(fields)
    for row in rows:
        writer.writerow([_csv_cell(row.get(field)) for field in fields])
    return written.getvalue().removesuffix("\r\n")


def _csv_cell(value: object) -> str:
    text = "" if value is None else strip_hidden(str(value))
    is_formula = text.startswith(_FORMULA_PREFIXES) and not _MEASURED_PATTERN.fullmatch(text)
    return f"'{text}" if is_formula else text


def _row_markdown(row: WebSearchResult) -> str:
    title = _MARKDOWN_SIGNS_PATTERN.sub(r"\\\g<0>", one_line(row.title) or row.url)
    about = f": {disarm_pictures(one_line(row.snippet))}" if row.snippet.strip() else ""
    listed = f"{row.position}. [{title}](<{link_target(row.url)}>){about} ({_row_facts(row)})"
    page = row_page_text(row)
    return f"{listed}\n\n{disarm_pictures(page)}\n" if page else listed


def _row_plain_text(row: WebSearchResult) -> str:
    about = f"\n{one_line(row.snippet)}" if row.snippet.strip() else ""
    listed = f"{one_line(row.title)}\n{row.url}{about}\n({_row_facts(row)})"
    return f"{listed}\n\n{page}" if (page := row_page_text(row)) else listed


def row_page_text(row: WebSearchResult) -> str:
    """Return the text of a row's page, or why there is none; empty if it was not asked for."""
    if row.error is not None:
        return f"(not read: {strip_hidden(row.error.message)})"
    return strip_hidden(row.content or "").strip()


def _row_facts(row: WebSearchResult) -> str:
    """Return who found a row, when it was published, and its score."""
    facts = [f"{row.source}, {row.origin}"]
    if row.published_at is not None:
        facts.append(f"published {row.published_at}")
    if row.score is not None:
        facts.append(f"score {row.score}")
    facts += map(_sighting_text, row.found_by)
    return ", ".join(facts)


def _sighting_text(sighting: Sighting) -> str:
    spelling = "" if sighting.url is None else f" as {link_target(sighting.url)}"
    return f"{sighting.backend} {sighting.position}{spelling}"


def _rejection_text(row: RejectedRow) -> str:
    """Return which row was left out, why, and how it came."""
    reason = f"row {row.index} was left out: {row.field} {quote_foreign(row.reason)}"
    return f"{reason}: {one_line(row.raw, 600)}" if row.raw.strip() else reason


def printed_page_entries(envelope: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the pages in the envelope of a call; what a plugin put in their place has none."""
    data = envelope.get("data")
    results = data.get("results") if isinstance(data, dict) else None
    entries = results if isinstance(results, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def formatted_records_text(entries: Sequence[Mapping[str, object]], form: Format) -> str:
    """Return pages, and those that failed, as CSV or as JSONL."""
    if form == "csv":
        rows = [{**entry, "error": _printed_error_kind(entry)} for entry in entries]
        return formatted_csv_text(_PAGE_FIELDS, rows)
    return "\n".join(msgspec.json.encode(entry).decode() for entry in entries)


def joined_page_texts(texts: Sequence[str], form: Format) -> str:
    """Return formatted pages as one text."""
    return ("\n" if form == "html" else "\n\n---\n\n").join(texts)


def formatted_page_text(entry: Mapping[str, object], form: Format) -> Result[str, WebError]:
    """Return one page as markdown, text or HTML: where it came from, its title, its content."""
    title = disarm_pictures(str(entry.get("title") or ""))
    content = str(entry.get("content") or "")
    opening = "" if content.lstrip().startswith(f"# {title}") or not title else f"# {title}\n\n"
    address = link_target(str(entry.get("final_url") or entry.get("url")))
    body = f"<{address}>\n\n{opening}{content}"
    if form not in ("html", "text"):
        return Success(body)
    from webseam.adapters.transforms.text_workers import text_workers  # few ask for other forms

    written = text_workers.transform_blocking(form, body)
    return written.map(lambda html: f"<article>\n{html}</article>") if form == "html" else written


def _printed_error_kind(entry: Mapping[str, object]) -> str:
    error = entry.get("error")
    return str(error.get("kind", "")) if isinstance(error, Mapping) else ""


def print_search(
    called: CallOutcome,
    query: Mapping[str, object],
    wanted: Format | None,
    *,
    seconds: float,
    has_whole_receipt: bool = False,
) -> None:
    """Print the rows, or why there are none."""
    reply, outcome = called.reply, called.outcome
    if wanted == "json":
        print_json(reply.envelope, reply.error, short=None if has_whole_receipt else SearchReceipt)
    elif reply.error is not None:
        _print_search_failure(reply, reply.error)
    elif not isinstance(outcome, SearchOutcome):
        print(changed_reply_text(reply.envelope))
    elif wanted is not None:
        text = formatted_rows_text(outcome, wanted)
        print(text, end="\n" if text else "")
        print_warnings(_search_warnings(outcome.receipt))
    else:
        _print_rows_found(outcome, query, seconds)
        print_warnings(_search_warnings(outcome.receipt))


def _search_warnings(receipt: SearchReceipt) -> Iterator[str]:
    """Yield the warnings, the filters that the backend ignored, and rows that all broke one."""
    yield from receipt.warnings
    if receipt.refused:
        left = ", ".join(_FIELD_FLAGS.get(name, name) for name in receipt.refused)
        yield f"{receipt.backend} searched without {left}, which it cannot honour"
    if receipt.filtered and receipt.filtered == receipt.returned - receipt.rejected:
        yield f"all {receipt.filtered} rows of {receipt.backend} broke a filter and were left out"


def _print_search_failure(reply: ToolReply, error: WebError) -> None:
    """Print a failure; name the flag instead of the field."""
    is_own_message = reply.envelope["error"] == error.message
    if isinstance(error, InvalidQuery) and error.field in _FIELD_FLAGS and is_own_message:
        print_error(_name_flags_in_error(error), as_json=False)
    else:
        print_tool_failure(reply, error)


def _name_flags_in_error(error: InvalidQuery) -> InvalidQuery:
    reason = error.reason
    for field, flag in _FIELD_FLAGS.items():
        reason = reason.replace(field, flag) if "_" in field else reason
    return msgspec.structs.replace(error, field=_FIELD_FLAGS[error.field], reason=reason)


def _print_rows_found(outcome: SearchOutcome, query: Mapping[str, object], seconds: float) -> None:
    look = read_terminal_look(sys.stdout)
    if not look.person and not look.styles:
        print(outcome)
        return
    from .result_lines import nothing_found_lines, search_footer, search_lines

    empty = not outcome.rows and outcome.answer is None and not outcome.rejected
    elsewhere = () if outcome.receipt.backend == _KEYLESS_BACKEND else (_KEYLESS_BACKEND,)
    lines = nothing_found_lines(query, look, elsewhere) if empty else search_lines(outcome, look)
    print("\n".join(lines))
    if look.person:
        print("\n" + "\n".join(search_footer(outcome, seconds, look)))


def open_row_in_browser(called: CallOutcome, position: int) -> int:
    """Open a row in the user's browser, and return the exit code."""
    outcome = called.outcome
    rows = outcome.rows if isinstance(outcome, SearchOutcome) else ()
    if (row := next((row for row in rows if row.position == position), None)) is None:
        count_text = f"there are {len(rows)} results" if rows else "there is no result"
        print(f"webseam: argument --open: {position} is no result; {count_text}.", file=sys.stderr)
        return BAD_INPUT
    import webbrowser  # only when it is used

    if not webbrowser.open(row.url):
        print(f"webseam: no browser could be opened for {strip_hidden(row.url)}.", file=sys.stderr)
    return DONE
