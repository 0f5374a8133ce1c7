"""What a list says of its terms, marked as PHP Markdown Extra and Pandoc do."""

from collections.abc import Iterator
from typing import Final

from turbohtml import Element, Text

from .list_tidying import has_visible_words

_BLOCKS: Final = frozenset(
    ["blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"]
)
# What a term is, as docutils and Sphinx set it: a style sheet writes the colon.
_SORTS: Final = "dt > .classifier:not(.classifier-delimiter ~ .classifier)"


def mark_definitions(root: Element) -> None:
    """Write ``: `` before what a list says of a term, in place.

    Under a term without words, such as a picture, it is a paragraph like any other.
    """
    for sort in root.select(_SORTS) if root.find("dt") is not None else ():
        sort.insert_before(Text(" : "))
    for said in _definitions(root):
        nodes = (node for node in said.children if isinstance(node, Element) or node.text.strip())
        first = next(nodes, None)
        if isinstance(first, Element) and first.tag in _BLOCKS:
            if first.tag == "p" and first.text.strip():
                first.insert(0, Text(": "))
        elif said.text.strip():
            said.insert(0, Text(": "))


def _definitions(root: Element) -> Iterator[Element]:
    for holder in dict.fromkeys(term.parent for term in root.find_all("dt")):
        if isinstance(holder, Element):
            yield from _of_terms([node for node in holder.children if isinstance(node, Element)])


def _of_terms(nodes: list[Element]) -> Iterator[Element]:
    """Yield what is said of terms that have words; several terms may share it."""
    named = told = False
    for node in nodes:
        if node.tag == "dt":
            named = has_visible_words(node) or (named and not told)
            told = False
        elif node.tag == "dd":
            told = True
            if named:
                yield node
