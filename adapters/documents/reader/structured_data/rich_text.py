"""Turn the rich text of editors into HTML: trees of nodes and lists of blocks.

The nodes are those of Contentful, Sanity, ProseMirror, Lexical, Slate, Editor.js, Draft.js and
hast: they have a type, and hold other nodes or a text.
"""

import html
import re
from collections.abc import Iterator
from typing import Final

_HEADING_KIND: Final = re.compile(r"(?:heading|header|h)[-_]?(one|two|three|four|five|six|[1-6])?")
_NUMBER_WORDS: Final = dict(
    zip(("one", "two", "three", "four", "five", "six"), "123456", strict=True)
)
_TAGS_BY_KIND: Final = {
    "a": "a", "hyperlink": "a", "link": "a",
    "block": "p", "p": "p", "paragraph": "p", "unstyled": "p", "normal": "p",
    "blockquote": "blockquote", "quote": "blockquote", "block-quote": "blockquote",
    "bulletlist": "ul", "bulletedlist": "ul", "ul": "ul", "unorderedlist": "ul", "list": "ul",
    "numberedlist": "ol", "ol": "ol", "orderedlist": "ol",
    "li": "li", "listitem": "li", "orderedlistitem": "li", "unorderedlistitem": "li",
    "code": "pre", "codeblock": "pre", "pre": "pre",
    "tablerow": "tr", "tr": "tr", "tablecell": "td", "td": "td", "tableheader": "th", "th": "th",
    "tableheadercell": "th", "table": "table",
}  # fmt: skip
_HOLDER_KINDS: Final = frozenset({"doc", "document", "root", "element", "text", "span"})
_CHILD_FIELDS: Final = ("content", "children", "blocks", "items")
_DETAIL_FIELDS: Final = ("attrs", "data", "fields", "properties")
_MARK_TAGS: Final = {"bold": "b", "strong": "b", "italic": "i", "em": "i", "code": "code"}
_BREAK_KINDS: Final = frozenset({"br", "hardbreak", "linebreak"})
_MAX_NODE_DEPTH: Final = 60


def rich_html(node: dict[str, object]) -> str:
    """Return the HTML of a rich text node; blank for other values."""
    kind = _rich_node_kind(node)
    is_known = kind in _TAGS_BY_KIND or kind in _HOLDER_KINDS or _HEADING_KIND.fullmatch(kind)
    return _rich_node_html(node, 0) if is_known and _is_rich_node(node) else ""


def _is_rich_node(node: dict[str, object]) -> bool:
    """Tell whether a value holds nodes or a text, and does not just have a type."""
    inner = _inner_rich_nodes(node)
    # Blocks of Draft.js and Medium hold their text themselves.
    is_text_block = "depth" in node or node.get("__typename") == "Paragraph"
    if _editor_data(node) is not None or (is_text_block and isinstance(node.get("text"), str)):
        return True
    return bool(inner) and all(
        isinstance(child, dict) and (_rich_node_kind(child) or "text" in child) for child in inner
    )


def _rich_node_kind(node: dict[str, object]) -> str:
    names = (node.get("nodeType"), node.get("type"), node.get("_type"))
    name = next((name for name in names if isinstance(name, str)), "")
    # Nodes of hast are elements with a tag; blocks of Sanity have a style.
    kind = {"element": node.get("tagName"), "block": node.get("style")}.get(name)
    kind = kind if isinstance(kind, str) else name
    return kind if kind.startswith("head") else kind.lower().replace("-", "").replace("_", "")


def _editor_data(node: dict[str, object]) -> dict[str, object] | None:
    """Return the data of a block of Editor.js; None for other nodes."""
    data = node.get("data")
    return data if isinstance(data, dict) and ("text" in data or "items" in data) else None


def _rich_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _inner_rich_nodes(node: dict[str, object]) -> list[object]:
    return [child for name in _CHILD_FIELDS for child in _rich_list(node.get(name))]


def _rich_node_html(node: object, depth: int) -> str:
    if isinstance(node, str):
        return html.escape(node)
    if not isinstance(node, dict) or depth > _MAX_NODE_DEPTH:
        return ""
    kind = _rich_node_kind(node)
    inner = "<br>" if kind in _BREAK_KINDS else _inner_rich_node_html(node, depth)
    tag = _rich_node_tag(node, kind)
    if not inner.strip() or not tag:
        return inner
    if tag == "a":
        address = next(_rich_node_values(node, ("uri", "url", "href")), "")
        return f'<a href="{html.escape(address)}">{inner}</a>'
    if node.get("listItem") or (kind.endswith("listitem") and depth == 0):
        is_ordered = node.get("listItem") == "number" or kind.startswith("ordered")
        return f"<ol><li>{inner}</li></ol>" if is_ordered else f"<ul><li>{inner}</li></ul>"
    return f"<{tag}>{inner}</{tag}>"


def _inner_rich_node_html(node: dict[str, object], depth: int) -> str:
    if (data := _editor_data(node)) is not None:
        # The texts of Editor.js are HTML.
        items = [child for child in _rich_list(data.get("items")) if isinstance(child, str)]
        return "".join(f"<li>{item}</li>" for item in items) or str(data.get("text") or "")
    if nodes := _inner_rich_nodes(node):
        return "".join(_rich_node_html(child, depth + 1) for child in nodes)
    text = node.get("text") if isinstance(node.get("text"), str) else node.get("value")
    inner = html.escape(text) if isinstance(text, str) else ""
    marks = _rich_list(node.get("marks"))
    names = [mark.get("type") if isinstance(mark, dict) else mark for mark in marks]
    names += [name for name in _MARK_TAGS if node.get(name) is True]
    for name in dict.fromkeys(names) if inner.strip() else ():
        if isinstance(name, str) and (tag := _MARK_TAGS.get(name)):
            inner = f"<{tag}>{inner}</{tag}>"
    return inner


def _rich_node_tag(node: dict[str, object], kind: str) -> str:
    if (heading := _HEADING_KIND.fullmatch(kind)) is not None:
        levels = (heading[1] or "", *_rich_node_values(node, ("level", "depth", "tag")))
        numbers = (_NUMBER_WORDS.get(level, level.lstrip("h")) for level in levels)
        return f"h{next((number for number in numbers if number in set('123456')), 2)}"
    is_ordered = node.get("ordered") is True or node.get("listType") == "number"
    return "ol" if _TAGS_BY_KIND.get(kind) == "ul" and is_ordered else _TAGS_BY_KIND.get(kind, "")


def _rich_node_values(node: dict[str, object], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of these names in a node and in what describes it."""
    for part in (node, *(node.get(name) for name in _DETAIL_FIELDS)):
        if isinstance(part, dict):
            yield from (str(part[name]) for name in names if isinstance(part.get(name), str | int))
