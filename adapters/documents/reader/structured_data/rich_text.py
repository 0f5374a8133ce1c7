"""Turn the rich text of editors into HTML: trees of nodes, lists of blocks, and markdown.

The nodes are those of Contentful, Sanity, ProseMirror, Lexical, Slate, Editor.js, Draft.js and
hast: they have a type, and hold other nodes or a text.
"""

import html
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

_HEADING_KIND: Final = re.compile(r"(?:heading|header|h)[-_]?(one|two|three|four|five|six|[1-6])?")
_NUMBER_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
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
_MARK_TAGS: Final = {"bold": "b", "strong": "b", "italic": "i", "em": "i", "code": "code"}
_BREAK_KINDS: Final = frozenset({"br", "hardbreak", "linebreak"})
_MAX_NODE_DEPTH: Final = 60


def rich_html(node: dict[str, object]) -> str:
    """Return the HTML of a rich text node; blank for other values."""
    kind = _rich_node_kind(node)
    if not kind or not (
        kind in _TAGS_BY_KIND or kind in _HOLDER_KINDS or _HEADING_KIND.fullmatch(kind)
    ):
        return ""
    return _rich_node_html(node, 0) if _is_rich_node(node) else ""


def _is_rich_node(node: dict[str, object]) -> bool:
    """Tell whether a value holds nodes or a text, and does not just have a type."""
    data = node.get("data")
    if isinstance(data, dict) and ("text" in data or "items" in data):
        return True
    inner = [child for name in _CHILD_FIELDS for child in _rich_text_nodes(node.get(name))]
    typed = [
        child
        for child in inner
        if isinstance(child, dict) and (_rich_node_kind(child) or "text" in child)
    ]
    # Blocks of Draft.js and Medium hold their text themselves.
    is_text_block = "depth" in node or node.get("__typename") == "Paragraph"
    return (is_text_block and isinstance(node.get("text"), str)) or (
        bool(inner) and len(typed) == len(inner)
    )


def _rich_node_kind(node: dict[str, object]) -> str:
    if node.get("type") == "element" and isinstance(node.get("tagName"), str):
        return str(node["tagName"]).lower()
    names = (node.get("nodeType"), node.get("type"), node.get("_type"))
    name = next((name_value for name_value in names if isinstance(name_value, str)), "")
    style = node.get("style")
    kind = style if name == "block" and isinstance(style, str) else name
    return kind if kind.startswith("head") else kind.lower().replace("-", "").replace("_", "")


def _rich_text_nodes(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _rich_node_html(node: object, depth: int) -> str:
    if isinstance(node, str):
        return html.escape(node)
    if not isinstance(node, dict) or depth > _MAX_NODE_DEPTH:
        return ""
    kind = _rich_node_kind(node)
    inner = "<br>" if kind in _BREAK_KINDS else _inner_rich_node_html(node, depth)
    return _wrap_rich_node_html(node, kind, inner, depth) if inner.strip() else inner


def _wrap_rich_node_html(node: dict[str, object], kind: str, inner: str, depth: int) -> str:
    tag = _rich_node_tag(node, kind)
    if tag == "a":
        return f'<a href="{html.escape(_rich_node_link_address(node))}">{inner}</a>'
    if node.get("listItem") or (kind.endswith("listitem") and depth == 0):
        ordered = node.get("listItem") == "number" or kind.startswith("ordered")
        return f"<ol><li>{inner}</li></ol>" if ordered else f"<ul><li>{inner}</li></ul>"
    return f"<{tag}>{inner}</{tag}>" if tag else inner


def _inner_rich_node_html(node: dict[str, object], depth: int) -> str:
    data = node.get("data")
    if isinstance(data, dict) and ("text" in data or "items" in data):
        # The texts of Editor.js are HTML.
        items = [
            f"<li>{child}</li>"
            for child in _rich_text_nodes(data.get("items"))
            if isinstance(child, str)
        ]
        return "".join(items) or str(data.get("text") or "")
    nodes = [child for name in _CHILD_FIELDS for child in _rich_text_nodes(node.get(name))]
    if nodes:
        return "".join(_rich_node_html(child, depth + 1) for child in nodes)
    text = node.get("text") if isinstance(node.get("text"), str) else node.get("value")
    inner = html.escape(text) if isinstance(text, str) else ""
    for mark in _rich_node_marks(node) if inner.strip() else ():
        inner = f"<{mark}>{inner}</{mark}>"
    return inner


def _rich_node_marks(node: dict[str, object]) -> list[str]:
    names = [
        mark.get("type") if isinstance(mark, dict) else mark
        for mark in _rich_text_nodes(node.get("marks"))
    ]
    names += [name for name in _MARK_TAGS if node.get(name) is True]
    return [
        _MARK_TAGS[name]
        for name in dict.fromkeys(names)
        if isinstance(name, str) and name in _MARK_TAGS
    ]


def _rich_node_tag(node: dict[str, object], kind: str) -> str:
    heading = _HEADING_KIND.fullmatch(kind.removeprefix("#"))
    if heading is not None:
        return f"h{_rich_heading_level(node, heading[1])}"
    is_ordered = node.get("ordered") is True or node.get("listType") == "number"
    return "ol" if _TAGS_BY_KIND.get(kind) == "ul" and is_ordered else _TAGS_BY_KIND.get(kind, "")


def _rich_heading_level(node: dict[str, object], declared: str | None) -> int:
    if declared:
        return _NUMBER_WORDS.get(declared) or int(declared)
    parts = (node, node.get("attrs"), node.get("data"))
    levels = [
        part.get(name)
        for part in parts
        if isinstance(part, dict)
        for name in ("level", "depth", "tag")
    ]
    digits = [str(level).lstrip("h") for level in levels if level is not None]
    return next((int(part) for part in digits if part in {"1", "2", "3", "4", "5", "6"}), 2)


def _rich_node_link_address(node: dict[str, object]) -> str:
    parts = (node, node.get("data"), node.get("attrs"), node.get("fields"), node.get("properties"))
    addresses = (
        part.get(name)
        for part in parts
        if isinstance(part, dict)
        for name in ("uri", "url", "href")
    )
    return next((part for part in addresses if isinstance(part, str)), "")


_MARKDOWN_PATTERN: Final = re.compile(
    r"^(?:#{1,6} \S|[-*] \S|\d+\. \S|```|> \S)|\]\((?:https?:|/)", re.MULTILINE
)
_LINE_MARK_PATTERN: Final = re.compile(
    r"(?P<heading>#{1,6}) +|(?P<item>[-*+]|\d+\.) +|(?P<quote>>) ?"
)
_LINK_PATTERN: Final = re.compile(r"\[([^\]\[]{1,300})\]\(([^\s)]{1,1000})\)")
_CODE_PATTERN: Final = re.compile(r"`([^`\n]+)`")
_BOLD_PATTERN: Final = re.compile(r"\*\*([^*\n]{1,500})\*\*")


def is_markdown(text: str) -> bool:
    """Tell whether a text has several lines and markdown marks."""
    return "\n" in text.strip() and _MARKDOWN_PATTERN.search(text) is not None


def json_markdown_html(text: str) -> str:
    r"""Return markdown as HTML: blocks, links, bold text and code.

    >>> json_markdown_html("# Quay\n\nIt *held*, see [this](/x).\n\n- ox\n- cart")
    '<h1>Quay</h1><p>It *held*, see <a href="/x">this</a>.</p><ul><li>ox</li><li>cart</li></ul>'
    """
    parts: list[str] = []
    for index, part in enumerate(re.split(r"^```", text, flags=re.MULTILINE)):
        if index % 2:
            language, _, code = part.partition("\n")
            name = html.escape(language.strip())
            parts.append(f'<pre><code class="language-{name}">{html.escape(code)}</code></pre>')
        else:
            parts += _json_markdown_blocks(part)
    return "".join(parts)


def _json_markdown_blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        for tag, group in groupby(lines, _json_markdown_line_tag):
            texts = [
                _inline_json_markdown(
                    _LINE_MARK_PATTERN.sub("", line, count=1) if tag != "p" else line
                )
                for line in group
            ]
            if tag in {"ul", "ol"}:
                yield f"<{tag}>{''.join(f'<li>{text_html}</li>' for text_html in texts)}</{tag}>"
            elif tag[0] == "h":
                yield from (f"<{tag}>{text_html}</{tag}>" for text_html in texts)
            else:
                yield f"<{tag}>{' '.join(texts)}</{tag}>"


def _json_markdown_line_tag(line: str) -> str:
    mark = _LINE_MARK_PATTERN.match(line)
    if mark is None:
        return "p"
    if mark["heading"]:
        return f"h{len(mark['heading'])}"
    if mark["quote"]:
        return "blockquote"
    return "ol" if mark["item"][0].isdigit() else "ul"


def _inline_json_markdown(text: str) -> str:
    line = html.escape(text, quote=False)
    linked = _LINK_PATTERN.sub(
        lambda match: f'<a href="{html.escape(match[2])}">{match[1]}</a>', line
    )
    return _BOLD_PATTERN.sub(r"<b>\1</b>", _CODE_PATTERN.sub(r"<code>\1</code>", linked))
