"""Read a PDF of pictures page by page: with a vision model, or with tesseract."""

import asyncio
import base64
import os
import shutil
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import EmptyContent, ParseFailed, WebError
from webseam.ports.pages import ReadPage

from .workers.pool import Workers

ReadPicture: TypeAlias = Callable[[bytes, str], Awaitable[Result[str, WebError]]]
SCAN_PAGE_CONVERTER: Final = (
    "webseam.adapters.features.documents.formats.pdf.page_pictures:draw_pdf_page"
)
_MAX_SCAN_PAGES: Final = 20
_TESSERACT_SECONDS: Final = 60
# A shell sets the limits before the program starts: memory in KiB, processor time, no files.
_TESSERACT_COMMAND: Final = (
    f'ulimit -v 2000000; ulimit -t {_TESSERACT_SECONDS}; ulimit -f 0; exec "$0" stdin stdout'
)


def tesseract_reader() -> ReadPicture | None:
    """Return a reader that runs tesseract; None where it is not installed."""
    program = shutil.which("tesseract")
    if program is None or os.name != "posix":
        return None

    async def read(picture: bytes, _media_type: str) -> Result[str, WebError]:
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            _TESSERACT_COMMAND,
            program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.defpath, "OMP_THREAD_LIMIT": "1"},
        )
        try:
            async with asyncio.timeout(_TESSERACT_SECONDS):
                text, _ = await process.communicate(picture)
        except TimeoutError:
            return Failure(ParseFailed(reason="out_of_time"))
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            return Failure(ParseFailed(reason="crashed", detail="tesseract failed"))
        return Success(text.decode("utf-8", "replace"))

    return read


class ScanReader:
    """Draws the pages of a PDF in a worker process and reads each of them."""

    def __init__(self, describe: ReadPicture | None) -> None:
        """Read with ``describe``, else with tesseract."""
        self._describe = describe
        self._workers = Workers(1, converter=SCAN_PAGE_CONVERTER)

    async def read(self, body: bytes) -> Result[ReadPage, WebError]:
        """Return the pages that could be read; an error if there is none.

        The first failure, such as a spent budget, ends the reading; a note tells what is missing.
        """
        reader = self._describe or tesseract_reader()
        if reader is None:
            return Failure(EmptyContent(reason="scan"))
        texts: list[str] = []
        error: WebError = EmptyContent(reason="no_text")
        number, total = 0, 1
        while number < min(total, _MAX_SCAN_PAGES):
            drawn = await self._workers.convert(body, str(number + 1))
            text = (
                Failure(drawn.failure())
                if isinstance(drawn, Failure)
                else await reader(base64.b64decode(drawn.unwrap().content), "image/png")
            )
            if isinstance(text, Failure):
                error = text.failure()
                break
            number, total = number + 1, int(drawn.unwrap().title)
            words = text.unwrap().strip()
            texts += [f"## Page {number}\n\n{words}"] if words else []
        if not texts:
            return Failure(error)
        by = "tesseract" if self._describe is None else "a model"
        notes = [f"{by} read the pictures of {number:,} pages"]
        if number < total:
            reason = f" ({error.kind})" if error.kind != "empty_content" else ""
            notes.append(f"pages that were not read: {number + 1:,} to {total:,}{reason}")
        page = ReadPage(title="", content="\n\n".join(texts), kind="pdf", notes=tuple(notes))
        return Success(msgspec.structs.replace(page, complete=number == total))

    async def aclose(self) -> None:
        """End the worker."""
        await self._workers.aclose()
