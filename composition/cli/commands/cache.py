"""Your own: count or clear cached answers."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

import msgspec
from returns.result import Failure, Result

from ....adapters.stores.cache_table import CACHE_SETTING
from ....adapters.stores.text_files import TextFiles
from ....ports.errors import WebError
from ...file_locations import FileLocations
from ...settings.loader import load_settings
from ...settings.schema import StoreSettings
from ...terminal.argument_parser import Parser, add_terminal_subcommands, run_terminal_subcommand
from ...terminal.exit_codes import DONE
from ...terminal.output import print_error, print_json
from ...terminal.styled_lines import fact_lines
from ...terminal.terminal_look import read_terminal_look
from ...wiring.cache import wire_up_cache
from ...wiring.store_setup import clear_shared_answers, count_shared_answers


def run(arguments: Sequence[str]) -> int:
    """Run one of the cache commands and return the exit code."""
    return run_terminal_subcommand(command_line(), arguments)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam cache",
        example="stats",
        with_json=False,
        description="Answers are kept for 20 minutes, or 2 when they are about recent things.",
        epilog=f"Answers and the full texts of pages are in the folder that {CACHE_SETTING} names; "
        "answers are in the Valkey of stores.valkey where one is set.",
    )
    actions = (
        ("stats", "count what is kept", _run_cache_stats_command),
        ("clear", "throw everything away", _run_cache_clear_command),
    )
    add_terminal_subcommands(parser, actions)
    return parser


def _run_cache_stats_command(options: argparse.Namespace) -> int:
    loaded = load_settings()
    if isinstance(loaded, Failure):
        return print_error(loaded.failure(), as_json=options.json)
    counted = _count_cache_for_command(loaded.unwrap().stores)
    if isinstance(counted, Failure):
        return print_error(counted.failure(), as_json=options.json)
    return _print_cache_facts(counted.unwrap(), as_json=options.json)


def _count_cache_for_command(settings: StoreSettings) -> Result[dict[str, object], WebError]:
    if settings.valkey:
        return count_shared_answers(settings)
    with closing(wire_up_cache()) as store:
        return store.statistics().map(msgspec.to_builtins)


def _clear_cache_for_command(settings: StoreSettings) -> Result[int, WebError]:
    if settings.valkey:
        return clear_shared_answers(settings)
    with closing(wire_up_cache()) as store:
        return store.clear()


def _run_cache_clear_command(options: argparse.Namespace) -> int:
    loaded = load_settings()
    if isinstance(loaded, Failure):
        return print_error(loaded.failure(), as_json=options.json)
    cleared = _clear_cache_for_command(loaded.unwrap().stores)
    if isinstance(cleared, Failure):
        return print_error(cleared.failure(), as_json=options.json)
    texts = TextFiles(FileLocations().cache_folder / "texts").clear()
    FileLocations().reading_positions_file.unlink(missing_ok=True)
    if isinstance(texts, Failure):
        return print_error(texts.failure(), as_json=options.json)
    counts: dict[str, object] = {"cleared": cleared.unwrap(), "texts": texts.unwrap()}
    return _print_cache_facts(counts, as_json=options.json)


def _print_cache_facts(fields: dict[str, object], *, as_json: bool) -> int:
    if as_json:
        print_json({"success": True, "data": fields})
    else:
        print("\n".join(fact_lines(fields, read_terminal_look(sys.stdout))))
    return DONE
