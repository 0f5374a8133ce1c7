"""Pictures among pages: read in words by a model, where one is set that can see."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from returns.result import Failure, Result

from ...ports.errors import UnsupportedContent, WebError
from ...ports.pages import ReadPage
from .backend import Converter
from .detection.magic import sniff_media_type

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PICTURE_NOTE = "a model described this picture"

# Takes the bytes and their type, and returns markdown.
Describe: TypeAlias = Callable[[bytes, str], Awaitable[Result[str, WebError]]]


class PictureConverter:
    """A ``Converter`` that has pictures described, and hands everything else on.

    Pictures are told by their first bytes, not by what the server calls them.
    """

    def __init__(self, inner: Converter, describe: Describe | None) -> None:
        self._inner = inner
        self._describe = describe

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert a body; a picture without anybody to describe it says what to set."""
        kind = sniff_media_type(body)
        if kind not in PICTURES:
            return await self._inner.convert(body, content_type, url)
        if self._describe is None:
            return Failure(picture_settings_error(kind))
        text = await self._describe(body, kind)
        return text.map(
            lambda words: ReadPage(title="", content=words, kind=kind, notes=(PICTURE_NOTE,))
        )

    def warm(self) -> None:
        """Get ready in the background."""
        self._inner.warm()

    async def aclose(self) -> None:
        """End whatever was started."""
        await self._inner.aclose()


def picture_settings_error(media_type: str) -> UnsupportedContent:
    """Say which settings would have a picture read."""
    settings = ("vision.provider", "vision.model")
    return UnsupportedContent(content_type=media_type, settings=settings)
