"""What reading a page gives."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A page's bytes, decompressed, and where they came from.

    ``url`` is as asked for; ``final_url`` is where the redirects led, after ``hops`` of them.
    ``content_type`` is the header as sent, blank when there was none; ``headers`` holds the few
    others that say something about the page.
    """

    url: str
    final_url: str
    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    hops: int


class PageComment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment under a page; ``depth`` is 0 for one that answers the page itself."""

    text: str
    author: str | None = None
    published_at: str | None = None
    depth: int = 0


class PageFact(msgspec.Struct, frozen=True, kw_only=True):
    """What the page's data says of a thing on it: the price of a Product, the date of an Event."""

    of: str
    name: str
    value: str


class PageImage(msgspec.Struct, frozen=True, kw_only=True):
    """A picture in the content: where it is, its words, and what stands under it."""

    url: str
    alt: str = ""
    caption: str | None = None


# menus: navigation, footers and dialogs. unlikely: what does not read like the content. copies:
# what was said before. comments: what readers wrote.
LeftOutKind: TypeAlias = Literal["menus", "unlikely", "copies", "comments"]


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a page that are not in its content, by why they are not."""

    kind: LeftOutKind
    words: int


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page as a person would read it.

    ``content`` is markdown: no remote image, no link but http, https and mailto, no character that
    hides. Everything else is what the page says about itself, and None where it says nothing;
    nobody has vouched for any of it. ``kind`` is a guess at what sort of page it is, ``links`` the
    number of links in the content, and ``notes`` says what was left out or could not be done;
    ``left_out`` counts the words of it by kind.
    ``images`` are the pictures in the content, ``facts`` what its data says of things on it;
    ``comments`` are there only where asked for. ``robots`` is what it asks of those, as it says it
    in ``<meta name=robots>``.
    """

    title: str
    content: str
    language: str | None = None
    author: str | None = None
    published_at: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    site_name: str | None = None
    kind: str | None = None
    links: int = 0
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    facts: tuple[PageFact, ...] = ()
    images: tuple[PageImage, ...] = ()
    comments: tuple[PageComment, ...] = ()
    robots: tuple[str, ...] = ()
