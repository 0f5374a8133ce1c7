"""``webseam cache``: the answers that are kept for a while."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

import msgspec
from returns.result import Failure

from ....adapters.stores.cache.table import CACHE_SETTING
from ....adapters.stores.texts import TextFiles
from ...places import cache_folder, reading_places_file
from ...wiring.cache import cache_store
from ..arguments.options import run_action, with_actions
from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail, say_json
from ..screen.look import look_of
from ..screen.tables import fact_lines


def run(arguments: Sequence[str]) -> int:
    """Run one of the cache commands and return the exit code."""
    return run_action(command_line(), arguments)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam cache",
        description="Answers are kept for 20 minutes, or 2 when they are about recent things.",
        epilog=f"Answers and the full texts of pages are in the folder that {CACHE_SETTING} names.",
    )
    actions = (
        ("stats", "count what is kept", _statistics),
        ("clear", "throw everything away", _clear),
    )
    return with_actions(parser, actions)


def _statistics(options: argparse.Namespace) -> int:
    with closing(cache_store()) as store:
        counted = store.statistics()
    if isinstance(counted, Failure):
        return fail(counted.failure(), as_json=options.json)
    return _say(msgspec.to_builtins(counted.unwrap()), as_json=options.json)


def _clear(options: argparse.Namespace) -> int:
    with closing(cache_store()) as store:
        cleared = store.clear()
    if isinstance(cleared, Failure):
        return fail(cleared.failure(), as_json=options.json)
    texts = TextFiles(cache_folder() / "texts").clear()
    reading_places_file().unlink(missing_ok=True)
    if isinstance(texts, Failure):
        return fail(texts.failure(), as_json=options.json)
    return _say({"cleared": cleared.unwrap(), "texts": texts.unwrap()}, as_json=options.json)


def _say(fields: dict[str, object], *, as_json: bool) -> int:
    if as_json:
        say_json({"success": True, "data": fields})
    else:
        print("\n".join(fact_lines(fields, look_of(sys.stdout))))
    return DONE
