"""Find the text of a page in its script data.

Some pages are an empty shell: their text is in an attribute or a script, as JSON or markdown.
Collect the prose in its order and build a plain page of it. Nothing is run.
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
from turbohtml import Document

from ...pages.page_forms import markdown_to_html
from ..metadata import decode_leading_json
from ..page_segments import estimate_words

_JSON_DECODER: Final = json.JSONDecoder(strict=False)
_JSON_SCRIPT_SELECTOR: Final = "script#__NEXT_DATA__,script[type='application/json' i]"
# ``window.__STATE__ = {...}``, ``x = JSON.parse("...")``.
_ASSIGNMENT_PATTERN: Final = re.compile(r"[\w$\])]\s*=\s*(?=[{\[])|JSON\.parse\(\s*(?=\")")
_MAX_ASSIGNMENTS: Final = 40
_LINKED_DATA_SELECTOR: Final = 'script[type*="ld+json" i]'
_DATA_ATTRIBUTES: Final = (
    "data-react-props", "data-props", "data-page", "data-state", "data-preloaded", "props",
)  # fmt: skip
_BODY_KEYS: Final = frozenset(
    {
        "articlebody", "body", "bodyhtml", "body_html", "content", "contenthtml", "content_html",
        "cooked", "description", "html", "markdown", "paragraph", "rendered", "richtext",
        "shortdescription", "text",
    }
)  # fmt: skip
_TITLE_KEYS: Final = frozenset({"headline", "heading", "title"})
# Data that every page of a site shares.
_SKIPPED_KEYS: Final = frozenset(
    {
        "_nexti18next", "config", "cookies", "dictionary", "env", "footer", "i18n", "locales",
        "menu", "menus", "meta", "metadata", "nav", "navigation", "related", "runtimeconfig",
        "seo", "translations",
    }
)  # fmt: skip
_MAX_SCRIPT_CHARS: Final = 2_000_000
_MAX_SCRIPTS: Final = 200
# The markdown parser takes seconds for more of hostile text.
_MAX_MARKDOWN_CHARS: Final = 100_000
_MAX_VALUES: Final = 50_000
_MAX_VALUE_DEPTH: Final = 40
_MIN_PART_WORDS: Final = 8
_MAX_TITLE_CHARS: Final = 200
_MIN_PROSE_WORDS: Final = 40
_MARKDOWN_PATTERN: Final = re.compile(
    r"^(?:#{1,6} \S|[-*] \S|\d+\. \S|```|> \S)|\]\((?:https?:|/)", re.MULTILINE
)
_HTML_PATTERN: Final = re.compile(
    r"</?(?:p|div|h[1-6]|ul|ol|li|br|span|strong|em|a|table)\b[^<>]*>"
)
_ANY_TAG_PATTERN: Final = re.compile(r"<[^<>]*>")
_NOT_PROSE_PATTERN: Final = re.compile(
    r"[{};]\s*$|^\s*(?:https?:|data:|function\b|var |[.#]?[\w-]+\s*\{)"
)
# Nodes of ProseMirror, Contentful, Sanity, Lexical, Slate and hast: a kind, and nodes or a text.
_KIND_FIELDS: Final = ("listItem", "tag", "tagName", "style", "nodeType", "type", "_type")
_TAGS_BY_KIND: Final = {
    r"h(?:eading-?)?([1-6])?": "h", r"a|(?:hyper)?link": "a", r"li|list-?item|bullet|number": "li",
    r"ol|(?:ordered|numbered)-?list": "ol", r"ul|(?:\w*-?)list": "ul",
    r"pre|code-?(?:block)?": "pre",
    r"(?:block-?)?quote": "blockquote", r"p|paragraph|normal": "p", r"doc(?:ument)?|root": "div",
}  # fmt: skip


class EmbeddedPage(msgspec.Struct, frozen=True):
    """A plain page of the prose in a page's data, and whether a limit cut it."""

    html: str = ""
    is_cut: bool = False


def embedded_page(document: Document) -> EmbeddedPage | None:
    """Return a page of the prose in a page's data; None when there is little."""
    pages = [_prose_page(value) for value in _script_values(document)]
    pages += [EmbeddedPage(frame.text) for frame in document.find_all("noframes", limit=1)]
    best = max(pages, key=_count_page_words, default=EmbeddedPage())
    if _count_page_words(best) < _MIN_PROSE_WORDS:
        linked = map(decode_leading_json, _script_texts(document, _LINKED_DATA_SELECTOR))
        best = max(map(_prose_page, linked), key=_count_page_words, default=EmbeddedPage())
    if _count_page_words(best) < _MIN_PROSE_WORDS:
        return None
    return EmbeddedPage(best.html, best.is_cut or _has_unread_scripts(document))


def _has_unread_scripts(document: Document) -> bool:
    """Tell whether a page has more or longer scripts than are looked at."""
    scripts = document.select("script:not([src])")
    return len(scripts) > _MAX_SCRIPTS or any(
        len(script.text) > _MAX_SCRIPT_CHARS for script in scripts
    )


def _prose_page(value: object) -> EmbeddedPage:
    reader = _ProseReader()
    parts = "".join(dict.fromkeys(reader.prose_parts(value)))
    # Join lists of single items.
    joined = parts.replace("</ul><ul>", "").replace("</ol><ol>", "")
    return EmbeddedPage(f"<main><article>{joined}</article></main>", reader.is_cut)


def _count_page_words(page: EmbeddedPage) -> int:
    return _count_script_words(_ANY_TAG_PATTERN.sub(" ", page.html))


def _script_values(document: Document) -> Iterator[object]:
    """Yield the data values in a page's scripts and attributes."""
    yield from map(decode_leading_json, _script_texts(document, _JSON_SCRIPT_SELECTOR))
    for name in _DATA_ATTRIBUTES:
        for node in document.select(f"[{name}]")[:_MAX_SCRIPTS]:
            yield decode_leading_json(node.attr(name) or "")
    for text in _script_texts(document, "script:not([src])"):
        if len(text) <= _MAX_SCRIPT_CHARS:
            # The JSON that a script assigns or parses.
            for match in islice(_ASSIGNMENT_PATTERN.finditer(text), _MAX_ASSIGNMENTS):
                yield _decode_json_start(text[match.end() :])


def _script_texts(document: Document, selector: str) -> list[str]:
    return [script.text for script in document.select(selector)[:_MAX_SCRIPTS]]


def _decode_json_start(text: str) -> object:
    try:
        return _JSON_DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


class _ProseReader:
    """Reads the prose in one value, up to the limits."""

    def __init__(self) -> None:
        self.is_cut = False

    def prose_parts(self, value: object) -> Iterator[str]:
        """Yield the headings and prose in a value as HTML, in order."""
        remaining = _MAX_VALUES
        waiting: list[tuple[str, object, int]] = [("", value, 0)]
        while waiting and remaining:
            key, current, depth = waiting.pop()
            remaining -= 1
            # A string may hold JSON itself.
            content = current
            if isinstance(current, str) and current[:1] in {"{", "["}:
                content = decode_leading_json(current) or current
            if isinstance(content, str):
                self.is_cut |= len(content) > _MAX_MARKDOWN_CHARS and _is_markdown(content)
                yield from _text_to_html(key.lower(), content)
            elif isinstance(content, dict) and (rich := _rich_node_html(content, 0)):
                yield rich
            elif isinstance(content, dict | list) and depth < _MAX_VALUE_DEPTH:
                waiting += reversed(list(_child_script_values(key, content, depth)))
            elif isinstance(content, dict | list) and content:
                self.is_cut = True
        self.is_cut |= bool(waiting)


def _child_script_values(
    key: str, value: dict[str, object] | list[object], depth: int
) -> Iterator[tuple[str, object, int]]:
    if isinstance(value, list):
        yield from ((key, item, depth + 1) for item in value)
        return
    for name, item in value.items():
        inner = str(name)
        if inner.lower() not in _SKIPPED_KEYS and not (
            inner == "messages" and isinstance(item, dict)
        ):
            yield inner, item, depth + 1


def _text_to_html(key: str, text: str) -> Iterator[str]:
    if key in _TITLE_KEYS and 0 < len(text) <= _MAX_TITLE_CHARS:
        yield f"<h2>{html.escape(text)}</h2>"
    elif key in _BODY_KEYS and _HTML_PATTERN.search(text):
        yield f"<div>{text}</div>"
    elif key in _BODY_KEYS and _is_markdown(text) and _count_script_words(text) >= _MIN_PART_WORDS:
        yield markdown_to_html(text[:_MAX_MARKDOWN_CHARS]).value_or("")
    elif (
        (key in _BODY_KEYS or text.rstrip().endswith((".", "!", "?", "”", "。")))
        and _count_script_words(text) >= _MIN_PART_WORDS
        and _NOT_PROSE_PATTERN.search(text) is None
    ):
        yield "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n") if line.strip())


def _is_markdown(text: str) -> bool:
    return "\n" in text.strip() and _MARKDOWN_PATTERN.search(text) is not None


def _count_script_words(text: str) -> int:
    return estimate_words(text.split(), text)


def _rich_node_html(node: object, depth: int) -> str:
    """Return the HTML of a node of rich text with its inner nodes; blank for other values."""
    if not isinstance(node, dict) or depth > _MAX_VALUE_DEPTH:
        return ""
    nodes = node.get("children") or node.get("content")
    if not isinstance(nodes, list):
        text = node.get("text") or node.get("value")
        return html.escape(text) if depth and isinstance(text, str) else ""
    inner = "".join(_rich_node_html(child, depth + 1) for child in nodes)
    tag = _rich_node_tag(node)
    if not tag or not inner.strip():
        return inner if depth else ""
    return f"<{tag}>{inner}</{tag.split()[0]}>"


def _rich_node_tag(node: dict[str, object]) -> str:
    kinds = [kind.lower() for name in _KIND_FIELDS if isinstance(kind := node.get(name), str)]
    matches = (
        (tag, match)
        for kind in kinds
        for pattern, tag in _TAGS_BY_KIND.items()
        if (match := re.fullmatch(pattern, kind))
    )
    tag, match = next(matches, ("", None))
    details: dict[str, object] = {}
    for part in (node, node.get("attrs"), node.get("data"), node.get("properties")):
        details |= part if isinstance(part, dict) else {}
    if tag == "a":
        address = details.get("href") or details.get("uri") or details.get("url")
        return f'a href="{html.escape(str(address))}"'
    return f"h{(match and match[1]) or details.get('level') or 2}" if tag == "h" else tag
