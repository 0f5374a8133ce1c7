"""``webseam more``: go on in a page that was shown in part."""

import asyncio
from collections.abc import Sequence

from returns.result import Failure

from ....adapters.stores.texts import TextFiles
from ....kernel.bounds import web_more
from ....kernel.envelopes import piece_envelope
from ....kernel.text.display import visible
from ...places import cache_folder
from ..arguments.options import add_budget, budget_of
from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail, say_json


def run(arguments: Sequence[str]) -> int:
    """Print the next piece and return the exit code."""
    options = command_line().parse_args(arguments)
    texts = TextFiles(cache_folder() / "texts")
    piece = asyncio.run(web_more(options.handle, options.cursor, budget_of(options), texts))
    if isinstance(piece, Failure):
        return fail(piece.failure(), as_json=options.json)
    if options.json:
        say_json(piece_envelope(piece))
        return DONE
    print(visible(piece.unwrap().text))
    if piece.unwrap().next_cursor is not None:
        print(f"\n[more: webseam more {options.handle} --cursor {piece.unwrap().next_cursor}]")
    return DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam more",
        description="Go on in a page that webseam extract showed in part.",
    )
    parser.add_argument("handle", help="the handle that extract printed")
    parser.add_argument("--cursor", type=int, default=0, help="where to go on; 0 is the beginning")
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
