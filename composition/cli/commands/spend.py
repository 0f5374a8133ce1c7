"""Set up: what calls cost, and what is left of each budget."""

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime

import msgspec
from returns.result import Failure

from ....adapters.stores.ledger import LEDGER_SETTING
from ....kernel.planner.money import MICROS, Budgets, capped_purses, purse_words
from ....kernel.text.display import one_line
from ....ports.errors.planner import dollars_text
from ....ports.planning import Spending
from ...terminal.arguments.parser import Parser
from ...terminal.exit_codes import DONE
from ...terminal.output import print_error, print_json
from ...terminal.screen.drawing.styled_lines import Column, Span, paint_spans, table_lines
from ...terminal.screen.drawing.terminal_look import TerminalLook, read_terminal_look
from ...wiring.root import make_root
from ...wiring.store_setup import open_ledger

_BACKEND = "backend:"
_BAR_WIDTH = 30
_COLUMNS = (
    Column("day"),
    Column("backend"),
    Column("calls", right=True),
    Column("spent", right=True),
)
_DAYS = 30


class _Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A cap and what is left of it; one of a call or of a session has no period."""

    budget: str
    scope: str
    period: str
    cap: float
    left: float
    words: str


def run(arguments: Sequence[str]) -> int:
    """Print what was spent, and return the exit code."""
    options = command_line().parse_args(arguments)
    root = make_root()
    if isinstance(root, Failure):
        return print_error(root.failure(), as_json=options.json)
    opened = open_ledger(root.unwrap().settings.stores)
    if isinstance(opened, Failure):
        return print_error(opened.failure(), as_json=options.json)
    with closing(opened.unwrap()) as ledger:
        account = ledger.spendings(time.time())
    if isinstance(account, Failure):
        return print_error(account.failure(), as_json=options.json)
    spendings, budgets = account.unwrap(), root.unwrap().settings.budgets
    today = datetime.now(UTC).date().isoformat()
    if options.json:
        kept = [msgspec.structs.asdict(one) for one in _budgets(budgets, spendings, today)]
        caps = [{name: one[name] for name in one if name != "words"} for one in kept]
        data = {"spent": _days(spendings), "budgets": caps}
        print_json({"success": True, "data": data})
    else:
        _print(spendings, budgets, today)
    return DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam spend",
        description="What calls cost, by day and backend, as far as their prices are known.",
        epilog=f"One file keeps it for all processes; {LEDGER_SETTING} names another, and "
        "stores.postgres a server for several machines. Caps are set with budgets.day and the "
        "like, prices with services.NAME.price.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _days(spendings: Iterable[Spending]) -> list[dict[str, object]]:
    """Return a record for each day and backend, the latest first."""
    return [
        {
            "day": one.period,
            "backend": one.scope.removeprefix(_BACKEND),
            "calls": one.calls,
            "spent": one.spent / MICROS,
            "held": one.held / MICROS,
        }
        for one in spendings
        if one.scope.startswith(_BACKEND)
    ]


def _budgets(budgets: Budgets, spendings: Sequence[Spending], today: str) -> list[_Budget]:
    """Return what is left of each cap, on this day and in this month.

    What one call and one session have spent, only their own process knows.
    """
    booked = {(one.scope, one.period): one.spent + one.held for one in spendings}
    capped = capped_purses(budgets, (one.scope for one in spendings), today)
    kept = [
        _Budget(
            budget=purse.setting,
            scope=purse.scope,
            period=purse.period,
            cap=(purse.cap or 0) / MICROS,
            left=max((purse.cap or 0) - booked.get((purse.scope, purse.period), 0), 0) / MICROS,
            words=f"left for {purse_words(purse)}",
        )
        for purse in capped
    ]
    each = [
        _Budget(budget=f"budgets.{name}", scope=name, period="", cap=cap, left=cap, words=words)
        for name, cap, words in (
            ("call", budgets.call, "for each call"),
            ("session", budgets.session, "for each process"),
        )
        if cap is not None
    ]
    return [*each, *kept]


def _print(spendings: Sequence[Spending], budgets: Budgets, today: str) -> None:
    days = [one for one in spendings if one.scope.startswith(_BACKEND)]
    if not days:
        print("Nothing was paid for yet.")
    else:
        look = read_terminal_look(sys.stdout)
        rows = [[Span(cell) for cell in _line(one)] for one in days]
        print("\n".join([*table_lines(_COLUMNS, rows, look), "", *_plot(days, look)]))
    for one in _budgets(budgets, spendings, today):
        amount = (
            f"{dollars_text(one.left)} of {dollars_text(one.cap)}"
            if one.period
            else dollars_text(one.cap)
        )
        print(f"{one.budget}: {amount} {one.words}")


def _line(one: Spending) -> tuple[str, ...]:
    name = one_line(one.scope.removeprefix(_BACKEND))
    return one.period, name, str(one.calls), dollars_text(one.spent / MICROS)


def _plot(days: Iterable[Spending], look: TerminalLook) -> list[str]:
    """Draw a bar for each of the last days: of money, or of calls where nothing has a price."""
    spent: dict[str, int] = {}
    calls: dict[str, int] = {}
    for one in days:
        spent[one.period] = spent.get(one.period, 0) + one.spent
        calls[one.period] = calls.get(one.period, 0) + one.calls
    values, unit = (spent, "$") if any(spent.values()) else (calls, "calls")
    latest = sorted(values)[-_DAYS:]
    most = max(values[day] for day in latest) or 1
    figures = {
        day: dollars_text(values[day] / MICROS) if unit == "$" else f"{values[day]} calls"
        for day in latest
    }
    widest = max(map(len, figures.values()))
    bars = {day: look.symbols.bar * round(values[day] / most * _BAR_WIDTH) for day in latest}
    return [
        f"{day}  {figures[day]:>{widest}}  {paint_spans([Span(bars[day], 'bar')], look)}".rstrip()
        for day in latest
    ]
