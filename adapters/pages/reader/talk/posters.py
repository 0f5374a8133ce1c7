"""Who wrote each post of a forum: without their names a thread is hard to follow."""

from collections.abc import Sequence

from turbohtml import Element

from ..blocks import Cut
from .bylines import FIRST, SAID, poster


def keep_posters(cut: Cut, numbers: Sequence[int], chosen: list[bool]) -> None:
    """Keep the line with the name of who wrote it in each post of which anything is kept."""
    for number in numbers:
        box = cut.boxes[number]
        if True in chosen[box.first : box.last]:
            name = _poster(box.node)
            lines = range(box.first, box.last) if name else ()
            place = next((place for place in lines if cut.runs[place].text == name), None)
            if place is not None:
                chosen[place] = True


def _poster(post: Element) -> str:
    said = next((name for mark in SAID if (name := post.attr(mark))), "")
    return said or poster(lambda selector: post.select(selector)[:FIRST])
