"""Take the pictures out of the text and return their address, alternative text and caption.

A picture of a formula becomes text: its alternative text is the TeX.
"""

import re
from typing import Final

import msgspec
from turbohtml import Element, Text

from webseam.ports.pages import PageImage

from ...pages.safe_text import absolute_url, one_line
from .formula_rendering import put_formula

# A script's source comes before the placeholder in ``src``; of several sizes use the largest.
_LAZY_SOURCE_ATTRIBUTES: Final = ("data-src", "data-original", "data-lazy-src")
_SOURCE_SET_ATTRIBUTES: Final = ("data-srcset", "data-lazy-srcset", "srcset")
# This attribute holds the caption of a figure that is not kept; some sites use it themselves.
CAPTION_ATTRIBUTE: Final = "data-caption"
_CAPTION_SELECTOR: Final = ".wp-caption-text,.caption-text,.image-caption,.img-caption"
_CAPTIONED_SELECTOR: Final = ".wp-caption,.caption,.image,.image-container,.image-wrapper"
# The name is in lower case already: ignoring case takes far longer.
_FORMULA_CLASS_PATTERN: Final = re.compile(r"math|tex\b|latex|equation|formula")
_FORMULA_SOURCE_PATTERN: Final = re.compile(r"//latex\.codecogs\.com/|/latex\.php\?|/math/render/")
_TEX_PATTERN: Final = re.compile(r"[\\^_{}=]|\A\w\Z")
_SIZE_SEPARATOR_PATTERN: Final = re.compile(r",\s+")
_MAX_FORMULA_CHARS: Final = 1_500
_MAX_CAPTION_CHARS: Final = 300
_MAX_IMAGES: Final = 5_000
_MAX_LISTED_IMAGES: Final = 50
_MAX_IMAGE_LIST_BYTES: Final = 8_000
_IMAGE_OVERHEAD_BYTES: Final = 40


class TakenImages(msgspec.Struct, frozen=True):
    """The pictures with an address and some text, and the caps that they met."""

    images: tuple[PageImage, ...]
    cuts: tuple[str, ...]


def take_images(root: Element, base: str) -> TakenImages:
    """Take every picture out of ``root``."""
    is_cut = False
    images: dict[str, PageImage] = {}
    bytes_left = _MAX_IMAGE_LIST_BYTES
    for image in [
        *root.find_all("img", limit=_MAX_IMAGES),
        *root.find_all("amp-img", limit=_MAX_LISTED_IMAGES),
    ]:
        if formula := _formula_text(image):
            _replace_with_formula(image, formula)
            continue
        picture = None if is_cut else _page_image(image, base)
        if picture is not None and picture.url not in images:
            words = f"{picture.url}{picture.alt}{picture.caption}"
            bytes_left -= len(words.encode()) + _IMAGE_OVERHEAD_BYTES
            is_cut = bytes_left < 0 or len(images) == _MAX_LISTED_IMAGES
            if not is_cut:
                images[picture.url] = picture
        image.decompose()
    cuts = ["images"] if is_cut else []
    if any(map(_is_shortened, images.values())):
        cuts.append("captions")
    return TakenImages(tuple(images.values()), tuple(cuts))


def _is_shortened(picture: PageImage) -> bool:
    """Tell whether the description or the caption of a picture ends in the mark of a cut."""
    texts = (picture.alt, picture.caption or "")
    return any(len(text) == _MAX_CAPTION_CHARS and text.endswith("…") for text in texts)


def _formula_text(image: Element) -> str:
    """Return the typed form of a formula picture; blank for other pictures."""
    names, source = image.attr("class"), image.attr("src") or ""
    drawn = ("latex" in source or "/math/" in source) and _FORMULA_SOURCE_PATTERN.search(source)
    is_formula = drawn or (names and _FORMULA_CLASS_PATTERN.search(names.lower()))
    return one_line(image.attr("alt") or "", _MAX_FORMULA_CHARS) if is_formula else ""


def _replace_with_formula(image: Element, formula: str) -> None:
    """Replace a picture with its formula; a mere name, such as "Equation 1", is plain text."""
    if _TEX_PATTERN.search(formula):
        put_formula(image, formula, display="display" in (image.attr("class") or ""))
    else:
        image.replace_with(Text(formula))


def _page_image(image: Element, base: str) -> PageImage | None:
    alt, caption = one_line(image.attr("alt") or "", _MAX_CAPTION_CHARS), image_caption(image)
    address = _image_address(image, base) if alt or caption else None
    return None if address is None else PageImage(url=address, alt=alt, caption=caption or None)


def image_caption(image: Element) -> str:
    """Return the caption that a picture's figure or box declares; blank where there is none."""
    figure = image.closest("figure")
    caption = None if figure is None else figure.find("figcaption")
    if figure is None and (box := image.closest(_CAPTIONED_SELECTOR)) is not None:
        caption = box.select_one(_CAPTION_SELECTOR)
    text = image.attr(CAPTION_ATTRIBUTE) or "" if caption is None else caption.text
    return one_line(text, _MAX_CAPTION_CHARS)


def _image_address(image: Element, base: str) -> str | None:
    above = image.parent
    is_picture = isinstance(above, Element) and above.tag == "picture"
    alternatives = above.find_all("source") if isinstance(above, Element) and is_picture else []
    sources = (
        *(image.attr(name) or "" for name in _LAZY_SOURCE_ATTRIBUTES),
        *_largest_sources(image, _SOURCE_SET_ATTRIBUTES[:2]),
        image.attr("src") or "",
        *(
            source
            for element in (image, *alternatives)
            for source in _largest_sources(element, _SOURCE_SET_ATTRIBUTES)
        ),
    )
    addresses = (absolute_url(source, base) for source in sources if source)
    return next(filter(None, addresses), None)


def _largest_sources(element: Element, names: tuple[str, ...]) -> list[str]:
    """Return the last source of each set of sizes, which is usually the largest."""
    sets = [value for name in names if (value := element.attr(name))]
    lasts = [_SIZE_SEPARATOR_PATTERN.split(value.strip())[-1].split(maxsplit=1) for value in sets]
    return [parts[0] for parts in lasts if parts]
