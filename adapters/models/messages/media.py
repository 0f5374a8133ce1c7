"""Images and files as messages carry them: data URLs, read into a type and base64."""

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

import msgspec

from ...values.json_values import as_mapping, text

_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}
# What Claude and Nova can see, by type, with the word that Bedrock has for it.
IMAGE_FORMATS = {
    "image/jpeg": "jpeg",
    "image/png": "png",
    "image/gif": "gif",
    "image/webp": "webp",
}


class Media(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes with a type; ``data`` is base64 without line breaks."""

    type: str
    data: str


def read_data_url(url: str) -> Media | None:
    """Return what a data URL (RFC 2397) holds; None if it is none, or its base64 is broken.

    >>> read_data_url("data:image/jpg;base64,/9j/")
    Media(type='image/jpeg', data='/9j/')
    """
    head, comma, body = url.partition(",")
    if not comma or head[:5].lower() != "data:":
        return None
    kind, *options = (word.strip().lower() for word in head[5:].split(";"))
    kind = _ALIASES.get(kind, kind) or "text/plain"
    if "base64" not in options:
        return Media(type=kind, data=base64.b64encode(_bytes(body)).decode())
    data = "".join(body.split())
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return Media(type=kind, data=data)


def image_address(part: Mapping[str, object]) -> str:
    """Return the URL of an ``image_url`` part, in either of the shapes it comes in."""
    image = part.get("image_url")
    return text(image) or text(as_mapping(image).get("url"))


def decoded_text(media: Media) -> str:
    """Return the text that the bytes are, with a mark where they are not UTF-8."""
    return base64.b64decode(media.data).decode("utf-8", "replace")


def _bytes(body: str) -> bytes:
    return unquote_to_bytes(body.encode("utf-8", "replace"))
