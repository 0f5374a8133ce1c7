"""Look things up: continue a page that was shown in part."""

import asyncio
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec
from returns.result import Failure, Success

from webseam.adapters.stores.text_files import ReadingPosition, ReadingPositions, TextFiles
from webseam.composition.settings.checks import policy_of
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.loader import load_settings
from webseam.composition.terminal.argument_parser import (
    LENGTH_HINT,
    PAGER_HINT,
    Parser,
    add_length_option,
)
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.find_lines import add_find_option, print_found_pages
from webseam.composition.terminal.output import (
    print_error,
    print_json,
    print_warnings,
    unwrap_or_exit,
)
from webseam.composition.terminal.styled_lines import NextStep, step_lines
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.kernel.envelopes import piece_envelope
from webseam.kernel.extract import judge_final_url
from webseam.kernel.pages.page_budget import web_find, web_more
from webseam.kernel.pages.page_record import PageSource
from webseam.kernel.policy.judge import judge_url
from webseam.kernel.policy.policy_rules import allow_files
from webseam.kernel.text.display import strip_hidden
from webseam.kernel.text.trim import Budget, Piece
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.found import DEFAULT_PASSAGES
from webseam.ports.pages import PartName

_START_POSITION = ReadingPosition(cursor=0, size=0)


def run(arguments: Sequence[str]) -> int:
    """Print the next piece and return the exit code."""
    options = command_line().parse_args(arguments)
    positions = ReadingPositions(FileLocations().reading_positions_file)
    # Each part of a page has its own position.
    name = options.handle if options.part == "content" else f"{options.handle} {options.part}"
    position = _requested_position(options, positions, name)
    texts = TextFiles(FileLocations().cache_folder / "texts")
    # Without a length, show as much as the last time.
    shown_chars = options.max_chars or position.size or None
    budget = Budget() if options.all else Budget(characters=shown_chars)
    # Documents of the index are read from this machine, too.
    policy = allow_files(unwrap_or_exit(load_settings().bind(policy_of), options))

    def judge(source: PageSource) -> WebError | None:
        judged = judge_url(source.url, policy)
        if isinstance(judged, Failure):
            error: WebError = judged.failure()
            return error
        return judge_final_url(source.final_url, policy)

    if options.find is not None:
        looking = web_find(options.handle, options.find, DEFAULT_PASSAGES, texts, judge)
        found = unwrap_or_exit(asyncio.run(looking), options)
        return print_found_pages({options.handle: Success(found)}, options)
    work = web_more(options.handle, position.cursor, budget, texts, judge, options.part)
    outcome = asyncio.run(work)
    if isinstance(outcome, Failure):
        return print_error(_explain_handle_error(outcome.failure()), as_json=options.json)
    piece = outcome.unwrap()
    end = piece.total if piece.next_cursor is None else piece.next_cursor
    size = position.size if options.all or piece.next_cursor is None else len(piece.text)
    stored = positions.keep(name, ReadingPosition(cursor=end, size=size))
    if isinstance(stored, Failure):
        print_warnings([stored.failure().message])
    if options.json:
        print_json(piece_envelope(outcome))
    elif piece.total and piece.cursor >= piece.total:
        print_warnings(["the whole page was shown; --from 0 begins anew."])
    else:
        _print_piece(piece, options)
    return DONE


def _explain_handle_error(error: WebError) -> WebError:
    """Add to an error about a handle where handles come from."""
    if not isinstance(error, InvalidQuery) or error.field != "handle":
        return error
    reason = f"{error.reason}; webseam extract prints one under a page that it shows in part"
    return msgspec.structs.replace(error, reason=reason)


def _requested_position(
    options: Namespace, positions: ReadingPositions, name: str
) -> ReadingPosition:
    """Return the position that the options name, or the end of the last piece."""
    stored = positions.find(name) or _START_POSITION
    if options.cursor is not None:
        return ReadingPosition(cursor=options.cursor, size=stored.size)
    return stored


def _print_piece(piece: Piece, options: Namespace) -> None:
    look = read_terminal_look(sys.stdout)
    text = strip_hidden(piece.shown)
    if not look.person:
        print(text)
        if piece.next_cursor is not None:
            print(f"\n[more: {_more_command(options)}]")
    else:
        from webseam.composition.terminal.page_lines import markdown_lines, print_paged_lines  # noqa: PLC0415  only for a person

        lines = [*markdown_lines(text, look), *_footer(piece, options, look)]
        print_paged_lines(iter(lines), look)
    if piece.next_cursor is None:
        end = "the page" if options.part == "content" else f"its {options.part}"
        print_warnings([f"that was the end of {end}."])


def _more_command(options: Namespace) -> str:
    part = "" if options.part == "content" else f" --part {options.part}"
    return f"webseam more {options.handle}{part}"


def _footer(piece: Piece, options: Namespace, look: TerminalLook) -> Iterator[str]:
    if piece.next_cursor is not None:
        share = f"{100 * piece.next_cursor // max(1, piece.total)} % shown"
        yield ""
        yield from step_lines([NextStep("More", _more_command(options), share)], look, indent=0)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam more",
        example="HANDLE",
        description="Go on in a page that webseam extract showed in part, where it stopped, with "
        "as much as the last time; or read what it left out, or find words in all of it.",
        hints={
            "--max-tokens": LENGTH_HINT,
            "--no-pager": PAGER_HINT,
            "--again": "use --from 0",
        },
        conflicts=[("--max-chars", "--all"), ("--max-chars", "--find")],
    )
    add = parser.add_argument
    add("handle", help="the handle that extract printed")
    add(
        *("--from", "--cursor"),
        dest="cursor",
        type=int,
        metavar="CHARACTER",
        help="go on from here; 0 is the beginning",
    )
    add("--all", action="store_true", help="show all the rest at once")
    add(
        "--part",
        choices=get_args(PartName),
        default="content",
        help="the content, or what was left out of it for one reason, such as comments",
    )
    add_find_option(parser)
    add_length_option(parser.add_argument_group("how much is shown"))
    return parser
