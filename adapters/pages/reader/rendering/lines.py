"""What stands in a line of text: raised numbers, readings, breaks in links, code beside code."""

import re
from typing import Final

from turbohtml import Element, Text

# Letters are not raised: the "st" of 1st is read well without.
_RAISED: Final = re.compile(r"\s*[+\u2212-]?[0-9]{1,4}\s*")
_SIGNS: Final = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def tidy_lines(root: Element) -> None:
    """Write what a line shows by how it is set, in place."""
    for raised in root.find_all("sup"):
        _raise(raised)
    for reading in root.find_all("rt"):
        _bracket(reading)
    for broken in root.select("a br"):
        broken.replace_with(Text(" "))
    for code in root.select(":not(pre) > code + code"):
        if isinstance(code.previous_sibling, Element):
            code.insert_before(Text(" "))


def _raise(raised: Element) -> None:
    """Raise a number: ten to the sixth is not 106, nor is a note's mark a part of a year."""
    text = _text(raised)
    if _RAISED.fullmatch(text):
        raised.set_text(text.strip().translate(_SIGNS))


def _bracket(reading: Element) -> None:
    """Put a reading into brackets, which pages often leave out and renderers drop."""
    text = _text(reading).strip()
    if text:
        reading.set_text(f"({text})")


def _text(element: Element) -> str:
    """Return the text of an element that holds nothing else."""
    nodes = element.children
    only = nodes[0] if len(nodes) == 1 else None
    return only.data if isinstance(only, Text) else ""
