"""Find the text of a page in the data that it carries for its script.

Some pages are an empty shell: their text stands in an attribute or in a script, as JSON. Of it we
take what reads like prose, in its order, and build a plain page of it. Nothing is run.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Final

from turbohtml import Document

_SCRIPTS: Final = "script#__NEXT_DATA__,script#__NUXT_DATA__,script[type='application/json' i]"
_LINKED: Final = 'script[type*="ld+json" i]'
_ATTRIBUTES: Final = ("data-react-props", "data-props", "data-page", "data-state", "props")
_STATES: Final = re.compile(
    r"(?:__(?:INITIAL|PRELOADED|APOLLO)_(?:STATE|DATA|PROPS)__|__NUXT__)\s*=\s*(?=\{)"
)
_BODY_KEYS: Final = frozenset(
    {
        "articlebody", "body", "bodyhtml", "body_html", "content", "contenthtml", "content_html",
        "description", "html", "markdown", "paragraph", "rendered", "richtext", "text",
    }
)  # fmt: skip
_TITLE_KEYS: Final = frozenset({"headline", "heading", "title"})
_LONGEST: Final = 2_000_000
_MOST_VALUES: Final = 50_000
_DEEPEST: Final = 40
_PROSE_WORDS: Final = 8
_TITLE_LENGTH: Final = 200
_ENOUGH_WORDS: Final = 40
_MARKUP: Final = re.compile(r"</?(?:p|div|h[1-6]|ul|ol|li|br|span|strong|em|a|table)\b[^>]*>")
_NOT_PROSE: Final = re.compile(r"[{};]\s*$|^\s*(?:https?:|data:|function\b|var |[.#]?[\w-]+\s*\{)")


def embedded_page(document: Document) -> str | None:
    """Return a page of the prose in the page's data, as HTML; nothing when there is little."""
    for value in _values(document):
        parts = list(dict.fromkeys(_parts(value)))
        if sum(_words(part) for part in parts) >= _ENOUGH_WORDS:
            return f"<main><article>{''.join(parts)}</article></main>"
    return None


def _values(document: Document) -> Iterator[object]:
    """Yield what the page carries, the likeliest place first."""
    for text in (*_scripts(document, _SCRIPTS), *_attributes(document)):
        yield _decoded(text)
    for text in _scripts(document, "script:not([src])"):
        state = _STATES.search(text)
        yield _decoded(text[state.end() :]) if state else None
    for text in _scripts(document, _LINKED):
        yield _decoded(text)


def _scripts(document: Document, selector: str) -> list[str]:
    return [script.text for script in document.select(selector)]


def _attributes(document: Document) -> list[str]:
    return [
        element.attr(name) or "" for name in _ATTRIBUTES for element in document.select(f"[{name}]")
    ]


def _decoded(text: str) -> object:
    """Decode the JSON that ``text`` begins with; what comes after it is a script's."""
    plain = text.strip()
    if len(plain) > _LONGEST or not plain.startswith(("{", "[")):
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(plain)[0]
    except (ValueError, RecursionError):
        return None


def _parts(value: object) -> Iterator[str]:
    """Yield headings and prose as HTML, in the order of the data."""
    left = _MOST_VALUES
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting and left:
        key, one, depth = waiting.pop()
        left -= 1
        if isinstance(one, str):
            yield from _part(key.lower(), one)
        elif depth < _DEEPEST and isinstance(one, dict):
            inner = [(str(name), item, depth + 1) for name, item in one.items()]
            waiting.extend(reversed(inner))
        elif depth < _DEEPEST and isinstance(one, list):
            waiting.extend((key, item, depth + 1) for item in reversed(one))


def _part(key: str, text: str) -> Iterator[str]:
    if key in _TITLE_KEYS and 0 < len(text) <= _TITLE_LENGTH:
        yield f"<h2>{html.escape(text)}</h2>"
    elif key in _BODY_KEYS and _MARKUP.search(text):
        yield f"<div>{text}</div>"
    elif (key in _BODY_KEYS or text.rstrip().endswith((".", "!", "?", "”", "。"))) and _is_prose(
        text
    ):
        yield "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n") if line.strip())


def _is_prose(text: str) -> bool:
    return _words(text) >= _PROSE_WORDS and _NOT_PROSE.search(text) is None


def _words(text: str) -> int:
    words = text.count(" ") + 1
    return words if text.isascii() else max(words, len(text) // 3)
