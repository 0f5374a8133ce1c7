"""What is done with the text of a page after it was read; workers run it. Pure.

Every transformation takes a text and a detail, and returns a text of at most ``max_output_chars``
or a typed error. ``properties/test_transforms.py`` counts the work and the output of all of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed, WebError
from webseam.ports.pages import ReadPage

from ..compressors.extractive_compressor import extract
from ..pages import page_forms

TransformName: TypeAlias = Literal["html", "text", "links", "images", "without_images", "passages"]
# The densest HTML of honest markdown, a list of empty lists, has 14 characters for each.
_MAX_GROWTH: Final = 16
# A page of a few links has longer addresses than text.
_SPARE_CHARS: Final = 65_536
_TOO_LONG: Final = ParseFailed(reason="too_complex", detail="the result is too long for its text")


NAMED_DECODER: Final = msgspec.json.Decoder(list[tuple[str, str]])


def max_output_chars(text: str, detail: str) -> int:
    """Return how long the result of a transformation may be.

    >>> max_output_chars("x" * 1000, "")
    81536
    """
    return _MAX_GROWTH * (len(text) + len(detail)) + _SPARE_CHARS


def transform_text(text: str, name: str, detail: str) -> Result[str, WebError]:
    """Return the text transformed, or why that is too much."""
    output = TRANSFORMS[name](text, detail)
    if isinstance(output, Success) and len(output.unwrap()) > max_output_chars(text, detail):
        return Failure(_TOO_LONG)
    return output


def transform_body(body: bytes, name: str, detail: str) -> Result[ReadPage, WebError]:
    """Transform the text of a job; a worker loads this by its name."""
    if name not in TRANSFORMS:
        # The fork server converts an example page before its first fork.
        return Failure(ParseFailed(reason="corrupt", detail="there is no such transformation"))
    output = transform_text(body.decode("utf-8", "replace"), name, detail)
    return output.map(lambda text: ReadPage(title="", content=text))


def _to_html(text: str, _detail: str) -> Result[str, WebError]:
    return page_forms.markdown_to_html(text)


def _to_plain_text(text: str, _detail: str) -> Result[str, WebError]:
    return page_forms.markdown_to_text(text)


def _to_links(text: str, detail: str) -> Result[str, WebError]:
    return _encode_named(page_forms.named_links(text, detail), max_output_chars(text, detail))


def _to_images(text: str, detail: str) -> Result[str, WebError]:
    return _encode_named(page_forms.named_images(text), max_output_chars(text, detail))


def _encode_named(named: Iterator[tuple[str, str]], max_chars: int) -> Result[str, WebError]:
    """Return each pair once, in order, as JSON.

    A link of one character becomes the whole address of its page, so the length is counted while
    the links are joined.
    """
    pairs: dict[tuple[str, str], None] = {}
    chars = 0
    for pair in named:
        if pair not in pairs:
            pairs[pair] = None
            chars += len(pair[0]) + len(pair[1])
        if chars > max_chars:
            return Failure(_TOO_LONG)
    return Success(msgspec.json.encode(list(pairs)).decode())


def _without_images(text: str, _detail: str) -> Result[str, WebError]:
    return Success(page_forms.without_images(text))


def _to_passages(text: str, detail: str) -> Result[str, WebError]:
    budget, _, instruction = detail.partition(" ")
    return Success(extract(text, instruction, int(budget)))


TRANSFORMS: Final[Mapping[str, Callable[[str, str], Result[str, WebError]]]] = {
    "html": _to_html,
    "text": _to_plain_text,
    "links": _to_links,
    "images": _to_images,
    "without_images": _without_images,
    "passages": _to_passages,
}
