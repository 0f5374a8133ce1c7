"""``webseam backends``: who can answer, how each is set up, what it can do."""

from collections.abc import Sequence
from typing import get_args

import msgspec
from returns.result import Failure

from ....kernel.text.display import one_line
from ....ports.backends import FilterName
from ...wiring.choice import choose_row
from ...wiring.planner.prices import price_of
from ...wiring.planner.resting import TargetHealth, health_words, known_health
from ...wiring.root import make_root
from ...wiring.rows import BackendRow, Root
from ...wiring.table import all_rows
from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail, say_json, table

_WORDS = {"native": "native", "operator": "emulated", "rows": "emulated", "refused": "refused"}


def run(arguments: Sequence[str]) -> int:
    """Print the table, and return the exit code."""
    options = command_line().parse_args(arguments)
    opened_root = make_root(index=options.index)
    if isinstance(opened_root, Failure):
        return fail(opened_root.failure(), as_json=options.json)
    root = opened_root.unwrap()
    rows = sorted(all_rows(root), key=_order)
    health = known_health()
    if options.json:
        described = [describe(row, health) for row in rows]
        say_json({"success": True, "data": {"backends": described, **_chosen(root)}})
        return DONE
    shown = [row for row in rows if options.all or row.problem is None or row.candidate.keyless]
    head = ("backend", "can", "set up", "most", "filters", "health", "what")
    print(table(head, (_line(row, health) for row in shown)))
    hidden = len(rows) - len(shown)
    if hidden:
        print(f"\n{hidden} more are not set up: webseam backends --all, webseam setup")
    for capability, name in _chosen(root)["chosen"].items():
        print(f"{capability} is answered by {name or 'nobody'}, unless you name another")
    return DONE


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
        "address": row.told.accesses[0].base_url if row.told is not None else row.place,
        "set_up": set_up(row),
        "problem": None if row.problem is None else row.problem.message,
        "max_results": None if service is None else service.abilities.max_results,
        "batch": service.extract.at_once if service is not None and service.extract else None,
        "filters": filters(row),
        "price": {name: price_of(row, name) for name in one.can},
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
        origins = {} if row.told is None else row.told.origins
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


def _line(row: BackendRow, health: Sequence[TargetHealth]) -> tuple[str, ...]:
    one = row.candidate
    most = row.service.abilities.max_results if row.service is not None else None
    can = "+".join(one.can)
    return (
        one.name,
        can,
        set_up(row),
        str(most or "-"),
        _letters(filters(row)),
        one_line(health_words(one.name, health)) or "-",
        one_line(row.title, 40),
    )


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


def _order(row: BackendRow) -> tuple[bool, bool, bool, int, str]:
    """Put first what would be chosen first: usable, of the whole web, not built in, by rank."""
    one = row.candidate
    return (not (one.ready or one.keyless), not one.general, one.embedded, one.rank, one.name)


def _chosen(root: Root) -> dict[str, dict[str, str | None]]:
    names: dict[str, str | None] = {}
    for capability in ("search", "extract"):
        chosen = choose_row(capability, root)
        names[capability] = None if isinstance(chosen, Failure) else chosen.unwrap()[0].name
    return {"chosen": names}
