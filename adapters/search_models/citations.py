"""The one extractor: any answer of any search model becomes rows, prose, and what was left out.

Mentions of a page are collected from every place that may have one. The first keeps the rank and
the address; a title or a snippet that it lacks comes from the others, and from nowhere else.
"""

from collections.abc import Sequence
from itertools import islice

import msgspec

from ..values.markup import excerpt
from ..values.rows import row
from .candidates import Candidate, Tier
from .page_keys import host_of, is_address, page_key, post_title
from .prose import links_in, prose_of
from .shapes import mentions, troubles

ALL_TIERS: tuple[Tier, ...] = ("results", "annotations", "citations", "sources", "links")

# No answer has more; who sends one is not read to its end.
_MOST_MENTIONS = 5000
_MOST_TITLE = 300
_MOST_SNIPPET = 2000


class Citations(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer holds: rows for the kernel, its prose, and what could not be used.

    ``left_out`` counts citations without a usable address; ``troubles`` are the codes of searches
    that failed inside the answer.
    """

    rows: tuple[dict[str, object], ...] = ()
    answer: str = ""
    left_out: int = 0
    troubles: tuple[str, ...] = ()


def find_citations(
    payload: object,
    *,
    answer: str | None = None,
    tiers: Sequence[Tier] = ALL_TIERS,
    first_only: bool = False,
) -> Citations:
    """Read any JSON; never raises. ``answer`` is the prose where it is known already.

    ``tiers`` says what counts, the best first. With ``first_only`` the first tier that has a usable
    address gives all rows, and the others only fill in what these lack. Links in the prose count
    only where there is nothing else.
    """
    said = prose_of(payload) if answer is None else answer.strip()
    found = [each for each in islice(mentions(payload), _MOST_MENTIONS) if each.tier in tiers]
    usable = [each for each in found if is_address(each.url)]
    if not usable and "links" in tiers:
        usable = [each for each in links_in(said) if is_address(each.url)]
    usable.sort(key=lambda each: tiers.index(each.tier))
    return Citations(
        rows=tuple(_rows(usable, first_only=first_only)),
        answer=_whole(said),
        left_out=sum(not is_address(each.url) for each in found),
        troubles=tuple(troubles(payload)),
    )


def _rows(usable: Sequence[Candidate], *, first_only: bool) -> list[dict[str, object]]:
    pages: dict[str, list[Candidate]] = {}
    for each in usable:
        key = page_key(each.url)
        if key in pages or not first_only or each.tier == usable[0].tier:
            pages.setdefault(key, []).append(each)
    return [_row(same) for same in pages.values()]


def _row(same: Sequence[Candidate]) -> dict[str, object]:
    """Make one row of all mentions of a page."""
    url = same[0].url
    titles = (excerpt(_whole(each.title), _MOST_TITLE) for each in same)
    title = next((each for each in titles if _is_title(each, url)), "")
    words = (*(each.snippet for each in same), *(each.claim for each in same))
    snippets = (excerpt(_whole(each), _MOST_SNIPPET) for each in words)
    made = row(
        title=title or post_title(url) or host_of(url),
        url=url,
        snippet=next((each for each in snippets if each), ""),
        published=next((_date(each.published) for each in same if each.published), None),
    )
    return {**made, "origin": "model"}


def _is_title(title: str, url: str) -> bool:
    """Tell a title from what stands in its place: a number, the address, its host."""
    bare = title.strip("[]()# ")
    return bool(bare) and not bare.isdigit() and bare.lower() not in (url.lower(), host_of(url))


def _date(published: object) -> object:
    return _whole(published) if isinstance(published, str) else published


def _whole(text: str) -> str:
    """Return a text that can be written: half a surrogate pair cannot."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
