"""Who wrote a comment or a post, and when, as its markup says."""

import re
from collections.abc import Callable
from typing import Final

import msgspec
from turbohtml import Document, Element

from ....pages.safe_text import one_line
from ...dates import iso_date

# By how sure each is: the first that matches anything tells.
AUTHORS: Final = (
    "[itemprop=author] [itemprop=name]", "[itemprop=author] a", "[itemprop=author]",
    "[itemprop=creator]", ".fn",
    "[rel~=author]", ".hnuser,.comment-user", ".username,.message-name", ".poster h4",
    "[class*=author i] a",
    "[class*=author i]:not(:has([class*=author i]))", "[class*=author i]",
    "[class*=user-name i],[class*=username i],[class*=nickname i],[class*=meta-name i]",
    "cite:not(blockquote cite)", ".postleft dt", ".by a",
)  # fmt: skip
_TIMES: Final = (
    "time[datetime]", "[itemprop=dateCreated],[itemprop=datePublished]", ".age[title]", "time",
    "[class*=date i],[class*=time i]", ".comment-meta,.commentmetadata", "p.author",
    ".keyinfo .smalltext", ".otherdetails", ".blockpost > h2", ".published", ".thead",
)  # fmt: skip
# Where a comment itself says who wrote it.
AUTHOR_ATTRIBUTES: Final = ("author", "data-author", "data-username")
MAX_NAME_CHARS: Final = 80
MAX_BYLINE_ELEMENTS: Final = 10
_MAX_FOOTERS: Final = 500
_BY: Final = re.compile(r"\s*(?:says|said|wrote)?\s*:?\s*\Z", re.IGNORECASE)


class Byline(msgspec.Struct, frozen=True):
    """Who wrote a comment, and what it says of when."""

    author: str = ""
    day: str = ""
    stamps: tuple[str, ...] = ()


def read_bylines(document: Document) -> dict[Element, Byline]:
    """Return what the footers of comments say, by what they stand in; footers are pruned."""
    footers = document.select(":is([class*=comment i],[itemprop=comment]) footer")[:_MAX_FOOTERS]
    return {
        above: comment_byline(_inside(footer))
        for footer in reversed(footers)
        if isinstance(above := footer.parent, Element)
    }


def _inside(element: Element) -> Callable[[str], list[Element]]:
    return lambda selector: element.select(selector)[:MAX_BYLINE_ELEMENTS]


def comment_byline(select: Callable[[str], list[Element]]) -> Byline:
    """Return what the elements that ``select`` finds say."""
    moments = [one for selector in _TIMES for one in select(selector)]
    days = (one.attr("datetime") or one.attr("content") or one.attr("title") for one in moments)
    stamps = (text for one in moments if (text := one_line(one.text, MAX_NAME_CHARS)))
    return Byline(
        post_author(select),
        next((day for day in days if day and iso_date(day)), ""),
        tuple(dict.fromkeys(stamps)),
    )


def post_author(select: Callable[[str], list[Element]]) -> str:
    """Return the first name among the elements that ``select`` finds."""
    named = (one for selector in AUTHORS for one in select(selector))
    return next((name for one in named if (name := _name(one))), "")


def _name(element: Element) -> str:
    # One that is only for machines has its name in an attribute.
    return _BY.sub("", one_line(element.attr("content") or element.text, MAX_NAME_CHARS))
