"""Draw a page of a PDF as a picture, in a worker process."""

import base64
import struct
import zlib
from contextlib import closing
from typing import Final

from returns.result import Result, Success

from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

from .. import draft

# Readers of scans want about 200 dots an inch; a point is a 72nd of an inch.
_MAX_SCALE: Final = 200 / 72
_MAX_SIDE_PIXELS: Final = 2_000


def draw_pdf_page(body: bytes, number: str, _url: str) -> Result[ReadPage, WebError]:
    """Return a page, counted from 1, as a grey PNG in base64; the title is the number of pages."""
    import pypdfium2  # noqa: PLC0415  only where there is a PDF

    try:
        with closing(pypdfium2.PdfDocument(body)) as document:
            page = document[int(number) - 1]
            scale = min(_MAX_SCALE, _MAX_SIDE_PIXELS / max(1.0, *page.get_size()))
            bitmap = page.render(scale=scale, grayscale=True)
            picture = _grey_png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
            content = base64.b64encode(picture).decode("ascii")
            return Success(ReadPage(title=str(len(document)), content=content))
    except (pypdfium2.PdfiumError, IndexError, ValueError):
        return draft.corrupt_failure("a page could not be drawn")


def _grey_png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """Return a PNG of one byte a pixel; each line begins with its filter, 0 for none."""
    lines = (pixels[start : start + width] for start in range(0, height * stride, stride))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + line for line in lines), 6)
    chunks = ((b"IHDR", head), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
