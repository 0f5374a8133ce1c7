"""Lists of URLs: a line of text, a row of a table or a JSON object each, or what is wrong there."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, InvalidUrl, WebError
from ...ports.targets import DEFAULT_PORTS
from ..urls.spelling import canonical_url
from ..urls.url_parsing import canonical_name, parse_target

ListForm: TypeAlias = Literal["text", "csv", "tsv", "jsonl"]
_USUAL: Final = "url"
_PORTS: Final = {str(scheme): port for scheme, port in DEFAULT_PORTS.items()}
_MAX_HEAD_LINES: Final = 100
# What stands for bytes that are no text.
_NO_TEXT: Final = "\N{REPLACEMENT CHARACTER}"
# What parts the cells of a table, the likeliest first; spreadsheets of half of Europe write ";".
_DELIMITERS: Final[dict[str, str]] = {"csv": ",;\t|", "tsv": "\t,;|"}


class ListEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input of a list: an address or a file, or the error in its place.

    ``offset`` is its place in the source: a line, a row, a number.
    """

    source: str
    offset: int
    url: str | None = None
    path: str | None = None
    error: WebError | None = None


def page_spelling(url: str) -> str:
    """Return the spelling that all names of one page have; what is no URL is only itself.

    >>> page_spelling("HTTP://a.example/x #part"), page_spelling("http://[x"), page_spelling("http://\u00e4.example/")
    ('http://a.example/x', 'http://[x', 'http://xn--4ca.example/')
    """
    bare = "".join(url.split())
    if not bare.isascii():
        # As it is asked for: letters of other scripts in percent signs, a host in Punycode.
        bare = parse_target(bare).map(lambda target: target.url).value_or(bare)
    try:
        return canonical_url(bare)
    except ValueError:
        return bare


def host_spelling(url: str) -> str:
    """Return the one spelling of a URL's host, with its port but for the usual one.

    So it stands in a Host header, and is what a robots.txt holds for. What has none is of no host.

    >>> (host_spelling("http://\u00c4.example.:80/x"), host_spelling("http://[::1]:8080/"),
    ...  host_spelling("mail"))
    ('xn--4ca.example', '[::1]:8080', '')
    """
    try:
        parts = urlsplit(url)
        name, port = (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        return ""
    host = name if name.isascii() else canonical_name(name) or name
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{port}" if host and port not in (None, _PORTS.get(parts.scheme)) else host


def sniff_list(lines: Iterable[str], *, has_column: bool) -> tuple[ListForm, Iterator[str]]:
    """Return what sort of list some lines are, by the first that is not blank, and the lines.

    >>> sniff_list(['{"url": 1}'], has_column=True)[0], sniff_list(["a"], has_column=False)[0]
    ('jsonl', 'text')
    """
    rest = iter(lines)
    start = list(_until_words(rest))
    is_object = "".join(start).lstrip().startswith("{")
    form: ListForm = "jsonl" if is_object else "csv" if has_column else "text"
    return form, chain(start, rest)


def _until_words(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines up to the first that is not blank."""
    for line in lines:
        yield line
        if line.strip():
            return


def read_entries(
    lines: Iterable[str], form: ListForm, source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    """Return the entries of a list, one by one; a table without the column is refused at once."""
    if form == "text":
        return Success(_from_text(lines, source))
    if form == "jsonl":
        return Success(_from_json(lines, source, column or _USUAL))
    return _from_table(iter(lines), _DELIMITERS[form], source, column)


def _from_text(lines: Iterable[str], source: str) -> Iterator[ListEntry]:
    for number, line in enumerate(lines, 1):
        url = line.strip()
        if url and not url.startswith("#"):
            yield _with_url(ListEntry(source=source, offset=number), url)


def _from_json(lines: Iterable[str], source: str, column: str) -> Iterator[ListEntry]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _from_object(line, ListEntry(source=source, offset=number), column)


def _from_object(line: str, entry: ListEntry, column: str) -> ListEntry:
    try:
        value = msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, ValueError, RecursionError):
        error: WebError = InvalidUrl(reason="the line is no JSON object")
        return msgspec.structs.replace(entry, error=error)
    place = _place(list(value), column)
    url = None if place is None else list(value.values())[place]
    if isinstance(url, str):
        return _with_url(entry, url.strip())
    error = InvalidUrl(reason=f"the object has no text under {column!r}")
    return msgspec.structs.replace(entry, error=error)


def _from_table(
    lines: Iterator[str], delimiters: str, source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    start = _first_row(lines)
    try:
        delimiter, names = _head(start, delimiters, column or _USUAL)
    except csv.Error as problem:
        return Failure(InvalidQuery(field="input", reason=f"{source} is no table: {problem}"))
    if len(names) == 1 and column is None and "://" in names[0]:
        # A table of one column without a head: its first row is one like the others.
        return Success(_cells(_table_rows(chain(start, lines)), source, 0, first=1))
    place = _place(names, column or _USUAL)
    if place is None and column is None and len(names) == 1:
        place = 0
    if place is None:
        known = ", ".join(names) or "none"
        reason = (
            f"{source} has no column {column or _USUAL!r}; its columns: {known}; "
            "name the one to take with --column"
        )
        return Failure(InvalidQuery(field="column", reason=reason))
    return Success(_cells(_table_rows(lines, delimiter), source, place, first=2))


def _first_row(lines: Iterator[str]) -> list[str]:
    """Return the lines of the first row that is not blank: a quoted name may take several."""
    row: list[str] = []
    marks = 0
    for line in lines:
        if row or line.strip():
            row.append(line)
            marks += line.count('"')
        if row and (marks % 2 == 0 or len(row) == _MAX_HEAD_LINES):
            break
    return row


def _head(row: Sequence[str], delimiters: str, wanted: str) -> tuple[str, list[str]]:
    """Return what parts the cells of a table, and the names of its columns; raises ``csv.Error``.

    It is the first that shows the wanted column, or else the one that shows the most columns.
    """
    heads = [
        (each, [name.strip() for name in next(csv.reader(row, delimiter=each), [])])
        for each in delimiters
    ]
    for each, names in heads:
        if _place(names, wanted) is not None:
            return each, names
    return max(heads, key=lambda head: len(head[1]))


def _place(names: Sequence[str], wanted: str) -> int | None:
    """Return where a column is, in whatever case it is written."""
    if wanted in names:
        return names.index(wanted)
    alike = [place for place, name in enumerate(names) if name.lower() == wanted.lower()]
    return alike[0] if len(alike) == 1 else None


def _cells(
    rows: Iterator[list[str] | WebError], source: str, place: int, *, first: int
) -> Iterator[ListEntry]:
    for number, row in enumerate(rows, first):
        entry = ListEntry(source=source, offset=number)
        if not isinstance(row, list):
            yield msgspec.structs.replace(entry, error=row)
        elif row:
            yield _with_url(entry, row[place].strip() if len(row) > place else "")


def _with_url(entry: ListEntry, url: str) -> ListEntry:
    """Return an entry with its address, and with what is wrong where that can be seen here."""
    if not url:
        return msgspec.structs.replace(entry, error=InvalidUrl(reason="the cell is empty"))
    if _NO_TEXT in url:
        error = InvalidUrl(reason="it is not written in UTF-8")
        return msgspec.structs.replace(entry, url=url, error=error)
    return msgspec.structs.replace(entry, url=url)


class _Counted:
    """Lines, and how many of them and of the quotation marks in them a row takes."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self.count = self._marks = 0

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.count += 1
            self._marks += line.count('"')
            yield line

    def begin(self) -> None:
        """Begin a row."""
        self.count = self._marks = 0

    def after_open_mark(self) -> int:
        """Return how many lines a row took in after a mark that nothing closes, if it ends here."""
        return self.count - 1 if self._marks % 2 else 0


def _table_rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[list[str] | WebError]:
    """Yield the rows of a table, or why one cannot be read."""
    counted = _Counted(lines)
    rows = csv.reader(counted, delimiter=delimiter)
    lost = 0
    while True:
        counted.begin()
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as problem:
            reason = f"the row cannot be read: {problem}; it takes {_lines(counted.count)}"
            yield InvalidUrl(reason=reason)
            lost = 0
            continue
        yield row
        lost = counted.after_open_mark()
    if lost:
        yield InvalidUrl(reason=f"a quotation mark is not closed; its cell took {_lines(lost)}")


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
