"""Put pictures, and PDFs of pictures, into words."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from returns.result import Failure, Result

from webseam.ports.errors import EmptyContent, UnsupportedContent, WebError
from webseam.ports.pages import ReadPage

from .backend import Converter
from .detection import sniff_media_type
from .scans import ScanReader

PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
PICTURE_NOTE = "a model described this picture"

_NO_TEXT_RESULT = Failure(EmptyContent(reason="no_text"))

# Takes the bytes and the media type of a picture, and returns markdown.
Describe: TypeAlias = Callable[[bytes, str], Awaitable[Result[str, WebError]]]


class PictureConverter:
    """A ``Converter`` that describes pictures, reads scans, and passes everything else on.

    The first bytes decide what is a picture, not the server's content type.
    """

    def __init__(self, inner: Converter, describe: Describe | None) -> None:
        self._inner, self._describe = inner, describe
        self._scans = ScanReader(describe)

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert a body; a picture without a vision model fails with the settings to set."""
        kind = sniff_media_type(body)
        if kind not in PICTURE_TYPES:
            page = await self._inner.convert(body, content_type, url)
            is_scan = kind == "application/pdf" and page == _NO_TEXT_RESULT
            return await self._scans.read(body) if is_scan else page
        if self._describe is None:
            settings = ("vision.provider", "vision.model")
            return Failure(UnsupportedContent(content_type=kind, settings=settings))
        text, notes = await self._describe(body, kind), (PICTURE_NOTE,)
        return text.map(lambda words: ReadPage(title="", content=words, kind=kind, notes=notes))

    def warm(self) -> None:
        """Warm the inner converter in the background."""
        self._inner.warm()

    async def aclose(self) -> None:
        """Close the inner converter and the reader of scans."""
        await self._inner.aclose()
        await self._scans.aclose()
