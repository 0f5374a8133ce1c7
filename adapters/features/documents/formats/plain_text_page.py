"""Plain text, and source code and XML in a fence."""

from typing import Final

from webseam.adapters.pages.detection import LANGUAGES_BY_SUFFIX
from webseam.ports.text import disarm_pictures

from .charset import decode_page_text
from .draft import Draft, PageResult, Source, finish_draft
from .markdown_writing import code_block


def read_plain_text(source: Source) -> PageResult:
    """Return the text unchanged; the title is the file name."""
    text, cuts = decode_page_text(source)
    return finish_draft(Draft(content=disarm_pictures(text), title=source.file_name, cuts=cuts))


def read_source_code(source: Source) -> PageResult:
    """Return source code as one block, with the language of the file's ending."""
    return read_fenced_text(source, LANGUAGES_BY_SUFFIX.get(source.suffix, ""))


def read_fenced_text(source: Source, language: str) -> PageResult:
    """Return the text as one block of code; blank text is ``EmptyContent``."""
    text, cuts = decode_page_text(source)
    content = code_block(text, language) if text.strip() else ""
    return finish_draft(Draft(content=content, title=source.file_name, cuts=cuts))


def read_xml(source: Source) -> PageResult:
    """Return XML unchanged: no part of it is parsed, expanded or loaded."""
    return read_fenced_text(source, "xml")


READERS: Final = {"code": read_source_code, "text": read_plain_text, "xml": read_xml}
