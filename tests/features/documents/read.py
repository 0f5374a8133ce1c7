"""Read a body as the tests do: with an HTML reader that only says that it was asked."""

from returns.result import Result, Success

from webseam.adapters.features.documents.formats.document import read_document
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage


def html_reader(
    html: bytes, url: str = "", *, content_type: str = ""
) -> Result[ReadPage, WebError]:
    return Success(ReadPage(title=f"{url} {content_type}".strip(), content=f"HTML {len(html)}"))


def read(body: bytes | str, content_type: str = "", url: str = "") -> Result[ReadPage, WebError]:
    raw = body.encode() if isinstance(body, str) else body
    return read_document(raw, content_type, url, read_html=html_reader)


def page(body: bytes | str, content_type: str = "", url: str = "") -> ReadPage:
    return read(body, content_type, url).unwrap()


def error(body: bytes | str, content_type: str = "", url: str = "") -> WebError:
    return read(body, content_type, url).failure()
