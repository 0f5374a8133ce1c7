"""Tidy lists: wrap stray items in a list, and unwrap lists that only lay out the page."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Node, Text

from ..page_segments import HEADINGS
from .footnotes import is_footnote

_LIST_TAGS: Final = frozenset({"dir", "menu", "ol", "ul"})
_MAX_ANCESTOR_STEPS: Final = 6
_BOX_TAGS: Final = frozenset({"article", "div", "nav", "section"})
_BLOCK_SELECTOR: Final = ",".join((*sorted(HEADINGS), "dl", "li", "p", "pre", "table"))
_TITLED_ITEM_SELECTOR: Final = "li:has(> section:only-child > :is(h2,h3,h4):first-child)"
_MIN_LAYOUT_BLOCKS: Final = 5
_MIN_BLOCKS_UNDER_HEADING: Final = 2
_MIN_LAYOUT_CHARS: Final = 150
_MAX_SEARCHED_NODES: Final = 50


def tidy_lists(root: Element) -> None:
    """Tidy every list inside ``root`` in place."""
    # Javadoc puts sections with headings into lists.
    for item in root.select(_TITLED_ITEM_SELECTOR) if root.find("section") is not None else ():
        item.tag = "div"
        if isinstance(item.parent, Element) and item.parent.tag in _LIST_TAGS:
            item.parent.tag = "div"
    _wrap_stray_items(root)
    _unwrap_indent_lists(root)
    _unwrap_nested_items(root)
    _unwrap_layout_lists(root)


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
    """Unwrap an item that holds only a list: it only nests deeper."""
    for item in root.select("li:has(ul,ol,menu,dir)"):
        inner = _inner_list(item)
        if inner is not None and not is_footnote(item):
            _unwrap_nested_item(item, inner)


def _inner_list(item: Element) -> Element | None:
    """Return the list that is an item's only content; None if there is more."""
    inner = _only_worded_child(item)
    for _ in range(_MAX_ANCESTOR_STEPS):
        if inner is None or inner.tag not in _BOX_TAGS:
            break
        inner = _only_worded_child(inner)
    return inner if inner is not None and inner.tag in _LIST_TAGS else None


def _only_worded_child(element: Element) -> Element | None:
    """Return the only child with visible words; None if there are several."""
    only: Element | None = None
    for node in filter(has_visible_node_words, element.children):
        if only is not None or not isinstance(node, Element):
            return None
        only = node
    return only


def _unwrap_nested_item(item: Element, inner: Element) -> None:
    """Move the list of an item to the item before, or put its items in the item's place."""
    outer, before = item.parent, _sibling_before_item(item)
    if isinstance(before, Element) and before.tag == "li" and has_visible_node_words(before):
        before.append(inner)
        item.decompose()
    elif isinstance(outer, Element):
        if _only_item(outer) is item:
            outer.tag = inner.tag
        if outer.tag == inner.tag:
            item.insert_before(inner)
            inner.unwrap()
            item.decompose()


def _sibling_before_item(item: Element) -> Node | None:
    """Return the sibling before an item, without blank texts."""
    before = item.previous_sibling
    while isinstance(before, Text) and before.data.isspace():
        before = before.previous_sibling
    return before


def _unwrap_layout_lists(root: Element) -> None:
    """Unwrap a list whose only item holds several blocks: it only lays them out.

    Inside an item of another list, and beside another such list, it stays: it is a step or a point.
    """
    items = [item for outer in root.iter_elements(_LIST_TAGS) if (item := _only_item(outer))]
    lists = {item: item.parent for item in items if isinstance(item.parent, Element)}
    counts = Counter(outer.parent for outer in lists.values())
    root_items = set(root.find_all("li")) if lists else set()
    for item, outer in lists.items():
        if (
            counts[outer.parent] == 1
            and outer.closest("li") not in root_items
            and _is_layout_item(item)
            and not {"start", "value"}.intersection((*outer.attrs, *item.attrs))
            and not is_footnote(item)
        ):
            item.tag = outer.tag = "div"


def _is_layout_item(item: Element) -> bool:
    blocks = item.select(_BLOCK_SELECTOR)
    has_heading = any(block.tag in HEADINGS for block in blocks)
    min_blocks = _MIN_BLOCKS_UNDER_HEADING if has_heading else _MIN_LAYOUT_BLOCKS
    return len(blocks) >= min_blocks and len(item.text) >= _MIN_LAYOUT_CHARS


def _only_item(items: Element) -> Element | None:
    """Return the only item of a list with visible words; None if there is more."""
    only = _only_worded_child(items)
    return only if only is not None and only.tag == "li" else None


def has_visible_node_words(node: Node) -> bool:
    """Tell whether a node has words; assume it after a limit of searched nodes."""
    if not isinstance(node, Element):
        return isinstance(node, Text) and bool(node.data.strip())
    for visited, inner in enumerate(node.descendants, 1):
        if visited > _MAX_SEARCHED_NODES or (isinstance(inner, Text) and inner.data.strip()):
            return True
    return False


_DEFINITION_BLOCKS: Final = frozenset(
    ["blockquote", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"]
)
# The type of a term in docutils and Sphinx, whose style sheet writes the colon.
_TERM_TYPE_SELECTOR: Final = "dt > .classifier:not(.classifier-delimiter ~ .classifier)"


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
            has_words = has_visible_node_words(node) or (has_words and not is_defined)
            is_defined = False
        elif node.tag == "dd":
            is_defined = True
            if has_words:
                yield node
