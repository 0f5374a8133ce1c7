"""Parse a page: bytes by the charset that they are in, and what a browser would put in its place.

A part that a page carries in a shadow root or in a frame's own text is shown where it stands.
"""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Document, Element, Node, Text, parse
from turbohtml.detect import detect

from ...pages.safe_text import decode_if_utf8

_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,40})", re.IGNORECASE)
_DECLARED: Final = re.compile(
    rb"(?:charset|<\?xml[^>]{0,80}\bencoding)\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
_DECLARATION_BYTES: Final = 8_192
_UTF8: Final = frozenset({"utf-8", "utf8"})
# What servers say of pages that they know nothing of.
_WESTERN: Final = frozenset({"iso-8859-1", "iso8859-1", "latin1", "us-ascii", "windows-1252"})
# So many characters are broken, and more than are whole, where it is another charset: two bytes of
# Chinese or Japanese look like a character of UTF-8 now and then.
_MIN_BROKEN_CHARS: Final = 10
_SHIFTS: Final = re.compile(rb"\x1b\$[@B]")
# Formatting that is never closed is opened again in every paragraph that follows, each with all
# that were before it: a few hundred kilobytes of it fill the memory.
_FORMATTING: Final = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_MAX_OPEN_TAGS: Final = 1_000
_MIN_CLOSED_SHARE: Final = 0.1


def parse_page(html: str | bytes, content_type: str = "") -> Document | None:
    """Parse a page; nothing when it is built to blow up.

    Bytes that can only be UTF-8 are that. Else a byte order mark goes before the header's charset,
    and that before what the page says, unless the bytes show that it cannot be. Names that browsers
    do not know, such as utf-7, are not used.
    """
    if isinstance(html, bytes):
        text = decode_if_utf8(html)
        if text is None:
            document = None if _blows_up(html.decode("latin-1")) else _decode(html, content_type)
            return document if document is None else _shown(document)
        html = text.removeprefix("\ufeff")
    return None if _blows_up(html) else _shown(_parsed(html))


def _parsed(html: str | bytes, encoding: str | None = None) -> Document:
    return parse(
        html,
        encoding=encoding,
        detect_encoding=encoding is None,
        positions=False,
        scripting=True,
        # A closed root could not be opened any more.
        allow_declarative_shadow_roots=False,
    )


def _decode(html: bytes, content_type: str) -> Document:
    named = _CHARSET.search(content_type)
    charset = _charset(html, "" if named is None else named[1].lower())
    if charset:
        try:
            return _parsed(html, charset)
        except LookupError:
            pass  # a name that no browser knows is no name
    return _parsed(html)


def _charset(html: bytes, named: str) -> str:
    """Return the charset to read bytes by; blank to go by what the page says, or by a look."""
    found = _DECLARED.search(html, 0, _DECLARATION_BYTES)
    told = "" if found is None else found[1].decode("ascii").lower()
    if (named or told) in _UTF8:
        if _SHIFTS.search(html):
            return "iso-2022-jp"
        if not _is_utf8(html):
            other = told if told and told not in _UTF8 else detect(_undeclared(html)).encoding
            return other or named
    if named in _WESTERN and told and told not in _WESTERN and told not in _UTF8:
        return told
    return named


def _is_utf8(html: bytes) -> bool:
    text = html.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken < _MIN_BROKEN_CHARS:
        return True
    ascii_bytes = len(html.translate(None, _HIGH))
    whole = len(text) - ascii_bytes - broken
    return broken < whole


_HIGH: Final = bytes(range(128, 256))


def _undeclared(html: bytes) -> bytes:
    return _DECLARED.sub(b" ", html)


def _blows_up(html: str) -> bool:
    tags = html.count("<")
    # To split looks no further than it must: most pages close enough in their last part.
    enough = int(_MIN_CLOSED_SHARE * tags) + 1
    if tags <= _MAX_OPEN_TAGS or len(html.rsplit("</", enough)) > enough:
        return False
    closing = [bool(mark) for mark in _FORMATTING.findall(html)]
    return len(closing) - 2 * sum(closing) > _MAX_OPEN_TAGS


# What a browser shows in the place of an element.

_MAX_SHADOW_ROOTS: Final = 2_000
_MAX_FRAMES: Final = 50
_MIN_SHADOW_WORDS: Final = 20
# What is done and what is not, in a list that nobody can tick; filters of shops can be.
_TICKED: Final = "input[type=checkbox i][disabled]"


def _shown(document: Document) -> Document:
    # Inner ones first.
    for root in reversed(document.select("template[shadowrootmode]")[:_MAX_SHADOW_ROOTS]):
        _open_shadow(root)
    for frame in document.select("iframe[srcdoc]")[:_MAX_FRAMES]:
        part = Element("div")
        part.set_inner_html(frame.attr("srcdoc") or "")
        part.remove("style")
        frame.replace_with(part)
    for box in document.select(_TICKED)[:_MAX_SHADOW_ROOTS]:
        if box.closest("li") is not None:
            box.replace_with(Text("[ ] " if box.attr("checked") is None else "[x] "))
    return document


def _open_shadow(root: Element) -> None:
    """Let a host hold what its root does, with its own children where a slot is for them.

    A root that draws a button, or only places what it is given, is left out.
    """
    host = root.parent
    if not isinstance(host, Element) or len(root.text.split()) < _MIN_SHADOW_WORDS:
        root.decompose()
        return
    shadow = Element("div")
    shadow.extend([node for part in root.children for node in part.children])
    # Its style sheets are for this part alone.
    shadow.remove("style")
    slots = {slot.attr("name") or "": slot for slot in reversed(shadow.find_all("slot"))}
    given = {slots.get(_slot(node)) for node in host.children if node is not root}
    for node in [node for node in host.children if node is not root]:
        if (slot := slots.get(_slot(node))) is not None:
            slot.insert_before(node)
    for slot in given:
        if slot is not None:
            slot.decompose()
    host.clear()
    host.extend(list(shadow.children))


def _slot(node: Node) -> str:
    return (node.attr("slot") or "") if isinstance(node, Element) else ""
