"""Define fetched pages and the result of reading one."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from .attempts import BackendAttempt
from .usage import UsageStatement

# The text of all parts of a page that is kept, and sent between processes.
MAX_PARTS_CHARS: Final = 1_000_000
# The name in ``cuts`` of a page whose parts are longer.
PARTS_CAP: Final = "parts"


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A page's bytes, decompressed, and where they came from.

    ``url`` is the requested URL, ``final_url`` the one after ``hops`` redirects. ``content_type``
    is the header as sent, blank if there was none; ``headers`` has the few others that describe the
    page. ``attempts`` are those that it took, if there was more than one.
    """

    url: str
    final_url: str
    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    hops: int
    attempts: tuple[BackendAttempt, ...] = ()


class PageComment(msgspec.Struct, frozen=True, kw_only=True):
    """A comment under a page; ``depth`` is 0 for a comment on the page itself."""

    text: str
    author: str | None = None
    published_at: str | None = None
    depth: int = 0


class PageDate(msgspec.Struct, frozen=True, kw_only=True):
    """A date that is stated for a page, and where: in a header, in linked data, in the page."""

    kind: Literal["published", "modified"]
    date: str
    source: Literal["address", "header", "linked data", "meta", "page"]


class PageFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact from the page's structured data: the price of a Product, the date of an Event."""

    of: str
    name: str
    value: str


class PageLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link of a page, wherever it stands: its URL and its text."""

    url: str
    text: str = ""


class PageImage(msgspec.Struct, frozen=True, kw_only=True):
    """A picture in the content: its URL, alternative text and caption."""

    url: str
    alt: str = ""
    caption: str | None = None


# menus: navigation, footers and dialogs. unlikely: text unlike the content. copies: repeated text.
# comments: text by readers. walled: text that stands in the page behind a wall. hidden: text of a
# document that nobody can see. margins: numbers of pages and of lines of code, and headers and
# footers that stood on an earlier page. agents_only: text of the markdown that the HTML does not
# show. controls: options and values of forms. truncated: text behind a limit of the reader.
LeftOutKind: TypeAlias = Literal[
    "menus",
    "unlikely",
    "copies",
    "comments",
    "walled",
    "hidden",
    "margins",
    "agents_only",
    "controls",
    "truncated",
]
# A text of a page that is kept: its content, or what was left out of it for one reason.
PartName: TypeAlias = Literal["content", LeftOutKind]
PageAccess: TypeAlias = Literal["free", "registration", "payment", "unknown"]


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The number of words that are not in the content, for one reason.

    ``handle`` names the page's record, from which they can be read; None if they were not kept.
    """

    kind: LeftOutKind
    words: int
    handle: str | None = None


class PagePart(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page that is not in its content, for one reason, in the page's order."""

    kind: LeftOutKind
    text: str


def fitting_parts(parts: Sequence[PagePart]) -> tuple[PagePart, ...]:
    """Return the parts that can be kept: short ones first, whole, in their order."""
    chars, kinds = 0, set[LeftOutKind]()
    for part in sorted(parts, key=lambda part: len(part.text)):
        chars += len(part.text)
        if chars <= MAX_PARTS_CHARS:
            kinds.add(part.kind)
    return tuple([part for part in parts if part.kind in kinds])


# as sent: what the server sent, and no script ran. rendered: what a browser shows after scripts.
PageView: TypeAlias = Literal["as sent", "rendered"]


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader knows about the text of a page that is not in its content.

    The defaults are those of a page that another service read: nothing is known. ``view`` says what
    was read, and ``content_type`` its type. The other fields are those of ``ReadPage``, but
    ``left_out`` is None where nobody counted.
    """

    view: PageView | None = None
    content_type: str = ""
    complete: bool | None = None
    cuts: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] | None = None
    notes: tuple[str, ...] = ()
    parts: tuple[PagePart, ...] = ()


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page as a person would read it.

    ``content`` is markdown without remote images, without links other than http, https and mailto,
    and without hidden characters. All other fields are the page's own statements, unverified, and
    None where it makes none. ``kind`` is a guess at the type of page, ``links`` the number of links
    in the content. ``notes`` says what was left out or failed; ``left_out`` counts its words by
    kind, ``parts`` has their text, one part for a kind, and ``cuts`` names each cap that it met.
    ``words`` are those of the page in the content: with ``left_out`` they are all of its words.
    ``images`` are in the content, ``facts`` come from structured data; ``comments`` are included on
    request. ``robots`` are its ``<meta name=robots>`` directives, ``statements`` its others about
    use, ``dates`` those stated for it. ``access`` says what a visitor needs to read all of it.
    ``complete`` is about text alone: false where a wall or a cap holds the rest, or the page hides
    most of it; None where nobody can know. ``markdown_url`` is its stated version in markdown.
    ``second_look`` is ``compared``, or why its HTML could not be; ``agents_only`` is text of the
    markdown that the HTML lacks, fenced; ``visible`` is the HTML's.
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
    parts: tuple[PagePart, ...] = ()
    cuts: tuple[str, ...] = ()
    words: int | None = None
    facts: tuple[PageFact, ...] = ()
    images: tuple[PageImage, ...] = ()
    comments: tuple[PageComment, ...] = ()
    robots: tuple[str, ...] = ()
    statements: tuple[UsageStatement, ...] = ()
    dates: tuple[PageDate, ...] = ()
    access: PageAccess = "unknown"
    complete: bool | None = True
    markdown_url: str | None = None
    second_look: str | None = None
    agents_only: str | None = None
    visible: str = ""
