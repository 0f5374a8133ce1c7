"""A document of any of these kinds, as markdown."""

from collections.abc import Callable
from typing import Final

import msgspec
from returns.result import Failure, Result

from .....ports.errors import ParseFailed, WebError
from .....ports.pages import ReadPage
from ..detection.media import Kind
from ..draft import DAMAGED, Draft, Source, corrupt_error, encrypted_error, finish_page
from ..excel.xlsb_workbook import read_xlsb
from ..opendocument.sheets import read_spreadsheet
from ..opendocument.slides import read_presentation
from ..opendocument.text import read_text_document
from .docx.docx_document import read_docx
from .epub import read_epub
from .package import BrokenFileError, EncryptedError, Package, TooLargeError
from .package_parts import add_core_properties
from .pptx import read_pptx
from .xlsx import read_xlsx

_READERS: Final[dict[Kind, Callable[[Package, str], Draft]]] = {
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
        draft = add_core_properties(package, _READERS[kind](package, source.url), source.file_name)
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
