"""Take the pictures out of the text: they are told of beside it, by address, words and caption.

A formula that is set as a picture is text: its words are how it would be typed.
"""

import re
from typing import Final

from turbohtml import Element, Text

from .....ports.pages import PageImage
from ...text import absolute, one_line

_SOURCES: Final = ("data-src", "data-original", "data-lazy-src", "src")
_FORMULA: Final = re.compile(r"math|tex\b|latex|equation|formula", re.IGNORECASE)
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
        words = one_line(image.attr("alt") or "", _LONGEST)
        if words and _FORMULA.search(image.attr("class") or ""):
            image.replace_with(Text(words))
            continue
        picture = _picture(image, words, base)
        if picture is not None and picture.url not in told and len(told) < _MOST_TOLD:
            size = f"{picture.url}{picture.alt}{picture.caption}"
            left -= len(size.encode()) + _AROUND
            if left >= 0:
                told[picture.url] = picture
        image.decompose()
    return tuple(told.values())


def _picture(image: Element, words: str, base: str) -> PageImage | None:
    figure = image.closest("figure")
    caption = None if figure is None else figure.find("figcaption")
    told = "" if caption is None else one_line(caption.text, _LONGEST)
    address = _address(image, base) if words or told else None
    return None if address is None else PageImage(url=address, alt=words, caption=told or None)


def _address(image: Element, base: str) -> str | None:
    sources = [source for name in _SOURCES if (source := image.attr(name))]
    addresses = (absolute(source, base) for source in sources)
    return next((address for address in addresses if address), None)
