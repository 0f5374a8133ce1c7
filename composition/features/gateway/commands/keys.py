"""Serve: add, list and revoke keys for what you serve."""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TypeVar

import msgspec
from returns.result import Failure, Result

from webseam.adapters.stores.keys import KEYS_SETTING
from webseam.composition.terminal.argument_parser import Parser, run_subcommand
from webseam.composition.terminal.output import print_data, print_error, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Column, Span, table_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.wiring.root import open_settings_key_store
from webseam.kernel.text.display import one_line
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.errors.planner import dollars_text
from webseam.ports.keys import KEY_TOOLS, KeyRecord, KeyStore

Outcome = TypeVar("Outcome")
# A narrow terminal drops the columns that are rarely set.
_COLUMNS = (
    Column("name"), Column("id"), Column("may"), Column("domains", drop=3),
    Column("a minute", drop=2, right=True), Column("budget", drop=4), Column("cache", drop=1),
    Column("made", drop=1),
)  # fmt: skip
_FIELD_RULES = {
    "name": "must be letters, digits, dots, dashes or @, at most 64 of them",
    "cache": "must be letters, digits, dots, dashes or @, at most 64 of them",
    "domains": "must be host names such as example.com",
    "rate": "must be more than 0 calls a minute",
    "day": "must be 0 dollars or more",
    "month": "must be 0 dollars or more",
}


def run(arguments: Sequence[str]) -> int:
    """Run one of the commands and return the exit code."""
    return run_subcommand(command_line(), arguments)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam keys", example="add alice", with_json=False,
        description="Who may use what this machine serves. A key is shown once and kept hashed.",
        epilog=f"The keys are in the file that {KEYS_SETTING} names, else in a folder of yours; "
        "or in the PostgreSQL of stores.postgres, for all gateways that share it.",
    )  # fmt: skip
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser(
        "add", example="alice", help="make a key", description="Make a key and show it, once."
    )
    add.add_argument("name", help="whose it is")
    add.add_argument(
        "--tool", action="append", default=[], choices=KEY_TOOLS, help="only this tool; repeatable"
    )
    add.add_argument(
        "--domain", action="append", default=[], metavar="NAME",
        help="only pages and results of this domain; repeatable",
    )  # fmt: skip
    add.add_argument("--rate", type=float, metavar="N", help="at most so many calls a minute")
    add.add_argument("--day", type=float, metavar="DOLLARS", help="spend at most this a day")
    add.add_argument("--month", type=float, metavar="DOLLARS", help="spend at most this a month")
    add.add_argument(
        "--cache", metavar="SCOPE", default="",
        help="share kept answers with keys of the same scope; without it they are its own",
    )  # fmt: skip
    add.set_defaults(run=_add_key)
    listing = commands.add_parser("list", help="list the keys", description="List the keys.")
    listing.set_defaults(run=_list_keys)
    revoke = commands.add_parser(
        "revoke", example="alice", help="end a key", description="End a key, at once."
    )
    revoke.add_argument("name", help="its name or id")
    revoke.set_defaults(run=_revoke_key)
    return parser


def _use_store(
    work: Callable[[KeyStore], Result[Outcome, WebError]],
) -> Result[Outcome, WebError]:
    if isinstance(opened := open_settings_key_store(), Failure):
        return opened
    with closing(opened.unwrap()) as keys:
        return work(keys)


def _add_key(options: argparse.Namespace) -> int:
    record = KeyRecord(
        id="", name=options.name, tools=tuple(dict.fromkeys(options.tool)),
        domains=tuple(options.domain), rate=options.rate, day=options.day, month=options.month,
        cache=options.cache, made="",
    )  # fmt: skip
    if (invalid := _check_record(record)) is not None:
        return print_error(invalid, as_json=options.json)
    key = unwrap_or_exit(_use_store(lambda keys: keys.add(record)), options)
    if key is None:
        doubled = InvalidQuery(field="name", reason=f"{options.name} is the name of another key")
        return print_error(doubled, as_json=options.json)
    data = {**msgspec.to_builtins(key.record), "key": key.text}
    text = f"The key of {key.record.name}. It is not shown again:\n\n{key.text}"
    return print_data(data, text, options)


def _check_record(record: KeyRecord) -> InvalidQuery | None:
    fields = msgspec.to_builtins(msgspec.structs.replace(record, cache=record.cache or "own"))
    for name, value in fields.items():
        kind = next(field.type for field in msgspec.structs.fields(KeyRecord) if field.name == name)
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return InvalidQuery(field=name, reason=_FIELD_RULES[name])
    return None


def _list_keys(options: argparse.Namespace) -> int:
    records = unwrap_or_exit(_use_store(lambda keys: keys.records()), options)
    rows = [[Span(cell) for cell in _table_cells(record)] for record in records]
    lines = table_lines(_COLUMNS, rows, read_terminal_look(sys.stdout))
    none = "There is no key yet. `webseam keys add NAME` makes one."
    return print_data({"keys": records}, "\n".join(lines) if records else none, options)


def _table_cells(record: KeyRecord) -> tuple[str, ...]:
    amounts = {"day": record.day, "month": record.month}
    capped = {name: cap for name, cap in amounts.items() if cap is not None}
    budget = [f"{dollars_text(cap)} a {name}" for name, cap in capped.items()]
    cells = (
        record.name,
        record.id,
        "revoked" if record.revoked is not None else ", ".join(record.tools) or "all",
        ", ".join(record.domains) or "all",
        "-" if record.rate is None else f"{record.rate:g}",
        ", ".join(budget) or "-",
        "its own" if record.cache == record.id else record.cache,
        record.made[:10],
    )
    return tuple(map(one_line, cells))


def _revoke_key(options: argparse.Namespace) -> int:
    record = unwrap_or_exit(_use_store(lambda keys: keys.revoke(options.name)), options)
    if record is None:
        unknown = InvalidQuery(field="name", reason=f"no key in use is called {options.name!a}")
        return print_error(unknown, as_json=options.json)
    text = f"The key of {record.name} ({record.id}) is no longer good."
    return print_data(record, text, options)
