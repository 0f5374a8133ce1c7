"""Take the pictures out of the text: they are told of beside it, by address, words and caption.

A formula that is set as a picture is text: its words are how it would be typed.
"""

import re
from typing import Final

from turbohtml import Element, Text

from .....ports.pages import PageImage
from ....pages.safe_text import absolute_url, one_line
from .formula_rendering import put_formula

# What a script would load comes before what stands there until then; of several sizes the largest.
_SOURCES: Final = ("data-src", "data-original", "data-lazy-src")
_SETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")
# Where a caption stands whose words are not kept; sites name their own the same.
CAPTION: Final = "data-caption"
_CAPTIONS: Final = ".wp-caption-text,.caption-text,.image-caption,.img-caption"
_CAPTIONED: Final = ".wp-caption,.caption,.image,.image-container,.image-wrapper"
# In lower case: to ignore the case of a name takes far longer.
_FORMULA: Final = re.compile(r"math|tex\b|latex|equation|formula")
_DRAWN: Final = re.compile(r"//latex\.codecogs\.com/|/latex\.php\?|/math/render/")
_TEX: Final = re.compile(r"[\\^_{}=]|\A\w\Z")
_MAX_FORMULA_CHARS: Final = 1_500
_MAX_CAPTION_CHARS: Final = 300
_MAX_IMAGES: Final = 5_000
_MAX_LISTED_IMAGES: Final = 50
_MAX_IMAGE_LIST_BYTES: Final = 8_000
_AROUND: Final = 40


def take_images(root: Element, base: str) -> tuple[PageImage, ...]:
    """Take every picture out of ``root``; return those that have words and an address."""
    told: dict[str, PageImage] = {}
    left = _MAX_IMAGE_LIST_BYTES
    for image in [
        *root.find_all("img", limit=_MAX_IMAGES),
        *root.find_all("amp-img", limit=_MAX_LISTED_IMAGES),
    ]:
        if formula := _formula(image):
            _put(image, formula)
            continue
        picture = _picture(image, base) if left >= 0 and len(told) < _MAX_LISTED_IMAGES else None
        if picture is not None and picture.url not in told:
            size = f"{picture.url}{picture.alt}{picture.caption}"
            left -= len(size.encode()) + _AROUND
            if left >= 0:
                told[picture.url] = picture
        image.decompose()
    return tuple(told.values())


def _formula(image: Element) -> str:
    """Return how a formula would be typed; nothing of any other picture."""
    names, source = image.attr("class"), image.attr("src") or ""
    drawn = ("latex" in source or "/math/" in source) and _DRAWN.search(source)
    is_formula = drawn or (names and _FORMULA.search(names.lower()))
    return one_line(image.attr("alt") or "", _MAX_FORMULA_CHARS) if is_formula else ""


def _put(image: Element, formula: str) -> None:
    """Write a formula; what only names one, such as "Equation 1", is plain text."""
    if _TEX.search(formula):
        put_formula(image, formula, display="display" in (image.attr("class") or ""))
    else:
        image.replace_with(Text(formula))


def _words(image: Element) -> str:
    return one_line(image.attr("alt") or "", _MAX_CAPTION_CHARS)


def _picture(image: Element, base: str) -> PageImage | None:
    words, told = _words(image), image_caption(image)
    address = _address(image, base) if words or told else None
    return None if address is None else PageImage(url=address, alt=words, caption=told or None)


def image_caption(image: Element) -> str:
    """Return what stands under a picture, where its figure or its box says that it is that."""
    figure = image.closest("figure")
    caption = None if figure is None else figure.find("figcaption")
    if figure is None and (box := image.closest(_CAPTIONED)) is not None:
        caption = box.select_one(_CAPTIONS)
    told = image.attr(CAPTION) or "" if caption is None else caption.text
    return one_line(told, _MAX_CAPTION_CHARS)


def _address(image: Element, base: str) -> str | None:
    lazy = [source for name in _SOURCES if (source := image.attr(name))]
    sources = [*lazy, *_largest(image, _SETS[:2]), image.attr("src") or ""]
    addresses = (absolute_url(source, base) for source in sources if source)
    found = next((address for address in addresses if address), None)
    if found is not None:
        return found
    above = image.parent
    beside = (
        above.find_all("source") if isinstance(above, Element) and above.tag == "picture" else []
    )
    others = [one for element in (image, *beside) for one in _largest(element, _SETS)]
    return next((address for one in others if (address := absolute_url(one, base))), None)


def _largest(element: Element, names: tuple[str, ...]) -> list[str]:
    """Return the last of each set of sizes, which is the largest, as they are mostly written."""
    sets = [value for name in names if (value := element.attr(name))]
    lasts = [_SIZES.split(value.strip())[-1].split(maxsplit=1) for value in sets]
    return [words[0] for words in lasts if words]


_SIZES: Final = re.compile(r",\s+")
