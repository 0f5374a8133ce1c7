"""Rows and documents for the kernel, made only of what a service sent."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import contains
from typing import Any, TypeVar

from .dates import service_iso_date
from .field_values import are_clean_texts, first, number, strip_markup, truncate_snippet
from .json_values import as_mapping

Row = TypeVar("Row")


def row(
    title: object,
    url: object,
    snippet: object = "",
    published: object = None,
    score: object = None,
) -> dict[str, object]:
    """Return a row; a missing URL stays missing. ``clean_rows`` strips the markup of its texts.

    >>> row(title="A", url="https://a.example/", snippet=None)
    {'title': 'A', 'snippet': '', 'url': 'https://a.example/'}
    """
    fields: dict[str, object] = {
        "title": title.strip() if type(title) is str else "",
        "snippet": snippet.strip() if type(snippet) is str else "",
    }
    if url is not None:
        fields["url"] = url
    if published is not None and (published_at := service_iso_date(published)) is not None:
        fields["published_at"] = published_at
    # JSON has no float that is not finite.
    if type(score) is float or (score is not None and (score := number(score)) is not None):
        fields["score"] = score
    return fields


def clean_rows(rows: Iterable[Row]) -> list[Row]:
    """Strip the markup of every title and snippet that ``row`` returned; other values stay."""
    results = list(rows)
    made: list[Any] = [fields for fields in results if type(fields) is dict]
    texts = [fields["title"] for fields in made] + [fields["snippet"] for fields in made]
    if not are_clean_texts(texts):
        for fields in made:
            fields.update({name: strip_markup(fields[name]) for name in ("title", "snippet")})
    return results


class RowReader:
    """Reads rows by the keys of their fields.

    ``title``, ``snippet`` and ``published`` may list keys; the first of several with a text counts.
    """

    def __init__(  # noqa: PLR0913  the fields of a row
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
        text = _first_text_at(result, self._snippets)
        return row(
            _first_text_at(result, self._titles),
            get(self._url),
            truncate_snippet(text) if self._truncates else text,
            _first_text_at(result, self._dates) or None,
            get(self._score) if self._score else None,
        )

    def read_rows(self, results: Sequence[Any]) -> list[Any]:
        """Return a clean row of every object; other values stay for the kernel to refuse."""
        rows = self._read_usual_rows(results)
        if rows is not None:
            return rows
        return clean_rows([self(result) if type(result) is dict else result for result in results])

    def _read_usual_rows(self, results: Sequence[Any]) -> list[dict[str, Any]] | None:
        """Return the rows of results that have all values but a date; None for any others.

        By column, because a step for each value is most of the cost of an answer.
        """
        if not self._is_simple:
            return None
        try:
            texts = [
                str.strip(result[key])
                for key in (*self._titles, *self._snippets)
                for result in results
            ]
            urls = [result[self._url] for result in results]
            scores = [result[self._score] for result in results] if self._score else []
        except (KeyError, TypeError):
            return None
        has_scores = not self._score or {*map(type, scores)} == {float}
        dates = (map(contains, results, repeat(key)) for key in self._dates)
        if None in urls or any(map(any, dates)) or not has_scores:
            return None
        if not are_clean_texts(texts):
            texts = [*map(strip_markup, texts)]
        rows = [
            {"title": title, "snippet": snippet, "url": url}
            for title, snippet, url in zip(texts, texts[len(urls) :], urls, strict=False)
        ]
        for fields, score in zip(rows, scores, strict=False):
            fields["score"] = score
        return rows


def _first_text_at(result: dict[str, object], keys: Sequence[str]) -> object:
    """Return the value of the only key, or the first text of several."""
    return result.get(keys[0]) if len(keys) == 1 else first(*map(result.get, keys))


def document(  # noqa: PLR0913  the fields of a document, all by name
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
    page: dict[str, object] = {"title": strip_markup(title)}
    page |= {name: value for name, value in fields.items() if value is not None}
    values = as_mapping(metadata).items()
    filled_metadata = {name: value for name, value in values if value not in (None, "", [])}
    return page | ({"metadata": filled_metadata} if filled_metadata else {})


def first_heading(markdown: object) -> str:
    """Return the first heading of a markdown text, for services that give no title."""
    if not isinstance(markdown, str):
        return ""
    lines = (line.strip() for line in markdown[:20_000].splitlines())
    title = next((line for line in lines if line.startswith("#")), "")
    return strip_markup(title.strip("# "))
