"""A document of any of these kinds, as markdown."""

from collections.abc import Callable
from typing import Final

from returns.result import Failure, Result

from .....ports.errors import ParseFailed, WebError
from .....ports.pages import ReadPage
from ..detection.media import Kind
from ..draft import Draft, Source, corrupt, page_of
from .docx import read_docx
from .epub import read_epub
from .opendocument import read_presentation, read_spreadsheet, read_text_document
from .package import BrokenFileError, Package, TooLargeError
from .pptx import read_pptx
from .xlsx import read_xlsx
from .xml import described

_READERS: Final[dict[Kind, Callable[[Package, str], Draft]]] = {
    "docx": read_docx,
    "xlsx": read_xlsx,
    "pptx": read_pptx,
    "epub": read_epub,
    "odt": read_text_document,
    "ods": read_spreadsheet,
    "odp": read_presentation,
}


def read_office(source: Source, kind: Kind) -> Result[ReadPage, WebError]:
    """Return a document as markdown; a broken one or a bomb is ``ParseFailed``."""
    try:
        package = Package(source.body)
        draft = described(package, _READERS[kind](package, source.url), source.file_name)
    except BrokenFileError:
        return corrupt(f"it is not a whole {kind} file")
    except TooLargeError:
        return Failure(ParseFailed(reason="too_complex", detail="it unpacks to too much"))
    return page_of(draft)
