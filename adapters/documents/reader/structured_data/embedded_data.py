"""Find the text of a page in the data that it carries for its script.

Some pages are an empty shell: their text stands in an attribute or in a script, as JSON, as a
literal, as markdown, or as the rows that React streams. Of it we take what reads like prose, in
its order, and build a plain page of it. Nothing is run.
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from turbohtml import Document

from .literals import Literals
from .rich_text import is_markdown, markdown_html, rich_html

_FLATTENED_DATA_MAX_VALUE_DEPTH: Final = 60
_FLATTENED_DATA_MAX_VALUES: Final = 100_000
_PLACE: Final = re.compile(r"_([0-9]{1,8})")


def unflatten(values: object) -> object:
    """Return what a flat list says, from its first value on; anything else as it is.

    >>> unflatten([{"title": 1}, "The quay"]), unflatten([{"_1": 2}, "title", "The quay"])
    ({'title': 'The quay'}, {'title': 'The quay'})
    """
    if not isinstance(values, list) or not values:
        return values
    return _Flat(values).at(0, 0)


class _Flat:
    def __init__(self, values: list[object]) -> None:
        self._values = values
        self._left = _FLATTENED_DATA_MAX_VALUES

    def at(self, place: object, depth: int) -> object:
        """Return the value at a place; what is none of the list's says nothing."""
        self._left -= 1
        if isinstance(place, bool) or not isinstance(place, int) or self._left < 0:
            return None
        if depth > _FLATTENED_DATA_MAX_VALUE_DEPTH or not 0 <= place < len(self._values):
            return None
        value = self._values[place]
        if isinstance(value, dict):
            return {self._key(name): self.at(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list):
            # The first may say what sort of list it is.
            return [one for inner in value if (one := self.at(inner, depth + 1)) is not None]
        return value

    def _key(self, name: str) -> str:
        # Python refuses to read very long numbers.
        place = _PLACE.fullmatch(name)
        if place is None or int(place[1]) >= len(self._values):
            return name
        key = self._values[int(place[1])]
        return key if isinstance(key, str) else name


# The page that React streams to its script, row by row (``self.__next_f.push``), as HTML.

_PUSHED: Final = re.compile(
    r'__next_f\.push\(\s*\[\s*1\s*,\s*("(?:[^"\\]++|\\.)*+")\s*\]\s*\)', re.DOTALL
)
_ROW: Final = re.compile(rb"([0-9a-f]{0,8}):(?:T([0-9a-f]{1,8}),)?")
_REFERENCE: Final = re.compile(r"\$[L@]?([0-9a-f]{1,8})")
_TAG: Final = re.compile(r"[a-z][a-z0-9]*")
_PASSED: Final = frozenset(
    {"head", "link", "meta", "noscript", "path", "script", "style", "svg", "title"}
)
_EMPTY: Final = frozenset({"br", "hr", "img", "input"})
_ELEMENT: Final = 4
_MAX_ELEMENT_DEPTH: Final = 150
_MAX_ELEMENTS: Final = 100_000
_MAX_STREAM_CHARS: Final = 4_000_000
_DECODER: Final = json.JSONDecoder(strict=False)


def flight_html(scripts: list[str], prose: Callable[[object], Iterator[str]]) -> str:
    """Return the streamed page; ``prose`` finds what is told in what is no element."""
    pushed = [_flight_decoded(text) for script in scripts for text in _PUSHED.findall(script)]
    stream = "".join(part for part in pushed if isinstance(part, str))
    rows = dict(_rows(stream[:_MAX_STREAM_CHARS].encode("utf-8", "replace")))
    if not rows:
        return ""
    page = _Page(rows, prose)
    return "".join(page.row(name) for name in ("0", *rows))


def _rows(stream: bytes) -> Iterator[tuple[str, object]]:
    place = 0
    while (row := _ROW.match(stream, place)) is not None:
        name = row[1].decode()
        if row[2]:
            place = row.end() + int(row[2], 16)
            yield name, stream[row.end() : place].decode("utf-8", "replace")
            continue
        end = stream.find(b"\n", row.end())
        place = len(stream) if end < 0 else end + 1
        line = stream[row.end() : place].decode("utf-8", "replace")
        if line.startswith(("[", "{", '"')):
            yield name, _flight_decoded(line)


def _flight_decoded(line: str) -> object:
    try:
        return _DECODER.raw_decode(line)[0]
    except (ValueError, RecursionError):
        return None


class _Page:
    """Writes each row once, where it is first called for."""

    def __init__(self, rows: dict[str, object], prose: Callable[[object], Iterator[str]]) -> None:
        self._rows = rows
        self._prose = prose
        self._seen: set[str] = set()
        self._left = _MAX_ELEMENTS

    def row(self, name: str, depth: int = 0) -> str:
        if name in self._seen or name not in self._rows:
            return ""
        self._seen.add(name)
        value = self._rows[name]
        # A text is part of what calls for it.
        return "" if isinstance(value, str) and not depth else self._html(value, depth)

    def _html(self, node: object, depth: int) -> str:
        self._left -= 1
        if depth > _MAX_ELEMENT_DEPTH or self._left < 0:
            return ""
        if isinstance(node, str):
            called = _REFERENCE.fullmatch(node)
            return html.escape(node) if called is None else self.row(called[1], depth + 1)
        if isinstance(node, list):
            if len(node) >= _ELEMENT and node[0] == "$" and isinstance(node[1], str):
                return self._element(node[1], node[3], depth)
            return "".join(self._html(one, depth + 1) for one in node if not _is_sign(one))
        if isinstance(node, dict):
            inner = [one for one in node.values() if isinstance(one, dict | list)]
            return "".join(self._html(one, depth + 1) for one in inner)
        return html.escape(str(node)) if isinstance(node, int | float) and depth else ""

    def _element(self, name: str, properties: object, depth: int) -> str:
        told = properties if isinstance(properties, dict) else {}
        if name in _PASSED:
            return ""
        raw = told.get("dangerouslySetInnerHTML")
        inner = self._html(told.get("children") or "", depth + 1)
        if isinstance(raw, dict):
            inner = self._raw(raw.get("__html"))
        if not _TAG.fullmatch(name):
            others = {key: one for key, one in told.items() if key != "children"}
            return "".join(self._prose(others)) + inner
        opening = f"<{name}{_flight_attributes(told)}>"
        return opening if name in _EMPTY else f"{opening}{inner}</{name}>"

    def _raw(self, text: object) -> str:
        called = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
        if called is not None:
            self._seen.add(called[1])
            text = self._rows.get(called[1])
        return text if isinstance(text, str) else ""


def _is_sign(node: object) -> bool:
    """Tell what says how to draw, and is not drawn."""
    return isinstance(node, str) and node.startswith("$") and not _REFERENCE.fullmatch(node)


def _flight_attributes(told: dict[str, object]) -> str:
    names = {"alt": "alt", "className": "class", "colSpan": "colspan", "dateTime": "datetime",
             "href": "href", "id": "id", "rowSpan": "rowspan", "src": "src"}  # fmt: skip
    pairs = [(names[name], value) for name, value in told.items() if name in names]
    return "".join(
        f' {name}="{html.escape(str(value))}"'
        for name, value in pairs
        if isinstance(value, str | int)
    )


# Find the text of a page in the data that it carries for its script.

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
