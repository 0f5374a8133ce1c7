"""Lists of URLs: a line of text, a row of a table or a JSON object each, or what is wrong there."""

import csv
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, InvalidUrl, WebError
from ..urls.spelling import canonical_url

ListForm: TypeAlias = Literal["text", "csv", "tsv", "jsonl"]
_USUAL = "url"


class ListEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input of a list: an address or a file, or the error in its place.

    ``offset`` is its place in the source: a line, a row, a number.
    """

    source: str
    offset: int
    url: str | None = None
    path: str | None = None
    error: WebError | None = None


def page_of(url: str) -> str:
    """Return the spelling that all names of one page have; what is no URL is only itself.

    >>> page_of("HTTP://a.example/x #part"), page_of("http://[x")
    ('http://a.example/x', 'http://[x')
    """
    bare = "".join(url.split())
    try:
        return canonical_url(bare)
    except ValueError:
        return bare


def form_of(start: str, *, has_column: bool) -> ListForm:
    """Return what sort of list a text is, by how it starts.

    >>> form_of('{"url": 1}', has_column=True), form_of("https://a.example", has_column=False)
    ('jsonl', 'text')
    """
    if start.lstrip().startswith("{"):
        return "jsonl"
    return "csv" if has_column else "text"


def entries_of(
    lines: Iterable[str], form: ListForm, source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    """Return the entries of a list, one by one; a table without the column is refused at once."""
    if form == "text":
        return Success(_from_text(lines, source))
    if form == "jsonl":
        return Success(_from_json(lines, source, column or _USUAL))
    rows = csv.reader(lines, delimiter="\t" if form == "tsv" else ",")
    return _from_table(rows, source, column)


def _from_text(lines: Iterable[str], source: str) -> Iterator[ListEntry]:
    for number, line in enumerate(lines, 1):
        url = line.strip()
        if url and not url.startswith("#"):
            yield ListEntry(source=source, offset=number, url=url)


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
    url = value.get(column)
    if isinstance(url, str):
        return msgspec.structs.replace(entry, url=url.strip())
    error = InvalidUrl(reason=f"the object has no text under {column!r}")
    return msgspec.structs.replace(entry, error=error)


def _from_table(
    rows: Iterator[list[str]], source: str, column: str | None
) -> Result[Iterator[ListEntry], WebError]:
    try:
        names = next(rows, [])
    except csv.Error as problem:
        return Failure(InvalidQuery(field="input", reason=f"{source} is no table: {problem}"))
    wanted = column or (names[0] if len(names) == 1 and _USUAL not in names else _USUAL)
    if wanted not in names:
        known = ", ".join(names) or "none"
        reason = f"{source} has no column {wanted!r}; its columns: {known}"
        return Failure(InvalidQuery(field="column", reason=reason))
    return Success(_cells(rows, source, names.index(wanted)))


def _cells(rows: Iterator[list[str]], source: str, place: int) -> Iterator[ListEntry]:
    number = 1
    while True:
        number += 1
        entry = ListEntry(source=source, offset=number)
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as problem:
            error: WebError = InvalidUrl(reason=f"the row cannot be read: {problem}")
            yield msgspec.structs.replace(entry, error=error)
            continue
        if not row:
            continue
        url = row[place].strip() if len(row) > place else ""
        if url:
            yield msgspec.structs.replace(entry, url=url)
        else:
            empty = InvalidUrl(reason="the cell is empty")
            yield msgspec.structs.replace(entry, error=empty)
