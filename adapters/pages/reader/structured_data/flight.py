"""The page that React streams to its script, row by row (``self.__next_f.push``), as HTML.

A row is ``id:JSON`` or ``id:Tlength,text``; an element is ``["$", type, key, properties]``, and
``$id`` stands for another row. Read from pages of Next.js 13 to 16.
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from typing import Final

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
    pushed = [_decoded(text) for script in scripts for text in _PUSHED.findall(script)]
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
            yield name, _decoded(line)


def _decoded(line: str) -> object:
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
        opening = f"<{name}{_attributes(told)}>"
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


def _attributes(told: dict[str, object]) -> str:
    names = {"alt": "alt", "className": "class", "colSpan": "colspan", "dateTime": "datetime",
             "href": "href", "id": "id", "rowSpan": "rowspan", "src": "src"}  # fmt: skip
    pairs = [(names[name], value) for name, value in told.items() if name in names]
    return "".join(
        f' {name}="{html.escape(str(value))}"'
        for name, value in pairs
        if isinstance(value, str | int)
    )
