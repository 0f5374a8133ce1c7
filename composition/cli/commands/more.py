"""``webseam more``: go on in a page that was shown in part."""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence

import msgspec
from returns.result import Failure

from ....adapters.stores.places import ReadingPlace, ReadingPlaces
from ....adapters.stores.texts import TextFiles
from ....kernel.bounds import web_more
from ....kernel.envelopes import piece_envelope
from ....kernel.text.display import visible
from ....kernel.text.trim import Budget, Piece
from ....ports.errors import InvalidQuery, WebError
from ...places import cache_folder, reading_places_file
from ..arguments.options import add_budget, budget_of
from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail, say_json, warn
from ..screen.drawing.lines import Step, steps
from ..screen.drawing.look import Look, look_of

_START = ReadingPlace(cursor=0, size=0)


def run(arguments: Sequence[str]) -> int:
    """Print the next piece and return the exit code."""
    options = command_line().parse_args(arguments)
    places = ReadingPlaces(reading_places_file())
    place = _place(options, places)
    texts = TextFiles(cache_folder() / "texts")
    stretch = asyncio.run(web_more(options.handle, place.cursor, _budget(options, place), texts))
    if isinstance(stretch, Failure):
        return fail(_explained(stretch.failure()), as_json=options.json)
    piece = stretch.unwrap()
    end = piece.total if piece.next_cursor is None else piece.next_cursor
    size = place.size if options.all or piece.next_cursor is None else len(piece.text)
    place_kept = places.keep(options.handle, ReadingPlace(cursor=end, size=size))
    if isinstance(place_kept, Failure):
        warn([place_kept.failure().message])
    if options.json:
        say_json(piece_envelope(stretch))
    elif piece.total and piece.cursor >= piece.total:
        warn(["the whole page was shown; --again begins anew."])
    else:
        _show(piece, options)
    return DONE


def _explained(error: WebError) -> WebError:
    """Say of a handle that leads nowhere where one comes from."""
    if not isinstance(error, InvalidQuery) or error.field != "handle":
        return error
    reason = f"{error.reason}; webseam extract prints one under a page that it shows in part"
    return msgspec.structs.replace(error, reason=reason)


def _place(options: argparse.Namespace, places: ReadingPlaces) -> ReadingPlace:
    """Return where to go on: where one wants to, or where the last piece ended."""
    known = places.find(options.handle) or _START
    if options.again or options.cursor is not None:
        return ReadingPlace(cursor=options.cursor or 0, size=known.size)
    return known


def _budget(options: argparse.Namespace, place: ReadingPlace) -> Budget:
    """Show as much as the last time, unless more or less is wanted."""
    return Budget() if options.all else budget_of(options, place.size or None)


def _show(piece: Piece, options: argparse.Namespace) -> None:
    look = look_of(sys.stdout)
    text = visible(piece.text)
    if not look.person:
        print(text)
        if piece.next_cursor is not None:
            print(f"\n[more: webseam more {options.handle}]")
    else:
        from ..screen.pages import markdown_lines, show  # noqa: PLC0415  only for a person

        lines = [*markdown_lines(text, look), *_footer(piece, options.handle, look)]
        show(iter(lines), look, pager=not options.no_pager)
    if piece.next_cursor is None:
        warn(["that was the end of the page."])


def _footer(piece: Piece, handle: str, look: Look) -> Iterator[str]:
    if piece.next_cursor is not None:
        share = f"{100 * piece.next_cursor // max(1, piece.total)} % shown"
        yield ""
        yield from steps([Step("More", f"webseam more {handle}", share)], look, indent=0)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam more",
        example="HANDLE",
        description="Go on in a page that webseam extract showed in part, where it stopped, with "
        "as much as the last time.",
    )
    parser.add_argument("handle", help="the handle that extract printed")
    parser.add_argument(
        *("--from", "--cursor"),
        dest="cursor",
        type=int,
        metavar="CHARACTER",
        help="go on from here; 0 is the beginning",
    )
    parser.add_argument("--again", action="store_true", help="begin anew")
    parser.add_argument("--all", action="store_true", help="show all the rest at once")
    parser.add_argument(
        "--no-pager", action="store_true", help="print a long piece at once, without $PAGER"
    )
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
