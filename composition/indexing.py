"""What goes into the index: files, folders and pages, and how each is read."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from returns.result import Failure, Result, Success

from ..adapters.local.documents import Document, digest
from ..adapters.local.folders import documents_in
from ..adapters.local.intake import Item
from ..adapters.local.markup import read_html
from ..adapters.local.pdf import read_pdf
from ..adapters.local.places import file_path, file_url, is_web_address
from ..adapters.local.reading import MOST_BYTES, Reader, day, read, read_markdown
from ..kernel.deps import WebDeps
from ..kernel.extract import web_extract
from ..kernel.policy import Policy
from ..kernel.urls import canonical_url, check_url
from ..ports.errors import SourceUnreadable, WebError
from ..ports.web import WebExtractResult
from .closing import OpenBackend, closing

ReadPage: TypeAlias = Callable[[str], Result[WebExtractResult, WebError]]

READERS: dict[str, Reader] = {
    "md": read_markdown,
    "markdown": read_markdown,
    "mdx": read_markdown,
    "html": read_html,
    "htm": read_html,
    "xhtml": read_html,
    "pdf": read_pdf,
}
_DATES = ("published_at", "published", "published_date", "date")


def location_of(named: str) -> str:
    """Return what a user named as it is kept: an absolute path, or the one spelling of a URL."""
    if is_web_address(named):
        return canonical_url(named) if isinstance(check_url(named), Success) else named
    return _shown(file_path(named) or Path(named).absolute())


def items_of(location: str) -> Iterator[Item]:
    """Yield what a location holds: a page, a file, or every document in a folder."""
    if is_web_address(location):
        yield Item(location=location, url=location, source=location)
        return
    for path in documents_in(Path(location)):
        yield Item(location=_shown(path), url=file_url(path), source=location)


def all_items(locations: Iterable[str]) -> list[Item]:
    """Return the items of several locations, each once."""
    found = (item for location in locations for item in items_of(location))
    return list({item.url: item for item in found}.values())


def read_item(
    item: Item, known: bytes | None, read_page: ReadPage
) -> Result[Document | None, WebError]:
    """Read one item; None when its content is the same as before."""
    path = file_path(item.url)
    return _from_page(item, read_page) if path is None else _from_file(item, known, path)


def page_reader(make: Callable[[], Result[OpenBackend, WebError]], policy: Policy) -> ReadPage:
    """Return a function that reads pages through a backend of its own for each, in any thread."""

    def read_page(url: str) -> Result[WebExtractResult, WebError]:
        made = make()
        if isinstance(made, Failure):
            return made
        backend = made.unwrap()
        deps = WebDeps(backend=backend, policy=policy)
        return asyncio.run(closing(backend, web_extract(url, deps)))

    return read_page


def page_document(page: WebExtractResult) -> Document:
    """Return a page that was read as a document for the index."""
    given = (page.metadata.get(name) for name in _DATES)
    published = next((found for text in given if (found := day(_text(text)))), None)
    return Document(
        url=canonical_url(page.url), title=page.title, text=page.content, published=published
    )


def _from_page(item: Item, read_page: ReadPage) -> Result[Document | None, WebError]:
    checked = check_url(item.url)
    if isinstance(checked, Failure):
        return checked
    page = read_page(checked.unwrap())
    if isinstance(page, Failure):
        return page
    document = page_document(page.unwrap())
    if not document.text.strip():
        return Failure(SourceUnreadable(reason="it holds no text", url=item.url))
    return Success(document)


def _from_file(item: Item, known: bytes | None, path: Path) -> Result[Document | None, WebError]:
    content = _bytes_of(path)
    if isinstance(content, Failure):
        return content
    found = digest(content.unwrap())
    if found == known:
        return Success(None)
    return read(content.unwrap(), path.name, READERS).map(
        lambda reading: Document(
            url=item.url,
            location=item.location,
            source=item.source,
            title=reading.title,
            text=reading.text,
            published=reading.published,
            digest=found,
        )
    )


def _bytes_of(path: Path) -> Result[bytes, WebError]:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        return Failure(SourceUnreadable(reason=reason))
    if len(content) > MOST_BYTES:
        return Failure(SourceUnreadable(reason=f"it is larger than {MOST_BYTES} bytes"))
    return Success(content)


def _shown(path: Path) -> str:
    """Return a path as text that can be stored, whatever bytes its name is made of."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
