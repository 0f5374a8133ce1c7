"""Tidy lists: wrap stray items in a list, and unwrap lists that only lay out the page."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Node, Text

_LIST_TAGS: Final = frozenset({"dir", "menu", "ol", "ul"})
_MAX_ANCESTOR_STEPS: Final = 6
_MAX_SEARCHED_NODES: Final = 50
# Markdown has no number below 0, and none of more than nine digits.
_MAX_ITEM_NUMBER: Final = 999_999_999
_DEFINITION_BLOCKS: Final = frozenset(
    ["blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"]
)
# The type of a term in docutils and Sphinx, whose style sheet writes the colon.
_TERM_TYPE_SELECTOR: Final = "dt > .classifier:not(.classifier-delimiter ~ .classifier)"


def tidy_lists(root: Element) -> None:
    """Tidy every list inside ``root`` in place."""
    _wrap_stray_items(root)
    _unwrap_indent_lists(root)
    _unwrap_nested_items(root)
    _number_reversed_lists(root)


def _number_reversed_lists(root: Element) -> None:
    """Write the number of each item of a list that counts down (HTML, 4.4.5)."""
    for numbered in root.select("ol[reversed]"):
        children = [child for child in numbered.children if isinstance(child, Element)]
        items = [child for child in children if child.tag == "li"]
        number = _stated_number(numbered, "start", len(items))
        for item in items:
            number = _stated_number(item, "value", number)
            if 0 <= number <= _MAX_ITEM_NUMBER:
                item.attrs["value"] = str(number)
            number -= 1


def _stated_number(element: Element, name: str, otherwise: int) -> int:
    written = str(element.attrs.get(name) or "").strip()
    is_number = re.fullmatch(r"-?[0-9]{1,9}", written) is not None
    return int(written) if is_number else otherwise


def _wrap_stray_items(root: Element) -> None:
    """Wrap items outside lists in a list."""
    new_list: Element | None = None
    for item in root.find_all("li"):
        above = islice(item.ancestors, _MAX_ANCESTOR_STEPS)
        if any(isinstance(node, Element) and node.tag in _LIST_TAGS for node in above):
            continue
        if new_list is not None and _sibling_before_item(item) is new_list:
            new_list.append(item)
        else:
            new_list = Element("ul")
            item.wrap(new_list)


def _unwrap_indent_lists(root: Element) -> None:
    """Unwrap a list that only indents other lists, and an inner list before the first item."""
    lists = [inner for inner in root.iter_elements(_LIST_TAGS) if _is_in_list(inner)]
    for outer in dict.fromkeys(inner.parent for inner in lists):
        if isinstance(outer, Element) and not any(
            getattr(node, "tag", "") == "li" for node in outer.children
        ):
            outer.tag = "div"
    for inner in lists:
        if _is_in_list(inner) and _sibling_before_item(inner) is None:
            inner.unwrap()


def _is_in_list(inner: Element) -> bool:
    return isinstance(inner.parent, Element) and inner.parent.tag in _LIST_TAGS


def _unwrap_nested_items(root: Element) -> None:
    """Move a list that is all of an item to the item before, or into the outer list."""
    for item in root.select("li:has(ol,ul)"):
        outer, before, inner = item.parent, _sibling_before_item(item), _only_worded_child(item)
        if inner is not None and inner.tag == "div":
            inner = _only_worded_child(inner)
        if inner is None or inner.tag not in _LIST_TAGS:
            continue
        if isinstance(before, Element) and before.tag == "li":
            before.append(inner)
            item.decompose()
        elif isinstance(outer, Element) and outer.tag == inner.tag:
            item.insert_before(inner)
            inner.unwrap()
            item.decompose()


def _only_worded_child(element: Element) -> Element | None:
    """Return the only child with visible words; None if there are several."""
    worded = list(islice(filter(may_have_words, element.children), 2))
    only = worded[0] if len(worded) == 1 else None
    return only if isinstance(only, Element) else None


def _sibling_before_item(item: Element) -> Node | None:
    """Return the sibling before an item, without blank texts."""
    before = item.previous_sibling
    while isinstance(before, Text) and before.data.isspace():
        before = before.previous_sibling
    return before


def may_have_words(node: Node) -> bool:
    """Tell whether a node has words; assume it after a limit of searched nodes."""
    if not isinstance(node, Element):
        return isinstance(node, Text) and bool(node.data.strip())
    for visited, inner in enumerate(node.descendants, 1):
        if visited > _MAX_SEARCHED_NODES or (isinstance(inner, Text) and inner.data.strip()):
            return True
    return False


def mark_definitions(root: Element) -> None:
    """Write ``: `` before the definitions of terms, as PHP Markdown Extra and Pandoc do, in place.

    A definition under a term without words, such as a picture, stays a paragraph.
    """
    for term_type in root.select(_TERM_TYPE_SELECTOR) if root.find("dt") is not None else ():
        term_type.insert_before(Text(" : "))
    holders = dict.fromkeys(term.parent for term in root.find_all("dt"))
    for definition in (part for holder in holders for part in _term_definitions(holder)):
        nodes = (
            node for node in definition.children if isinstance(node, Element) or node.text.strip()
        )
        first = next(nodes, None)
        if isinstance(first, Element) and first.tag in _DEFINITION_BLOCKS:
            if first.tag == "p" and first.text.strip():
                first.insert(0, Text(": "))
        elif definition.text.strip():
            definition.insert(0, Text(": "))


def _term_definitions(holder: Node | None) -> Iterator[Element]:
    """Yield the definitions of terms with words; several terms may share one."""
    has_words = is_defined = False
    nodes = [] if holder is None else [n for n in holder.children if isinstance(n, Element)]
    for node in nodes:
        if node.tag == "dt":
            has_words = may_have_words(node) or (has_words and not is_defined)
            is_defined = False
        elif node.tag == "dd":
            is_defined = True
            if has_words:
                yield node
