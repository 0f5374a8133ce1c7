"""Plain text, and source code and XML in a fence."""

from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ...pages.detection import LANGUAGES
from .charset import truncate_text
from .draft import Draft, Source, finish_page
from .markdown_writing import code_block, disarm_pictures


def read_text(source: Source) -> Result[ReadPage, WebError]:
    """Return the text unchanged; the title is the file name."""
    text, notes = truncate_text(source)
    return finish_page(Draft(content=disarm_pictures(text), title=source.file_name, notes=notes))


def read_code(source: Source) -> Result[ReadPage, WebError]:
    """Return source code as one block, with the language of the file's ending."""
    return read_fenced(source, LANGUAGES.get(source.suffix, ""))


def read_fenced(source: Source, language: str) -> Result[ReadPage, WebError]:
    """Return the text as one block of code; blank text is ``EmptyContent``."""
    text, notes = truncate_text(source)
    content = code_block(text, language) if text.strip() else ""
    return finish_page(Draft(content=content, title=source.file_name, notes=notes))


def read_xml(source: Source) -> Result[ReadPage, WebError]:
    """Return XML unchanged: no part of it is parsed, expanded or loaded."""
    return read_fenced(source, "xml")


READERS: Final = {"code": read_code, "text": read_text, "xml": read_xml}
