"""Set up: show what calls cost, and what is left of each budget."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime

import msgspec
from returns.result import Failure

from webseam.adapters.stores.ledger import LEDGER_SETTING
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.output import print_data, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Column, Span, paint_spans, table_lines
from webseam.composition.terminal.terminal_look import TerminalLook, read_terminal_look
from webseam.composition.wiring.root import open_settings_key_store, read_root
from webseam.composition.wiring.store_setup import open_ledger
from webseam.kernel.planner.money import (
    MICROS_PER_DOLLAR,
    OWNER_PREFIX,
    Budgets,
    capped_purses,
    purse_words,
)
from webseam.kernel.text.display import one_line
from webseam.ports.errors.planner import dollars_text
from webseam.ports.planning import Spending

_BACKEND_SCOPE_PREFIX = "backend:"
_BAR_WIDTH = 30
_COLUMNS = (
    Column("day"), Column("backend"), Column("calls", right=True), Column("spent", right=True),
)  # fmt: skip
_KEY_COLUMNS = (
    Column("day"), Column("key"), Column("calls", right=True), Column("spent", right=True),
)  # fmt: skip
_MAX_PLOT_DAYS = 30


class _Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A cap and its remainder; a cap per call or per session has no period."""

    budget: str
    scope: str
    period: str
    cap: float
    left: float
    words: str


def run(arguments: Sequence[str]) -> int:
    """Print the spendings and budgets, and return the exit code."""
    options = command_line().parse_args(arguments)
    root = unwrap_or_exit(read_root(), options)
    with closing(unwrap_or_exit(open_ledger(root.settings.stores), options)) as ledger:
        spendings = unwrap_or_exit(ledger.spendings(time.time()), options)
    today = datetime.now(UTC).date().isoformat()
    budgets = _remaining_budgets(root.settings.budgets, spendings, today)
    caps = [msgspec.structs.asdict(cap) for cap in budgets]
    for cap in caps:
        del cap["words"]
    names = _key_names() if any(_is_key_day(entry) for entry in spendings) else {}
    keys = [entry for entry in spendings if _is_key_day(entry)]
    data = {"spent": _records(spendings), "keys": _key_records(keys, names), "budgets": caps}
    lines = [*_spending_lines(spendings, budgets), *_key_lines(keys, names)]
    return print_data(data, "\n".join(lines), options)


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    return Parser(
        prog="webseam spend",
        description="What calls cost, by day and backend, as far as their prices are known.",
        epilog=f"One file keeps it for all processes; {LEDGER_SETTING} names another, and "
        "stores.postgres a server for several machines. Caps are set with budgets.day and the "
        "like, prices with services.NAME.price.",
    )


def _records(spendings: Iterable[Spending]) -> list[dict[str, object]]:
    return [
        {
            "day": entry.period,
            "backend": entry.scope.removeprefix(_BACKEND_SCOPE_PREFIX),
            "calls": entry.calls,
            "spent": entry.spent / MICROS_PER_DOLLAR,
            "held": entry.held / MICROS_PER_DOLLAR,
            "uncertain_calls": entry.uncertain_calls,
            "uncertain": entry.uncertain / MICROS_PER_DOLLAR,
        }
        for entry in spendings
        if entry.scope.startswith(_BACKEND_SCOPE_PREFIX)
    ]


def _is_key_day(entry: Spending) -> bool:
    return entry.scope.startswith(OWNER_PREFIX) and len(entry.period) == len("2026-01-31")


def _key_names() -> dict[str, str]:
    """Return the names of the gateway's keys by their ids; empty if they cannot be read."""
    opened = open_settings_key_store()
    if isinstance(opened, Failure):
        return {}
    with closing(opened.unwrap()) as keys:
        return {record.id: record.name for record in keys.records().value_or([])}


def _key_records(entries: Iterable[Spending], names: Mapping[str, str]) -> list[dict[str, object]]:
    records = []
    for entry in entries:
        key_id = entry.scope.removeprefix(OWNER_PREFIX)
        records.append(
            {
                "day": entry.period,
                "key": names.get(key_id, key_id),
                "id": key_id,
                "calls": entry.calls,
                "spent": entry.spent / MICROS_PER_DOLLAR,
                "held": entry.held / MICROS_PER_DOLLAR,
            }
        )
    return records


def _key_lines(entries: Sequence[Spending], names: Mapping[str, str]) -> Iterator[str]:
    """Yield a table of what each of the gateway's keys spent by day."""
    if not entries:
        return
    rows = []
    for entry in entries:
        key_id = entry.scope.removeprefix(OWNER_PREFIX)
        amount = dollars_text(entry.spent / MICROS_PER_DOLLAR)
        cells = (entry.period, one_line(names.get(key_id, key_id)), str(entry.calls), amount)
        rows.append([Span(cell) for cell in cells])
    yield ""
    yield from table_lines(_KEY_COLUMNS, rows, read_terminal_look(sys.stdout))


def _remaining_budgets(
    budgets: Budgets, spendings: Sequence[Spending], today: str
) -> list[_Budget]:
    """Return the remainder of each cap for this day and this month."""
    booked = {(entry.scope, entry.period): entry.spent + entry.held for entry in spendings}
    capped = capped_purses(budgets, (entry.scope for entry in spendings), today)
    purse_budgets = [
        _Budget(
            budget=purse.setting,
            scope=purse.scope,
            period=purse.period,
            cap=(purse.cap or 0) / MICROS_PER_DOLLAR,
            left=max((purse.cap or 0) - booked.get((purse.scope, purse.period), 0), 0)
            / MICROS_PER_DOLLAR,
            words=f"left for {purse_words(purse)}",
        )
        for purse in capped
    ]
    call_budgets = [
        _Budget(budget=f"budgets.{name}", scope=name, period="", cap=cap, left=cap, words=words)
        for name, cap, words in (
            ("call", budgets.call, "for each call"),
            ("session", budgets.session, "for each process"),
        )
        if cap is not None
    ]
    return [*call_budgets, *purse_budgets]


def _spending_lines(spendings: Sequence[Spending], budgets: Sequence[_Budget]) -> Iterator[str]:
    if not (days := [row for row in spendings if row.scope.startswith(_BACKEND_SCOPE_PREFIX)]):
        yield "Nothing was paid for yet."
    else:
        look = read_terminal_look(sys.stdout)
        rows = [[Span(cell) for cell in _table_cells(row)] for row in days]
        yield from table_lines(_COLUMNS, rows, look)
        yield from _held_lines(days)
        yield from _uncertain_lines(days)
        yield from ("", *_bars(days, look))
    for row in budgets:
        left = f"{dollars_text(row.left)} of " if row.period else ""
        yield f"{row.budget}: {left}{dollars_text(row.cap)} {row.words}"


def _held_lines(days: Sequence[Spending]) -> Iterator[str]:
    """Say how much is held beside the table, if anything is."""
    held = sum(row.held for row in days)
    if not held:
        return
    dollars = dollars_text(held / MICROS_PER_DOLLAR)
    yield (
        f"Held: {dollars} more, for calls that are not booked yet. What is left of a budget counts"
        " it; after a kill it is booked as uncertain."
    )


def _uncertain_lines(days: Sequence[Spending]) -> Iterator[str]:
    """Say how much of the table is uncertain, if anything is."""
    calls = sum(row.uncertain_calls for row in days)
    if not calls:
        return
    dollars = dollars_text(sum(row.uncertain for row in days) / MICROS_PER_DOLLAR)
    yield (
        f"Uncertain: {calls} of these calls, {dollars}. They were sent, and no answer came: the"
        " connection broke, the caller left, or the process was killed."
    )


def _table_cells(entry: Spending) -> tuple[str, ...]:
    name = one_line(entry.scope.removeprefix(_BACKEND_SCOPE_PREFIX))
    return entry.period, name, str(entry.calls), dollars_text(entry.spent / MICROS_PER_DOLLAR)


def _bars(days: Iterable[Spending], look: TerminalLook) -> list[str]:
    """Draw a bar for each of the last days: of money, or of calls where nothing has a price."""
    spent, calls = Counter[str](), Counter[str]()
    for entry in days:
        spent[entry.period] += entry.spent
        calls[entry.period] += entry.calls
    values, unit = (spent, "$") if any(spent.values()) else (calls, "calls")
    latest = sorted(values)[-_MAX_PLOT_DAYS:]
    max_value = max(values[day] for day in latest) or 1
    figures = {
        day: dollars_text(values[day] / MICROS_PER_DOLLAR)
        if unit == "$"
        else f"{values[day]} calls"
        for day in latest
    }
    widest = max(map(len, figures.values()))
    bars = {day: look.symbols.bar * round(values[day] / max_value * _BAR_WIDTH) for day in latest}
    return [
        f"{day}  {figures[day]:>{widest}}  {paint_spans([Span(bars[day], 'bar')], look)}".rstrip()
        for day in latest
    ]
