"""Office and OpenDocument files that are one XML file, not a zip file of several.

Flat ODF (OpenDocument 1.3, part 3, 3.1.2) and the XML of Word 2003 say what their zipped kin say.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from ..draft import Source
from .open_document import open_document_parts
from .packing import pack_zip
from .word_2003 import word_2003_parts

_SNIFFED_BYTES: Final = 4096
_ROOT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<[?!][^>]*+>\s*+)*+<(office:document|w:wordDocument)[\s>]"
)
_PARTS: Final[Mapping[bytes, Callable[[bytes], dict[str, bytes]]]] = {
    b"office:document": open_document_parts,
    b"w:wordDocument": word_2003_parts,
}


def repack_document(source: Source) -> Source:
    """Return a document that is one XML file as a zip file of its parts, all else as it is."""
    root = _ROOT.match(source.body[:_SNIFFED_BYTES])
    parts = _PARTS[root[1]](source.body) if root else {}
    return msgspec.structs.replace(source, body=pack_zip(parts)) if parts else source
