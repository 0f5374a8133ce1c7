"""Convert any body that a server sends into a page or a typed error."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, Final

import msgspec
from returns.result import Failure

from webseam.adapters.pages.detection import Kind
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import ReadPage

from .. import formats
from . import archives, charset, flat, sniff
from .draft import (
    DAMAGED,
    Cut,
    Draft,
    PageResult,
    Source,
    corrupt_failure,
    encrypted_failure,
    finish_draft,
)
from .embedded_html import HtmlReader
from .mail.mailbox import read_mhtml_archive
from .office.package import BrokenFileError, EncryptedError, Package, TooLargeError
from .office.package_parts import add_core_properties

# Load every module now: a worker cannot open files once it is confined.
_MODULES: Final = tuple(
    import_module(module.name) for module in walk_packages(formats.__path__, f"{formats.__name__}.")
)
_OPEN_DOCUMENT_KINDS: Final[tuple[Kind, ...]] = ("odt", "ods", "odp")
_MANIFEST_PART: Final = "META-INF/manifest.xml"
_ENCRYPTION_ELEMENT: Final = b"encryption-data"


def _declared_readers(table: str) -> dict[Kind, Any]:
    """Return the readers by kind that the modules declare under the name ``table``."""
    tables = (getattr(module, table, {}) for module in _MODULES)
    return {kind: reader for readers in tables for kind, reader in readers.items()}


READERS: dict[Kind, Callable[[Source], PageResult]] = _declared_readers("READERS")
PACKAGE_READERS: dict[Kind, Callable[[Package, str], Draft]] = _declared_readers("PACKAGE_READERS")


def read_office(source: Source, kind: Kind) -> PageResult:
    """Return a document as markdown; a broken one or a bomb is ``ParseFailed``."""
    try:
        package = Package(source.body)
        # EPUB encrypts single chapters, not the book.
        manifest = (
            b"".join(package.part_chunks(_MANIFEST_PART)) if kind in _OPEN_DOCUMENT_KINDS else b""
        )
        if _ENCRYPTION_ELEMENT in manifest:
            return encrypted_failure()
        draft = PACKAGE_READERS[kind](package, source.url)
        draft = add_core_properties(package, draft, source.file_name)
        if package.is_damaged:
            draft = _cut_damage(draft)
    except EncryptedError:
        return encrypted_failure()
    except BrokenFileError:
        return corrupt_failure(f"it is not a whole {kind} file")
    except TooLargeError:
        return Failure(ParseFailed(reason="too_complex", detail="it unpacks to too much"))
    return finish_draft(draft)


def _cut_damage(draft: Draft) -> Draft:
    """Add the damage to the draft of a broken document; raise where the draft has no content."""
    if not draft.content:
        raise BrokenFileError
    return msgspec.structs.replace(draft, cuts=(*draft.cuts, DAMAGED))


def read_document(body: bytes, content_type: str, url: str, *, read_html: HtmlReader) -> PageResult:
    """Read a body by its first bytes, then its type, then its file name.

    A kind that we do not read is ``UnsupportedContent``, a damaged file ``ParseFailed``, and a
    file without words ``EmptyContent``.
    """
    if not body:
        return Failure(EmptyContent(reason="no_body"))
    source = _normalise_source(Source(body=body, content_type=content_type, url=url))
    if sniff.sniff_file_kind(source).value_or(None) != "compressed":
        return _read_source(source, read_html)
    unpacked, cuts = archives.unpack_compressed_file(source)
    if not unpacked.body:
        empty: PageResult = Failure(EmptyContent(reason="no_body"))
        return corrupt_failure("it is not a whole compressed file") if cuts else empty
    page = _read_source(_normalise_source(unpacked), read_html)
    return page.map(lambda read: _add_cuts(read, cuts))


def _normalise_source(source: Source) -> Source:
    return flat.repack_document(charset.source_to_utf8(source))


def _add_cuts(page: ReadPage, cuts: tuple[Cut, ...]) -> ReadPage:
    if not cuts:
        return page
    return msgspec.structs.replace(
        page,
        notes=(*page.notes, *(cut.note for cut in cuts)),
        cuts=(*page.cuts, *(cut.cap for cut in cuts)),
        complete=False,
    )


def _read_source(source: Source, read_html: HtmlReader) -> PageResult:
    """Read a body that is not compressed as one file."""
    kind_outcome = sniff.sniff_file_kind(source)
    if isinstance(kind_outcome, Failure):
        return kind_outcome
    kind = kind_outcome.unwrap()
    if kind == "compressed":
        return Failure(ParseFailed(reason="too_complex", detail="it is compressed twice"))
    return _read_by_kind(source, kind, read_html)


def _read_by_kind(source: Source, kind: Kind, read_html: HtmlReader) -> PageResult:
    if kind == "html":
        return read_html(source.body, source.url, content_type=source.content_type)
    if kind == "mhtml":
        return read_mhtml_archive(source, read_html)
    reader = READERS.get(kind)
    outcome = read_office(source, kind) if reader is None else reader(source)
    return outcome.map(lambda page: msgspec.structs.replace(page, kind=kind))
