"""Rows and documents for the kernel, made only of what a service sent."""

from collections.abc import Callable, Mapping

from .dates import service_iso_date
from .field_values import first, number, strip_markup, truncate_snippet


def row(
    *,
    title: object,
    url: object,
    snippet: object = "",
    published: object = None,
    score: object = None,
) -> dict[str, object]:
    """Return a row; texts lose their markup, a missing URL stays missing.

    >>> row(title="<b>A</b>", url="https://a.example/", snippet=None)
    {'title': 'A', 'snippet': '', 'url': 'https://a.example/'}
    """
    fields: dict[str, object] = {"title": strip_markup(title), "snippet": strip_markup(snippet)}
    if url is not None:
        fields["url"] = url
    if published is not None and (published_at := service_iso_date(published)) is not None:
        fields["published_at"] = published_at
    if score is not None and (value := number(score)) is not None:
        fields["score"] = value
    return fields


def row_reader(  # noqa: PLR0913  the fields of a row
    title: str,
    url: str,
    snippet: str,
    published: str = "",
    score: str = "",
    *,
    truncates: bool = False,
) -> Callable[[dict[str, object]], dict[str, object]]:
    """Return a reader of rows; each text lists keys, the first of several with a text counts."""
    listed = {
        "title": title,
        "url": url,
        "snippet": snippet,
        "published": published,
        "score": score,
    }
    field_keys = {field: keys.split() for field, keys in listed.items()}

    def read_service_row(result: dict[str, object]) -> dict[str, object]:
        values = {
            field: result.get(keys[0]) if len(keys) == 1 else first(*map(result.get, keys)) or None
            for field, keys in field_keys.items()
        }
        if truncates:
            values["snippet"] = truncate_snippet(values["snippet"])
        return row(**values)

    return read_service_row


def document(  # noqa: PLR0913  the fields of a document, all by name
    *,
    url: object,
    title: object = "",
    content: object,
    raw_content: object = None,
    final_url: object = None,
    metadata: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return a document; metadata without a value is left out."""
    fields = {"url": url, "content": content, "raw_content": raw_content, "final_url": final_url}
    page: dict[str, object] = {"title": strip_markup(title)}
    page |= {name: value for name, value in fields.items() if value is not None}
    filled_metadata = {
        name: value for name, value in (metadata or {}).items() if value not in (None, "", [])
    }
    return page | ({"metadata": filled_metadata} if filled_metadata else {})


def first_heading(markdown: object) -> str:
    r"""Return the first heading of a markdown text, for services that give no title.

    >>> first_heading("intro\n# Tides #\n")
    'Tides'
    """
    if not isinstance(markdown, str):
        return ""
    lines = (line.strip() for line in markdown[:20_000].splitlines())
    title = next((line for line in lines if line.startswith("#")), "")
    return strip_markup(title.strip("# "))
