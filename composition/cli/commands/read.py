"""``webseam read``: read a page that is already here, from a file or standard input."""

import asyncio
import mimetypes
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.index.files import open_file
from ....adapters.pages.pictures import PictureConverter
from ....adapters.pages.workers.pool import Workers
from ....kernel.text.display import one_line, visible
from ....kernel.text.trim import trim
from ....ports.errors import InvalidQuery, WebError
from ....ports.pages import ReadPage
from ...settings import Settings, load_settings
from ...wiring.table import describer_of
from ..arguments.options import add_budget, budget_of
from ..arguments.parser import Parser
from ..calls import running_plugins
from ..exits import DONE
from ..output import fail, heading, say_json

MOST_BYTES = 50 * 1024 * 1024


def run(arguments: Sequence[str]) -> int:
    """Read one file, print it as markdown, and return the exit code."""
    options = command_line().parse_args(arguments)
    body = _load(options.file)
    if isinstance(body, Failure):
        return fail(body.failure(), as_json=options.json)
    kind = options.type or mimetypes.guess_type(options.file)[0] or ""
    settings = load_settings()
    if isinstance(settings, Failure):
        return fail(settings.failure(), as_json=options.json)
    page = asyncio.run(_convert(body.unwrap(), kind, options.url, settings.unwrap()))
    if isinstance(page, Failure):
        return fail(page.failure(), as_json=options.json)
    document = page.unwrap()
    text = trim(document.content, budget_of(options)).text
    if options.json:
        shown = msgspec.structs.replace(
            document, title=one_line(document.title), content=visible(text)
        )
        say_json({"success": True, "data": msgspec.to_builtins(shown)})
    else:
        print("\n\n".join(part for part in (heading(document.title, text), visible(text)) if part))
    return DONE


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
        description="Read a page you already have (HTML, PDF, text, ...) and print it as markdown.",
    )
    parser.add_argument("file", help="a file, or - for standard input")
    parser.add_argument("--url", default="", help="where it came from, to make its links absolute")
    parser.add_argument("--type", help="its content type, e.g. text/html; guessed when not given")
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
