"""Text that editors keep as data, as HTML: trees of nodes, lists of blocks, and markdown.

The nodes are those of Contentful, Sanity, ProseMirror, Lexical, Slate, Editor.js, Draft.js and
hast: they have a type, and hold others or a text.
"""

import html
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

_HEADING: Final = re.compile(r"(?:heading|header|h)[-_]?(one|two|three|four|five|six|[1-6])?")
_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_TAGS: Final = {
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
_HOLDERS: Final = frozenset({"doc", "document", "root", "element", "text", "span"})
_INSIDE: Final = ("content", "children", "blocks", "items")
_MARKS: Final = {"bold": "b", "strong": "b", "italic": "i", "em": "i", "code": "code"}
_BREAKS: Final = frozenset({"br", "hardbreak", "linebreak"})
_MAX_NODE_DEPTH: Final = 60


def rich_html(node: dict[str, object]) -> str:
    """Return the HTML of a node of text; blank for what is none."""
    kind = _kind(node)
    if not kind or not (kind in _TAGS or kind in _HOLDERS or _HEADING.fullmatch(kind)):
        return ""
    return _written(node, 0) if _is_node(node) else ""


def _is_node(node: dict[str, object]) -> bool:
    """Tell a node that holds nodes or a text from a thing that happens to have a type."""
    data = node.get("data")
    if isinstance(data, dict) and ("text" in data or "items" in data):
        return True
    inner = [one for name in _INSIDE for one in _listed(node.get(name))]
    typed = [one for one in inner if isinstance(one, dict) and (_kind(one) or "text" in one)]
    # A block that holds its text itself, as those of Draft.js and of Medium do.
    alone = "depth" in node or node.get("__typename") == "Paragraph"
    return (alone and isinstance(node.get("text"), str)) or (
        bool(inner) and len(typed) == len(inner)
    )


def _kind(node: dict[str, object]) -> str:
    if node.get("type") == "element" and isinstance(node.get("tagName"), str):
        return str(node["tagName"]).lower()
    names = (node.get("nodeType"), node.get("type"), node.get("_type"))
    name = next((one for one in names if isinstance(one, str)), "")
    style = node.get("style")
    plain = style if name == "block" and isinstance(style, str) else name
    return plain if plain.startswith("head") else plain.lower().replace("-", "").replace("_", "")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _written(node: object, depth: int) -> str:
    if isinstance(node, str):
        return html.escape(node)
    if not isinstance(node, dict) or depth > _MAX_NODE_DEPTH:
        return ""
    kind = _kind(node)
    inner = "<br>" if kind in _BREAKS else _inner(node, depth)
    return _tagged(node, kind, inner, depth) if inner.strip() else inner


def _tagged(node: dict[str, object], kind: str, inner: str, depth: int) -> str:
    tag = _tag(node, kind)
    if tag == "a":
        return f'<a href="{html.escape(_address(node))}">{inner}</a>'
    if node.get("listItem") or (kind.endswith("listitem") and depth == 0):
        ordered = node.get("listItem") == "number" or kind.startswith("ordered")
        return f"<ol><li>{inner}</li></ol>" if ordered else f"<ul><li>{inner}</li></ul>"
    return f"<{tag}>{inner}</{tag}>" if tag else inner


def _inner(node: dict[str, object], depth: int) -> str:
    data = node.get("data")
    if isinstance(data, dict) and ("text" in data or "items" in data):
        # The texts of Editor.js are HTML.
        items = [f"<li>{one}</li>" for one in _listed(data.get("items")) if isinstance(one, str)]
        return "".join(items) or str(data.get("text") or "")
    nodes = [one for name in _INSIDE for one in _listed(node.get(name))]
    if nodes:
        return "".join(_written(one, depth + 1) for one in nodes)
    text = node.get("text") if isinstance(node.get("text"), str) else node.get("value")
    plain = html.escape(text) if isinstance(text, str) else ""
    for mark in _marks(node) if plain.strip() else ():
        plain = f"<{mark}>{plain}</{mark}>"
    return plain


def _marks(node: dict[str, object]) -> list[str]:
    named = [
        one.get("type") if isinstance(one, dict) else one for one in _listed(node.get("marks"))
    ]
    named += [name for name in _MARKS if node.get(name) is True]
    return [
        _MARKS[name] for name in dict.fromkeys(named) if isinstance(name, str) and name in _MARKS
    ]


def _tag(node: dict[str, object], kind: str) -> str:
    heading = _HEADING.fullmatch(kind.removeprefix("#"))
    if heading is not None:
        return f"h{_level(node, heading[1])}"
    listed = node.get("ordered") is True or node.get("listType") == "number"
    return "ol" if _TAGS.get(kind) == "ul" and listed else _TAGS.get(kind, "")


def _level(node: dict[str, object], told: str | None) -> int:
    if told:
        return _NUMBERS.get(told) or int(told)
    places = (node, node.get("attrs"), node.get("data"))
    levels = [
        one.get(name)
        for one in places
        if isinstance(one, dict)
        for name in ("level", "depth", "tag")
    ]
    digits = [str(level).lstrip("h") for level in levels if level is not None]
    return next((int(one) for one in digits if one in {"1", "2", "3", "4", "5", "6"}), 2)


def _address(node: dict[str, object]) -> str:
    places = (node, node.get("data"), node.get("attrs"), node.get("fields"), node.get("properties"))
    told = (
        one.get(name) for one in places if isinstance(one, dict) for name in ("uri", "url", "href")
    )
    return next((one for one in told if isinstance(one, str)), "")


# Markdown, as far as its blocks, links and code go.

_MARKDOWN: Final = re.compile(
    r"^(?:#{1,6} \S|[-*] \S|\d+\. \S|```|> \S)|\]\((?:https?:|/)", re.MULTILINE
)
_LINE: Final = re.compile(r"(?P<heading>#{1,6}) +|(?P<item>[-*+]|\d+\.) +|(?P<quote>>) ?")
_LINK: Final = re.compile(r"\[([^\]\[]{1,300})\]\(([^\s)]{1,1000})\)")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_BOLD: Final = re.compile(r"\*\*([^*\n]{1,500})\*\*")


def is_markdown(text: str) -> bool:
    """Tell a text of several lines that is written in markdown."""
    return "\n" in text.strip() and _MARKDOWN.search(text) is not None


def markdown_html(text: str) -> str:
    r"""Return markdown as HTML.

    >>> markdown_html("# Quay\n\nIt *held*, see [this](/x).\n\n- ox\n- cart")
    '<h1>Quay</h1><p>It *held*, see <a href="/x">this</a>.</p><ul><li>ox</li><li>cart</li></ul>'
    """
    parts: list[str] = []
    for place, part in enumerate(re.split(r"^```", text, flags=re.MULTILINE)):
        if place % 2:
            language, _, code = part.partition("\n")
            name = html.escape(language.strip())
            parts.append(f'<pre><code class="language-{name}">{html.escape(code)}</code></pre>')
        else:
            parts += _blocks(part)
    return "".join(parts)


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        for tag, group in groupby(lines, _line_tag):
            told = [_inline(_LINE.sub("", line, count=1) if tag != "p" else line) for line in group]
            if tag in {"ul", "ol"}:
                yield f"<{tag}>{''.join(f'<li>{one}</li>' for one in told)}</{tag}>"
            elif tag[0] == "h":
                yield from (f"<{tag}>{one}</{tag}>" for one in told)
            else:
                yield f"<{tag}>{' '.join(told)}</{tag}>"


def _line_tag(line: str) -> str:
    found = _LINE.match(line)
    if found is None:
        return "p"
    if found["heading"]:
        return f"h{len(found['heading'])}"
    if found["quote"]:
        return "blockquote"
    return "ol" if found["item"][0].isdigit() else "ul"


def _inline(text: str) -> str:
    plain = html.escape(text, quote=False)
    linked = _LINK.sub(lambda found: f'<a href="{html.escape(found[2])}">{found[1]}</a>', plain)
    return _BOLD.sub(r"<b>\1</b>", _CODE.sub(r"<code>\1</code>", linked))
