"""Any body that a server sends becomes a page, or says why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email.message import Message
from typing import Final

import msgspec
from returns.result import Failure, Result

from ....ports.errors import EmptyContent, ParseFailed, WebError
from ....ports.pages import ReadPage
from ...pages.detection.media import Kind
from ...pages.safe_text import one_line
from .archives import read_archive, unpack_file
from .articles.jats_article import read_article
from .books import read_book
from .csv_table import read_csv
from .detection.charset import MAX_PAGE_CHARS, decode_source, to_utf8
from .detection.sniff import sniff_kind
from .draft import (
    DAMAGED,
    Draft,
    Source,
    StepAllowance,
    corrupt_error,
    encrypted_error,
    finish_page,
)
from .embedded_html import HtmlReader
from .excel.workbook import read_xls
from .excel.xlsb_workbook import read_xlsb
from .feeds import read_feed, read_json_feed
from .flat import repack_document
from .mail.outlook import (
    BROKEN,
    decoded_payload,
    header_text,
    leaf_parts,
    message_markdown,
    parse_message,
    read_mail,
    read_outlook,
)
from .markdown import read_markdown
from .markdown_writing import code_block, disarm_pictures
from .notebook import read_notebook_text
from .office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list
from .office.docx.docx_document import read_docx
from .office.epub import read_epub
from .office.package import BrokenFileError, EncryptedError, Package, TooLargeError
from .office.package_parts import add_core_properties
from .office.pptx import read_pptx
from .office.xlsx import read_xlsx
from .office.xml_elements import XmlNode, part_elements
from .opendocument.odf_styles import PART, OdfStyles, object_formula, open_object, read_odf_styles
from .opendocument.sheets import read_spreadsheet
from .opendocument.text import (
    MAX_ODF_STEPS,
    UNSEEN,
    block_markdown,
    comment_text,
    described_picture,
    paragraph_inline,
    paragraphs_line,
    read_text_document,
)
from .pdf import read_pdf
from .plain_text_page import read_code, read_fenced, read_text, read_xml
from .powerpoint.presentation import read_ppt
from .rtf import read_rtf
from .slides import Slide, presentation_draft
from .subtitles import read_subtitles
from .word.doc_document import read_doc

_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ALL_BUT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_MAX_LAID_OUT_CHARS: Final = 4_000_000
_MAX_JSON_DEPTH: Final = 200


def read_json(source: Source) -> Result[ReadPage, WebError]:
    """Return JSON in a fence, a JSON feed as a list, or the text when it is no JSON."""
    text = decode_source(source).strip()
    if len(text) > MAX_PAGE_CHARS:
        return read_fenced(source, "json")
    raw = text.encode("utf-8", "replace")
    if not text or not is_json(raw):
        return read_text(source)
    special = read_json_feed(raw, source)
    if special is not None:
        return special
    return finish_page(
        Draft(content=code_block(_laid_out(raw, text), "json"), title=source.file_name)
    )


def read_notebook(source: Source) -> Result[ReadPage, WebError]:
    """Return a notebook's cells; a file that is no notebook is read as JSON."""
    notebook = read_notebook_text(decode_source(source).encode("utf-8", "replace"), source)
    return read_json(source) if notebook is None else notebook


def is_json(raw: bytes) -> bool:
    """Tell whether bytes are one JSON value, nested no deeper than a person can follow."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return True


def _laid_out(raw: bytes, text: str) -> str:
    """Indent, unless that would make far more of it: blanks grow with depth times lines."""
    brackets = _STRING.sub(b"", raw).translate(None, _ALL_BUT_BRACKETS)
    lines = len(brackets) + raw.count(b",")
    deep = _depth(brackets)
    if deep > _MAX_JSON_DEPTH or len(raw) + lines * 2 * deep > _MAX_LAID_OUT_CHARS:
        return text
    return msgspec.json.format(raw, indent=2).decode()


def _depth(brackets: bytes) -> int:
    """Return how deep brackets nest.

    >>> _depth(b"[{}[[]]]")
    3
    """
    deep = deepest = 0
    for bracket in brackets:
        deep += 1 if bracket in b"[{" else -1
        deepest = max(deepest, deep)
    return deepest


# A mailbox, ``.mbox``: messages one after the other, each behind a line that begins with "From ".

_BEGINS: Final = re.compile(rb"^From [^\n]{1,200}\d\d:\d\d[^\n]{0,60}\n", re.MULTILINE)
_MAX_MESSAGES: Final = 1_000
_MAX_MAILBOX_CHARS: Final = 4_000_000


def read_mailbox(source: Source) -> Result[ReadPage, WebError]:
    """Return the messages, each under its subject; one alone is read as a message."""
    messages = _BEGINS.split(source.body)[1:]
    if len(messages) <= 1:
        return read_mail(source)
    texts = list(_sections(messages))
    if not any(texts):
        return corrupt_error("it is not a whole mailbox")
    notes = []
    if lost := sum(not text for text in texts):
        notes.append(f"messages that could not be read: {lost:,}")
    if len(texts) < len(messages):
        notes.append(f"only the first {len(texts):,} of {len(messages):,} messages")
    content = "\n\n".join(text for text in texts if text)
    return finish_page(Draft(content=content, title=source.file_name, notes=tuple(notes)))


def _sections(messages: list[bytes]) -> Iterator[str]:
    """Yield messages as long as there is room."""
    size = 0
    for message in messages[:_MAX_MESSAGES]:
        text = _section(message)
        size += len(text)
        if size > _MAX_MAILBOX_CHARS:
            return
        yield text


def _section(raw: bytes) -> str:
    """Return a message under its subject; nothing where it is none."""
    try:
        # A line of its text that begins as the next message would was marked.
        message = parse_message(raw.replace(b"\n>From ", b"\nFrom "))
        subject = disarm_pictures(one_line(header_text(message, "Subject"))) or "Message"
        return f"## {subject}\n\n{message_markdown(message)}"
    except (TooLargeError, RecursionError, *BROKEN):
        return ""


# MHTML: a page and its pictures, saved as one message. Only the page is read.

_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})


def read_web_archive(source: Source, read_html: HtmlReader) -> Result[ReadPage, WebError]:
    """Read the page that was saved, under the address it was saved from."""
    try:
        message = parse_message(source.body)
        pages = [part for part in leaf_parts(message) if part.get_content_type() in _PAGES]
        start = str(message.get_param("start", ""))
    except (TooLargeError, RecursionError):
        return Failure(ParseFailed(reason="too_complex", detail="it has too many parts"))
    except BROKEN:
        return corrupt_error("it is not a whole saved page")
    page = next((part for part in pages if start and part.get("Content-ID") == start), None)
    page = page or (pages[0] if pages else None)
    if page is None:
        return corrupt_error("there is no page in it")
    url = _address(page) or _address(message, "Snapshot-Content-Location") or source.url
    return read_html(decoded_payload(page), url, content_type=str(page.get("Content-Type", "")))


def _address(part: Message, name: str = "Content-Location") -> str:
    address = str(part.get(name, "")).strip()
    return address if address.startswith(("http://", "https://")) else ""


# The slides of an OpenDocument presentation.


def read_presentation(package: Package, url: str) -> Draft:
    """Return a presentation as markdown, each slide under its number and title."""
    look = read_odf_styles(package, url)
    allowance = StepAllowance(MAX_ODF_STEPS)
    slides: list[Slide] = []
    for number, page in enumerate(part_elements(package, PART, "page"), start=1):
        if allowance.is_spent:
            return presentation_draft(slides, notes=(f"only the first {number - 1:,} slides",))
        allowance.spend(page.size)
        slides.append(_slide(page, number, look))
    return presentation_draft(slides)


def _slide(page: XmlNode, number: int, look: OdfStyles) -> Slide:
    frames = [node for node in page.nodes() if node.name not in ("notes", "annotation")]
    titles = [each for each in frames if each.get("class") == "title"]
    title = " ".join(paragraphs_line(titles[0], look).split()) if titles else ""
    bodies = [_boxed(each, look) for each in frames if each not in titles]
    notes = page.first("notes")
    spoken = paragraphs_line(notes, look) if notes else ""
    said = [comment_text(each) for each in page.nodes("annotation")][:MAX_COMMENTS]
    comments = [comment_line(author, "", text) for author, text in said if text.strip()]
    pieces = [*bodies, f"Notes: {spoken}" if spoken else "", comments_list(comments)]
    return Slide(number, title, pieces, page.get("style-name") in look.hidden)


def _boxed(frame: XmlNode, look: OdfStyles) -> str:
    """Return what is in a frame: its text as a list, its tables, what its picture shows."""
    pieces = [described_picture(frame, look)] if frame.name == "frame" else []
    for child in frame.nodes():
        if child.name in ("p", "h"):
            text = paragraph_inline(child, look).strip()
            pieces += [f"- {text}"] if text else []
        elif child.name in ("list", "table"):
            pieces.append(block_markdown(child, look))
        elif child.name not in UNSEEN:
            pieces.append(object_formula(_slides_whole(child, look)) or _boxed(child, look))
    return "\n".join(piece for piece in pieces if piece)


def _slides_whole(node: XmlNode, look: OdfStyles) -> XmlNode:
    return open_object(node, look.package, look.objects) if node.name == "object" else node


# A document of any of these kinds, as markdown.

_OFFICE_DOCUMENT_READERS: Final[dict[Kind, Callable[[Package, str], Draft]]] = {
    "docx": read_docx,
    "xlsx": read_xlsx,
    "xlsb": read_xlsb,
    "pptx": read_pptx,
    "epub": read_epub,
    "odt": read_text_document,
    "ods": read_spreadsheet,
    "odp": read_presentation,
}
_OPEN_DOCUMENTS: Final[tuple[Kind, ...]] = ("odt", "ods", "odp")
_MANIFEST: Final = "META-INF/manifest.xml"
_ENCRYPTION: Final = b"encryption-data"


def read_office(source: Source, kind: Kind) -> Result[ReadPage, WebError]:
    """Return a document as markdown; a broken one or a bomb is ``ParseFailed``."""
    try:
        package = Package(source.body)
        # EPUB has its own way: chapters are encrypted, not books.
        if kind in _OPEN_DOCUMENTS and _ENCRYPTION in b"".join(package.chunks(_MANIFEST)):
            return encrypted_error()
        draft = add_core_properties(
            package, _OFFICE_DOCUMENT_READERS[kind](package, source.url), source.file_name
        )
        if package.is_damaged:
            draft = _damaged(draft)
    except EncryptedError:
        return encrypted_error()
    except BrokenFileError:
        return corrupt_error(f"it is not a whole {kind} file")
    except TooLargeError:
        return Failure(ParseFailed(reason="too_complex", detail="it unpacks to too much"))
    return finish_page(draft)


def _damaged(draft: Draft) -> Draft:
    """Return what could be told of a broken document, with a note; nothing is not enough."""
    if not draft.content:
        raise BrokenFileError
    return msgspec.structs.replace(draft, notes=(*draft.notes, DAMAGED))


# Any body that a server sends becomes a page, or says why not.

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
