"""Set up: list the services that can search."""

import sys
from collections.abc import Iterator, Sequence
from typing import get_args

import msgspec
from returns.result import Failure

from webseam.composition.terminal.argument_parser import INDEX_HINT, Parser
from webseam.composition.terminal.exit_codes import DONE
from webseam.composition.terminal.output import print_json, unwrap_or_exit
from webseam.composition.terminal.styled_lines import Cell, Column, Span, fact_footer, table_lines
from webseam.composition.terminal.terminal_look import (
    MAX_NARROW_WIDTH,
    TerminalLook,
    read_terminal_look,
)
from webseam.composition.wiring.backend_choice import choose_backend_row
from webseam.composition.wiring.backend_rows import BackendRow, Root
from webseam.composition.wiring.backend_table import all_backend_rows
from webseam.composition.wiring.prices import backend_price
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.target_health import (
    TargetHealth,
    backend_health_text,
    read_target_health,
)
from webseam.kernel.text.display import one_line
from webseam.ports.backends import FilterName
from webseam.ports.errors import InvalidSetting

_HEALTH_COLUMN = Column("health", drop=3)
_COLUMNS = (
    Column("  backend"), Column("can"), Column("state"), Column("rows", drop=4, right=True),
    Column("filters", drop=4), _HEALTH_COLUMN, Column("from", drop=2), Column("about", drop=1),
)  # fmt: skip
_SUPPORT_LABELS = {
    "native": "native",
    "operator": "emulated",
    "rows": "emulated",
    "refused": "refused",
}
# With `keyless: false`, such a backend is asked only by its name.
_KEYLESS_OFF_TEXT = "off: keyless is false"


def run(arguments: Sequence[str]) -> int:
    """Print the table, and return the exit code."""
    options = command_line().parse_args(arguments)
    root = unwrap_or_exit(read_root(), options)
    rows = sorted(all_backend_rows(root), key=_table_order)
    health = read_target_health(root.settings.stores, root.files, rows)
    if options.json:
        uses_keyless = root.settings.keyless
        described = [
            backends_command_record(row, health, uses_keyless=uses_keyless) for row in rows
        ]
        print_json({"success": True, "data": {"backends": described, **_chosen_names(root)}})
        return DONE
    shown = [row for row in rows if options.all or row.problem is None or row.candidate.keyless]
    look = read_terminal_look(sys.stdout)
    chosen = [name for name in _chosen_names(root)["chosen"].values() if name is not None]
    lines = [
        _table_cells(
            row,
            health,
            look,
            first=row.candidate.name in chosen,
            uses_keyless=root.settings.keyless,
        )
        for row in shown
    ]
    columns = [*_COLUMNS]
    if look.person and not any(backend_health_text(row.candidate.name, health) for row in shown):
        index = columns.index(_HEALTH_COLUMN)
        columns = [*columns[:index], *columns[index + 1 :]]
        lines = [(*line[:index], *line[index + 1 :]) for line in lines]
    footer = _footer(len(rows) - len(shown), look)
    print("\n".join([*table_lines(columns, lines, look), *footer]))
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


def backends_command_record(
    row: BackendRow, health: Sequence[TargetHealth] = (), *, uses_keyless: bool = True
) -> dict[str, object]:
    """Return every fact about a backend, for JSON."""
    service, candidate = row.service, row.candidate
    targets = [target for target in health if target.backend == candidate.name]
    return {
        "name": candidate.name,
        "title": row.title,
        "can": candidate.can,
        "ready": candidate.ready,
        "keyless": candidate.keyless,
        "embedded": candidate.embedded,
        "general": candidate.general,
        "rank": candidate.rank,
        "address": row.address,
        "model": row.model,
        "set_up": shown_setup_text(row, uses_keyless=uses_keyless),
        "problem": None if row.problem is None else row.problem.message,
        "max_results": None if service is None else service.abilities.max_results,
        "batch": service.extract.at_once if service is not None and service.extract else None,
        "filters": shown_filter_support(row),
        "price": shown_prices(row),
        "health": msgspec.to_builtins(targets),
        "note": "" if service is None else service.note,
        "site": "" if service is None else service.site,
    }


def shown_prices(row: BackendRow) -> dict[str, object]:
    """Return the dollars for a search and for a page; 0 is free, and None is unknown.

    A list price has its page and the day on which it was read. A backend that is not set up has
    its list price, too.
    """
    listed = None if row.service is None else row.service.offer.price
    usable = (*row.candidate.ready, *row.candidate.keyless)
    has_own_price = any("price" in name for name in row.numbers)
    prices: dict[str, object] = {}
    for capability in row.candidate.can:
        if capability in usable or has_own_price:
            prices[capability] = backend_price(row, capability)
        else:
            prices[capability] = None if listed is None else getattr(listed, capability)
    if listed is None or has_own_price or not any(prices.values()):
        return {**prices, "page": None, "read": None}
    return {**prices, "page": listed.page, "read": listed.read}


def shown_filter_support(row: BackendRow) -> dict[str, str]:
    """Return how each filter is honoured: native, emulated or refused."""
    # Nearly all have a page of results; the error of the others names it.
    names = [name for name in get_args(FilterName) if name != "page"]
    if row.abilities is None and row.candidate.name == "index":
        native = [name for name in names if "domains" in name or "published" in name]
        return {name: "native" if name in native else "refused" for name in names}
    service_filters = row.service.abilities.filters if row.service is not None else {}
    support = service_filters if row.abilities is None else row.abilities.filters
    if row.abilities is None and not support:
        return {}
    return {name: _SUPPORT_LABELS[support.get(name, "refused")] for name in names}


def shown_setup_text(row: BackendRow, *, uses_keyless: bool = True) -> str:
    """Return a short text on how a backend is set up."""
    if row.candidate.embedded:
        return "built in" if row.candidate.ready else "no index yet"
    if row.candidate.ready:
        origins = {} if row.settings is None else row.settings.origins
        origin_names = {str(origin) for origin in origins.values() if origin.layer != "default"}
        return ", ".join(sorted(origin_names)) or "yes"
    if not row.candidate.keyless:
        return "no"
    return "no key needed" if uses_keyless else _KEYLESS_OFF_TEXT


def command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam backends",
        description="Who can answer, how each is set up, and what it can do.",
        epilog="Filters: letters for domains, dates, country, language, topic, safe search; a "
        "capital is native, a small letter emulated, a dot refused.",
        hints={"--index": INDEX_HINT},
    )
    parser.add_argument("--all", action="store_true", help="also those that are not set up")
    return parser


def _table_cells(
    row: BackendRow,
    health: Sequence[TargetHealth],
    look: TerminalLook,
    *,
    first: bool,
    uses_keyless: bool,
) -> tuple[Cell, ...]:
    candidate = row.candidate
    max_rows = row.service.abilities.max_results if row.service is not None else None
    is_narrow = look.person and look.width <= MAX_NARROW_WIDTH
    can = "both" if len(candidate.can) > 1 and is_narrow else "+".join(candidate.can)
    mark = Span(f"{look.symbols.chosen} " if first else "  ", "chosen")
    source = "" if candidate.embedded or not candidate.ready else shown_setup_text(row)
    return (
        (mark, Span(candidate.name, "title" if first else "plain")),
        Span(can),
        _state_cell(row, health, look, uses_keyless=uses_keyless),
        Span(str(max_rows or "-")),
        Span(_filter_letters(shown_filter_support(row))),
        Span(one_line(backend_health_text(candidate.name, health)) or "-"),
        Span(source, "quiet"),
        Span(one_line(row.title, 40), "quiet"),
    )


def _state_cell(
    row: BackendRow, health: Sequence[TargetHealth], look: TerminalLook, *, uses_keyless: bool
) -> Cell:
    candidate, symbols = row.candidate, look.symbols
    targets = (target for target in health if target.backend == candidate.name)
    if (ill := next((target for target in targets if target.reason), None)) is not None:
        refused = ill.cause in ("key", "forbidden")
        mark, label = (symbols.bad, "key refused") if refused else (symbols.care, "left alone")
        return (Span(f"{mark} ", "bad" if refused else "care"), Span(label))
    if isinstance(row.problem, InvalidSetting) or row.is_begun:
        return (Span(f"{symbols.bad} ", "bad"), Span("set up in part"))
    if not candidate.ready and not candidate.keyless:
        unready = "no index yet" if candidate.embedded else "not set up"
        return (Span(f"{symbols.off} ", "quiet"), Span(unready))
    if not (candidate.embedded or candidate.ready or uses_keyless):
        return (Span(f"{symbols.off} ", "quiet"), Span(_KEYLESS_OFF_TEXT))
    label = "set up" if candidate.ready else "no key needed"
    if candidate.embedded:
        label = "built in"
    return (Span(f"{symbols.good} ", "good"), Span(label))


def _filter_letters(support: dict[str, str]) -> str:
    """Return one letter for each kind of filter.

    >>> _filter_letters({"include_domains": "native", "country": "emulated"})
    'D.c...'
    """
    names = ("include_domains", "published_after", "country", "language", "topic", "safe_search")
    marks = {"native": str.upper, "emulated": str.lower}
    return "".join(
        marks[support[name]](letter) if support.get(name) in marks else "."
        for letter, name in zip("DPCLTS", names, strict=True)
    )


def _table_order(row: BackendRow) -> tuple[int, bool, bool, int, str]:
    """Return a sort key: backends that are set up, keyless ones, the rest; then by rank."""
    backend = row.candidate
    usable = backend.ready or backend.keyless
    standing = 1 if usable else 2
    if backend.ready and not backend.embedded:
        standing = 0
    return (standing, not backend.general, backend.embedded, backend.rank, backend.name)


def _chosen_names(root: Root) -> dict[str, dict[str, str | None]]:
    names: dict[str, str | None] = {}
    for capability in ("search", "extract"):
        chosen = choose_backend_row(capability, root)
        names[capability] = None if isinstance(chosen, Failure) else chosen.unwrap()[0].name
    return {"chosen": names}
