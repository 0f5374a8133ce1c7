"""Any body that a server sends becomes a page, or says why not."""

from collections.abc import Callable
from typing import Final

import msgspec
from returns.result import Failure, Result

from ....ports.errors import EmptyContent, ParseFailed, WebError
from ....ports.pages import ReadPage
from .archives.compressed_files import unpack_file
from .archives.listing import read_archive
from .articles.jats_article import read_article
from .books.xml_book import read_book
from .csv_table import read_csv
from .detection.charset import to_utf8
from .detection.media import Kind
from .detection.sniff import sniff_kind
from .draft import Source, corrupt_error
from .embedded_html import HtmlReader
from .excel.workbook import read_xls
from .feeds import read_feed
from .flat.flat_document import repack_document
from .json_page import read_json, read_notebook
from .mail.mailbox import read_mailbox
from .mail.message import read_mail
from .mail.outlook import read_outlook
from .mail.web_archive import read_web_archive
from .markdown import read_markdown
from .office.office_document import read_office
from .pdf import read_pdf
from .plain_text_page import read_code, read_text, read_xml
from .powerpoint.presentation import read_ppt
from .rtf import read_rtf
from .subtitles.subtitle_text import read_subtitles
from .word.doc_document import read_doc

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
    if sniff_kind(source).value_or(None) != "compressed":
        return _read(source, read_html)
    unpacked, notes = unpack_file(source)
    if not unpacked.body:
        empty: Result[ReadPage, WebError] = Failure(EmptyContent(reason="no_body"))
        return corrupt_error("it is not a whole compressed file") if notes else empty
    return _read(_whole(unpacked), read_html, notes)


def _whole(source: Source) -> Source:
    return repack_document(to_utf8(source))


def _read(
    source: Source, read_html: HtmlReader, notes: tuple[str, ...] = ()
) -> Result[ReadPage, WebError]:
    """Read what is not compressed as a whole; ``notes`` are about where it was."""
    kind_outcome = sniff_kind(source)
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
