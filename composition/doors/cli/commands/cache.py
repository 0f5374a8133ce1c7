"""Your own: count or clear cached answers."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

import msgspec
from returns.result import Result

from webseam.adapters.stores.cache_table import CACHE_SETTING
from webseam.adapters.stores.text_files import TextFiles
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.settings.loader import load_settings
from webseam.composition.terminal.argument_parser import Parser, add_subcommands, run_subcommand
from webseam.composition.terminal.output import print_data, unwrap_or_exit
from webseam.composition.terminal.styled_lines import fact_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.wiring.cache import cache_store
from webseam.composition.wiring.store_setup import clear_shared_answers, count_shared_answers
from webseam.ports.errors import WebError


def run(arguments: Sequence[str]) -> int:
    """Run one of the cache commands and return the exit code."""
    return run_subcommand(command_line(), arguments)


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
        ("stats", "count what is kept", _run_stats),
        ("clear", "throw everything away", _run_clear),
    )
    add_subcommands(parser, actions)
    return parser


def _run_stats(options: argparse.Namespace) -> int:
    settings = unwrap_or_exit(load_settings(), options).stores
    if settings.valkey:
        counted: Result[dict[str, object], WebError] = count_shared_answers(settings)
    else:
        with closing(cache_store()) as store:
            counted = store.statistics().map(msgspec.to_builtins)
    return _print_facts(unwrap_or_exit(counted, options), options)


def _run_clear(options: argparse.Namespace) -> int:
    settings = unwrap_or_exit(load_settings(), options).stores
    if settings.valkey:
        cleared = clear_shared_answers(settings)
    else:
        with closing(cache_store()) as store:
            cleared = store.clear()
    answers = unwrap_or_exit(cleared, options)
    texts = TextFiles(FileLocations().cache_folder / "texts").clear()
    FileLocations().reading_positions_file.unlink(missing_ok=True)
    counts: dict[str, object] = {"cleared": answers, "texts": unwrap_or_exit(texts, options)}
    return _print_facts(counts, options)


def _print_facts(fields: dict[str, object], options: argparse.Namespace) -> int:
    lines = fact_lines(fields, read_terminal_look(sys.stdout))
    return print_data(fields, "\n".join(lines), options)
