"""Feeds: RSS, Atom and JSON, and the pages that they list."""

import re
from typing import Final

import msgspec
from turbohtml import parse
from turbohtml.extract import feed

_ROOT: Final = re.compile(r"<(?![?!])(?:\w+:)?(\w*)")
_ROOTS: Final = frozenset({"rss", "feed", "RDF"})
_ROOT_END: Final = re.compile(r"</(?:\w+:)?(?:rss|feed|RDF)\s*>")
_ENTRY_END: Final = re.compile(r"</(?:\w+:)?(?:item|entry)\s*>")
_TOO_SOON: Final = "it is broken: it ends too soon; what can be read is taken"


class _JsonFeed(msgspec.Struct, frozen=True):
    items: list[object]


def whole_entries(text: str) -> tuple[str, str]:
    """Return a feed without an entry that is cut off, and what is wrong with it, if anything."""
    root = _ROOT.search(text)
    if root is None or root[1] not in _ROOTS or _ROOT_END.search(text) is not None:
        return text, ""
    ends = [found.end() for found in _ENTRY_END.finditer(text)]
    return text[: ends[-1] if ends else 0], _TOO_SOON


def feed_links(text: str) -> list[str] | None:
    """Return the pages of a feed of RSS or Atom, None where it is none."""
    channel = feed(text) or parse(text).feed()
    if channel is None:
        return None
    return [entry.link for entry in channel.entries if entry.link]


def json_feed_links(content: bytes) -> list[str] | None:
    """Return the pages of a JSON feed (https://www.jsonfeed.org/version/1.1/, read 2026-11-16)."""
    try:
        items = msgspec.json.decode(content, type=_JsonFeed).items
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    entries = [item for item in items if isinstance(item, dict)]
    links = (entry.get("url") or entry.get("external_url") or _own(entry) for entry in entries)
    return [link for link in links if isinstance(link, str)]


def _own(entry: dict[object, object]) -> str | None:
    """Return the name of an entry where that is an address, as the format would have it."""
    name = entry.get("id")
    is_address = isinstance(name, str) and name.startswith(("http://", "https://"))
    return str(name) if is_address else None
