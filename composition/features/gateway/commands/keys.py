"""Serve: add, list and revoke keys for what you serve."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.stores.keys import KEYS_SETTING
from webseam.composition.terminal.argument_parser import Parser, run_subcommand
from webseam.composition.terminal.output import print_data, print_error, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Column, Span, table_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.wiring.root import open_settings_key_store, read_root
from webseam.composition.wiring.store_setup import open_ledger
from webseam.kernel.planner.money import MICROS_PER_DOLLAR, OWNER_PREFIX
from webseam.kernel.planner.pacing import parse_span
from webseam.kernel.text.display import one_line
from webseam.ports.errors import InvalidQuery, WebError
from webseam.ports.errors.planner import dollars_text
from webseam.ports.keys import KEY_TOOLS, KeyChange, KeyRecord, KeyStore

Outcome = TypeVar("Outcome")
# Takes a limit away.
_NONE = "none"
# A narrow terminal drops the columns that are rarely set.
_COLUMNS = (
    Column("name"), Column("id"), Column("may"), Column("domains", drop=3),
    Column("a minute", drop=2, right=True), Column("spent", drop=4), Column("expires", drop=2),
    Column("cache", drop=1), Column("made", drop=1),
)  # fmt: skip
_FIELD_RULES = {
    "name": "must be letters, digits, dots, dashes or @, at most 64 of them",
    "cache": "must be letters, digits, dots, dashes or @, at most 64 of them",
    "domains": "must be host names such as example.com",
    "rate": "must be more than 0 calls a minute",
    "day": "must be 0 dollars or more",
    "month": "must be 0 dollars or more",
    "expires": "must be a span such as 30d or 12h, or a date such as 2026-12-31",
}


def run(arguments: Sequence[str]) -> int:
    """Run one of the commands and return the exit code."""
    return run_subcommand(command_line(), arguments)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam keys",
        example="add alice",
        with_json=False,
        description="Who may use what this machine serves. A key is shown once and kept hashed.",
        epilog=f"The keys are in the file that {KEYS_SETTING} names, else in a folder of yours; "
        "or in the PostgreSQL of stores.postgres, for all gateways that share it.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add = commands.add_parser(
        "add", example="alice", help="make a key", description="Make a key and show it, once."
    )
    add.add_argument("name", help="whose it is")
    _add_limits(add)
    add.add_argument(
        "--cache",
        metavar="SCOPE",
        default="",
        help="share kept answers with keys of the same scope; without it they are its own",
    )
    add.set_defaults(run=_add_key)
    change = commands.add_parser(
        "set",
        example="alice --day 2 --expires 30d",
        help="change a key",
        description="Change the limits of a key; they hold from its next request on. "
        "“none” takes a limit away.",
    )
    change.add_argument("name", help="its name or id")
    _add_limits(change)
    change.set_defaults(run=_change_key)
    listing = commands.add_parser(
        "list", help="list the keys", description="List the keys, and what each has spent."
    )
    listing.set_defaults(run=_list_keys)
    revoke = commands.add_parser(
        "revoke", example="alice", help="end a key", description="End a key, at once."
    )
    revoke.add_argument("name", help="its name or id")
    revoke.set_defaults(run=_revoke_key)
    return parser


def _add_limits(parser: Parser) -> None:
    """Add the options that limit a key."""
    add = parser.add_argument_group("limits").add_argument
    add("--tool", action="append", choices=(*KEY_TOOLS, _NONE), help="only this tool; repeatable")
    add(
        "--domain",
        action="append",
        metavar="NAME",
        help="only pages and results of this domain; repeatable",
    )
    add("--rate", type=_limit_option, metavar="N", help="at most so many calls a minute")
    add("--day", type=_limit_option, metavar="DOLLARS", help="spend at most this a day")
    add("--month", type=_limit_option, metavar="DOLLARS", help="spend at most this a month")
    add("--expires", metavar="WHEN", help="end it after 30d or 12h, or after a day: 2026-12-31")


def _limit_option(text: str) -> float | str:
    return _NONE if text == _NONE else float(text)


def _read_change(options: argparse.Namespace) -> Result[KeyChange, InvalidQuery]:
    """Return the limits that the options set; what is not given is UNSET."""
    fields: dict[str, object] = {}
    if options.tool is not None:
        fields["tools"] = _without_none(options.tool)
    if options.domain is not None:
        fields["domains"] = _without_none(options.domain)
    for name in ("rate", "day", "month", "expires"):
        value = getattr(options, name)
        if value is not None:
            fields[name] = None if value == _NONE else value
    if isinstance(expires := fields.get("expires"), str):
        moment = _read_expiry(expires, datetime.now(UTC))
        if moment is None:
            return Failure(InvalidQuery(field="expires", reason=_FIELD_RULES["expires"]))
        fields["expires"] = moment
    return Success(KeyChange(**cast("dict[str, Any]", fields)))


def _without_none(words: list[str]) -> tuple[str, ...]:
    return () if words == [_NONE] else tuple(dict.fromkeys(words))


def _read_expiry(text: str, now: datetime) -> str | None:
    """Return the moment after a span, or at the end of a day; None for any other text.

    >>> _read_expiry("36h", datetime(2026, 11, 19, 12, tzinfo=UTC))
    '2026-11-21T00:00:00+00:00'
    >>> _read_expiry("2026-12-31", datetime(2026, 11, 19, tzinfo=UTC))
    '2027-01-01T00:00:00+00:00'
    """
    seconds = parse_span(text)
    try:
        if seconds is not None:
            end = now + timedelta(seconds=seconds)
        else:
            day = datetime.combine(date.fromisoformat(text), time(), UTC)
            end = day + timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    return end.isoformat(timespec="seconds")


def _use_store(
    work: Callable[[KeyStore], Result[Outcome, WebError]],
) -> Result[Outcome, WebError]:
    if isinstance(opened := open_settings_key_store(), Failure):
        return opened
    with closing(opened.unwrap()) as keys:
        return work(keys)


def _add_key(options: argparse.Namespace) -> int:
    limits = unwrap_or_exit(_read_change(options), options)
    record = limits.apply(KeyRecord(id="", name=options.name, cache=options.cache, made=""))
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


def _change_key(options: argparse.Namespace) -> int:
    change = unwrap_or_exit(_read_change(options), options)
    if change == KeyChange():
        empty = InvalidQuery(field="keys set", reason="needs a limit to change, such as --day 2")
        return print_error(empty, as_json=options.json)
    invalid = _check_record(change.apply(KeyRecord(id="", name="a", cache="own", made="")))
    if invalid is not None:
        return print_error(invalid, as_json=options.json)
    record = unwrap_or_exit(_use_store(lambda keys: keys.change(options.name, change)), options)
    if record is None:
        return print_error(_unknown_key(options.name), as_json=options.json)
    return print_data(record, f"The key of {record.name} ({record.id}) is changed.", options)


def _list_keys(options: argparse.Namespace) -> int:
    records = unwrap_or_exit(_use_store(lambda keys: keys.records()), options)
    root = unwrap_or_exit(read_root(), options)
    with closing(unwrap_or_exit(open_ledger(root.settings.stores), options)) as ledger:
        now = datetime.now(UTC)
        spendings = unwrap_or_exit(ledger.spendings(now.timestamp()), options)
    spent = {(entry.scope, entry.period): entry.spent + entry.held for entry in spendings}
    listed = [_listed_key(record, spent, now) for record in records]
    rows = [[Span(cell) for cell in _table_cells(key, now)] for key in listed]
    lines = table_lines(_COLUMNS, rows, read_terminal_look(sys.stdout))
    none = "There is no key yet. `webseam keys add NAME` makes one."
    data = [{**msgspec.to_builtins(key.record), **key.amounts()} for key in listed]
    return print_data({"keys": data}, "\n".join(lines) if records else none, options)


class _ListedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key, and what it has spent and may still spend in this day and this month."""

    record: KeyRecord
    spent_day: float
    spent_month: float
    left_day: float | None
    left_month: float | None

    def amounts(self) -> dict[str, float | None]:
        """Return the amounts by name."""
        names = [name for name in self.__struct_fields__ if name != "record"]
        return {name: getattr(self, name) for name in names}


def _listed_key(
    record: KeyRecord, spent: Mapping[tuple[str, str], int], now: datetime
) -> _ListedKey:
    scope, day = f"{OWNER_PREFIX}{record.id}", now.date().isoformat()
    today = spent.get((scope, day), 0) / MICROS_PER_DOLLAR
    this_month = spent.get((scope, day[:7]), 0) / MICROS_PER_DOLLAR
    return _ListedKey(
        record=record,
        spent_day=today,
        spent_month=this_month,
        left_day=None if record.day is None else max(record.day - today, 0.0),
        left_month=None if record.month is None else max(record.month - this_month, 0.0),
    )


def _table_cells(key: _ListedKey, now: datetime) -> tuple[str, ...]:
    record = key.record
    may = ", ".join(record.tools) or "all"
    if record.revoked is not None:
        may = "revoked"
    elif not record.is_good(now.isoformat(timespec="seconds")):
        may = "expired"
    amounts = ((key.spent_day, record.day, "today"), (key.spent_month, record.month, "this month"))
    spent = [
        f"{dollars_text(amount)} of {dollars_text(cap)} {period}"
        for amount, cap, period in amounts
        if cap is not None
    ]
    cells = (
        record.name,
        record.id,
        may,
        ", ".join(record.domains) or "all",
        "-" if record.rate is None else f"{record.rate:g}",
        ", ".join(spent) or f"{dollars_text(key.spent_month)} this month",
        "-" if record.expires is None else record.expires[:16].replace("T", " "),
        "its own" if record.cache == record.id else record.cache,
        record.made[:10],
    )
    return tuple(map(one_line, cells))


def _revoke_key(options: argparse.Namespace) -> int:
    record = unwrap_or_exit(_use_store(lambda keys: keys.revoke(options.name)), options)
    if record is None:
        return print_error(_unknown_key(options.name), as_json=options.json)
    text = f"The key of {record.name} ({record.id}) is no longer good."
    return print_data(record, text, options)


def _unknown_key(name: str) -> InvalidQuery:
    return InvalidQuery(field="name", reason=f"no key in use is called {name!a}")
