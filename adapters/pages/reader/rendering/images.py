"""Take the pictures out of the text: they are told of beside it, by address, words and caption.

A formula that is set as a picture is text: its words are how it would be typed.
"""

import re
from typing import Final

from turbohtml import Element, Text

from .....ports.pages import PageImage
from ...text import absolute, one_line

_SOURCES: Final = ("data-src", "data-original", "data-lazy-src", "src")
# In lower case: to ignore the case of a name takes far longer.
_FORMULA: Final = re.compile(r"math|tex\b|latex|equation|formula")
_LONGEST: Final = 300
_MOST_IMAGES: Final = 5_000
_MOST_TOLD: Final = 50
_MOST_BYTES: Final = 8_000
_AROUND: Final = 40


def take_images(root: Element, base: str) -> tuple[PageImage, ...]:
    """Take every picture out of ``root``; return those that have words and an address."""
    told: dict[str, PageImage] = {}
    left = _MOST_BYTES
    for image in root.find_all("img", limit=_MOST_IMAGES):
        if formula := _formula(image):
            image.replace_with(Text(formula))
            continue
        picture = _picture(image, base) if left >= 0 and len(told) < _MOST_TOLD else None
        if picture is not None and picture.url not in told:
            size = f"{picture.url}{picture.alt}{picture.caption}"
            left -= len(size.encode()) + _AROUND
            if left >= 0:
                told[picture.url] = picture
        image.decompose()
    return tuple(told.values())


def _formula(image: Element) -> str:
    """Return how a formula would be typed; nothing of any other picture."""
    names = image.attr("class")
    return _words(image) if names and _FORMULA.search(names.lower()) else ""


def _words(image: Element) -> str:
    return one_line(image.attr("alt") or "", _LONGEST)


def _picture(image: Element, base: str) -> PageImage | None:
    words = _words(image)
    figure = image.closest("figure")
    caption = None if figure is None else figure.find("figcaption")
    told = "" if caption is None else one_line(caption.text, _LONGEST)
    address = _address(image, base) if words or told else None
    return None if address is None else PageImage(url=address, alt=words, caption=told or None)


def _address(image: Element, base: str) -> str | None:
    sources = [source for name in _SOURCES if (source := image.attr(name))]
    addresses = (absolute(source, base) for source in sources)
    return next((address for address in addresses if address), None)
