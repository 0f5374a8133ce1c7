"""What stands in a line of text: blanks, emphasis, raised numbers, readings, code beside code."""

from typing import Final

from turbohtml import Element, NodeFilter, NodeIterator, Text

from ....pages.safe_text import superscript

# Blanks of all widths, and the ends of lines and paragraphs that are no markup.
_BLANKS: Final = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)
# What says the same as each.
_EMPHASIS: Final = {"b": "b,strong", "strong": "b,strong", "em": "em,i", "i": "em,i"}
# As editors write it that know no better, and books.
_SET_ABOVE: Final = (
    "span:is([style*='vertical-align:super' i],[style*='vertical-align: super' i],.sup,.super,"
    ".superscript)"
)
_PARAGRAPHS: Final = frozenset({"div", "p"})
# So many in a row, and no text between them.
_MAX_BREAKS: Final = 100


def tidy_lines(root: Element) -> None:
    """Write what a line shows by how it is set, in place."""
    _level_blanks(root)
    _join_emphasis(root)
    elements = list(root.iter_elements(_WRITERS))
    for element in elements:
        _WRITERS[element.tag](element)
    for element in root.select(_SET_ABOVE):
        _raise(element)
    if len(elements) > _MAX_BREAKS:
        _drop_breaks(root)


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
    parts = list(root.iter_elements(_EMPHASIS))
    for inner in filter(_is_nested, parts):
        inner.unwrap()
    for initial in filter(_is_initial, parts):
        initial.unwrap()
    for part in list(filter(_follows, parts)):
        before = part.previous_sibling
        if isinstance(before, Element):
            before.extend(list(part.children))
            part.decompose()


def _is_nested(part: Element) -> bool:
    above = part.parent
    return isinstance(above, Element) and above.closest(_EMPHASIS[part.tag]) is not None


def _is_initial(part: Element) -> bool:
    """Tell the first letter of a paragraph, set large, whose word goes on."""
    text = part.text
    if len(text) != 1 or not text.isupper():
        return False
    after = part.next_sibling
    node: Element = part
    # Often a box in the line is around it, to float.
    while isinstance(above := node.parent, Element) and above.tag == "span" and after is None:
        node, after = above, above.next_sibling
    first = node.previous_sibling is None or not (node.previous_sibling.text or "").strip()
    begins = isinstance(above, Element) and above.tag in _PARAGRAPHS
    return first and begins and isinstance(after, Text) and after.data[:1].islower()


def _follows(part: Element) -> bool:
    """Tell whether emphasis stands right behind some of its own sort."""
    before = part.previous_sibling
    return isinstance(before, Element) and _EMPHASIS.get(before.tag) == _EMPHASIS[part.tag]


def _raise(element: Element) -> None:
    """Raise a number, however its letters are set; one that leads somewhere is a note's mark."""
    text = "" if element.find("a") is not None else element.text
    if text and (signs := superscript(text)) != text:
        element.set_text(signs)


def _bracket(reading: Element) -> None:
    """Put a reading into brackets, which pages often leave out and renderers drop."""
    text = _text(reading).strip()
    if text:
        reading.set_text(f"({text})")


def _open_break(broken: Element) -> None:
    """Let a link stand on one line."""
    if broken.closest("a") is not None:
        broken.replace_with(Text(" "))


def _drop_breaks(root: Element) -> None:
    """Take out breaks that follow many others: of a row the renderer looks back over all of it."""
    row = 0
    for node in list(root.descendants):
        if isinstance(node, Text) and not node.data.isspace():
            row = 0
        elif isinstance(node, Element) and node.tag == "br":
            row += 1
            if row > _MAX_BREAKS and node.closest("pre") is None:
                node.decompose()


def _part_code(code: Element) -> None:
    """Let code beside code not run together."""
    above, before = code.parent, code.previous_sibling
    inside = isinstance(above, Element) and above.tag == "pre"
    if isinstance(before, Element) and before.tag == "code" and not inside:
        code.insert_before(Text(" "))


def _text(element: Element) -> str:
    """Return the text of an element that holds nothing else."""
    nodes = element.children
    only = nodes[0] if len(nodes) == 1 else None
    return only.data if isinstance(only, Text) else ""


def _part_source(source: Element) -> None:
    """Let who is quoted stand over what was said: forums set both without a blank between."""
    after = source.next_sibling
    first = source.previous_sibling is None and source.closest("blockquote") is not None
    if first and isinstance(after, Text) and after.data[:1].isalnum():
        source.insert_after(Element("br"))


_WRITERS: Final = {
    "br": _open_break,
    "cite": _part_source,
    "code": _part_code,
    "rt": _bracket,
    "sup": _raise,
}
