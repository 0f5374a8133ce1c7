"""Plain text, and source code in a fence."""

from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ...pages.detection.media import LANGUAGES
from .detection.charset import truncate_text
from .draft import Draft, Source, finish_page
from .markdown_writing import code_block, disarm_pictures


def read_text(source: Source) -> Result[ReadPage, WebError]:
    """Return the text as it stands; its file name is its title."""
    text, notes = truncate_text(source)
    return finish_page(Draft(content=disarm_pictures(text), title=source.file_name, notes=notes))


def read_code(source: Source) -> Result[ReadPage, WebError]:
    """Return source code as one block, with the language that the file's ending names."""
    return read_fenced(source, LANGUAGES.get(source.suffix, ""))


def read_fenced(source: Source, language: str) -> Result[ReadPage, WebError]:
    """Return the text as one block of code; text without a word is no page."""
    text, notes = truncate_text(source)
    content = code_block(text, language) if text.strip() else ""
    return finish_page(Draft(content=content, title=source.file_name, notes=notes))


def read_xml(source: Source) -> Result[ReadPage, WebError]:
    """Return XML as it was written: nothing in it is parsed, expanded or loaded."""
    return read_fenced(source, "xml")


READERS: Final = {"code": read_code, "text": read_text, "xml": read_xml}
