"""Rows and documents for the kernel, made only of what a service sent."""

from collections.abc import Callable, Iterable
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
    if score is not None and (value := number(score)) is not None:
        fields["score"] = value
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


def row_reader(  # noqa: PLR0913  the fields of a row
    title: str,
    url: str,
    snippet: str,
    published: str = "",
    score: str = "",
    *,
    truncates: bool = False,
) -> Callable[[dict[str, object]], dict[str, object]]:
    """Return a reader of rows by the keys of their fields.

    ``title``, ``snippet`` and ``published`` may list keys; the first of several with a text counts.
    """
    titles, snippets, dates = title.split(), snippet.split(), published.split()
    has_one_title, has_one_snippet, has_one_date = (
        len(keys) == 1 for keys in (titles, snippets, dates)
    )

    def read_service_row(result: dict[str, object]) -> dict[str, object]:
        get = result.get
        text = get(snippet) if has_one_snippet else first(*map(get, snippets))
        return row(
            get(title) if has_one_title else first(*map(get, titles)),
            get(url),
            truncate_snippet(text) if truncates else text,
            get(published) if has_one_date else first(*map(get, dates)) or None,
            get(score) if score else None,
        )

    return read_service_row


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


def first_heading_value(markdown: object) -> str:
    """Return the first heading of a markdown text, for services that give no title."""
    if not isinstance(markdown, str):
        return ""
    lines = (line.strip() for line in markdown[:20_000].splitlines())
    title = next((line for line in lines if line.startswith("#")), "")
    return strip_markup(title.strip("# "))
