"""What stands in a line of text: blanks, emphasis, raised numbers, readings, code beside code."""

import re
from typing import Final

from turbohtml import Element, NodeFilter, NodeIterator, Text

# Letters are not raised: the "st" of 1st is read well without.
_RAISED: Final = re.compile(r"\s*[+\u2212-]?[0-9]{1,4}\s*")
# Blanks of all widths, and the ends of lines and paragraphs that are no markup.
_BLANKS: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)
_STRONG: Final = frozenset({"b", "strong"})
_NESTED: Final = ":is(b,strong) :is(b,strong),:is(em,i) :is(em,i)"
_BESIDE: Final = ":is(b,strong) + :is(b,strong),:is(em,i) + :is(em,i)"
_SIGNS: Final = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def tidy_lines(root: Element) -> None:
    """Write what a line shows by how it is set, in place."""
    _level_blanks(root)
    _join_emphasis(root)
    for raised in root.find_all("sup"):
        _raise(raised)
    for reading in root.find_all("rt"):
        _bracket(reading)
    for broken in root.select("a br"):
        broken.replace_with(Text(" "))
    for code in root.select(":not(pre) > code + code"):
        if isinstance(code.previous_sibling, Element):
            code.insert_before(Text(" "))


def _level_blanks(root: Element) -> None:
    """Let a blank be a blank: at the edge of a link or of bold words others break the mark."""
    shown = root.text
    blanks = [blank for blank in _BLANKS if blank in shown]
    for node in NodeIterator(root, NodeFilter.SHOW_TEXT) if blanks else ():
        if isinstance(node, Text) and not (text := node.data).isascii():
            plain = _leveled(text, blanks)
            if plain != text:
                node.data = plain


def _leveled(text: str, blanks: list[str]) -> str:
    for blank in blanks:
        text = text.replace(blank, " ")
    return text


def _join_emphasis(root: Element) -> None:
    """Let emphasis in emphasis, and right behind it, be one: its marks would not hold twice."""
    for inner in root.select(_NESTED):
        inner.unwrap()
    for part in root.select(_BESIDE):
        before = part.previous_sibling
        if isinstance(before, Element) and (before.tag in _STRONG) == (part.tag in _STRONG):
            before.extend(list(part.children))
            part.decompose()


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
