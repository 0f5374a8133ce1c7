"""Feeds: RSS, Atom and JSON, and the pages that they list."""

import msgspec
from turbohtml import parse
from turbohtml.extract import feed


class _JsonFeed(msgspec.Struct, frozen=True):
    items: list[object]


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
    links = [entry.get("url") or entry.get("external_url") for entry in entries]
    return [link for link in links if isinstance(link, str)]
