"""Look things up: read a file as a page is read."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.folder_files import file_url
from webseam.adapters.pages.backend import page_metadata, page_reading
from webseam.adapters.pages.detection import media_type_of_name
from webseam.adapters.pages.pictures import PictureConverter
from webseam.adapters.pages.workers.pool import Workers, converter_name
from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.composition.terminal import argument_parser
from webseam.composition.terminal.command_calls import with_terminal_session
from webseam.composition.terminal.exit_codes import BACKEND_FAILED, DONE
from webseam.composition.terminal.output import (
    print_error,
    print_json,
    print_page_notes,
    unwrap_or_exit,
)
from webseam.composition.terminal.page_files import read_page_file
from webseam.composition.wiring.backend_table import make_picture_describer
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.envelopes import extract_envelope
from webseam.kernel.pages.page_budget import add_page_warning, keep_page
from webseam.kernel.pages.page_record import has_rest, whole_page
from webseam.kernel.text.display import is_plain_text, strip_hidden
from webseam.kernel.text.redaction import redact_url
from webseam.kernel.text.trim import Budget, trim_text
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.pages import ReadPage
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.result_texts import page_heading
from webseam.ports.stores import TextStore
from webseam.ports.web import WebExtractResult

_NOT_KEPT_WARNING = "The rest of the page is not kept; --url keeps it for webseam more."


def run(arguments: Sequence[str]) -> int:
    """Read one file, print it as markdown, and return the exit code."""
    options = command_line().parse_args(arguments)
    if not is_plain_text(options.url or ""):
        wrong = InvalidQuery(field="--url", reason="is not valid Unicode text")
        return print_error(wrong, as_json=options.json)
    body = unwrap_or_exit(read_page_file(options.file), options)
    kind = options.type or media_type_of_name(options.file)
    root = unwrap_or_exit(read_settings_root(), options)
    # The file name helps where the type is vague: a notebook, subtitles, code.
    url = options.url or quote(Path(options.file).name.removeprefix("-"), errors="replace")
    page = asyncio.run(_convert_file(body, kind, url, root, walled=options.walled))
    address = options.url or options.file
    result = page.map(lambda content: _extract_result(address, kind, content, options))
    if isinstance(page, Success):
        texts = TextFiles(root.files.cache_folder / "texts")
        shown = asyncio.run(_keep_rest(page.unwrap(), kind, result.unwrap(), options, texts))
        result = Success(shown)
    return _print_file(address, result, options)


async def _keep_rest(
    page: ReadPage,
    kind: str,
    shown: WebExtractResult,
    options: argparse.Namespace,
    texts: TextStore,
) -> WebExtractResult:
    """Keep the whole page under a handle if ``shown`` has less of it.

    ``webseam more`` judges a page by its URL, and a file is one as in the index. What comes through
    a pipe without ``--url`` has none.
    """
    if not (shown.receipt.omitted or has_rest(shown)):
        return shown
    if options.file == "-" and not options.url:
        return add_page_warning(shown, _NOT_KEPT_WARNING)
    source = redact_url(options.url or file_url(Path(options.file)))
    receipt = msgspec.structs.replace(shown.receipt, url=source, final_url=source)
    full = msgspec.structs.replace(shown, content=page.content, receipt=receipt)
    return await keep_page(whole_page(full, page_reading(page, kind)), shown, texts)


def _print_file(
    address: str, page: Result[WebExtractResult, WebError], options: argparse.Namespace
) -> int:
    """Print the page as ``webseam extract`` prints one, and return the same exit code."""
    if options.json:
        error = page.failure() if isinstance(page, Failure) else None
        short = None if options.receipt else ExtractReceipt
        print_json(extract_envelope([address], [page]), error, short=short)
    elif isinstance(page, Failure):
        print_error(page.failure(), as_json=False)
    else:
        result = page.unwrap()
        parts = (page_heading(result.title, result.content), strip_hidden(result.content))
        print("\n\n".join(filter(None, parts)))
        print_page_notes(result)
    return BACKEND_FAILED if isinstance(page, Failure) else DONE


def _extract_result(
    address: str, kind: str, page: ReadPage, options: argparse.Namespace
) -> WebExtractResult:
    trimmed = trim_text(page.content, Budget(characters=options.max_chars))
    return WebExtractResult(
        url=address,
        final_url=address,
        # A file name is no useful title.
        title="" if page.title == Path(options.file).name else page.title,
        content=trimmed.text,
        raw_content=page.content,
        metadata=page_metadata(page, kind),
        view="as sent",
        complete=page.complete,
        cuts=page.cuts,
        left_out=page.left_out,
        notes=page.notes,
        receipt=ExtractReceipt(
            backend="read",
            url=redact_url(address),
            final_url=redact_url(address),
            characters=len(page.content),
            compressed=False,
            compressed_characters=None,
            omitted=trimmed.omitted,
            next_cursor=trimmed.next_cursor,
        ),
    )


async def _convert_file(
    body: bytes, kind: str, url: str, root: SettingsRoot, *, walled: bool
) -> Result[ReadPage, WebError]:
    name = converter_name(walled=walled or root.settings.extract_walled)
    describer = make_picture_describer(with_terminal_session(root))
    converter = PictureConverter(Workers(1, converter=name), describer)
    try:
        return await converter.convert(body, kind, url)
    finally:
        await converter.aclose()


def command_line() -> argument_parser.Parser:
    """Return the parser of the command's arguments."""
    parser = argument_parser.Parser(
        prog="webseam read",
        example="saved.html",
        description="Read a page you already have (HTML, PDF, text, ...) and print it as markdown.",
        hints={"--max-tokens": argument_parser.LENGTH_HINT},
    )
    parser.add_argument("file", help="a file, or - for standard input")
    parser.add_argument("--url", default="", help="where it came from, to make its links absolute")
    parser.add_argument("--type", help="its content type, e.g. text/html; guessed when not given")
    argument_parser.add_walled_option(parser)
    argument_parser.add_length_option(parser)
    argument_parser.add_receipt_option(parser)
    return parser
