"""``webseam read``: read a page that is already here, from a file or standard input."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import quote

from returns.result import Failure, Result, Success

from ....adapters.index.files import open_file
from ....adapters.pages.backend import metadata_of
from ....adapters.pages.formats.detection.media import type_of_name
from ....adapters.pages.pictures import PictureConverter
from ....adapters.pages.workers.pool import Workers
from ....kernel.envelopes import extract_envelope
from ....kernel.text.display import is_plain, visible
from ....kernel.text.redaction import redact_url
from ....kernel.text.trim import trim
from ....ports.errors import InvalidQuery, WebError
from ....ports.pages import ReadPage
from ....ports.receipts import ExtractReceipt
from ....ports.web import WebExtractResult
from ...settings.loader import load_settings
from ...settings.schema import Settings
from ...wiring.backends.table import describer_of
from ..arguments.options import add_budget, budget_of
from ..arguments.parser import Parser
from ..calls import running_plugins
from ..exits import BACKEND_FAILED, DONE
from ..output import fail, heading, say_json, tell_notes

MOST_BYTES = 50 * 1024 * 1024


def run(arguments: Sequence[str]) -> int:
    """Read one file, print it as markdown, and return the exit code."""
    options = command_line().parse_args(arguments)
    if not is_plain(options.url or ""):
        wrong = InvalidQuery(field="--url", reason="is not valid Unicode text")
        return fail(wrong, as_json=options.json)
    body = _load(options.file)
    if isinstance(body, Failure):
        return fail(body.failure(), as_json=options.json)
    kind = options.type or type_of_name(options.file)
    settings = load_settings()
    if isinstance(settings, Failure):
        return fail(settings.failure(), as_json=options.json)
    # Its name says what a file is where its type says little: a notebook, subtitles, code.
    place = options.url or quote(Path(options.file).name.removeprefix("-"), errors="replace")
    page = asyncio.run(_convert(body.unwrap(), kind, place, settings.unwrap()))
    address = options.url or options.file
    return _tell(
        address, page.map(lambda content: _result(address, kind, content, options)), options
    )


def _tell(
    address: str, page: Result[WebExtractResult, WebError], options: argparse.Namespace
) -> int:
    """Print the page as ``webseam extract`` prints one, and return the same exit code."""
    if options.json:
        error = page.failure() if isinstance(page, Failure) else None
        say_json(extract_envelope([address], [page]), error)
    elif isinstance(page, Failure):
        fail(page.failure(), as_json=False)
    else:
        result = page.unwrap()
        parts = (heading(result.title, result.content), visible(result.content))
        print("\n\n".join(filter(None, parts)))
        tell_notes(result)
    return BACKEND_FAILED if isinstance(page, Failure) else DONE


def _result(
    address: str, kind: str, page: ReadPage, options: argparse.Namespace
) -> WebExtractResult:
    trimmed = trim(page.content, budget_of(options))
    return WebExtractResult(
        url=address,
        final_url=address,
        # A file's name over its own content tells nothing new.
        title="" if page.title == Path(options.file).name else page.title,
        content=trimmed.text,
        raw_content=page.content,
        metadata=metadata_of(page, kind),
        receipt=ExtractReceipt(
            backend="read",
            url=redact_url(address),
            final_url=redact_url(address),
            characters=len(page.content),
            compressed=False,
            compressed_characters=None,
            omitted=trimmed.omitted,
        ),
    )


async def _convert(
    body: bytes, kind: str, url: str, settings: Settings
) -> Result[ReadPage, WebError]:
    async with Workers(1) as workers:
        converter = PictureConverter(
            workers, describer_of(settings, partial(running_plugins, settings))
        )
        return await converter.convert(body, kind, url)


def _load(name: str) -> Result[bytes, WebError]:
    try:
        if name == "-":
            body = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open_file(Path(name)) as file:
                body = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        return _refuse(f"{name!r} cannot be read: {reason.lower()}")
    return (
        _refuse(f"is larger than {MOST_BYTES} bytes") if len(body) > MOST_BYTES else Success(body)
    )


def _refuse(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="file", reason=reason))


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam read",
        example="saved.html",
        description="Read a page you already have (HTML, PDF, text, ...) and print it as markdown.",
    )
    parser.add_argument("file", help="a file, or - for standard input")
    parser.add_argument("--url", default="", help="where it came from, to make its links absolute")
    parser.add_argument("--type", help="its content type, e.g. text/html; guessed when not given")
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
