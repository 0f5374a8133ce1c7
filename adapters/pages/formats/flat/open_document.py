"""Flat ODF: all parts of an OpenDocument file under one root."""

import re
from typing import Final

from .framing import find_element, frame_element

_ROOT: Final = re.compile(rb"<office:document\s[^<>]*+>")
_TYPE: Final = re.compile(rb"""\soffice:mimetype\s*=\s*["']([^"']{1,100})""")
_PICTURE: Final = re.compile(rb"<office:binary-data(?:\s[^<>]*+)?>[^<]*+</office:binary-data>")
_BODY: Final = re.compile(rb"<office:body[\s>]")


def open_document_parts(body: bytes) -> dict[str, bytes]:
    """Return what would be the parts of a package; none where no body is to be found."""
    body = _PICTURE.sub(b"", body)
    root, text = _ROOT.search(body), _BODY.search(body)
    told = _TYPE.search(root[0]) if root else None
    if root is None or text is None or told is None:
        return {}
    styles = body[root.end() : text.start()]
    parts = {
        "meta.xml": find_element(styles, b"office:meta"),
        "styles.xml": styles,
        "content.xml": body[text.start() :],
    }
    return {"mimetype": told[1]} | {
        name: frame_element(body, _ROOT, each) for name, each in parts.items()
    }
