"""The tables that a run prints."""

from collections.abc import Iterator, Mapping, Sequence

from .bulk.measuring import Figure, table
from .clients import CLIENTS
from .imports import Starts
from .rounds import Cell, Played
from .targets import LITELLM, RAW_HTTPX, Verdict

_TITLES = {client.name: client.title for client in CLIENTS}
_MEBIBYTE = 1024 * 1024
_CUT = "cut: rounds in which calls were still under way when patience ran out; not counted."
_WORDS = {True: "met", False: "MISSED", None: "-"}


def report_text(
    played: Played,
    kernel: Mapping[int, float],
    starts: Starts,
    bulk: Sequence[Figure],
    verdicts: Sequence[Verdict],
) -> str:
    """Return the whole report as text."""
    parts = [
        *_calls(played),
        _CUT if any(cell.cut for cell in played.cells) else "",
        "",
        *_memory(played),
        "",
        *_single(kernel, starts),
        "",
        *table(bulk),
        "",
        *_targets(verdicts),
    ]
    if played.missing:
        parts += ["", f"Not installed here, not measured: {', '.join(played.missing)}."]
    return "\n".join(parts)


def _calls(played: Played) -> Iterator[str]:
    scenes = dict.fromkeys((cell.rows, cell.at_once) for cell in played.cells)
    for rows, at_once in scenes:
        cells = [cell for cell in played.cells if (cell.rows, cell.at_once) == (rows, at_once)]
        costs = {cell.client: cell.cpu_microseconds for cell in cells}
        header = ("CPU µs/call", "x httpx", "x LiteLLM", "calls/s", "failed", "calls", "cut")
        yield _line(f"{rows} rows, {at_once} at once", header)
        for cell in sorted(cells, key=lambda cell: cell.cpu_microseconds):
            yield _line(_TITLES[cell.client], _figures(cell, costs))
        yield ""


def _figures(cell: Cell, costs: Mapping[str, float]) -> Sequence[str]:
    return (
        f"{cell.cpu_microseconds:.0f}",
        _ratio(cell.cpu_microseconds, costs.get(RAW_HTTPX)),
        _ratio(cell.cpu_microseconds, costs.get(LITELLM)),
        f"{cell.calls_per_second:.0f}",
        str(cell.failures),
        str(cell.calls),
        f"{cell.cut} of {cell.rounds}" if cell.cut else "",
    )


def _memory(played: Played) -> Iterator[str]:
    yield _line("memory, MiB", ("second round", "last round", "calls"))
    for memory in played.memory:
        sizes = (f"{memory.warm / _MEBIBYTE:.1f}", f"{memory.last / _MEBIBYTE:.1f}")
        yield _line(_TITLES[memory.client], (*sizes, str(memory.calls_between)))


def _single(kernel: Mapping[int, float], starts: Starts) -> Iterator[str]:
    yield _line("the kernel alone", tuple(f"{rows} rows" for rows in kernel))
    yield _line("CPU µs/call", tuple(f"{cost:.0f}" for cost in kernel.values()))
    yield ""
    yield _line("starting, CPU ms", ("import", "web_search", "--help", "search local"))
    over_bare = (starts.import_milliseconds, starts.search_milliseconds)
    whole = (starts.help_milliseconds, starts.local_milliseconds)
    costs = ["-" if cost is None else f"{cost:.0f}" for cost in (*over_bare, *whole)]
    yield _line("over bare; commands in all", costs)
    heavy = ", ".join(starts.heavy_modules) or "none of the heavy ones"
    yield f"import webseam loads {starts.modules} modules, of the ones we watch: {heavy}"


def _targets(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield f"{'target':<58}{'limit':>12}{'here':>14}"
    for verdict in verdicts:
        word = _WORDS[verdict.met]
        yield f"{verdict.what:<58}{verdict.target:>12}{verdict.value:>14}  {word}"


def _ratio(cost: float, reference: float | None) -> str:
    return "-" if reference is None else f"{cost / reference:.2f}"


def _line(title: str, figures: Sequence[str]) -> str:
    return f"{title:<34}" + "".join(f"{figure:>13}" for figure in figures)
