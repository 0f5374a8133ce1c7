"""Read lists of URLs from lines of text, rows of a table or JSON objects."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace
from returns.result import Result, Success

from webseam.ports.errors import InvalidUrl, WebError
from webseam.ports.targets import DEFAULT_PORTS, tidy_url

from ...laws.field_checks import refuse_field
from ...urls.spelling import complete_web_url, drop_route, is_web_url
from ...urls.url_parsing import canonical_host

ListForm: TypeAlias = Literal["text", "csv", "tsv", "jsonl"]
_DEFAULT_COLUMN: Final = "url"
_PORT_BY_SCHEME: Final = {str(scheme): port for scheme, port in DEFAULT_PORTS.items()}
_MAX_HEAD_LINES: Final = 100
# The decoder writes this for bytes that are no text.
_REPLACEMENT_CHARACTER: Final = "\N{REPLACEMENT CHARACTER}"
# Cell delimiters, the likeliest first; spreadsheets in half of Europe write ";".
_DELIMITERS: Final[dict[str, str]] = {"csv": ",;\t|", "tsv": "\t,;|"}


class ListEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input of a list: a URL, a path or an error; ``offset`` is its line, row or number."""

    source: str
    offset: int
    url: str | None = None
    path: str | None = None
    error: WebError | None = None


def crawl_page_url(url: str) -> str:
    """Return the spelling that all names of one page share; return an invalid URL unchanged.

    >>> crawl_page_url("HTTP://a.example/x #part")
    'http://a.example/x'
    >>> crawl_page_url("http://[x")
    'http://[x'
    >>> crawl_page_url("http://ä.example/")
    'http://xn--4ca.example/'
    """
    compact = "".join(url.split())
    # A crawl fetches what the server sends, which is the same for all routes of an app.
    return drop_route(compact) if is_web_url(tidy_url(compact)) else compact


def crawl_host(url: str) -> str:
    """Return the canonical spelling of a URL's host, with its port unless that is the default.

    It equals the Host header, and a robots.txt applies to it. Without a host it is empty.

    >>> crawl_host("http://Ä.example.:80/x")
    'xn--4ca.example'
    >>> crawl_host("http://[::1]:8080/")
    '[::1]:8080'
    >>> crawl_host("mail")
    ''
    """
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        return ""
    host = name if name.isascii() else canonical_host(name) or name
    host = f"[{host}]" if ":" in host else host
    return (
        f"{host}:{port}" if host and port not in (None, _PORT_BY_SCHEME.get(parts.scheme)) else host
    )


def sniff_url_list(lines: Iterable[str], *, has_column: bool) -> tuple[ListForm, Iterator[str]]:
    """Return the form of a list, judged by its first line that is not blank, and all its lines.

    >>> [sniff_url_list([line], has_column=False)[0] for line in ('{"url": 1}', "a")]
    ['jsonl', 'text']
    """
    rest = iter(lines)
    start = list(_list_head(rest))
    form: ListForm = "text"
    if "".join(start).lstrip().startswith("{"):
        form = "jsonl"
    elif has_column:
        form = "csv"
    return form, chain(start, rest)


def _list_head(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line
        if line.strip():
            return


def read_url_list(
    lines: Iterable[str], form: ListForm, source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    """Return an iterator over the entries of a list; fail if a table lacks the column."""
    if form == "text":
        return Success(_read_text_list(lines, source))
    if form == "jsonl":
        return Success(_read_json_lines(lines, source, column or _DEFAULT_COLUMN))
    return _read_table(iter(lines), _DELIMITERS[form], source, column)


def _read_text_list(lines: Iterable[str], source: str) -> Iterator[ListEntry]:
    for number, line in enumerate(lines, 1):
        url = line.strip()
        if url and not url.startswith("#"):
            yield _set_entry_url(ListEntry(source=source, offset=number), url)


def _read_json_lines(lines: Iterable[str], source: str, column: str) -> Iterator[ListEntry]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_json_entry(line, ListEntry(source=source, offset=number), column)


def _read_json_entry(line: str, entry: ListEntry, column: str) -> ListEntry:
    try:
        value = msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return replace(entry, error=InvalidUrl(reason="the line is no JSON object"))
    index = _column_index(list(value), column)
    url = None if index is None else list(value.values())[index]
    if isinstance(url, str):
        return _set_entry_url(entry, url.strip())
    return replace(entry, error=InvalidUrl(reason=f"the object has no text under {column!r}"))


def _read_table(
    lines: Iterator[str], delimiters: str, source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    start = _table_head_lines(lines)
    try:
        delimiter, names = _table_head(start, delimiters, column or _DEFAULT_COLUMN)
    except csv.Error as problem:
        return refuse_field("input", f"{source} is no table: {problem}")
    if len(names) == 1 and column is None and "://" in names[0]:
        # A table of one column without a header: its first row is data.
        return Success(_read_cells(_table_rows(chain(start, lines)), source, 0, first=1))
    index = _column_index(names, column or _DEFAULT_COLUMN)
    if index is None and column is None and len(names) == 1:
        index = 0
    if index is None:
        missing = f"{source} has no column {column or _DEFAULT_COLUMN!r}"
        listed = f"its columns: {', '.join(names) or 'none'}"
        return refuse_field("column", f"{missing}; {listed}; name the one to take with --column")
    return Success(_read_cells(_table_rows(lines, delimiter), source, index, first=2))


def _table_head_lines(lines: Iterator[str]) -> list[str]:
    """Return the lines of the first row that is not blank; a quoted name may span lines."""
    row: list[str] = []
    marks = 0
    for line in lines:
        if row or line.strip():
            row.append(line)
            marks += line.count('"')
        if row and (marks % 2 == 0 or len(row) == _MAX_HEAD_LINES):
            break
    return row


def _table_head(row: Sequence[str], delimiters: str, column: str) -> tuple[str, list[str]]:
    """Return the delimiter that yields the column, else most columns, and the names."""
    heads = [
        (delimiter, [name.strip() for name in next(csv.reader(row, delimiter=delimiter), [])])
        for delimiter in delimiters
    ]
    for delimiter, names in heads:
        if _column_index(names, column) is not None:
            return delimiter, names
    return max(heads, key=lambda head: len(head[1]))


def _column_index(names: Sequence[str], column: str) -> int | None:
    """Return the index of a column; ignore case if that is unambiguous."""
    if column in names:
        return names.index(column)
    matches = [index for index, name in enumerate(names) if name.lower() == column.lower()]
    return matches[0] if len(matches) == 1 else None


def _read_cells(
    rows: Iterator[list[str] | WebError], source: str, column: int, *, first: int
) -> Iterator[ListEntry]:
    for number, row in enumerate(rows, first):
        entry = ListEntry(source=source, offset=number)
        if not isinstance(row, list):
            yield replace(entry, error=row)
        elif row:
            yield _set_entry_url(entry, row[column].strip() if len(row) > column else "")


def _set_entry_url(entry: ListEntry, url: str) -> ListEntry:
    """Return an entry with its URL, and the error if the URL is visibly invalid."""
    if not url:
        return replace(entry, error=InvalidUrl(reason="the cell is empty"))
    error = (
        InvalidUrl(reason="it is not written in UTF-8") if _REPLACEMENT_CHARACTER in url else None
    )
    return replace(entry, url=complete_web_url(url), error=error)


class _LineCounter:
    """Counts lines, and the quotation marks in them, for each row."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = self._marks = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            self._marks += line.count('"')
            yield line

    def begin_row(self) -> None:
        """Start a row."""
        self.count = self._marks = 0

    def lines_after_open_quote(self) -> int:
        """Return how many lines follow an unclosed quotation mark, if the row ends here; else 0."""
        return self.count - 1 if self._marks % 2 else 0


def _table_rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[list[str] | WebError]:
    """Yield the rows of a table, or why one cannot be read."""
    counted = _LineCounter(lines)
    rows = csv.reader(counted, delimiter=delimiter)
    unclosed = 0
    while True:
        counted.begin_row()
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as problem:
            reason = f"the row cannot be read: {problem}; it takes {_line_count(counted.count)}"
            yield InvalidUrl(reason=reason)
            unclosed = 0
            continue
        yield row
        unclosed = counted.lines_after_open_quote()
    if unclosed:
        lines_text = _line_count(unclosed)
        yield InvalidUrl(reason=f"a quotation mark is not closed; its cell took {lines_text}")


def _line_count(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
