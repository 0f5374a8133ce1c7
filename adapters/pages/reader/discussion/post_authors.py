"""Who wrote each post of a forum: without their names a thread is hard to follow."""

from collections.abc import Sequence

from turbohtml import Element

from ..page_segments import PageSegments
from .bylines import AUTHOR_ATTRIBUTES, MAX_BYLINE_ELEMENTS, post_author


def keep_post_authors(segments: PageSegments, numbers: Sequence[int], kept: list[bool]) -> None:
    """Keep the line with the name of who wrote it in each post of which anything is kept."""
    for number in numbers:
        box = segments.boxes[number]
        if True in kept[box.first : box.last]:
            name = _poster(box.node)
            lines = range(box.first, box.last) if name else ()
            place = next((place for place in lines if segments.runs[place].text == name), None)
            if place is not None:
                kept[place] = True


def _poster(post: Element) -> str:
    said = next((name for mark in AUTHOR_ATTRIBUTES if (name := post.attr(mark))), "")
    return said or post_author(lambda selector: post.select(selector)[:MAX_BYLINE_ELEMENTS])
