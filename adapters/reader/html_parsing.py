"""Parse a page: decode its bytes, and inline shadow roots and ``srcdoc`` frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from turbohtml import Document, Element, Node, Text, parse
from turbohtml.detect import detect

from ..pages.safe_text import decode_if_utf8

# Parses a page in an encoding, or None where the parser shall detect it.
ParseWith: TypeAlias = Callable[[str | bytes, str | None], Document]

_HEADER_CHARSET_PATTERN: Final = re.compile(
    r"charset\s*+=\s*+[\"']?\s*+([^\s\"';,]{1,40})", re.IGNORECASE
)
_DECLARED_CHARSET_PATTERN: Final = re.compile(
    rb"(?:charset|<\?xml[^>]{0,80}\bencoding)\s*+=\s*+[\"']?\s*+([\w.:-]{1,40})", re.IGNORECASE
)
_DECLARATION_BYTES: Final = 8_192
_HIGH_BYTES: Final = bytes(range(128, 256))
_UTF8_CHARSETS: Final = frozenset({"utf-8", "utf8"})
# Servers send these charsets by default, so a page's own declaration wins.
_WESTERN_CHARSETS: Final = frozenset(
    {"iso-8859-1", "iso8859-1", "latin1", "us-ascii", "windows-1252"}
)
# Not UTF-8: at least this many broken characters, and more broken than valid ones. Some pairs of
# Chinese or Japanese bytes are valid UTF-8 by chance.
_MIN_BROKEN_CHARS: Final = 10
_ISO_2022_SHIFT_PATTERN: Final = re.compile(rb"\x1b\$[@B]")
# The parser reopens unclosed formatting tags in every later paragraph, so a few hundred kilobytes
# of them fill the memory.
_FORMATTING_TAG_PATTERN: Final = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_MAX_OPEN_TAGS: Final = 1_000
_MIN_CLOSED_SHARE: Final = 0.1
_MAX_SHADOW_ROOTS: Final = 2_000
_MAX_FRAMES: Final = 50
_MIN_SHADOW_WORDS: Final = 20
# Disabled checkboxes show the state of a task list; enabled ones are shop filters.
_CHECKBOX_SELECTOR: Final = "input[type=checkbox i][disabled]"


def parse_page(html: str | bytes, content_type: str = "") -> Document | None:
    """Parse a page; None when its tree would exhaust the memory.

    Bytes that can only be UTF-8 are decoded as UTF-8. Otherwise a byte order mark goes before the
    header's charset, and that before the page's declaration, unless the bytes contradict it.
    Charsets that browsers do not support, such as utf-7, are ignored.
    """
    document = parse_decoded(html, content_type, _parse_html)
    return None if document is None else _inline_shadow_and_frames(document)


def parse_decoded(html: str | bytes, content_type: str, parse_with: ParseWith) -> Document | None:
    """Decode a page as ``parse_page`` does, and parse it with a function."""
    if isinstance(html, bytes):
        text = decode_if_utf8(html)
        if text is None:
            if _has_too_many_open_tags(html.decode("latin-1")):
                return None
            return _parse_bytes(html, content_type, parse_with)
        html = text.removeprefix("\ufeff")
    return None if _has_too_many_open_tags(html) else parse_with(html, None)


def _parse_html(html: str | bytes, encoding: str | None = None) -> Document:
    return parse(
        html,
        encoding=encoding,
        detect_encoding=encoding is None,
        positions=False,
        scripting=True,
        # Nothing can read a closed shadow root after parsing.
        allow_declarative_shadow_roots=False,
    )


def _parse_bytes(html: bytes, content_type: str, parse_with: ParseWith) -> Document:
    header_charset = _HEADER_CHARSET_PATTERN.search(content_type)
    charset = _choose_charset(html, "" if header_charset is None else header_charset[1].lower())
    if charset:
        try:
            return parse_with(html, charset)
        except LookupError:
            pass  # browsers ignore a charset that they do not support
    return parse_with(html, None)


def _choose_charset(html: bytes, named: str) -> str:
    """Return the charset of the bytes; blank to let the parser detect it."""
    declaration = _DECLARED_CHARSET_PATTERN.search(html, 0, _DECLARATION_BYTES)
    declared = "" if declaration is None else declaration[1].decode("ascii").lower()
    if (named or declared) in _UTF8_CHARSETS:
        if _ISO_2022_SHIFT_PATTERN.search(html):
            return "iso-2022-jp"
        if not _is_mostly_utf8(html):
            alternative = (
                declared
                if declared and declared not in _UTF8_CHARSETS
                else detect(_DECLARED_CHARSET_PATTERN.sub(b" ", html)).encoding
            )
            return alternative or named
    if (
        named in _WESTERN_CHARSETS
        and declared
        and declared not in _WESTERN_CHARSETS
        and declared not in _UTF8_CHARSETS
    ):
        return declared
    return named


def _is_mostly_utf8(html: bytes) -> bool:
    text = html.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if broken < _MIN_BROKEN_CHARS:
        return True
    ascii_bytes = len(html.translate(None, _HIGH_BYTES))
    valid = len(text) - ascii_bytes - broken
    return broken < valid


def _has_too_many_open_tags(html: str) -> bool:
    tags = html.count("<")
    # A limited split stops early: most pages close enough tags in their last part.
    needed_closings = int(_MIN_CLOSED_SHARE * tags) + 1
    if tags <= _MAX_OPEN_TAGS or len(html.rsplit("</", needed_closings)) > needed_closings:
        return False
    closing = [bool(slash) for slash in _FORMATTING_TAG_PATTERN.findall(html)]
    return len(closing) - 2 * sum(closing) > _MAX_OPEN_TAGS


def _inline_shadow_and_frames(document: Document) -> Document:
    # Inner roots come last in the document and are opened first.
    for root in reversed(document.select("template[shadowrootmode]")[:_MAX_SHADOW_ROOTS]):
        _inline_shadow_root(root)
    for frame in document.select("iframe[srcdoc]")[:_MAX_FRAMES]:
        frame_body = Element("div")
        frame_body.set_inner_html(frame.attr("srcdoc") or "")
        frame_body.remove("style")
        frame.replace_with(frame_body)
    for box in document.select(_CHECKBOX_SELECTOR)[:_MAX_SHADOW_ROOTS]:
        if box.closest("li") is not None:
            box.replace_with(Text("[ ] " if box.attr("checked") is None else "[x] "))
    return document


def _inline_shadow_root(root: Element) -> None:
    """Replace a host's children with its shadow tree, and put the children into their slots.

    Drop a root with few words: it draws a control or only lays out the children.
    """
    host = root.parent
    if not isinstance(host, Element) or len(root.text.split()) < _MIN_SHADOW_WORDS:
        root.decompose()
        return
    shadow = Element("div")
    shadow.extend([node for part in root.children for node in part.children])
    # A shadow root's style sheets apply only inside it.
    shadow.remove("style")
    slots = {slot.attr("name") or "": slot for slot in reversed(shadow.find_all("slot"))}
    filled_slots = {slots.get(_slot_name(node)) for node in host.children if node is not root}
    for node in [node for node in host.children if node is not root]:
        if (slot := slots.get(_slot_name(node))) is not None:
            slot.insert_before(node)
    for slot in filled_slots:
        if slot is not None:
            slot.decompose()
    # The children that no slot takes are not shown.
    unslotted = Element("noembed")
    unslotted.extend([node for node in host.children if node is not root])
    host.clear()
    host.extend([*shadow.children, unslotted])


def _slot_name(node: Node) -> str:
    return (node.attr("slot") or "") if isinstance(node, Element) else ""
