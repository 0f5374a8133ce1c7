"""Set up: who can answer a search."""

import sys
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec
from returns.result import Failure

from ....kernel.text.display import one_line
from ....ports.backends import FilterName
from ....ports.errors import InvalidSetting
from ...terminal.arguments.parser import Parser
from ...terminal.exit_codes import DONE
from ...terminal.output import print_error, print_json
from ...terminal.screen.drawing.styled_lines import Cell, Column, Span, fact_footer, table_lines
from ...terminal.screen.drawing.terminal_look import (
    MAX_NARROW_WIDTH,
    TerminalLook,
    read_terminal_look,
)
from ...wiring.backends.backend_choice import choose_row
from ...wiring.backends.backend_rows import BackendRow, Root
from ...wiring.backends.backend_table import all_rows
from ...wiring.prices import backend_price
from ...wiring.root import make_root
from ...wiring.target_health import TargetHealth, health_text, read_target_health

_HEALTH = Column("health", drop=3)
_COLUMNS = (
    Column("  backend"),
    Column("can"),
    Column("state"),
    Column("rows", drop=4, right=True),
    Column("filters", drop=4),
    _HEALTH,
    Column("from", drop=2),
    Column("about", drop=1),
)
_WORDS = {"native": "native", "operator": "emulated", "rows": "emulated", "refused": "refused"}


def run(arguments: Sequence[str]) -> int:
    """Print the table, and return the exit code."""
    options = command_line().parse_args(arguments)
    opened_root = make_root(index=options.index)
    if isinstance(opened_root, Failure):
        return print_error(opened_root.failure(), as_json=options.json)
    root = opened_root.unwrap()
    rows = sorted(all_rows(root), key=_order)
    health = read_target_health(root.settings.stores)
    if options.json:
        described = [describe(row, health) for row in rows]
        print_json({"success": True, "data": {"backends": described, **_chosen(root)}})
        return DONE
    shown = [row for row in rows if options.all or row.problem is None or row.candidate.keyless]
    look = read_terminal_look(sys.stdout)
    chosen = [name for name in _chosen(root)["chosen"].values() if name is not None]
    lines = [_line(row, health, look, first=row.candidate.name in chosen) for row in shown]
    columns = [*_COLUMNS]
    if look.person and not any(health_text(row.candidate.name, health) for row in shown):
        place = columns.index(_HEALTH)
        columns = [*columns[:place], *columns[place + 1 :]]
        lines = [(*line[:place], *line[place + 1 :]) for line in lines]
    print("\n".join([*table_lines(columns, lines, look), *_footer(len(rows) - len(shown), look)]))
    return DONE


def _footer(hidden: int, look: TerminalLook) -> Iterator[str]:
    if not look.person:
        return
    yield ""
    more = f"{hidden} more with --all" if hidden else ""
    yield from fact_footer((f"{look.symbols.chosen} answers first", more), look)
    if look.width > MAX_NARROW_WIDTH:
        legend = "DPCLTS: domain, date, country, language, topic, safe"
        yield from fact_footer((legend, "small: emulated"), look)


def describe(row: BackendRow, health: Sequence[TargetHealth] = ()) -> dict[str, object]:
    """Return all that is known of a backend, for programs."""
    service, one = row.service, row.candidate
    return {
        "name": one.name,
        "title": row.title,
        "can": one.can,
        "ready": one.ready,
        "keyless": one.keyless,
        "embedded": one.embedded,
        "general": one.general,
        "rank": one.rank,
        "address": row.settings.accesses[0].base_url if row.settings is not None else row.place,
        "set_up": set_up(row),
        "problem": None if row.problem is None else row.problem.message,
        "max_results": None if service is None else service.abilities.max_results,
        "batch": service.extract.at_once if service is not None and service.extract else None,
        "filters": filters(row),
        "price": {name: backend_price(row, name) for name in one.can},
        "health": [msgspec.to_builtins(each) for each in health if each.backend == one.name],
        "note": "" if service is None else service.note,
        "site": "" if service is None else service.site,
    }


def filters(row: BackendRow) -> dict[str, str]:
    """Return how each filter is honoured: native, emulated or refused."""
    if row.abilities is not None:
        known = row.abilities.filters
        return {name: _WORDS[known.get(name, "refused")] for name in get_args(FilterName)}
    known = row.service.abilities.filters if row.service is not None else {}
    if row.candidate.name == "index":
        return {
            name: "native" if "domains" in name or "published" in name else "refused"
            for name in get_args(FilterName)
        }
    return (
        {name: _WORDS[known.get(name, "refused")] for name in get_args(FilterName)} if known else {}
    )


def set_up(row: BackendRow) -> str:
    """Say in a few words how a backend is set up."""
    if row.candidate.embedded:
        return "built in" if row.candidate.ready else "no index yet"
    if row.candidate.ready:
        origins = {} if row.settings is None else row.settings.origins
        places = {str(origin) for origin in origins.values() if origin.layer != "default"}
        return ", ".join(sorted(places)) or "yes"
    return "no key needed" if row.candidate.keyless else "no"


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam backends",
        description="Who can answer, how each is set up, and what it can do.",
        epilog="Filters: letters for domains, dates, country, language, topic, safe search; a "
        "capital is native, a small letter emulated, a dot refused.",
    )
    parser.add_argument("--all", action="store_true", help="also those that are not set up")
    parser.add_argument("--index", metavar="FILE", help="the index to look into")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _line(
    row: BackendRow, health: Sequence[TargetHealth], look: TerminalLook, *, first: bool
) -> tuple[Cell, ...]:
    one = row.candidate
    most = row.service.abilities.max_results if row.service is not None else None
    can = (
        "both"
        if len(one.can) > 1 and look.person and look.width <= MAX_NARROW_WIDTH
        else "+".join(one.can)
    )
    mark = Span(f"{look.symbols.chosen} " if first else "  ", "chosen")
    return (
        (mark, Span(one.name, "title" if first else "plain")),
        Span(can),
        _state(row, health, look),
        Span(str(most or "-")),
        Span(_letters(filters(row))),
        Span(one_line(health_text(one.name, health)) or "-"),
        Span(_source(row), "quiet"),
        Span(one_line(row.title, 40), "quiet"),
    )


def _state(row: BackendRow, health: Sequence[TargetHealth], look: TerminalLook) -> Cell:
    one, symbols = row.candidate, look.symbols
    ill = next((each for each in health if each.backend == one.name and each.reason), None)
    if ill is not None:
        refused = ill.cause in ("key", "forbidden")
        mark, word = (symbols.bad, "key refused") if refused else (symbols.care, "left alone")
        return (Span(f"{mark} ", "bad" if refused else "care"), Span(word))
    if isinstance(row.problem, InvalidSetting) or row.begun:
        return (Span(f"{symbols.bad} ", "bad"), Span("set up in part"))
    if not one.ready and not one.keyless:
        return (Span(f"{symbols.off} ", "quiet"), Span(_unready(row)))
    word = "built in" if one.embedded else "set up" if one.ready else "no key needed"
    return (Span(f"{symbols.good} ", "good"), Span(word))


def _unready(row: BackendRow) -> str:
    return "no index yet" if row.candidate.embedded else "not set up"


def _source(row: BackendRow) -> str:
    return "" if row.candidate.embedded or not row.candidate.ready else set_up(row)


def _letters(known: dict[str, str]) -> str:
    """Return one letter for each kind of filter.

    >>> _letters({"include_domains": "native", "exclude_domains": "native", "country": "emulated"})
    'D.c...'
    """
    pairs = {
        "D": "include_domains",
        "P": "published_after",
        "C": "country",
        "L": "language",
        "T": "topic",
        "S": "safe_search",
    }
    marks = {"native": str.upper, "emulated": str.lower}
    return "".join(
        marks[known[name]](letter) if known.get(name) in marks else "."
        for letter, name in pairs.items()
    )


def _order(row: BackendRow) -> tuple[int, bool, bool, int, str]:
    """Put first what would be chosen first: set up, open to all, the rest; then by rank."""
    one = row.candidate
    standing = 0 if one.ready and not one.embedded else 1 if one.ready or one.keyless else 2
    return (standing, not one.general, one.embedded, one.rank, one.name)


def _chosen(root: Root) -> dict[str, dict[str, str | None]]:
    names: dict[str, str | None] = {}
    for capability in ("search", "extract"):
        chosen = choose_row(capability, root)
        names[capability] = None if isinstance(chosen, Failure) else chosen.unwrap()[0].name
    return {"chosen": names}
