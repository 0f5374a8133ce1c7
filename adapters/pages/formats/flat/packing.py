"""Parts as the zip file that readers of documents take, and one XML file as a part of one."""

import io
import zipfile
from collections.abc import Mapping
from typing import Final

from ..detection.charset import decode_source
from ..draft import Source
from ..office.package import Package

PART: Final = "document.xml"


def pack_zip(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts by their names, without compression."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part)
    return body.getvalue()


def wrap_xml(source: Source) -> Package:
    """Return an XML file as the one part of a package, in UTF-8.

    It is decoded by what browsers know: the parser would have to look for other charsets.
    """
    text = decode_source(source).lstrip()
    body = text.partition("?>")[2] if text.startswith("<?xml") else text
    return Package(pack_zip({PART: body.encode("utf-8", "replace")}))
