"""Any body that a server sends becomes a page, or says why not."""

from collections.abc import Callable
from typing import Final

import msgspec
from returns.result import Failure, Result

from ....ports.errors import EmptyContent, ParseFailed, WebError
from ....ports.pages import ReadPage
from .archives.compressed import inside
from .archives.listing import read_archive
from .articles.document import read_article
from .books.document import read_book
from .detection.charset import narrowed
from .detection.media import Kind
from .detection.sniff import kind_of
from .draft import Source, corrupt
from .excel.workbook import read_xls
from .feeds import read_feed
from .flat.document import repacked
from .hypertext import HtmlReader
from .json_text import read_json, read_notebook
from .mail.mailbox import read_mailbox
from .mail.message import read_mail
from .mail.outlook import read_outlook
from .mail.web_archive import read_web_archive
from .markdown import read_markdown
from .office.document import read_office
from .pdf import read_pdf
from .plain import read_code, read_text, read_xml
from .powerpoint.presentation import read_ppt
from .rtf import read_rtf
from .subtitles.document import read_subtitles
from .tables import read_csv
from .word.document import read_doc

_READERS: Final[dict[Kind, Callable[[Source], Result[ReadPage, WebError]]]] = {
    "archive": read_archive,
    "article": read_article,
    "book": read_book,
    "code": read_code,
    "csv": read_csv,
    "doc": read_doc,
    "feed": read_feed,
    "json": read_json,
    "mail": read_mail,
    "mailbox": read_mailbox,
    "markdown": read_markdown,
    "notebook": read_notebook,
    "outlook": read_outlook,
    "pdf": read_pdf,
    "ppt": read_ppt,
    "rtf": read_rtf,
    "subtitles": read_subtitles,
    "text": read_text,
    "xls": read_xls,
    "xml": read_xml,
}


def read_document(
    body: bytes, content_type: str, url: str, *, read_html: HtmlReader
) -> Result[ReadPage, WebError]:
    """Read a body by what its bytes, then its type, then its file name say it is.

    What is not text, whatever it is called, is ``UnsupportedContent``; what is no whole file of
    its kind is ``ParseFailed``; what has no words is ``EmptyContent``.
    """
    if not body:
        return Failure(EmptyContent(reason="no_body"))
    source = _whole(Source(body=body, content_type=content_type, url=url))
    if kind_of(source).value_or(None) != "compressed":
        return _read(source, read_html)
    unpacked, notes = inside(source)
    if not unpacked.body:
        empty: Result[ReadPage, WebError] = Failure(EmptyContent(reason="no_body"))
        return corrupt("it is not a whole compressed file") if notes else empty
    return _read(_whole(unpacked), read_html, notes)


def _whole(source: Source) -> Source:
    return repacked(narrowed(source))


def _read(
    source: Source, read_html: HtmlReader, notes: tuple[str, ...] = ()
) -> Result[ReadPage, WebError]:
    """Read what is not compressed as a whole; ``notes`` are about where it was."""
    kind_outcome = kind_of(source)
    if isinstance(kind_outcome, Failure):
        return kind_outcome
    kind = kind_outcome.unwrap()
    if kind == "compressed":
        return Failure(ParseFailed(reason="too_complex", detail="it is compressed twice"))
    return _read_kind(source, kind, read_html).map(
        lambda page: msgspec.structs.replace(page, notes=(*page.notes, *notes)) if notes else page
    )


def _read_kind(source: Source, kind: Kind, read_html: HtmlReader) -> Result[ReadPage, WebError]:
    if kind == "html":
        return read_html(source.body, source.url, content_type=source.content_type)
    if kind == "mhtml":
        return read_web_archive(source, read_html)
    reader = _READERS.get(kind)
    outcome = read_office(source, kind) if reader is None else reader(source)
    return outcome.map(lambda page: msgspec.structs.replace(page, kind=kind))
