"""Rows and documents for the kernel, made only of what a service sent."""

import re
from collections.abc import Sequence
from itertools import repeat
from operator import contains
from typing import Any

from .dates import service_iso_date
from .field_values import first_value, number, truncate_snippet
from .json_values import as_mapping

_NUMBER_PATTERN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MAX_NUMBER_BITS = 1000
# CommonMark 4.2: signs at the end belong to the heading unless a blank stands before them.
_HEADING_PATTERN = re.compile(r" {0,3}#{1,6}[ \t]+(?!#+[ \t]*$)(.*)")
_CLOSING_SIGNS_PATTERN = re.compile(r"[ \t]#+$")


def row(
    title: object,
    url: object,
    snippet: object = "",
    published: object = None,
    score: object = None,
) -> dict[str, object]:
    """Return a row; a missing URL stays missing.

    A snippet is as the service sent it, a title on one line. A number becomes the text that it is,
    and the text of a number the number. A value that is neither stays, for the kernel to refuse by
    the name of its field.

    >>> row(title=1984, url="https://a.example/", snippet=None, score="0.9")
    {'title': '1984', 'snippet': '', 'url': 'https://a.example/', 'score': 0.9}
    """
    fields = {"title": _title_value(title), "snippet": text_value(snippet)}
    if url is not None:
        fields["url"] = url
    if published is not None and (published_at := service_iso_date(published)) is not None:
        fields["published_at"] = published_at
    # JSON has no float that is not finite.
    if type(score) is float or (score is not None and (score := number_value(score)) is not None):
        fields["score"] = score
    return fields


def text_value(value: object) -> object:
    """Return a text without the blanks around it, or a number's; None is empty."""
    if type(value) is str:
        return value.strip()
    if value is None:
        return ""
    # Python refuses to write a number of more than 4,300 digits; none that long is a text.
    if type(value) is int and value.bit_length() < _MAX_NUMBER_BITS:
        return str(value)
    return repr(value) if type(value) is float else value


def number_value(value: object) -> object:
    """Return a number, also one that is written as a text; None for a blank text."""
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        return float(text) if _NUMBER_PATTERN.fullmatch(text) else value
    finite = number(value)
    return value if finite is None else finite


def _title_value(value: object) -> object:
    title = text_value(value)
    return one_line_title(title) if isinstance(title, str) else title


def one_line_title(text: str) -> str:
    """Return a title on one line: in a title, a line break or a run of blanks means nothing."""
    return text if _is_on_one_line(text) else " ".join(text.split())


def _is_on_one_line(text: str) -> bool:
    # The only blank that is printable is the space.
    return text.isprintable() and "  " not in text


class RowReader:
    """Reads rows by the keys of their fields.

    ``title``, ``snippet`` and ``published`` may list keys; the first of several with a text counts.
    """

    def __init__(
        self,
        title: str,
        url: str,
        snippet: str,
        published: str = "",
        score: str = "",
        *,
        truncates: bool = False,
    ) -> None:
        self._titles, self._snippets, self._dates = map(str.split, (title, snippet, published))
        self._url, self._score, self._truncates = url, score, truncates
        # Usual results have one key for each value, and no text that is cut.
        self._is_simple = len(self._titles) == len(self._snippets) == 1 and not truncates

    def __call__(self, result: dict[str, object]) -> dict[str, object]:
        """Return the row of one result."""
        get = result.get
        text = _first_value_at(result, self._snippets)
        return row(
            _first_value_at(result, self._titles),
            get(self._url),
            truncate_snippet(text) if self._truncates else text,
            _first_value_at(result, self._dates),
            get(self._score) if self._score else None,
        )

    def read_rows(self, results: Sequence[Any]) -> list[Any]:
        """Return a row of every object; other values stay for the kernel to refuse."""
        rows = self._read_usual_rows(results)
        if rows is not None:
            return rows
        return [self(result) if type(result) is dict else result for result in results]

    def _read_usual_rows(self, results: Sequence[Any]) -> list[dict[str, Any]] | None:
        """Return the rows of results that have all values but a date; None for any others.

        By column, because a step for each value is most of the cost of an answer.
        """
        if not self._is_simple:
            return None
        try:
            titles = [str.strip(result[key]) for key in self._titles for result in results]
            snippets = [str.strip(result[key]) for key in self._snippets for result in results]
            urls = [result[self._url] for result in results]
            scores = [result[self._score] for result in results] if self._score else []
        except (KeyError, TypeError):
            return None
        has_scores = not self._score or {*map(type, scores)} == {float}
        dates = (map(contains, results, repeat(key)) for key in self._dates)
        if None in urls or any(map(any, dates)) or not has_scores:
            return None
        # Nearly all titles are on one line, which one look at all of them tells.
        if not _is_on_one_line("".join(titles)):
            titles = [*map(one_line_title, titles)]
        rows = [
            {"title": title, "snippet": snippet, "url": url}
            for title, snippet, url in zip(titles, snippets, urls, strict=True)
        ]
        for fields, score in zip(rows, scores, strict=False):
            fields["score"] = score
        return rows


def _first_value_at(result: dict[str, object], keys: Sequence[str]) -> object:
    """Return the value of the only key, or the first value of several."""
    return result.get(keys[0]) if len(keys) == 1 else first_value(*map(result.get, keys))


def document(
    *,
    url: object,
    title: object = "",
    content: object,
    raw_content: object = None,
    final_url: object = None,
    metadata: object = None,
) -> dict[str, object]:
    """Return a document; metadata without a value is left out."""
    fields = {"url": url, "content": content, "raw_content": raw_content, "final_url": final_url}
    page: dict[str, object] = {"title": _title_value(title)}
    page |= {name: value for name, value in fields.items() if value is not None}
    values = as_mapping(metadata).items()
    filled_metadata = {name: value for name, value in values if value not in (None, "", [])}
    return page | ({"metadata": filled_metadata} if filled_metadata else {})


def first_heading(markdown: object) -> str:
    r"""Return the first heading of a markdown text, for services that give no title.

    >>> first_heading("#!/bin/sh\n# Tides in C# ##\n# Next")
    'Tides in C#'
    """
    if not isinstance(markdown, str):
        return ""
    for line in markdown[:20_000].splitlines():
        heading = _HEADING_PATTERN.match(line)
        if heading is not None:
            return one_line_title(_CLOSING_SIGNS_PATTERN.sub("", heading[1].strip()).strip())
    return ""
