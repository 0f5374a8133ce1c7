"""``webseam index``: the documents that ``search --backend local`` finds."""

import argparse
from collections.abc import Sequence

from ...adapters.index.schema import INDEX_SETTING
from .index_changes import add, refresh, remove
from .index_views import show_list, show_statistics


def run(arguments: Sequence[str]) -> int:
    """Run one of the index commands and return the exit code."""
    options = _parser().parse_args(arguments)
    code: int = options.run(options)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webseam index",
        description="Keep documents of your own, to be searched without a network.",
        epilog=f"The index is one file; {INDEX_SETTING} says where it is.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    added = _command(commands, "add", "add files, folders and pages; what is known is skipped")
    added.add_argument("sources", nargs="+", metavar="PATH_OR_URL")
    added.add_argument("--verbose", action="store_true", help="name each document as it is kept")
    added.set_defaults(run=add)
    refreshed = _command(commands, "refresh", "read again what was added, and drop what is gone")
    refreshed.add_argument("sources", nargs="*", metavar="PATH_OR_URL", help="only these")
    refreshed.add_argument("--verbose", action="store_true", help="name each document")
    refreshed.set_defaults(run=refresh)
    removed = _command(commands, "remove", "forget documents; the files themselves stay")
    removed.add_argument("sources", nargs="+", metavar="PATH_OR_URL")
    removed.set_defaults(run=remove)
    _command(commands, "list", "show what is in the index").set_defaults(run=show_list)
    counted = _command(commands, "stats", "count what is in the index")
    counted.add_argument("--check", action="store_true", help="also look for damage")
    counted.set_defaults(run=show_statistics)
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, what: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
    parser.add_argument("--index", metavar="FILE", help=f"the index, instead of {INDEX_SETTING}")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser
