"""Find the text of a page in the data that it carries for its script.

Some pages are an empty shell: their text stands in an attribute or in a script, as JSON, as a
literal, as markdown, or as the rows that React streams. Of it we take what reads like prose, in
its order, and build a plain page of it. Nothing is run.
"""

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Document

from .flattened_data import unflatten
from .flight import flight_html
from .literals import Literals
from .rich_text import is_markdown, markdown_html, rich_html

_SCRIPTS: Final = "script#__NEXT_DATA__,script[type='application/json' i]"
_FLAT: Final = "script#__NUXT_DATA__,script[data-nuxt-data]"
_STREAMED: Final = re.compile(r"streamController\.enqueue\(\s*(?=\")")
_LINKED: Final = 'script[type*="ld+json" i]'
_ATTRIBUTES: Final = (
    "data-react-props", "data-props", "data-page", "data-state", "data-preloaded", "props",
)  # fmt: skip
# Markdown that remark, reveal.js, Strapdown and their like show, and what parts its slides.
_MARKDOWN: Final = (
    "script[type='text/markdown' i],textarea#source,[data-markdown] :is(script,textarea),xmp"
)
_PARTING: Final = re.compile(r"^[ \t]*(?:---?|class: .*)[ \t]*$", re.MULTILINE)
_BODY_KEYS: Final = frozenset(
    {
        "articlebody", "body", "bodyhtml", "body_html", "content", "contenthtml", "content_html",
        "cooked", "description", "html", "markdown", "paragraph", "rendered", "richtext",
        "shortdescription", "text",
    }
)  # fmt: skip
_TITLE_KEYS: Final = frozenset({"headline", "heading", "title"})
# What stands around every page of a site.
_SKIPPED: Final = frozenset(
    {
        "_nexti18next", "config", "cookies", "dictionary", "env", "footer", "i18n", "locales",
        "menu", "menus", "meta", "metadata", "nav", "navigation", "related", "runtimeconfig",
        "seo", "translations",
    }
)  # fmt: skip
_MAX_SCRIPT_CHARS: Final = 2_000_000
_MAX_SCRIPTS: Final = 200
_MAX_VALUES: Final = 50_000
_MAX_VALUE_DEPTH: Final = 40
_PROSE_WORDS: Final = 8
_TITLE_LENGTH: Final = 200
_MIN_PROSE_WORDS: Final = 40
_MARKUP: Final = re.compile(r"</?(?:p|div|h[1-6]|ul|ol|li|br|span|strong|em|a|table)\b[^<>]*>")
_TAGS: Final = re.compile(r"<[^<>]*>")
_NOT_PROSE: Final = re.compile(r"[{};]\s*$|^\s*(?:https?:|data:|function\b|var |[.#]?[\w-]+\s*\{)")


def embedded_page(document: Document) -> str | None:
    """Return a page of the prose in the page's data, as HTML; nothing when there is little."""
    parts = [_page(value) for value in _values(document)]
    scripts = _texts(document, "script:not([src])")
    parts.append(flight_html(scripts, _parts))
    frames = document.find_all("noframes", limit=1)
    parts += [frame.text for frame in frames]
    parts.append(markdown_html(_PARTING.sub("", "\n\n".join(_texts(document, _MARKDOWN)))))
    best = max(parts, key=_said, default="")
    if _said(best) < _MIN_PROSE_WORDS:
        best = max(
            (_page(_decoded(text)) for text in _texts(document, _LINKED)), key=_said, default=""
        )
    return best if _said(best) >= _MIN_PROSE_WORDS else None


def _page(value: object) -> str:
    parts = "".join(dict.fromkeys(_parts(value)))
    # Items that were kept one by one are a list.
    listed = parts.replace("</ul><ul>", "").replace("</ol><ol>", "")
    return f"<main><article>{listed}</article></main>"


def _said(page: str) -> int:
    return len(_words_of(_TAGS.sub(" ", page)))


def _words_of(text: str) -> str | list[str]:
    words = text.split()
    # A script without blanks has three characters to a word.
    return words if text.isascii() or len(text) < 14 * len(words) else text[: len(text) // 3]


def _values(document: Document) -> Iterator[object]:
    """Yield what the page carries."""
    for text in (*_texts(document, _SCRIPTS), *_attributes(document)):
        yield _decoded(text)
    for text in _texts(document, _FLAT):
        yield unflatten(_decoded(text))
    literals = Literals()
    for text in _texts(document, "script:not([src])"):
        if len(text) <= _MAX_SCRIPT_CHARS:
            yield from literals.of(text)
            yield from _streamed(text, literals)


def _texts(document: Document, selector: str) -> list[str]:
    return [script.text for script in document.select(selector)[:_MAX_SCRIPTS]]


def _attributes(document: Document) -> list[str]:
    return [
        element.attr(name) or ""
        for name in _ATTRIBUTES
        for element in document.select(f"[{name}]")[:_MAX_SCRIPTS]
    ]


def _streamed(script: str, literals: Literals) -> Iterator[object]:
    for found in islice(_STREAMED.finditer(script), _MAX_SCRIPTS):
        text, _ = literals.at(script, found.end())
        for line in text.split("\n") if isinstance(text, str) else ():
            yield unflatten(_decoded(line))


def _decoded(text: str) -> object:
    """Decode the JSON that ``text`` begins with; what comes after it is a script's."""
    plain = text.strip()
    if len(plain) > _MAX_SCRIPT_CHARS or not plain.startswith(("{", "[")):
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(plain)[0]
    except (ValueError, RecursionError):
        return None


def _parts(value: object) -> Iterator[str]:
    """Yield headings and prose as HTML, in the order of the data."""
    left = _MAX_VALUES
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting and left:
        key, one, depth = waiting.pop()
        left -= 1
        # Data in data, as a text.
        told = (_decoded(one) or one) if isinstance(one, str) and one[:1] in {"{", "["} else one
        if isinstance(told, str):
            yield from _part(key.lower(), told)
        elif isinstance(told, dict) and (rich := rich_html(told)):
            yield rich
        elif depth < _MAX_VALUE_DEPTH and isinstance(told, dict | list):
            waiting += reversed(list(_inside(key, told, depth)))


def _inside(
    key: str, value: dict[str, object] | list[object], depth: int
) -> Iterator[tuple[str, object, int]]:
    if isinstance(value, list):
        yield from ((key, item, depth + 1) for item in value)
        return
    for name, item in value.items():
        inner = str(name)
        if inner.lower() not in _SKIPPED and not (inner == "messages" and isinstance(item, dict)):
            yield inner, item, depth + 1


def _part(key: str, text: str) -> Iterator[str]:
    if key in _TITLE_KEYS and 0 < len(text) <= _TITLE_LENGTH:
        yield f"<h2>{html.escape(text)}</h2>"
    elif key in _BODY_KEYS and _MARKUP.search(text):
        yield f"<div>{text}</div>"
    elif key in _BODY_KEYS and is_markdown(text) and _words(text) >= _PROSE_WORDS:
        yield markdown_html(text)
    elif (key in _BODY_KEYS or text.rstrip().endswith((".", "!", "?", "”", "。"))) and _is_prose(
        text
    ):
        yield "".join(f"<p>{html.escape(line)}</p>" for line in text.split("\n") if line.strip())


def _is_prose(text: str) -> bool:
    return _words(text) >= _PROSE_WORDS and _NOT_PROSE.search(text) is None


def _words(text: str) -> int:
    words = text.count(" ") + 1
    return words if text.isascii() else max(words, len(text) // 3)
