"""JSON in a fence, and JSON feeds as lists."""

import re
from typing import Final

import msgspec

from . import charset, draft, feeds, markdown_writing, plain_text_page

_STRING_PATTERN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ALL_BUT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_MAX_INDENTED_CHARS: Final = 4_000_000
_MAX_DEPTH: Final = 200


def read_json(source: draft.Source) -> draft.PageResult:
    """Return JSON in a fence, a JSON feed as a list; text that is not JSON stays text."""
    text = charset.decode_source(source).strip()
    if len(text) > charset.MAX_PAGE_CHARS:
        return plain_text_page.read_fenced_text(source, "json")
    raw = text.encode("utf-8", "replace")
    if not text or not is_json(raw):
        return plain_text_page.read_plain_text(source)
    special = feeds.read_json_feed(raw, source)
    if special is not None:
        return special
    content = markdown_writing.code_block(_indent_json(raw, text), "json")
    return draft.finish_draft(draft.Draft(content=content, title=source.file_name))


def is_json(raw: bytes) -> bool:
    """Tell whether bytes are one JSON value that is not nested too deeply."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (ValueError, RecursionError):
        return False
    return True


def _indent_json(raw: bytes, text: str) -> str:
    """Indent JSON unless that makes it far longer: blanks grow with depth times lines."""
    brackets = _STRING_PATTERN.sub(b"", raw).translate(None, _ALL_BUT_BRACKETS)
    lines = len(brackets) + raw.count(b",")
    depth = _bracket_depth(brackets)
    if depth > _MAX_DEPTH or len(raw) + lines * 2 * depth > _MAX_INDENTED_CHARS:
        return text
    return msgspec.json.format(raw, indent=2).decode()


def _bracket_depth(brackets: bytes) -> int:
    """Return how deep brackets are nested.

    >>> _bracket_depth(b"[{}[[]]]")
    3
    """
    depth = deepest = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


READERS: Final = {"json": read_json}
