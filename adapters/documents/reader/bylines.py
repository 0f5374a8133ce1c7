"""Read the author and date of a comment or post from its markup."""

import re
from collections.abc import Callable
from typing import Final

import msgspec
from turbohtml import Document, Element

from ...dates import iso_date
from ...pages.safe_text import one_line

# The surest selector comes first; the first match counts.
AUTHOR_SELECTORS: Final = (
    "[itemprop=author] [itemprop=name]", "[itemprop=author] a", "[itemprop=author]",
    "[itemprop=creator]", ".fn",
    "[rel~=author]", ".hnuser,.comment-user", ".username,.message-name", ".poster h4",
    "[class*=author i] a",
    "[class*=author i]:not(:has([class*=author i]))", "[class*=author i]",
    "[class*=user-name i],[class*=username i],[class*=nickname i],[class*=meta-name i]",
    "cite:not(blockquote cite)", ".postleft dt", ".by a",
)  # fmt: skip
_TIME_SELECTORS: Final = (
    "time[datetime]", "[itemprop=dateCreated],[itemprop=datePublished]", ".age[title]", "time",
    "[class*=date i],[class*=time i]", ".comment-meta,.commentmetadata", "p.author",
    ".keyinfo .smalltext", ".otherdetails", ".blockpost > h2", ".published", ".thead",
)  # fmt: skip
# Attributes of a comment's element that hold its author.
AUTHOR_ATTRIBUTES: Final = ("author", "data-author", "data-username")
MAX_NAME_CHARS: Final = 80
MAX_BYLINE_ELEMENTS: Final = 10
_MAX_FOOTERS: Final = 500
_SAYS_PATTERN: Final = re.compile(r"\s*(?:says|said|wrote)?\s*:?\s*\Z", re.IGNORECASE)


class Byline(msgspec.Struct, frozen=True):
    """The author of a comment, its machine-readable day, and its visible dates."""

    author: str = ""
    day: str = ""
    stamps: tuple[str, ...] = ()


def read_bylines(document: Document) -> dict[Element, Byline]:
    """Return the bylines in footers of comments, by parent element; footers are pruned later."""
    footers = document.select(":is([class*=comment i],[itemprop=comment]) footer")[:_MAX_FOOTERS]
    return {
        above: comment_byline(byline_selector(footer))
        for footer in reversed(footers)
        if isinstance(above := footer.parent, Element)
    }


def byline_selector(element: Element) -> Callable[[str], list[Element]]:
    """Return a function that selects the first matches of a selector in an element."""
    return lambda selector: element.select(selector)[:MAX_BYLINE_ELEMENTS]


def comment_byline(select: Callable[[str], list[Element]]) -> Byline:
    """Return the byline in the elements that ``select`` finds; fields may be blank."""
    nodes = [node for selector in _TIME_SELECTORS for node in select(selector)]
    days = (node.attr("datetime") or node.attr("content") or node.attr("title") for node in nodes)
    stamps = (text for node in nodes if (text := one_line(node.text, MAX_NAME_CHARS)))
    return Byline(
        post_author(select),
        next((day for day in days if day and iso_date(day)), ""),
        tuple(dict.fromkeys(stamps)),
    )


def post_author(select: Callable[[str], list[Element]]) -> str:
    """Return the first author name that ``select`` finds; blank if none."""
    nodes = (node for selector in AUTHOR_SELECTORS for node in select(selector))
    return next((name for node in nodes if (name := _author_name(node))), "")


def _author_name(element: Element) -> str:
    # A <meta> element has the name in an attribute.
    return _SAYS_PATTERN.sub("", one_line(element.attr("content") or element.text, MAX_NAME_CHARS))
