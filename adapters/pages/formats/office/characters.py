"""Characters by the names that SGML had for them and that XML took over."""

from html.entities import html5
from typing import Final

# ISO 8879 has names of its own for Greek letters (ISOgrk1), which HTML has not.
_GREEK_NAMES: Final = (
    "agr bgr ggr dgr egr zgr eegr thgr igr kgr lgr mgr ngr xgr ogr pgr rgr sfgr sgr tgr ugr phgr"
    " khgr psgr ohgr"
)
_GREEK: Final = dict(zip(_GREEK_NAMES.split(), "αβγδεζηθικλμνξοπρςστυφχψω", strict=True))


def named_character(name: str) -> str:
    """Return a character by its name; a name that nobody knows stays as it was written.

    >>> named_character("mdash"), named_character("bgr"), named_character("OHgr")
    ('—', 'β', 'Ω')
    >>> named_character("chapter1")
    '&chapter1;'
    """
    known = html5.get(f"{name};") or _GREEK.get(name)
    if known is None and name.lower() in _GREEK:
        return _GREEK[name.lower()].upper()
    return f"&{name};" if known is None else known
