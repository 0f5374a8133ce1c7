"""Images and files in messages: data URLs, read into a media type and base64."""

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

import msgspec

from webseam.adapters.values.json_values import as_mapping, text

_TYPE_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}
# Image types that Claude and Nova accept, with Bedrock's name for each.
IMAGE_FORMATS = {"image/jpeg": "jpeg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}


class Media(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes with a media type; ``data`` is base64 without line breaks."""

    type: str
    data: str


def read_media_url(url: str) -> Media | None:
    """Return the content of a data URL (RFC 2397); None for other URLs and for broken base64.

    >>> read_media_url("data:image/jpg;base64,/9j/")
    Media(type='image/jpeg', data='/9j/')
    """
    head, comma, body = url.partition(",")
    if not comma or head[:5].lower() != "data:":
        return None
    kind, *options = (option.strip().lower() for option in head[5:].split(";"))
    kind = _TYPE_ALIASES.get(kind, kind) or "text/plain"
    if "base64" not in options:
        content = unquote_to_bytes(body.encode("utf-8", "replace"))
        return Media(type=kind, data=base64.b64encode(content).decode())
    data = "".join(body.split())
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return Media(type=kind, data=data)


def image_part_url(part: Mapping[str, object]) -> str:
    """Return the URL of an ``image_url`` part, which is a text or an object."""
    image = part.get("image_url")
    return text(image) or text(as_mapping(image).get("url"))


def decode_media_text(media: Media) -> str:
    """Return the bytes as text, with U+FFFD where they are not UTF-8."""
    return base64.b64decode(media.data).decode("utf-8", "replace")
